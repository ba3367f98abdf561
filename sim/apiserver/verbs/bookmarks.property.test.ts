/**
 * Bookmarks, whatever happens to the servers that send them and to their storage: what a watcher has at one is the state of
 * its version, one is there about each minute and before the end of a watch if there was anything to tell of, the initial
 * events end with one that says so and with no other, none comes unasked, and whoever goes on from one is not too late.
 * Documentation: "API concepts", watch bookmarks and streaming lists.
 *
 * @holds sim/apiserver/watch-cache
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ApiObject } from '../../api/object.ts';
import { RELEASE_1_31 } from '../../api/release/release-1-31.ts';
import type { WatchLog } from '../../cluster/watch-log.ts';
import { createCluster, minutes, seconds, WireUser } from '../../index.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { FeatureGates } from '../feature-gates.ts';

const user = { name: 'admin', groups: ['system:masters'] };
const PATH = '/api/v1/namespaces/default/configmaps';
const STORED = '/registry/configmaps/default/';
const NAMES = ['a', 'b', 'c'] as const;
const END_OF_INITIAL = 'k8s.io/initial-events-end';
const MINUTE_MS = 60_000;
const BEFORE_END_MS = 2_000;
/** Longer than anything is under way. */
const SETTLED_MS = 1_000;

interface Change {
  readonly version: number;
  readonly atMs: number;
  readonly name: string;
  readonly after: ApiObject | undefined;
}

interface Wish {
  readonly selector?: 'app=x';
  readonly lastsSeconds?: number;
  /** The present objects come first, of the newest state or of any. */
  readonly streams?: 'newest' | 'any';
  readonly hasNone?: true;
}

const WISHES: readonly Wish[] = [
  {},
  { selector: 'app=x', lastsSeconds: 100 },
  { selector: 'app=x', streams: 'newest' },
  { lastsSeconds: 30, streams: 'any' },
  { selector: 'app=x', lastsSeconds: 200, hasNone: true },
];

interface Along {
  readonly name: string;
  readonly app: string;
  readonly times: number;
  readonly apart: number;
}

const ANY = { newest: {}, any: { resourceVersion: '0' } } as const;

class World {
  readonly cluster = createCluster({
    ...{ controllers: [], scheduler: false, apiServers: 2, storageMembers: 3 },
    compactionInterval: minutes(1),
    featureGates: new FeatureGates(RELEASE_1_31.gates, { WatchList: true }),
  });
  readonly wire = new WireUser(this.cluster);
  readonly history: Change[] = [];
  /** At which version the last life of each server began. */
  readonly bornAt: number[];
  /** Since when servers hear of everything at once. */
  calmSinceMs: number | undefined = 0;
  readonly #watchers: readonly Watcher[];
  #count = 0;
  readonly #troubles = new Set<string>();

  constructor() {
    this.cluster.storage.watch({
      prefix: STORED,
      onEvents: (events) => {
        for (const event of events) {
          const after = event.kind === 'put' ? event.entry.value : undefined;
          const version = Number(event.kind === 'put' ? event.entry.modRevision : event.revision);
          const name = (after ?? event.previous?.value)?.metadata.name ?? '';
          this.history.push({ version, atMs: this.nowMs, name, after });
        }
      },
    });
    this.cluster.advance(seconds(5));
    this.bornAt = [this.revision, this.revision];
    this.#watchers = WISHES.map((wish, index) => new Watcher(this, wish, index % 2));
  }

  get revision(): number {
    return Number(this.cluster.storage.revision);
  }

  get nowMs(): number {
    return this.cluster.now / 1_000;
  }

  write(name: string, app: string): void {
    const value = String(++this.#count);
    const body = { metadata: { name, labels: { app } }, data: { value } };
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const query = { fieldManager: 'm', force: 'true' };
    const whole = { apiVersion: 'v1', kind: 'ConfigMap', ...body };
    this.wire.request({ method: 'PATCH', path: `${PATH}/${name}`, query, headers, body: whole, user });
  }

  remove(name: string): void {
    this.wire.request({ method: 'DELETE', path: `${PATH}/${name}`, user });
  }

  /** What is of another kind makes the storage newer, too. */
  writeElsewhere(): void {
    const body = { metadata: { generateName: 'n-' } };
    this.wire.request({ method: 'POST', path: '/api/v1/namespaces', body, user });
  }

  bounce(index: number): void {
    this.cluster.faults.crash(`apiserver/${index}`);
    this.cluster.faults.restart(`apiserver/${index}`);
    this.cluster.advance(seconds(1));
    this.bornAt[index] = this.revision;
  }

  lag(bySeconds: number): void {
    this.cluster.lagWatchCaches(seconds(bySeconds));
    this.#trouble('lag', bySeconds > 0);
  }

  cut(member: number, isCut: boolean): void {
    const name = `etcd/${member}`;
    if (isCut) this.cluster.faults.partition(name, { from: 'etcd/*' });
    else this.cluster.faults.heal(name, { from: 'etcd/*' });
    this.#trouble(name, isCut);
  }

  #trouble(what: string, isThere: boolean): void {
    if (isThere) this.#troubles.add(what);
    else this.#troubles.delete(what);
    this.calmSinceMs = this.#troubles.size > 0 ? undefined : this.nowMs;
  }

