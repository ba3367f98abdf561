/**
 * Members of the storage in any order of writes, lags, partitions, ends and returns of members, and restarts of the
 * servers behind them, beside the whole past of the storage: a server sees each revision as soon as its member may tell
 * it and not before, everything in order, and is refused writes exactly while its member cannot reach the others or they
 * choose who leads.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CacheWatch } from '../apiserver/watch-cache/cache-watch.ts';
import type { CacheSource } from '../apiserver/api-server.ts';
import { Progress } from '../apiserver/watch-cache/progress.ts';
import { WatchCache } from '../apiserver/watch-cache/watch-cache.ts';
import type { StoredObject } from '../apiserver/stores/stored-object.ts';
import type { Actor } from '../engine/actor.ts';
import { type Act, actsOn, holdsInAnyOrder, NOTHING } from '../engine/any-order.arbitrary.ts';
import { invariant } from '../engine/invariant.ts';
import { Simulation } from '../engine/simulation.ts';
import { after, milliseconds, seconds, type Micros } from '../engine/time.ts';
import { MemoryStorage } from '../storage/memory-storage.ts';
import type { Revision } from '../storage/storage.ts';
import { StorageMembers } from './storage-members.ts';

const MEMBERS = ['etcd/0', 'etcd/1', 'etcd/2'] as const;
/** The last shares its member with the first. */
const SERVERS = ['apiserver/0', 'apiserver/1', 'apiserver/2', 'apiserver/3'] as const;
const PREFIXES = ['/maps/', '/pods/'] as const;
const KEYS = ['/maps/a', '/maps/b', '/pods/a', '/elsewhere/a'] as const;
const ELECTION = milliseconds(1_200);

type Name = (typeof MEMBERS)[number] | (typeof SERVERS)[number];
type State = Readonly<Record<string, string>>;

const memberOf = (server: number): number => server % MEMBERS.length;

/** What a life of a server learns of one kind of objects, and somebody who watches it there from the beginning of that life. */
class Seen {
  readonly cache: WatchCache;
  readonly #prefix: string;
  readonly #watch: CacheWatch;
  readonly #told = new Map<string, string>();

  readonly #stateAt: (revision: number) => State;
  /** What did not fit the revision that somebody had waited for, when he was told that it is there. */
  readonly #misfits: unknown[] = [];

  constructor(
    source: CacheSource,
    {
      progress,
      prefix,
      stateAt,
    }: { progress: Progress; prefix: string; stateAt: (revision: number) => State },
  ) {
    this.#prefix = prefix;
    this.#stateAt = stateAt;
    this.cache = new WatchCache({ storage: source, prefix, progress, nowMs: () => 0 });
    this.#watch = this.cache.open({ scope: prefix, after: 'initial', onReady: () => undefined });
    this.#awaitNext();
  }

