/**
 * What two servers do for one storage as time goes by, in any order of keys with an end, writes, a storage that takes
 * none for a while, ends and returns of servers: a key lives as long as was asked for and hardly longer, at least one
 * interval of history can be read and at the most two, and each server hears what is gone.
 *
 * @holds sim/storage
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { MemoryStorage } from '../../storage/memory-storage.ts';
import { StorageWriteError } from '../../storage/storage.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';
import { StorageUpkeep } from './storage-upkeep.ts';
import type { StoredObject } from './stored-object.ts';

const SERVERS = [0, 1] as const;
type Server = (typeof SERVERS)[number];
const INTERVAL_MS = 300_000;
/** Who was refused tries again after so long. */
const RETRY_MS = 1_000;
const TTL_SECONDS = [10, 90, 600, 3_600] as const;
/**
 * So often a server writes a key of its own that ends, as for its address: then it sees what others let end. What there was
 * before it came it sees at once.
 */
const OWN_MS = 120_000;
/** A twentieth longer, and a minute at the most. */
const longestMs = (seconds: number): number => (seconds + Math.min(60, Math.trunc(seconds / 20))) * 1_000;

interface Timer {
  readonly at: number;
  readonly work: () => void;
}

interface Life {
  readonly upkeep: StorageUpkeep;
  readonly beganAt: number;
  /** They go with it. */
  timers: Timer[];
  /** What it heard to be gone. */
  heard: number;
}

interface Key {
  readonly key: string;
  readonly writtenAt: number;
  readonly seconds: number;
  /** Who wrote it. */
  readonly by: Life;
}