  goOn(indices: readonly number[], isAnew: boolean): void {
    for (const index of indices) this.#watchers[index]?.goOn(isAnew);
  }

  pass(span: number): void {
    this.cluster.advance(seconds(span));
    for (const watcher of this.#watchers) watcher.read();
  }

  /** Much is written that hardly anybody sees, for as long as a watch lasts. */
  goAlong({ name, app, times, apart }: Along): void {
    for (let turn = 0; turn < times; turn++) {
      this.write(name, app);
      this.pass(apart);
    }
  }

  end(): void {
    this.lag(0);
    for (const member of [0, 1, 2]) this.cut(member, false);
    this.pass(20);
    this.pass(130);
  }
}

class Watcher {
  readonly #world: World;
  readonly #wish: Wish;
  #server: number;
  #present = new Map<string, string>();
  #version = 0;
  #log: WatchLog | undefined;
  #read = 0;
  #openedMs = 0;
  /** The initial events are not over. */
  #isBeginning = false;
  /** What was stored when they were asked for. */
  #newest = 0;

  constructor(world: World, wish: Wish, server: number) {
    this.#world = world;
    this.#wish = wish;
    this.#server = server;
  }

  read(): void {
    const log = this.#log;
    if (!log) {
      this.#open();
      return;
    }
    for (; this.#read < log.events.length; this.#read++) this.#hear(log.events[this.#read]);
    if (this.#log && !log.failure) this.#expectInTime();
    if (!log.isEnded) return;
    this.#log = undefined;
    this.#open();
  }

  goOn(isAnew: boolean): void {
    this.read();
    if (isAnew) this.#version = 0;
    this.#log?.close();
    this.#log = undefined;
    this.#server = 1 - this.#server;
    this.#open();
  }

  get #who(): string {
    return JSON.stringify(this.#wish);
  }

  #open(): void {
    const { lastsSeconds, streams, hasNone } = this.#wish;
    const isAnew = this.#version === 0;
    if (isAnew && !streams && !this.#list()) return;
    const isInitial = isAnew && streams !== undefined;
    this.#newest = this.#world.revision;
    const { answer, log } = this.#world.wire.watch({
      ...this.#request({
        watch: '1',
        ...(hasNone ? {} : { allowWatchBookmarks: 'true' }),
        ...(lastsSeconds !== undefined && { timeoutSeconds: String(lastsSeconds) }),
        ...(isInitial
          ? { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', ...ANY[streams] }
          : { resourceVersion: String(this.#version) }),
      }),
    });
    if (isInitial) this.#present = new Map();
    this.#isBeginning = isInitial;
    this.#openedMs = this.#world.nowMs;
    this.#read = 0;
    this.#log = log;
    if (answer?.status === 410) this.#expectTooLate();
  }

  #request(query: Readonly<Record<string, string>>) {
    const { selector } = this.#wish;
    const server = `apiserver/${this.#server}`;
    return {
      ...{ method: 'GET' as const, path: PATH, user, server, headers: { accept: 'application/json' } },
      query: { ...query, ...(selector && { labelSelector: selector }) },
    };
  }

  #list(): boolean {
    const answer = this.#world.wire.request(this.#request({}));
    if (answer?.status !== 200) return false;
    const { items, metadata } = JSON.parse(String(answer.body)) as {
      readonly items: readonly ApiObject[];
      readonly metadata: { readonly resourceVersion: string };
    };
    this.#version = Number(metadata.resourceVersion);
    this.#present = new Map(items.map((item) => [item.metadata.name ?? '', versionOf(item)]));
    return true;
  }

  #hear(event: WatchLog['events'][number] | undefined): void {
    if (!event) return;
    if (event.type === 'ERROR') return this.#expectTooLate();
    const { object } = event;
    const { name = '' } = object.metadata;
    const version = Number(versionOf(object));
    if (event.type === 'BOOKMARK') return this.#mark(object, version);
    if (!this.#isBeginning) expect(version, `${event.type}, to ${this.#who}`).toBeGreaterThan(this.#version);
    this.#version = this.#isBeginning ? 0 : version;
    if (event.type === 'DELETED') this.#present.delete(name);
    else this.#present.set(name, versionOf(object));
  }

