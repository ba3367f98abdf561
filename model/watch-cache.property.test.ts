import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ApiObject } from '../sim/api/object.ts';
import { ApiError } from '../sim/api/status.ts';
import { asOftenAs } from '../sim/engine/any-order.arbitrary.ts';
import type { CacheWatch } from '../sim/apiserver/watch-cache/cache-watch.ts';
import { Progress } from '../sim/apiserver/watch-cache/progress.ts';
import type { Trigger } from '../sim/apiserver/watch-cache/trigger-index.ts';
import { WatchCache } from '../sim/apiserver/watch-cache/watch-cache.ts';
import { MemoryStorage } from '../sim/storage/memory-storage.ts';
import { RevisionError, type Revision } from '../sim/storage/storage.ts';
import {
  expectedItems,
  stateAt,
  type History,
  type Interest,
  type ObservedItem,
  type ObservedPage,
  type ObservedWatch,
  type Violation,
} from './history.ts';
import { counted, fresh, snapshot, sorted } from './list-guarantees.ts';
import { StorageModel, type ModelOperation } from './storage-model.ts';
import { lastRevision, resumable, WATCH_GUARANTEES } from './watch-guarantees.ts';

const PREFIX = '/configmaps/';
const KEYS = ['x/a', 'x/a-b', 'x/a0', 'x/b', 'x-y/a', 'x0/a', 'y/a'].map((path) => PREFIX + path);

