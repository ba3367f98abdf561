import { expect, test } from 'vitest';
import { MemoryStorage } from '../../storage/memory-storage.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';
import { StorageUpkeep } from './storage-upkeep.ts';
import type { StoredObject } from './stored-object.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** A machine whose clock can be set, with what it is to do later. */
function machine() {
  let elapsed = 0;
  let skew = 0;
  let timers: { readonly at: number; readonly work: () => void }[] = [];
  return {
    get timers(): number {
      return timers.length;
    },
    setBack: (ms: number): void => void (skew -= ms),
    pass: (ms: number): void => {
      const end = elapsed + ms;
      for (;;) {
        const [next] = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (!next) break;
        elapsed = next.at;
        timers = timers.filter((timer) => timer !== next);
        next.work();
      }
      elapsed = end;
    },
    surroundings: {
      wallMs: () => elapsed + skew,
      after: (ms: number, work: () => void) => {
        const timer = { at: elapsed + ms, work };
        timers.push(timer);
        return () => void (timers = timers.filter((other) => other !== timer));
      },
    } as ApiServerSurroundings,
  };
}

const value: StoredObject = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'a' } };

function server(storage: MemoryStorage<StoredObject>, surroundings: ApiServerSurroundings) {
  const upkeep = new StorageUpkeep({
    storage,
    surroundings,
    compactionIntervalMs: 0,
    onCompacted: () => undefined,
  });
  upkeep.start();
  const write = (key: string, seconds = 3_600): void =>
    void storage.transact({
      compare: [],
      success: [{ kind: 'put', key, value: () => value, leaseId: upkeep.leaseFor(seconds) }],
    });
  return { upkeep, write };
}

const keys = (storage: MemoryStorage<StoredObject>): readonly string[] =>
  storage.range({ prefix: '' }).entries.map(({ key }) => key);

test('what is written within a minute goes at once, a minute after the time of the first', () => {
  const storage = new MemoryStorage<StoredObject>();
  const { pass, surroundings, ...host } = machine();
  const { write } = server(storage, surroundings);
  write('a');
  pass(30_000);
  write('b');
  pass(40_000);
  write('c');
  pass(HOUR_MS - 10_001);
  expect(keys(storage)).toEqual(['a', 'b', 'c']);
  pass(1);
  expect(keys(storage)).toEqual(['c']);
  pass(70_000);
  expect(keys(storage)).toEqual([]);
  expect(host.timers).toBe(0);
});

test('short lives end before long ones that began earlier', () => {
  const storage = new MemoryStorage<StoredObject>();
  const { pass, surroundings } = machine();
  const { write } = server(storage, surroundings);
  write('long');
  pass(1_000);
  write('short', 15);
  pass(15_000);
  expect(keys(storage)).toEqual(['long']);
  pass(HOUR_MS + MINUTE_MS);
  expect(keys(storage)).toEqual([]);
});

test('a server ends what one before it granted, whatever it grants itself', () => {
  const storage = new MemoryStorage<StoredObject>();
  const { pass, surroundings } = machine();
  const former = server(storage, surroundings);
  former.write('old');
  former.upkeep.stop();
  pass(MINUTE_MS);
  server(storage, surroundings);
  pass(HOUR_MS);
  expect(keys(storage)).toEqual([]);
});

test('a clock that is set back while keys live makes them live longer, not for ever', () => {
  const storage = new MemoryStorage<StoredObject>();
  const { pass, setBack, surroundings } = machine();
  server(storage, surroundings).write('a');
  pass(MINUTE_MS);
  setBack(10 * MINUTE_MS);
  pass(HOUR_MS + 9 * MINUTE_MS);
  expect(keys(storage)).toEqual(['a']);
  pass(MINUTE_MS);
  expect(keys(storage)).toEqual([]);
});

test('a server drops nothing before its second interval ends, and then what was there at the end of the first', () => {
  const storage = new MemoryStorage<StoredObject>();
  const { surroundings, pass } = machine();
  const told: number[] = [];
  const write = (): void =>
    void storage.transact({ compare: [], success: [{ kind: 'put', key: 'a', value: () => value }] });
  const upkeep = new StorageUpkeep({
    storage,
    surroundings,
    compactionIntervalMs: MINUTE_MS,
    onCompacted: (revision) => void told.push(revision),
  });
  write();
  upkeep.start();
  write();
  pass(MINUTE_MS);
  write();
  expect([storage.compactedRevision, told]).toEqual([0, []]);
  pass(MINUTE_MS);
  expect([storage.compactedRevision, told]).toEqual([3, [3]]);
  upkeep.stop();
  // Whoever comes next, hears at once of what is gone.
  new StorageUpkeep({
    storage,
    surroundings,
    compactionIntervalMs: MINUTE_MS,
    onCompacted: (revision) => void told.push(-Number(revision)),
  }).start();
  expect(told).toEqual([3, -3]);
});