  #mark({ metadata }: ApiObject, version: number): void {
    expect(this.#wish.hasNone, 'a bookmark is asked for').toBeUndefined();
    const isEnd = metadata.annotations?.[END_OF_INITIAL] === 'true';
    expect(isEnd, `the end of the initial events of ${this.#who}`).toBe(this.#isBeginning);
    expect(version, `a bookmark goes forward, to ${this.#who}`).toBeGreaterThanOrEqual(this.#version);
    if (isEnd && this.#wish.streams === 'newest')
      expect(version, 'the newest state').toBeGreaterThanOrEqual(this.#newest);
    this.#isBeginning = false;
    this.#version = version;
    expect(Object.fromEntries(this.#present), `what ${this.#who} has at ${version}`).toEqual(
      Object.fromEntries(this.#stateAt(version)),
    );
  }

  #stateAt(version: number): ReadonlyMap<string, string> {
    const state = new Map<string, string>();
    for (const change of this.#world.history) {
      if (change.version > version) break;
      const { after, name } = change;
      const isSeen = after && (!this.#wish.selector || after.metadata.labels?.['app'] === 'x');
      if (isSeen) state.set(name, versionOf(after));
      else state.delete(name);
    }
    return state;
  }

  /** Only one that began after that knows nothing of what came next. */
  #expectTooLate(): void {
    if (!this.#wish.hasNone)
      expect(this.#version, `what was too old of ${this.#who}`).toBeLessThan(
        this.#world.bornAt[this.#server] ?? 0,
      );
    this.#version = 0;
    this.#log?.close();
    this.#log = undefined;
  }

  /** By the last bookmark that is due, all that was written before is known. */
  #expectInTime(): void {
    const { calmSinceMs, nowMs, history } = this.#world;
    const dueMs = this.#dueMs(nowMs - SETTLED_MS);
    if (this.#isBeginning || this.#wish.hasNone || dueMs === undefined) return;
    if (calmSinceMs === undefined || dueMs < calmSinceMs + 10 * SETTLED_MS) return;
    const last = history.findLast(({ atMs }) => atMs < dueMs - SETTLED_MS)?.version ?? 0;
    expect(this.#version, `what ${this.#who} knows in time`).toBeGreaterThanOrEqual(last);
  }

  #dueMs(untilMs: number): number | undefined {
    const { lastsSeconds } = this.#wish;
    const beforeEndMs = lastsSeconds === undefined ? Infinity : lastsSeconds * 1_000 - BEFORE_END_MS;
    const openMs = untilMs - this.#openedMs;
    if (openMs >= beforeEndMs) return this.#openedMs + beforeEndMs;
    const turns = Math.floor(openMs / MINUTE_MS);
    return turns > 0 ? this.#openedMs + turns * MINUTE_MS : undefined;
  }
}

const versionOf = ({ metadata }: ApiObject): string => metadata.resourceVersion ?? '';

const name = fc.constantFrom(...NAMES);
const act = actsOn<World>();
const write = act('write', fc.tuple(name, fc.constantFrom('x', 'y')), (world, drawn) =>
  world.write(...drawn),
);
const pass = act('pass', fc.constantFrom(0.01, 3, 20, 61, 130), (world, span) => world.pass(span));

it('mean what they say, come in time, and are enough to go on from', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[write, write, pass, pass],
      act('remove', name, (world, of) => world.remove(of)),
      act(
        'go along',
        fc.record<Along>({
          name,
          app: fc.constantFrom('x', 'y', 'y'),
          times: fc.integer({ min: 3, max: 8 }),
          apart: fc.constantFrom(13, 24, 47),
        }),
        (world, drawn) => world.goAlong(drawn),
      ),
      act('write elsewhere', fc.constant(undefined), (world) => world.writeElsewhere()),
      act('go on', fc.tuple(fc.subarray([...WISHES.keys()]), fc.boolean()), (world, drawn) =>
        world.goOn(...drawn),
      ),
      act('bounce', fc.nat(1), (world, index) => world.bounce(index)),
      act('lag', fc.constantFrom(0, 1, 40), (world, span) => world.lag(span)),
      act('cut', fc.tuple(fc.nat(2), fc.boolean()), (world, drawn) => world.cut(...drawn)),
    ],
    compare: () => undefined,
    end: (world) => world.end(),
    most: 25,
    runs: 30,
    hasSomeOnly: true,
  });
});