const kinds = [
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      changes: fc.uniqueArray(
        fc.record({ key: fc.constantFrom(...KEYS), app: fc.constantFrom('web', 'db', undefined) }),
        { minLength: 1, maxLength: 3, selector: ({ key }) => key },
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('writeElsewhere' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('compact' as const),
      distance: fc.nat({ max: 5 }),
      isTold: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('lag' as const, 'catchUp' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('deliver' as const), pick: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('hold' as const, 'release' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('open' as const),
      scope: fc.constantFrom(PREFIX, `${PREFIX}x/`, `${PREFIX}x/a`, `${PREFIX}x/a-b`),
      app: fc.constantFrom('web', 'web', 'db', undefined, undefined),
      isTriggered: fc.boolean(),
      distance: fc.option(fc.integer({ min: -2, max: 8 })),
      when: fc.constantFrom('at once' as const, 'at once' as const, 'on news' as const),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('drain' as const), pick: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('takeOne' as const), pick: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('bookmark' as const), pick: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('resume' as const), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), pick: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('listCache' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('nextPage' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('await' as const),
      distance: fc.integer({ min: -3, max: 1 }),
      goesOn: fc.constantFrom('reads' as const, 'reads' as const, 'writes' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('giveUp' as const), pick: fc.nat() }) },
];
type Command = typeof kinds extends readonly { readonly arbitrary: fc.Arbitrary<infer C> }[] ? C : never;

/** A defect between the cache and its observer: what is told instead of an item, and from where one resumes. */
interface Defect {
  readonly tell?: () => (item: ObservedItem) => ObservedItem[];
  readonly resumeAt?: (revision: number) => number;
}

interface Observer extends Interest {
  /** By which it is found, if not by its scope. */
  readonly trigger: Trigger | undefined;
  readonly chain: (ObservedWatch & { readonly items: ObservedItem[] })[];
  watch: CacheWatch;
  /** From the present watch. */
  taken: number;
  tell: (item: ObservedItem) => ObservedItem[];
}

/** So many live events may wait for whoever watches. */
const QUEUE = 6;
/** So many events are kept for those who come later, at the least and at the most. */
const WINDOW = { lowestCapacity: 4, highestCapacity: 8, freshMs: 3, maxBytes: Infinity };

/** Somebody who waits until the cache shows a revision. */
interface Waiting {
  readonly revision: number;
  giveUp: () => void;
}

/** A storage with a lagging cache, and beside it the model that knows what truly happened. */
class World {
  readonly findings: Violation[] = [];
  readonly #storage = new MemoryStorage<ApiObject>();
  readonly #model = new StorageModel<ApiObject, Revision>(
    (kind, revision) => new Error(`${kind} ${revision}`),
  );
  readonly #cache: WatchCache;
  readonly #begun: number;
  /** They have taken everything, and are told of more. */
  readonly #asleep = new Set<CacheWatch>();
  readonly #observers: Observer[] = [];
  readonly #gone: Observer[] = [];
  readonly #waiting: Waiting[] = [];
  /** Those who open a watch as soon as another watch has news. */
  #onNews: (() => void)[] = [];
  /** The storage tells of a write. */
  #isWriting = false;
  #isHeld = false;
  #isLate = false;
  readonly #defect: Defect;
  #deliveries: (() => void)[] = [];
  #pages: ObservedPage[] = [];
  #writes = 0;

  constructor(defect: Defect = {}) {
    this.#defect = defect;
    this.#run({ kind: 'write', changes: [{ key: `${PREFIX}x/b`, app: 'web' }] });
    this.#cache = new WatchCache({
      storage: this.#storage,
      prefix: PREFIX,
      progress: new Progress(this.#storage),
      nowMs: () => this.#writes,
      windowLimits: WINDOW,
    });
    this.#begun = this.#cache.oldestStart;
  }

  run(commands: readonly Command[]): this {
    for (const each of [...commands, { kind: 'release' }, { kind: 'catchUp' }] as const) {
      this.#run(each);
      this.#expectPrompt();
      for (const observer of this.#observers) this.#expectServed(observer);
    }
    this.#expectWindow();
    for (const observer of this.#observers) this.#drain(observer);
    this.#close();
    for (const { chain } of [...this.#observers, ...this.#gone]) this.#judge(chain);
    return this;
  }

  get #history(): History {
    return this.#model.everything.map((event) => ({
      revision: event.revision,
      key: event.kind === 'put' ? event.entry.key : event.key,
      before: event.previous?.value,
      after: event.kind === 'put' ? event.entry.value : undefined,
    }));
  }

  #judge(chain: readonly ObservedWatch[]): void {
    for (const watch of chain) {
      for (const guarantee of WATCH_GUARANTEES) this.findings.push(...guarantee(watch, this.#history));
    }
    this.findings.push(...resumable(chain, this.#history));
  }

  #run(each: Command): void {
    switch (each.kind) {
      case 'write':
        return this.#write(each.changes);
      case 'writeElsewhere':
        return this.#write([{ key: '/pods/p', app: 'web' }]);
      case 'compact':
        return this.#compact(each);
      case 'lag':
        this.#isLate = true;
        return this.#cache.setLag((deliver) => this.#deliveries.push(deliver));
      case 'catchUp':
        this.#isLate = false;
        return this.#cache.setLag(undefined);
      case 'deliver':
        return this.#deliveries.splice(each.pick % (this.#deliveries.length || 1), 1)[0]?.();
      case 'hold':
        this.#isHeld = true;
        return this.#cache.hold();
      case 'release':
        return this.#release();
      case 'open':
        if (each.when === 'at once') return this.#open(each);
        return void this.#onNews.push(() => this.#open(each));
      case 'listCache':
        return this.#listCache();
      case 'nextPage':
        return this.#nextPage();
      case 'await':
        return this.#await(this.#storage.revision - each.distance, each.goesOn === 'writes');
      case 'giveUp':
        return this.#waiting.splice(each.pick % (this.#waiting.length || 1), 1)[0]?.giveUp();
      case 'drain':
      case 'takeOne':
      case 'bookmark':
      case 'leave':
      case 'resume': {
        const observer = this.#observers[each.pick % (this.#observers.length || 1)];
        if (!observer) return;
        if (each.kind === 'drain') this.#drain(observer);
        else if (each.kind === 'takeOne') this.#take(observer);
        else if (each.kind === 'bookmark') this.#mark(observer);
        else if (each.kind === 'leave') this.#leave(observer);
        else this.#resume(observer);
      }
    }
  }

  #write(changes: readonly { readonly key: string; readonly app: string | undefined }[]): void {
    this.#writes += 1;
    const nth = this.#writes;
    const success = changes.map(({ key, app }): ModelOperation<ApiObject, Revision> => {
      if (app === undefined) return { kind: 'delete', key };
      return { kind: 'put', key, value: (revision) => configMap({ key, app, nth, revision }) };
    });
    // The model first: it knows the truth when the watches hear of it.
    this.#model.transact({ compare: [], success });
    this.#isWriting = true;
    this.#storage.transact({ compare: [], success });
    this.#isWriting = false;
  }

  /** A server that hears of it keeps no more than it has to; what came later stays. */
  #compact({ distance, isTold }: { readonly distance: number; readonly isTold: boolean }): void {
    const revision = Math.max(1, this.#storage.revision - distance) as Revision;
    if (revision > this.#storage.compactedRevision) this.#storage.compact(revision);
    const { oldestStart } = this.#cache;
    if (isTold) this.#cache.forgetUpTo(revision);
    expect(this.#cache.oldestStart).toBeLessThanOrEqual(Math.max(oldestStart, revision));
    this.#expectWindow();
  }

  #expectWindow(): void {
    const { oldestStart, lastEventRevision } = this.#cache;
    const kept = this.#history.filter(
      ({ key, revision }) =>
        key.startsWith(PREFIX) && revision >= oldestStart && revision <= lastEventRevision,
    );
    const later = kept.filter(({ revision }) => revision > oldestStart);
    expect(later.length, `kept after ${oldestStart}`).toBeLessThanOrEqual(WINDOW.highestCapacity);
    // Of the last revision that is forgotten a part may be there.
    if (oldestStart > this.#begun)
      expect(kept.length, `kept from ${oldestStart} on`).toBeGreaterThanOrEqual(WINDOW.lowestCapacity);
  }

  /** Nobody sleeps on after the end, and nobody is cut off for whom not too much waits. */
  #expectServed({ watch, chain, taken }: Observer): void {
    const last = chain.at(-1);
    if (watch.state === 'open' || !last) return;
    expect(this.#asleep.has(watch), 'asleep, at its end').toBe(false);
    if (watch.state !== 'tooSlow') return;
    const { start } = last;
    const initial = start.kind === 'initial' ? stateAt(this.#history, last, start.revision).size : 0;
    const later = expectedItems(this.#history, last, start.revision, this.#cache.lastEventRevision);
    expect(initial + later.length - taken, 'what waits of a slow watch').toBeGreaterThan(QUEUE);
  }

  /** What was held back is there at once; somebody who waited for it may have written since. */
  #release(): void {
    const { revision } = this.#storage;
    this.#cache.release();
    if (this.#isHeld) expect(this.#cache.revision).toBeGreaterThanOrEqual(revision);
    this.#isHeld = false;
  }

  /** What is neither held nor late shows the newest, and nobody waits for what is shown already. */
  #expectPrompt(): void {
    if (!this.#isHeld && !this.#isLate) expect(this.#cache.revision).toBe(this.#storage.revision);
    const late = this.#waiting.filter(({ revision }) => revision <= this.#cache.revision);
    expect(late, `those who wait, at ${this.#cache.revision}`).toEqual([]);
  }

  #open({ scope, app, isTriggered, distance }: Extract<Command, { kind: 'open' }>): void {
    const trigger =
      app !== undefined && isTriggered ? { field: 'app', value: app, valueOf: appOf } : undefined;
    const selects = app === undefined ? undefined : (object: ApiObject) => appOf(object) === app;
    const interest = { scope, selects, trigger };
    const after = distance === null ? 'initial' : (Math.max(1, this.#cache.revision - distance) as Revision);
    const watch = this.#tryOpen(interest, after);
    if (!watch) return;
    const start =
      after === 'initial'
        ? ({ kind: 'initial', revision: this.#cache.revision } as const)
        : ({ kind: 'after', revision: after } as const);
    const tell = this.#defect.tell?.() ?? ((item) => [item]);
    this.#observers.push({
      ...{ ...interest, watch, tell, taken: 0 },
      chain: [{ scope, selects, start, items: [] }],
    });
  }

  /** A refusal must be deserved: the cache no longer holds what follows the start. */
  #tryOpen(
    interest: Pick<Observer, 'scope' | 'selects' | 'trigger'>,
    after: Revision | 'initial',
  ): CacheWatch | undefined {
    try {
      const { scope, selects, trigger } = interest;
      const watch = this.#cache.open({
        ...{ scope, selects, trigger, after, queueCapacity: QUEUE },
        onReady: () => {
          expect(this.#asleep.delete(watch), 'who is woken sleeps').toBe(true);
          for (const open of this.#onNews.splice(0)) open();
        },
      });
      return watch;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 410 || after === 'initial') throw error;
      expect(after).toBeLessThan(this.#cache.oldestStart);
      return undefined;
    }
  }

  #take(observer: Observer): boolean {
    const { watch, chain, tell } = observer;
    const item = watch.take();
    if (!item && watch.state === 'open') this.#asleep.add(watch);
    if (!item) return false;
    expect(this.#asleep.has(watch), 'who has something to take and sleeps').toBe(false);
    observer.taken += 1;
    if (item.type === 'BOOKMARK') return true;
    const { object, revision } = item;
    const observed: ObservedItem = { type: item.type, key: keyOf(object), object, revision };
    chain.at(-1)?.items.push(...tell(observed));
    return true;
  }

  #drain(observer: Observer): void {
    const { watch, chain } = observer;
    while (this.#take(observer));
    if (watch.state !== 'open') return;
    this.#mark(observer);
    chain.at(-1)?.items.push({ type: 'DRAINED', revision: this.#cache.revision });
  }

  /** Whenever it is asked for. */
  #mark({ watch, chain, tell }: Observer): void {
    const revision = watch.bookmarkRevision;
    if (watch.state === 'open' && revision) chain.at(-1)?.items.push(...tell({ type: 'BOOKMARK', revision }));
  }

  /** The others hear of everything as before. */
  #leave(observer: Observer): void {
    observer.watch.close();
    this.#gone.push(observer);
    this.#observers.splice(this.#observers.indexOf(observer), 1);
  }

  /** What was kept here is another thing by now: everybody hears of the end, and of nothing later, whoever comes later, too. */
  #close(): void {
    this.#onNews = [];
    this.#cache.retire();
    const late = this.#cache.open({ scope: PREFIX, after: 'initial', onReady: () => undefined });
    expect(late.state, 'of who comes later').toBe('closed');
    for (const observer of this.#observers) this.#expectServed(observer);
    const ends = this.#observers.map(({ watch }) => [watch.state === 'open', watch.take()]);
    expect(ends).toEqual(this.#observers.map(() => [false, undefined]));
    this.#write([{ key: `${PREFIX}x/a`, app: 'web' }]);
    expect(this.#observers.filter(({ watch }) => watch.take())).toEqual([]);
  }

  #resume(observer: Observer): void {
    const last = observer.chain.at(-1);
    if (!last || !this.#canResume(last)) return;
    const resumeAt = this.#defect.resumeAt ?? ((revision) => revision);
    const after = resumeAt(lastRevision(last)) as Revision;
    const watch = this.#tryOpen(observer, after);
    if (!watch) return;
    observer.watch.close();
    observer.watch = watch;
    observer.taken = 0;
    const { scope, selects } = observer;
    observer.chain.push({ scope, selects, start: { kind: 'after', revision: after }, items: [] });
  }

  /** Half of an initial state or of a transaction cannot be resumed: its client has to list again. */
  #canResume(watch: ObservedWatch): boolean {
    const { items, start } = watch;
    const last = lastRevision(watch);
    const seen = items.filter(
      ({ type, revision }) => type !== 'DRAINED' && type !== 'BOOKMARK' && revision === last,
    );
    const isWhole =
      seen.length >= expectedItems(this.#history, watch, last - 1, last).length || last === start.revision;
    return isWhole && (start.kind === 'after' || items.some(({ type }) => type === 'DRAINED'));
  }

  #listCache(): void {
    const { entries, revision, hasMore } = this.#cache.list({ prefix: PREFIX });
    this.#judgeList([{ ...shown(entries), revision, hasMore }]);
  }

  #nextPage(): void {
    const [first] = this.#pages;
    const last = this.#pages.at(-1)?.keys.at(-1);
    try {
      const range = this.#storage.range({
        prefix: PREFIX,
        limit: 2,
        ...(first && { revision: first.revision as Revision }),
        ...(last !== undefined && { startKey: `${last}\0` }),
      });
      const { entries, hasMore, count } = range;
      const remaining = count - entries.length;
      this.#pages.push({
        ...shown(entries),
        revision: first?.revision ?? range.revision,
        hasMore,
        remaining,
      });
      if (hasMore) return;
      this.#judgeList(this.#pages);
    } catch (error) {
      if (!(error instanceof RevisionError)) throw error;
    }
    this.#pages = [];
  }

  #judgeList(pages: readonly ObservedPage[]): void {
    const list = { scope: PREFIX, pages };
    this.findings.push(...snapshot(list, this.#history), ...sorted(list), ...counted(list));
  }

  /** Whoever was told is told once, may write at once, and is not told any more when he has given up. */
  #await(revision: number, writes: boolean): void {
    if (revision < 1) return;
    const waiting: Waiting = { revision, giveUp: () => undefined };
    this.#waiting.push(waiting);
    waiting.giveUp = this.#cache.whenAtLeast(revision as Revision, () => {
      const index = this.#waiting.indexOf(waiting);
      expect(index, `somebody who waits for ${revision} and is told`).toBeGreaterThanOrEqual(0);
      this.#waiting.splice(index, 1);
      this.#judgeFresh(revision);
      if (writes && !this.#isWriting) this.#write([{ key: `${PREFIX}x/a`, app: 'web' }]);
    });
  }

  #judgeFresh(revision: number): void {
    const { revision: shownRevision } = this.#cache;
    const pages = [
      { ...shown(this.#cache.list({ prefix: PREFIX }).entries), revision: shownRevision, hasMore: false },
    ];
    this.#judgeList(pages);
    this.findings.push(...fresh({ scope: PREFIX, pages }, revision));
  }
}

const shown = (entries: readonly { readonly key: string; readonly value: ApiObject }[]) => ({
  keys: entries.map(({ key }) => key),
  objects: entries.map(({ value }) => value),
});

function configMap(of: {
  readonly key: string;
  readonly app: string;
  readonly nth: number;
  readonly revision: number;
}) {
  const [, , namespace = '', name = ''] = of.key.split('/');
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name, labels: { app: of.app }, resourceVersion: String(of.revision) },
    data: { nth: String(of.nth) },
  };
}

