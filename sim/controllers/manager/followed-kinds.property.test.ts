/**
 * Kinds that come, go and are not answered for in any order, beside what the servers said: who follows them follows those
 * that are wanted, keeps those that nobody answers for just then, knows what is served as it was said last, and asks again
 * however long the first list of a kind takes, which may be gone.
 *
 * @holds sim/client/discovery
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ApiClient } from '../../client/api-client.ts';
import { API_PORT, type ApiAnswer } from '../../client/protocol.ts';
import { ObjectStore } from '../../client/informer/object-store.ts';
import { collectionPath, type ResourceHandle } from '../../client/resource-handle.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import type { Process } from '../../engine/process.ts';
import type { Signal } from '../../engine/signal.ts';
import { serveCalls } from '../../engine/request-reply.ts';
import { Simulation } from '../../engine/simulation.ts';
import { milliseconds, seconds } from '../../engine/time.ts';
import type { ControllerContext, SharedInformer } from './controller.ts';
import { FollowedKinds } from './followed-kinds.ts';

/** That without a name is the core's, which has a document of its own. */
const GROUPS = ['', 'a.example', 'b.example'] as const;
const VERSIONS = ['v1', 'v2'] as const;
const SERVER = 'apiserver/0';
const QUIET = milliseconds(100);
/** It is asked every 30 s, and while first lists are waited for, for no longer than that, as well. */
const LONGEST_BETWEEN = seconds(62);

interface Said {
  readonly version: (typeof VERSIONS)[number];
  /** Nobody could say what it has. */
  readonly isStale: boolean;
  readonly isWanted: boolean;
}

/** What one server says of one group; nothing: it is not there. */
type Group = Said | undefined;
type Groups = ReadonlyMap<string, Said>;

const versionOf = (group: string, { version }: Said): string => `${group}/${version}`;
const handleOf = (group: string, { version }: Said): ResourceHandle => ({
  group,
  version,
  resource: 'things',
  kind: 'Thing',
  isNamespaced: true,
});
const pathOf = (group: string, said: Said): string => collectionPath(handleOf(group, said), '');

const documentOf = (groups: Groups): unknown =>
  Object.freeze({
    items: [...groups].map(([name, { version, isStale, isWanted }]) => ({
      metadata: { name },
      versions: [
        {
          version,
          ...(isStale && { freshness: 'Stale' }),
          resources: isStale
            ? []
            : [
                {
                  resource: 'things',
                  responseKind: { kind: 'Thing' },
                  scope: 'Namespaced',
                  verbs: isWanted ? ['list', 'watch'] : ['list'],
                },
              ],
        },
      ],
    })),
  });

/** Of a kind that is followed, as the manager would hand it out. */
class Informer implements SharedInformer {
  readonly store = new ObjectStore();
  readonly path: string;
  readonly #changed: Signal;
  isSynced = false;
  isReleased = false;

  constructor(path: string, changed: Signal) {
    this.path = path;
    this.#changed = changed;
  }

  *waitUntilSynced(): Process<void> {
    while (!this.isSynced) yield* this.#changed.wait();
  }

  sync(): void {
    this.isSynced = true;
    this.#changed.fire();
  }

  addHandler(): void {
    expect.unreachable('nobody listens here');
  }

  release(): void {
    expect(this.isReleased, `${this.path} is let go once`).toBe(false);
    this.isReleased = true;
  }
}

class World {
  readonly #simulation = new Simulation({ seed: 1 });
  readonly #server = this.#simulation.actor(SERVER);
  readonly #controller = this.#simulation.actor('controller');
  readonly #kinds: FollowedKinds;
  readonly #informers: Informer[] = [];
  /** As things are; each state is a document of its own. */
  #groups: Groups = new Map();
  #document = documentOf(this.#groups);
  #core = documentOf(this.#groups);
  #isRefusing = false;
  #answeredAt = 0;
  /** What was said last, and what is to be followed by that. */
  #said: Groups = new Map();
  #followed = new Map<string, string>();
  #synced = new Set<string>();
  #waiting = 0;