  /** There is always somebody who waits for the next revision. */
  #awaitNext(): void {
    this.cache.whenAtLeast((this.cache.revision + 1) as Revision, () => {
      const { revision } = this.cache;
      const listed = this.#listed;
      if (String(listed) !== String(listOf(this.#stateAt(revision), this.#prefix)))
        this.#misfits.push([revision, listed]);
      this.#awaitNext();
    });
  }

  get #listed(): readonly string[] {
    return this.cache.list({ prefix: this.#prefix }).entries.map(({ key, value }) => `${key} ${value.kind}`);
  }

  /** What the cache shows, and what was told of it. */
  get shown(): Shown {
    for (let item = this.#watch.take(); item; item = this.#watch.take()) {
      if (item.type === 'BOOKMARK') continue;
      const { name = '' } = item.object.metadata;
      if (item.type === 'DELETED') this.#told.delete(name);
      else this.#told.set(name, item.object.kind);
    }
    const told = [...this.#told].map(([key, kind]) => `${key} ${kind}`);
    const { revision } = this.cache;
    return { revision, listed: this.#listed, told: told.toSorted(), misfits: this.#misfits };
  }
}

const listOf = (state: State, prefix: string): readonly string[] =>
  Object.entries(state)
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, kind]) => `${key} ${kind}`)
    .toSorted();

interface Shown {
  readonly revision: number;
  readonly listed: readonly string[];
  readonly told: readonly string[];
  readonly misfits: readonly unknown[];
}

interface Life {
  readonly progress: Progress;
  readonly seen: readonly Seen[];
}

/** What a member may tell its servers: each revision from some moment on. */
interface Learnt {
  readonly revision: number;
  dueAt: Micros;
}

class World {
  readonly #simulation = new Simulation({ seed: 1 });
  readonly #storage = new MemoryStorage<StoredObject>();
  readonly #members: StorageMembers;
  #lives: Life[];
  /** By revision. */
  readonly #states: State[] = [{}, {}];
  readonly #stateAt = (revision: number): State => this.#states[revision] ?? {};
  readonly #lags = MEMBERS.map(() => 0 as Micros);
  readonly #learnt: Learnt[][] = MEMBERS.map(() => []);
  /** By server, the newest that its caches must know. */
  readonly #known = SERVERS.map(() => 1);
  readonly #gone = new Set<Name>();
  readonly #stalled = new Set<Name>();
  /** `from to`: nothing passes. */
  readonly #cut = new Set<string>();
  #leader: number | undefined = 0;
  #electingUntil = -1;
  #writes = 0;

  constructor() {
    for (const name of SERVERS) this.#simulation.actor(name);
    this.#members = new StorageMembers(this.#simulation, {
      count: MEMBERS.length,
      servers: SERVERS,
      storage: this.#storage,
    });
    this.#lives = SERVERS.map((name) => this.#begin(name));
    for (const key of ['/maps/a', '/pods/a'] as const) this.write(key, true);
    this.compare();
  }