const keyOf = ({ metadata }: ApiObject): string => `${PREFIX}${metadata.namespace}/${metadata.name}`;
const appOf = ({ metadata }: ApiObject): string => metadata.labels?.['app'] ?? '';

/** In some runs everything is done, in others a few things only, and those the more often. */
const commands = fc
  .oneof(fc.constant(kinds), fc.subarray(kinds, { minLength: 4 }))
  .chain((some) => fc.array(fc.oneof(...some), { minLength: 20, maxLength: 80, size: 'max' }));

test('every watch and list of a lagging cache keeps every guarantee', () => {
  fc.assert(
    fc.property(commands, (sequence) => {
      expect(new World().run(sequence).findings).toEqual([]);
    }),
    asOftenAs(400, 20240831),
  );
});

describe('a checker finds', () => {
  /** Which guarantees a defect breaks, over some random runs. */
  const brokenBy = (defect: Defect): string[] => {
    const runs = fc.sample(commands, { numRuns: 40, seed: 7 });
    const findings = runs.flatMap((sequence) => new World(defect).run(sequence).findings);
    return [...new Set(findings.map(({ guarantee }) => guarantee))];
  };
  const everyThird = (change: (item: ObservedItem) => ObservedItem[]) => () => {
    let count = 0;
    return (item: ObservedItem) => ((count += 1) % 3 === 0 ? change(item) : [item]);
  };
  /** Keeps some items back until something else has been told. */
  const holdingBack = (isHeld: (item: ObservedItem, before: ObservedItem | undefined) => boolean) => () => {
    let before: ObservedItem | undefined;
    let held: ObservedItem[] = [];
    return (item: ObservedItem) => {
      if (isHeld(item, before)) {
        held.push(item);
        return [];
      }
      const told = [item, ...held];
      before = item;
      held = [];
      return told;
    };
  };

  test('events that overtake one another (ordered)', () => {
    let nth = 0;
    expect(brokenBy({ tell: holdingBack(() => (nth += 1) % 3 === 0) })).toContain('ordered');
  });

  test('events that come twice (unique)', () => {
    expect(brokenBy({ tell: everyThird((item) => [item, item]) })).toContain('unique');
  });

  test('a transaction that comes in two parts (atomic)', () => {
    const isSecondPart = (item: ObservedItem, before: ObservedItem | undefined) =>
      item.revision === before?.revision;
    expect(brokenBy({ tell: holdingBack(isSecondPart) })).toContain('atomic');
  });

  test('events that never come (complete)', () => {
    expect(brokenBy({ tell: everyThird(() => []) })).toContain('complete');
  });

  test('objects that enter a selection as if they had been in it (filtered)', () => {
    const asModified = (item: ObservedItem): ObservedItem[] =>
      item.type === 'ADDED' ? [{ ...item, type: 'MODIFIED' }] : [item];
    expect(brokenBy({ tell: everyThird(asModified) })).toEqual(['filtered']);
  });

  test('a deletion that shows the version of the last write before it (filtered)', () => {
    const withOldVersion = (item: ObservedItem): ObservedItem[] =>
      item.type === 'DELETED'
        ? [
            {
              ...item,
              object: { ...item.object, metadata: { ...item.object.metadata, resourceVersion: '1' } },
            },
          ]
        : [item];
    expect(brokenBy({ tell: () => withOldVersion })).toEqual(['filtered']);
  });

  test('a bookmark that promises too much (bookmarkable)', () => {
    const ahead = (item: ObservedItem): ObservedItem[] =>
      item.type === 'BOOKMARK' ? [{ ...item, revision: item.revision + 2 }] : [item];
    expect(brokenBy({ tell: () => ahead })).toContain('bookmarkable');
  });

  test('a watch that resumes one revision too late (resumable)', () => {
    expect(brokenBy({ resumeAt: (revision) => revision + 1 })).toContain('resumable');
  });
});