class World {
  readonly #storage = new MemoryStorage<StoredObject>({
    onRecord: ({ kind }) => {
      if (this.#isFull && kind !== 'compaction') throw new StorageWriteError('noSpace', 'full');
    },
  });
  readonly #lives = new Map<Server, Life>();
  #now = 0;
  #isFull = false;
  /** Since when the storage takes writes. */
  #takesSince = 0;
  #keys: Key[] = [];
  #writes = 0;
  /** When each revision was written, and when a compaction was seen, with what it left. */
  readonly #writtenAt: number[] = [0, 0];
  readonly #compactions: { readonly at: number; readonly revision: number }[] = [];

  constructor() {
    for (const server of SERVERS) this.comeBack(server);
    TTL_SECONDS.forEach((seconds) => this.keep(0, seconds));
  }

  write(): void {
    this.#put({ key: 'a', expected: !this.#isFull });
  }

  /** A key that is to be gone after so many seconds. */
  keep(server: Server, seconds: number): void {
    const by = this.#lives.get(server);
    if (by) this.#putFor(`k${(this.#writes += 1)}`, by, seconds);
  }

  /** One that is there is written anew by a server, and lives on from now. */
  renew(server: Server, at: number, seconds: number): void {
    const by = this.#lives.get(server);
    const known = this.#keys.filter(({ key }) => this.#storage.get(key));
    const before = known[at % (known.length || 1)];
    if (by && before) this.#putFor(before.key, by, seconds);
  }

  refuse(isFull: boolean): void {
    if (this.#isFull && !isFull) this.#takesSince = this.#now;
    this.#isFull = isFull;
  }

  end(server: Server): void {
    this.#lives.get(server)?.upkeep.stop();
    this.#lives.delete(server);
  }

  comeBack(server: Server): void {
    if (this.#lives.has(server)) return;
    const surroundings = {
      wallMs: () => this.#now,
      after: (ms: number, work: () => void) => {
        const timer: Timer = { at: this.#now + ms, work };
        life.timers.push(timer);
        return () => void (life.timers = life.timers.filter((other) => other !== timer));
      },
    } as ApiServerSurroundings;
    const upkeep = new StorageUpkeep({
      storage: this.#storage,
      surroundings,
      compactionIntervalMs: INTERVAL_MS,
      onCompacted: (revision) => void (life.heard = Math.max(life.heard, revision)),
    });
    const life: Life = { upkeep, beganAt: this.#now, timers: [], heard: 0 };
    this.#lives.set(server, life);
    upkeep.start();
    life.timers.push({ at: this.#now + OWN_MS, work: () => this.#writeOwn(life) });
  }

  pass(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = [...this.#lives.values()].flatMap((life) => life.timers.map((timer) => ({ life, timer })));
      const next = due.filter(({ timer }) => timer.at <= end).toSorted((a, b) => a.timer.at - b.timer.at)[0];
      if (!next) break;
      const { life, timer } = next;
      this.#now = Math.max(this.#now, timer.at);
      life.timers = life.timers.filter((other) => other !== timer);
      timer.work();
      this.compare();
    }
    this.#now = end;
  }

  compare(): void {
    this.#note();
    this.#expectKeys();
    this.#expectHistory();
    for (const life of this.#lives.values()) this.#expectHeard(life);
  }

  #putFor(key: string, by: Life, seconds: number): void {
    if (!this.#put({ key, expected: !this.#isFull, lease: () => by.upkeep.leaseFor(seconds) })) return;
    this.#keys = this.#keys.filter((each) => each.key !== key);
    this.#keys.push({ key, seconds, writtenAt: this.#now, by });
  }

  #writeOwn(life: Life): void {
    const key = `own${life.beganAt}`;
    this.#put({ key, expected: !this.#isFull, lease: () => life.upkeep.leaseFor(15) });
    life.timers.push({ at: this.#now + OWN_MS, work: () => this.#writeOwn(life) });
  }

  #put({ key, expected, lease }: { key: string; expected: boolean; lease?: () => number }): boolean {
    const value: StoredObject = { apiVersion: 'v1', kind: 'Event', metadata: { name: key } };
    try {
      const leaseId = lease?.();
      this.#storage.transact({
        compare: [],
        success: [{ kind: 'put', key, value: () => value, ...(leaseId !== undefined && { leaseId }) }],
      });
    } catch (error) {
      if (!(error instanceof StorageWriteError)) throw error;
      expect(expected, 'whether a write is taken').toBe(false);
      return false;
    }
    expect(expected, 'whether a write is taken').toBe(true);
    return true;
  }

  #note(): void {
    const { revision, compactedRevision } = this.#storage;
    while (this.#writtenAt.length <= revision) this.#writtenAt.push(this.#now);
    if (compactedRevision > (this.#compactions.at(-1)?.revision ?? 0))
      this.#compactions.push({ at: this.#now, revision: compactedRevision });
  }

  /** Of a time: the last revision that was written by then. */
  #revisionAt(ms: number): number {
    return this.#writtenAt.findLastIndex((at) => at <= ms);
  }

  get #oldestLife(): number {
    return Math.min(Infinity, ...[...this.#lives.values()].map(({ beganAt }) => beganAt));
  }

  #expectKeys(): void {
    this.#keys = this.#keys.filter((each) => !this.#isOver(each));
  }

  /** Its end has been looked at. */
  #isOver(kept: Key): boolean {
    const { key, writtenAt, seconds } = kept;
    const isThere = this.#storage.get(key) !== undefined;
    const life = (): string => `${key}, which lives ${seconds} s from ${writtenAt}, at ${this.#now}`;
    if (this.#now < writtenAt + seconds * 1_000) {
      if (!isThere) expect.fail(`${life()} is gone`);
      return false;
    }
    if (this.#isFull || this.#now <= this.#goneBy(kept) + RETRY_MS) return !isThere;
    if (isThere) expect.fail(`${life()} is there`);
    return true;
  }

  /** Others see at their next own key what somebody who has ended let end, and those who come later see all that is there. */
  #goneBy({ writtenAt, seconds, by }: Key): number {
    const endsAt = Math.max(writtenAt + longestMs(seconds), this.#takesSince);
    const seenAt = (life: Life): number => {
      if (life === by) return endsAt;
      return life.beganAt > writtenAt ? Math.max(endsAt, life.beganAt) : endsAt + OWN_MS;
    };
    return Math.min(Infinity, ...[...this.#lives.values()].map(seenAt));
  }

  #expectHistory(): void {
    const { compactedRevision } = this.#storage;
    const aMomentAgo = this.#now - INTERVAL_MS;
    const most = Math.max(0, this.#revisionAt(aMomentAgo));
    if (compactedRevision > most) expect.fail(`${compactedRevision} is gone at ${this.#now}, not ${most}`);
    const longAgo = aMomentAgo - INTERVAL_MS;
    if (this.#oldestLife > longAgo) return;
    const least = this.#revisionAt(longAgo - 1);
    if (compactedRevision < least) expect.fail(`${compactedRevision} is gone at ${this.#now}, not ${least}`);
  }

  #expectHeard({ beganAt, heard }: Life): void {
    const { compactedRevision } = this.#storage;
    const before = Math.max(beganAt, this.#now - INTERVAL_MS);
    const least = this.#compactions.findLast(({ at }) => at < before)?.revision ?? 0;
    if (heard > compactedRevision || heard < least)
      expect.fail(`a server hears at ${this.#now} that ${heard} is gone, not ${least} or later`);
  }
}

const act = actsOn<World>();
const server = fc.constantFrom(...SERVERS);
const seconds = fc.constantFrom(...TTL_SECONDS);
const pass = act(
  'pass',
  fc.constantFrom(400, 5_000, 61_000, 150_000, 299_000, 300_000, 700_000, 3_700_000),
  (world, ms) => world.pass(ms),
);

it('servers keep the history of their storage short, and let keys go in time', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[pass, pass, pass],
      act('write', fc.constant(undefined), (world) => world.write()),
      act('keep', fc.tuple(server, seconds), (world, drawn) => world.keep(...drawn)),
      act('renew', fc.tuple(server, fc.nat(9), seconds), (world, drawn) => world.renew(...drawn)),
      act('refuse', fc.boolean(), (world, isFull) => world.refuse(isFull)),
      act('end', server, (world, which) => world.end(which)),
      act('come back', server, (world, which) => world.comeBack(which)),
    ],
    compare: (world) => world.compare(),
    end: (world) => {
      world.refuse(false);
      for (const which of SERVERS) world.comeBack(which);
      world.pass(4_000_000);
      world.compare();
    },
    most: 30,
    runs: 150,
    hasSomeOnly: true,
  });
});