  write(key: (typeof KEYS)[number], stays: boolean): void {
    const kind = `v${(this.#writes += 1)}`;
    const object: StoredObject = { apiVersion: 'v1', kind, metadata: { name: key } };
    const before = this.#storage.revision;
    const operation = stays
      ? ({ kind: 'put', key, value: () => object } as const)
      : ({ kind: 'delete', key } as const);
    const { [key]: _, ...others } = this.#stateAt(before);
    this.#states[before + 1] = stays ? { ...others, [key]: kind } : others;
    this.#storage.transact({ compare: [], success: [operation] });
    const { revision } = this.#storage;
    if (revision === before) return;
    this.#learnt.forEach((learnt, member) =>
      learnt.push({ revision, dueAt: after(this.#simulation.now, this.#lags[member] ?? (0 as Micros)) }),
    );
  }

  compact(distance: number): void {
    const revision = Math.max(1, this.#storage.revision - distance) as Revision;
    if (revision > this.#storage.compactedRevision) this.#storage.compact(revision);
  }

  /** Who lags no more knows everything. */
  lag(member: number, by: Micros): void {
    this.#lags[member] = by;
    this.#members.lag(MEMBERS[member] ?? '', by);
    if (by > 0) return;
    for (const learnt of this.#learnt[member] ?? [])
      learnt.dueAt = Math.min(learnt.dueAt, this.#simulation.now) as Micros;
  }

  turn([one, other]: readonly [Name, Name], way: 'both' | 'forth', isCut: boolean): void {
    const { network } = this.#simulation;
    if (isCut) network.partition(one, other, way);
    else network.heal(one, other, way);
    for (const link of [`${one} ${other}`, ...(way === 'both' ? [`${other} ${one}`] : [])])
      if (isCut) this.#cut.add(link);
      else this.#cut.delete(link);
    this.#look();
  }

  whileCutOff(server: number, meanwhile: readonly Act<World>[]): void {
    const link = [SERVERS[server] ?? SERVERS[0], MEMBERS[memberOf(server)] ?? MEMBERS[0]] as const;
    this.turn(link, 'both', true);
    for (const each of meanwhile) {
      each.on(this);
      this.compare();
    }
    this.turn(link, 'both', false);
  }

  end(member: number): void {
    const name = MEMBERS[member] ?? MEMBERS[0];
    this.#actor(member).crash();
    this.#gone.add(name);
    this.#stalled.delete(name);
    this.#look();
  }

  stall(member: number): void {
    const name = MEMBERS[member] ?? MEMBERS[0];
    this.#actor(member).pause();
    if (!this.#gone.has(name)) this.#stalled.add(name);
    this.#look();
  }

  comeBack(member: number): void {
    const name = MEMBERS[member] ?? MEMBERS[0];
    const actor = this.#actor(member);
    if (this.#gone.delete(name)) actor.restart();
    else actor.resume();
    this.#stalled.delete(name);
    this.#look();
  }

  changeLeader(): void {
    this.#members.changeLeader();
    this.#elect();
  }

  /** What is gone from the storage cannot be shown by a new life. */
  restart(server: number): void {
    const before = this.#lives[server];
    before?.seen.forEach(({ cache }) => cache.close());
    before?.progress.close();
    this.#lives = this.#lives.with(server, this.#begin(SERVERS[server] ?? ''));
    this.#known[server] = Math.max(this.#known[server] ?? 0, this.#storage.compactedRevision);
  }

  /** Everything is as it should be again, and everybody knows everything. */
  heal(): void {
    for (const one of [...MEMBERS, ...SERVERS])
      for (const other of MEMBERS) this.turn([one, other], 'both', false);
    MEMBERS.forEach((_, member) => this.comeBack(member));
    MEMBERS.forEach((_, member) => this.lag(member, 0 as Micros));
    this.pass(ELECTION);
    this.compare();
    expect(this.#members.isWhole, 'whether the storage is whole').toBe(true);
    expect(this.#known, 'what servers know in the end').toEqual(SERVERS.map(() => this.#storage.revision));
  }

  pass(span: Micros): void {
    this.#simulation.runFor(span);
  }

  compare(): void {
    SERVERS.forEach((_, server) => {
      if (!this.#isFed(server)) return;
      this.#known[server] = Math.max(this.#known[server] ?? 0, this.#dueOf(memberOf(server)));
    });
    const isWhole = SERVERS.every(
      (_, server) => this.#troubleOf(server) === undefined && this.#isPrompt(server),
    );
    expect({
      isWhole: this.#members.isWhole,
      servers: SERVERS.map((_, server) => this.#shownBy(server)),
    }).toEqual({
      isWhole,
      servers: SERVERS.map((_, server) => this.#expectedOf(server)),
    });
  }

  #shownBy(server: number): unknown {
    const { seen } = this.#lives[server] ?? { seen: [] };
    return [this.#members.troubleOf(SERVERS[server] ?? ''), ...seen.map(({ shown }) => shown)];
  }

  #expectedOf(server: number): unknown {
    const revision = this.#known[server] ?? 0;
    const expected = PREFIXES.map((prefix): Shown => {
      const listed = listOf(this.#stateAt(revision), prefix);
      return { revision, listed, told: listed, misfits: [] };
    });
    return [this.#troubleOf(server), ...expected];
  }

  #troubleOf(server: number): string | undefined {
    if (!this.#isFed(server)) return 'etcdserver: request timed out';
    return this.#simulation.now < this.#electingUntil ? 'etcdserver: leader changed' : undefined;
  }

  #isPrompt(server: number): boolean {
    return this.#lags[memberOf(server)] === 0;
  }

  #actor(member: number): Actor {
    const actor = this.#simulation.findActor(MEMBERS[member] ?? '');
    invariant(actor, 'a member is an actor', { member });
    return actor;
  }

  #begin(server: string): Life {
    const source = this.#members.sourceOf(server);
    // As a server does: what tells of all comes first, and hears last.
    const progress = new Progress(source);
    return {
      progress,
      seen: PREFIXES.map((prefix) => new Seen(source, { progress, prefix, stateAt: this.#stateAt })),
    };
  }

  #dueOf(member: number): number {
    const due = (this.#learnt[member] ?? []).filter(({ dueAt }) => dueAt <= this.#simulation.now);
    return Math.max(1, ...due.map(({ revision }) => revision));
  }

  #look(): void {
    this.#members.look();
    const isAble = this.#leader !== undefined && this.#hasMajority(this.#leader);
    if (!isAble && (this.#leader !== undefined || MEMBERS.some((_, member) => this.#hasMajority(member))))
      this.#elect();
  }

  /** The next one of those that can, in turn. */
  #elect(): void {
    const able = [...MEMBERS.keys()].filter((member) => this.#hasMajority(member));
    const isAble = this.#leader !== undefined && able.includes(this.#leader);
    const next = isAble ? able.find((member) => member > (this.#leader ?? 0)) : undefined;
    this.#leader = next ?? able[0];
    this.#electingUntil = after(this.#simulation.now, ELECTION);
  }

  #isFed(server: number): boolean {
    const member = memberOf(server);
    return this.#isJoined(SERVERS[server] ?? '', member) && this.#hasMajority(member);
  }

  #hasMajority(member: number): boolean {
    const name = MEMBERS[member] ?? '';
    const reached = [...MEMBERS.keys()].filter((other) => other === member || this.#isJoined(name, other));
    return this.#runs(member) && reached.length >= 2;
  }

  #isJoined(name: string, member: number): boolean {
    const other = MEMBERS[member] ?? MEMBERS[0];
    return this.#runs(member) && !this.#cut.has(`${name} ${other}`) && !this.#cut.has(`${other} ${name}`);
  }

  #runs(member: number): boolean {
    const name = MEMBERS[member] ?? MEMBERS[0];
    return !this.#gone.has(name) && !this.#stalled.has(name);
  }
}

const act = actsOn<World>();
const member = fc.nat(MEMBERS.length - 1);
const link = fc
  .tuple(fc.constantFrom<Name>(...MEMBERS, ...SERVERS), fc.constantFrom(...MEMBERS))
  .filter(([one, other]) => one !== other);
const way = fc.constantFrom('both' as const, 'forth' as const);
const write = act('write', fc.tuple(fc.constantFrom(...KEYS), fc.boolean()), (world, drawn) =>
  world.write(...drawn),
);
const pass = act('pass', fc.constantFrom(...[0.3, 1.2, 4, 40].map((each) => seconds(each))), (world, span) =>
  world.pass(span),
);

const lag = act('lag', fc.tuple(member, fc.constantFrom(0, 1, 3, 30)), (world, [which, by]) =>
  world.lag(which, seconds(by)),
);
/** Whatever happens while a server cannot reach its member is over when it can again. */
const cutOff = act(
  'while cut off',
  fc.tuple(
    fc.nat(SERVERS.length - 1),
    fc.array(fc.oneof(write, lag, lag, pass), { minLength: 2, maxLength: 6 }),
  ),
  (world, [server, meanwhile]) => world.whileCutOff(server, meanwhile),
);

it('members of the storage tell their servers everything, each in its time', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[write, write, write, pass, pass],
      ...[lag, cutOff],
      act('cut', fc.tuple(link, way), (world, [ends, of]) => world.turn(ends, of, true)),
      act('join', fc.tuple(link, way), (world, [ends, of]) => world.turn(ends, of, false)),
      act('end', member, (world, which) => world.end(which)),
      act('stall', member, (world, which) => world.stall(which)),
      ...[1, 2].map(() => act('come back', member, (world, which) => world.comeBack(which))),
      act('change leader', NOTHING, (world) => world.changeLeader()),
      act('restart', fc.nat(SERVERS.length - 1), (world, which) => world.restart(which)),
      act('compact', fc.nat(4), (world, distance) => world.compact(distance)),
      act('heal', NOTHING, (world) => world.heal()),
    ],
    compare: (world) => world.compare(),
    end: (world) => world.heal(),
    most: 40,
    runs: 200,
    hasSomeOnly: true,
  });
});
