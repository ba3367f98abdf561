import fc from 'fast-check';
import { test, expect } from 'vitest';
import { asOftenAs } from '../sim/engine/any-order.arbitrary.ts';
import { decodeRecord, encodeRecord, type JournalRecord, type JsonRecord } from '../sim/storage/journal.ts';
import { MemoryStorage } from '../sim/storage/memory-storage.ts';
import { RevisionError, type Revision, type Storage, type StorageOperation } from '../sim/storage/storage.ts';
import { StorageModel } from './storage-model.ts';

/** A store under test with everything its watches were told. */
interface Side {
  store: Storage<string>;
  /** By watch. */
  readonly told: unknown[][];
  readonly watches: { close(): void }[];
}

type Act = (side: Side) => unknown;

/** One command on both sides: they must answer alike, errors included. */
class Step implements fc.Command<Side, Side> {
  readonly #name: string;
  readonly #act: Act;

  constructor(name: string, act: Act) {
    this.#name = name;
    this.#act = act;
  }

  check(): boolean {
    return true;
  }

  run(model: Side, real: Side): void {
    const expected = outcome(this.#act, model);
    expect(outcome(this.#act, real)).toEqual(expected);
    expect(real.told).toEqual(model.told);
    expect([real.store.revision, real.store.compactedRevision]).toEqual([
      model.store.revision,
      model.store.compactedRevision,
    ]);
  }

  toString(): string {
    return this.#name;
  }
}

function outcome(act: Act, side: Side): unknown {
  try {
    return act(side);
  } catch (error) {
    if (error instanceof RevisionError)
      return { kind: error.kind, revision: error.revision, limit: error.limit };
    throw error;
  }
}

const NONE = 0 as const;

/** What a writer may expect of a key: what is there, that nothing is, what never was, or one revision too early or too late. */
const EXPECTATIONS = {
  present: (now: number) => now,
  absence: () => NONE,
  another: () => 1,
  earlier: (now: number) => now - 1,
  later: (now: number) => now + 1,
} as const;
const expectations = fc.constantFrom(
  ...(['nothing', 'present', 'absence', 'another', 'earlier', 'later'] as const),
);

/** Few keys, so that commands meet; with the characters whose order is easily got wrong. */
const keys = fc.constantFrom('a/x', 'a/x-b', 'a/x0', 'a/x/1', 'b/é', 'b/\uffee', 'b/\u{1f600}', 'b/z');
const prefixes = fc.constantFrom('', 'a/', 'a/x', 'b/', 'a/x/');
/** A revision around the present, by its distance. */
const distances = fc.integer({ min: -2, max: 12 });
const asRevision = (side: Side, distance: number) => Math.max(1, side.store.revision - distance) as Revision;

const operations = fc.uniqueArray(
  fc.record({ key: keys, value: fc.option(fc.string({ maxLength: 3 })), lease: fc.nat({ max: 3 }) }),
  { minLength: 1, maxLength: 3, selector: ({ key }) => key },
);

const commands = [
  fc.tuple(operations, expectations).map(
    ([chosen, expected]) =>
      new Step(`transact(${JSON.stringify(chosen)}, ${expected})`, ({ store }) => {
        const success = chosen.map(({ key, value, lease }): StorageOperation<string> => {
          if (value === null) return { kind: 'delete', key };
          const leaseId = store.hasLease(lease) ? lease : undefined;
          const put = { kind: 'put', key, value: (revision: Revision) => `${value}@${revision}` } as const;
          return leaseId === undefined ? put : { ...put, leaseId };
        });
        const compare =
          expected === 'nothing'
            ? []
            : chosen.map(({ key }) => {
                const now = store.get(key)?.modRevision ?? NONE;
                return { key, modRevision: Math.max(NONE, EXPECTATIONS[expected](now)) as Revision };
              });
        return store.transact({ compare, success });
      }),
  ),
  fc.tuple(keys, fc.integer({ min: 0, max: 4 })).map(
    ([key, span]) =>
      new Step(`lease(${key}, ${span})`, ({ store }) => {
        const leaseId = store.grantLease(store.revision + span);
        return store.transact({
          compare: [],
          success: [{ kind: 'put', key, value: () => 'leased', leaseId }],
        });
      }),
  ),
  fc.integer({ min: 0, max: 2 }).map(
    (early) =>
      new Step(`expireLeases(-${early})`, ({ store }) => {
        store.expireLeases(store.revision - early);
        return store.nextLeaseExpiry;
      }),
  ),
  distances.map(
    (distance) => new Step(`compact(-${distance})`, (side) => side.store.compact(asRevision(side, distance))),
  ),
  fc
    .tuple(keys, fc.option(distances))
    .map(
      ([key, distance]) =>
        new Step(`get(${key}, -${distance})`, (side) =>
          side.store.get(key, distance === null ? undefined : asRevision(side, distance)),
        ),
    ),
  fc.tuple(prefixes, fc.option(keys), fc.nat({ max: 4 }), fc.option(distances)).map(
    ([prefix, startKey, limit, distance]) =>
      new Step(`range(${prefix}, ${startKey}, ${limit}, -${distance})`, (side) =>
        side.store.range({
          prefix,
          limit,
          ...(startKey !== null && { startKey }),
          ...(distance !== null && { revision: asRevision(side, distance) }),
        }),
      ),
  ),
  fc.tuple(prefixes, fc.option(distances)).map(
    ([prefix, distance]) =>
      new Step(`watch(${prefix}, -${distance})`, (side) => {
        const told: unknown[] = [];
        side.told.push(told);
        const watch = side.store.watch({
          prefix,
          ...(distance !== null && { startRevision: asRevision(side, distance) }),
          onEvents: (events, revision) => told.push({ revision, events }),
        });
        side.watches.push(watch);
      }),
  ),
  fc
    .nat({ max: 3 })
    .map((index) => new Step(`close(${index})`, (side) => side.watches.splice(index, 1)[0]?.close())),
];

const side = (store: Storage<string>): Side => ({ store, told: [], watches: [] });

const model = () =>
  side(
    new StorageModel<string, Revision>((kind, revision, limit) => new RevisionError(kind, revision, limit)),
  );

test('the memory storage answers every sequence of commands as the model does', () => {
  fc.assert(
    fc.property(fc.commands(commands, { size: '+1' }), (sequence) => {
      fc.modelRun(() => ({ model: model(), real: side(new MemoryStorage<string>()) }), sequence);
    }),
    asOftenAs(150, 20240831),
  );
});

/** As it comes back from a file. */
const fromDisk = (record: JournalRecord<string>): JournalRecord<string> =>
  decodeRecord(JSON.parse(JSON.stringify(encodeRecord(record, (value) => value))) as JsonRecord, String);

/** All that can still be read of the past, and all that a watch tells of it. */
function pictureOf({ store }: Side): unknown {
  const told: unknown[] = [];
  const oldest = Math.max(1, store.compactedRevision);
  store
    .watch({
      prefix: '',
      startRevision: oldest as Revision,
      onEvents: (events, revision) => told.push({ revision, events }),
    })
    .close();
  const states = Array.from({ length: store.revision - oldest + 1 }, (_, index) =>
    store.range({ prefix: '', revision: (oldest + index) as Revision }),
  );
  return { told, states };
}

test('a memory storage that was written to a snapshot and read back answers as if nothing had happened', () => {
  const restart = fc.constant(
    new Step('restart', (each) => {
      each.watches.splice(0).forEach((watch) => watch.close());
      if (each.store instanceof MemoryStorage) {
        const reborn = new MemoryStorage<string>();
        for (const record of each.store.snapshot()) reborn.replay(fromDisk(record));
        each.store = reborn;
      }
      return pictureOf(each);
    }),
  );
  fc.assert(
    fc.property(fc.commands([...commands, restart], { maxCommands: 40, size: 'max' }), (sequence) => {
      fc.modelRun(() => ({ model: model(), real: side(new MemoryStorage<string>()) }), sequence);
    }),
    asOftenAs(300, 20240831),
  );
});

/** A store with what it has reported since a snapshot of it, as a host keeps the two. */
interface Kept extends Side {
  records: JournalRecord<string>[];
}

function kept(): Kept {
  const fresh: Kept = { store: new MemoryStorage<string>(), told: [], watches: [], records: [] };
  fresh.store = reporting(fresh);
  return fresh;
}

const reporting = (to: Kept): MemoryStorage<string> =>
  new MemoryStorage<string>({ onRecord: (record) => to.records.push(record) });

/** What leases are left is known only by their ends. */
const endsOf = ({ store }: Side): readonly unknown[] => [
  store.nextLeaseExpiry,
  ...[1, 2, 3, 4, 5, 6].map((id) => store.hasLease(id)),
];

test('a memory storage that is repeated from a snapshot and what it reported since answers as if nothing had happened', () => {
  const snapshot = new Step('snapshot', (each) => {
    if ('records' in each) (each as Kept).records = [...(each.store as MemoryStorage<string>).snapshot()];
  });
  const restart = new Step('restart', (each) => {
    each.watches.splice(0).forEach((watch) => watch.close());
    if ('records' in each) {
      const reborn = reporting(each as Kept);
      for (const record of (each as Kept).records) reborn.replay(fromDisk(record));
      each.store = reborn;
    }
    return [pictureOf(each), endsOf(each)];
  });
  const both = [fc.constant(snapshot), fc.constant(restart), fc.constant(restart)];
  fc.assert(
    fc.property(fc.commands([...commands, ...both], { maxCommands: 40, size: 'max' }), (sequence) => {
      fc.modelRun(() => ({ model: model(), real: kept() }), sequence);
    }),
    asOftenAs(200, 20240831),
  );
});

/** So much may be kept of the past; as its size is measured by samples, all values are alike. */
const MAX_BYTES = 3_000;
const VALUE = 'x'.repeat(84);
const bytesOf = (text: string): number => 16 + text.length;

/** A store that drops of its past what takes too much room: its older half at the most, and no more than it has to. */
function expectBounded(model: Side, real: Side, before: { readonly kept: number }): void {
  const kept = keptBy(real);
  const { compactedRevision } = real.store;
  if (compactedRevision > model.store.compactedRevision) {
    expect(kept, 'what is kept when room is made').toBeGreaterThanOrEqual(Math.floor(before.kept / 2));
    expect(before.kept * bytesOf(VALUE), 'what there was to keep').toBeGreaterThan(MAX_BYTES / 2);
    model.store.compact(compactedRevision as Revision);
  }
  expect(kept * bytesOf(VALUE), 'what is kept').toBeLessThanOrEqual(MAX_BYTES * 2);
}

const keptBy = ({ store }: Side): number => store.revision - Math.max(1, store.compactedRevision);

test('a store whose past is bounded keeps the newer half of it, and answers of what it keeps as before', () => {
  const bounded = fc
    .tuple(fc.constantFrom('a/x', 'b/z'), fc.integer({ min: 1, max: 30 }))
    .map(([key, times]): fc.Command<Side, Side> => ({
      check: () => true,
      run: (model, real) => {
        for (let left = times; left > 0; left--) {
          const before = { kept: keptBy(real) };
          const success = [{ kind: 'put' as const, key, value: () => VALUE }];
          for (const { store } of [model, real]) store.transact({ compare: [], success });
          expectBounded(model, real, before);
        }
        expect(real.told).toEqual(model.told);
        expect(pictureOf(real)).toEqual(pictureOf(model));
      },
      toString: () => `put(${key}, ${times} times)`,
    }));
  const reads = distances.map(
    (distance) => new Step(`compact(-${distance})`, (each) => each.store.compact(asRevision(each, distance))),
  );
  fc.assert(
    fc.property(fc.commands([bounded, bounded, reads], { maxCommands: 20, size: 'max' }), (sequence) => {
      const real = side(new MemoryStorage<string>({ maxHistoryBytes: MAX_BYTES }));
      fc.modelRun(() => ({ model: model(), real }), sequence);
    }),
    asOftenAs(60, 20240831),
  );
});