  constructor() {
    serve(this.#server.context, (path) => this.#answer(path));
    const { context } = this.#controller;
    const client = new ApiClient({ context, servers: [SERVER], user: { name: 'me', groups: [] } });
    const informerOf = (handle: ResourceHandle): Informer => this.#informerOf(handle);
    this.#kinds = new FollowedKinds({ context, client, informerOf } as unknown as ControllerContext, {
      wants: ({ verbs }) => verbs.includes('watch'),
      onFollow: () => undefined,
    });
    const kinds = this.#kinds;
    context.spawn(
      'follow',
      (function* () {
        yield* kinds.begin();
        yield* kinds.goOn();
      })(),
    );
    this.pass(0.5);
  }

  #informerOf(handle: ResourceHandle): Informer {
    const path = collectionPath(handle, '');
    const present = this.#informers.find((each) => each.path === path && !each.isReleased);
    expect(present, `${path} is followed once`).toBeUndefined();
    const informer = new Informer(path, this.#controller.context.signal());
    this.#informers.push(informer);
    if (this.#synced.has(path)) informer.sync();
    return informer;
  }

  #answer(path: string): ApiAnswer {
    this.#answeredAt = this.#simulation.now;
    if (this.#isRefusing) return { status: 503, warnings: [], body: {} };
    if (path !== '/apis') return { status: 200, warnings: [], body: this.#core };
    this.#said = this.#groups;
    const wanted = [...this.#said].filter(([, { isStale, isWanted }]) => isWanted && !isStale);
    const silent = new Set([...this.#said].flatMap((each) => (each[1].isStale ? [versionOf(...each)] : [])));
    const kept = [...this.#followed].filter(
      ([kept, version]) => silent.has(version) && this.#open(kept)?.isSynced === true,
    );
    this.#followed = new Map([
      ...kept,
      ...wanted.map((each) => [pathOf(...each), versionOf(...each)] as const),
    ]);
    return { status: 200, warnings: [], body: this.#document };
  }

  #open(path: string): Informer | undefined {
    return this.#informers.find((each) => each.path === path && !each.isReleased);
  }

  become(name: string, group: Group): void {
    const groups = new Map(this.#groups);
    if (group) groups.set(name, group);
    else groups.delete(name);
    this.#groups = groups;
    const own = new Map([...groups].filter(([of]) => (of === '') === (name === '')));
    if (name === '') this.#core = documentOf(own);
    else this.#document = documentOf(own);
  }

  refuse(isRefusing: boolean): void {
    this.#isRefusing = isRefusing;
  }

  /** Its first list comes at once from now on, or waits. */
  sync(path: string, isSynced: boolean): void {
    if (!isSynced) {
      this.#synced.delete(path);
      return;
    }
    this.#synced.add(path);
    this.#open(path)?.sync();
  }

  /** Until nobody has been answered for a moment: what was said has arrived. */
  pass(span: number): void {
    this.#simulation.runFor(seconds(span));
    while (this.#simulation.now - this.#answeredAt < QUIET) this.#simulation.runFor(QUIET);
  }

  compare(): void {
    expect(this.#simulation.now - this.#answeredAt, 'since somebody asked').toBeLessThan(LONGEST_BETWEEN);
    const open = this.#informers.filter(({ isReleased }) => !isReleased).map(({ path }) => path);
    expect(open.sort(), 'followed').toEqual([...this.#followed.keys()].sort());
    const paths = this.#kinds.all.map(({ handle }) => collectionPath(handle, ''));
    expect(paths.sort(), 'said to be followed').toEqual(open);
    const { all, stale } = this.#kinds.served;
    const current = [...this.#said].filter(([, { isStale }]) => !isStale);
    expect(all.map((handle) => collectionPath(handle, '')).sort(), 'served').toEqual(
      current.map((each) => pathOf(...each)).sort(),
    );
    const silent = [...this.#said].filter(([, { isStale }]) => isStale);
    expect([...stale].sort()).toEqual(silent.map((each) => versionOf(...each)).sort());
  }

  /** Everybody answers, and every list comes. */
  expectSettled(): void {
    this.refuse(false);
    for (const { path } of this.#informers) this.sync(path, true);
    for (let round = 0; round < 3; round++) {
      this.pass(35);
      for (const { path } of this.#informers) this.sync(path, true);
    }
    this.compare();
    expect(this.#said, 'what was said last').toBe(this.#groups);
    this.wait();
    this.pass(1);
    expect(this.#waiting, 'who waits until all is known').toBe(0);
  }

  /** Somebody who goes on once all that was found is known. */
  wait(): void {
    this.#waiting++;
    const until = this.#kinds.untilSettled();
    const done = (): void => void this.#waiting--;
    this.#controller.context.spawn(
      'wait',
      (function* () {
        yield* until;
        done();
      })(),
    );
  }
}

function serve(context: ControllerContext['context'], answer: (path: string) => ApiAnswer): void {
  serveCalls(context, API_PORT, ({ path }) => answer(path));
}

const groupName = fc.constantFrom(...GROUPS);
const said = fc.record({
  version: fc.constantFrom(...VERSIONS),
  isStale: fc.boolean(),
  isWanted: fc.constantFrom(true, true, true, false),
});
const path = fc.tuple(groupName, said).map((of) => pathOf(...of));
const act = actsOn<World>();

it('follows what is served and wanted, and lets go of what is not', () => {
  const pass = act('pass', fc.constantFrom(1, 20, 35, 70), (world, span) => world.pass(span));
  const become = act('become', fc.tuple(groupName, fc.option(said, { nil: undefined })), (world, drawn) =>
    world.become(...drawn),
  );
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[become, become, become, pass, pass, pass],
      act('refuse', fc.boolean(), (world, isRefusing) => world.refuse(isRefusing)),
      act('sync', fc.tuple(path, fc.constantFrom(true, true, false)), (world, drawn) => world.sync(...drawn)),
      act('wait', NOTHING, (world) => world.wait()),
    ],
    compare: (world) => world.compare(),
    end: (world) => world.expectSettled(),
    most: 30,
    runs: 150,
  });
});