describe('a checker of lists finds', () => {
  const object = (name: string): ApiObject =>
    configMap({ key: PREFIX + name, app: 'web', nth: 0, revision: 2 });
  const history: History = ['x/a', 'x/b', 'x/c'].map((name, index) => ({
    revision: index + 2,
    key: PREFIX + name,
    before: undefined,
    after: object(name),
  }));
  const page = (names: readonly string[], rest: Partial<ObservedPage> = {}): ObservedPage => ({
    keys: names.map((name) => PREFIX + name),
    objects: names.map(object),
    revision: 4,
    hasMore: false,
    ...rest,
  });
  const whole = [page(['x/a', 'x/b'], { hasMore: true, remaining: 1 }), page(['x/c'])];
  const judge = (pages: readonly ObservedPage[]) => {
    const list = { scope: PREFIX, pages };
    const findings = [...snapshot(list, history), ...sorted(list), ...counted(list), ...fresh(list, 4)];
    return [...new Set(findings.map(({ guarantee }) => guarantee))];
  };

  test('nothing in a list that is right', () => {
    expect(judge(whole)).toEqual([]);
  });

  test('a missing item, a foreign item and a page of another state (snapshot)', () => {
    expect(judge([page(['x/a', 'x/c'])])).toEqual(['snapshot']);
    expect(judge([page(['x/a', 'x/b', 'x/c', 'x/d'])])).toEqual(['snapshot']);
    expect(judge([page(['x/a', 'x/b'], { hasMore: true }), page(['x/c'], { revision: 5 })])).toEqual([
      'snapshot',
    ]);
  });

  test('items out of order and items that come twice (sorted)', () => {
    expect(judge([page(['x/b', 'x/a', 'x/c'])])).toEqual(['sorted']);
    expect(judge([page(['x/a', 'x/b', 'x/b', 'x/c'])])).toEqual(['sorted']);
  });

  test('a wrong count of what remains, and a last page that promises more (counted)', () => {
    expect(judge([page(['x/a', 'x/b'], { hasMore: true, remaining: 2 }), page(['x/c'])])).toEqual([
      'counted',
    ]);
    expect(judge([page(['x/a', 'x/b', 'x/c'], { hasMore: true })])).toEqual(['counted']);
  });

  test('a state older than asked for (fresh)', () => {
    expect(judge([page(['x/a', 'x/b'], { revision: 3 })])).toEqual(['fresh']);
  });
});
