import { describe, expect, test } from 'vitest';
import { decodeRecord, encodeRecord, type JournalRecord } from './journal.ts';
import { MemoryStorage } from './memory-storage.ts';
import { describeStorage } from './storage.contract.ts';
import { type Revision, RevisionError, type StorageOperation, StorageWriteError } from './storage.ts';

describeStorage('the memory storage', () => new MemoryStorage());

const put = (key: string, value: string, leaseId?: number): StorageOperation<string> => ({
  kind: 'put',
  key,
  value: () => value,
  ...(leaseId !== undefined && { leaseId }),
});

/** Keys written, rewritten, deleted, leased and compacted, with the records that this left. */
function livedIn() {
  const records: JournalRecord<string>[] = [];
  const store = new MemoryStorage<string>({ onRecord: (record) => records.push(record) });
  const write = (...success: StorageOperation<string>[]) => store.transact({ compare: [], success });
  const lease = store.grantLease(50);
  write(put('a', '1'), put('b', '1', lease));
  write(put('a', '2'));
  write(put('gone', '1'));
  write({ kind: 'delete', key: 'gone' }, put('a', '3'));
  store.compact(5 as Revision);
  write(put('c', '1', store.grantLease(60)));
  store.expireLeases(50);
  return { store, records };
}

const throughJson = (records: Iterable<JournalRecord<string>>) =>
  [...records].map((record) =>
    decodeRecord(JSON.parse(JSON.stringify(encodeRecord(record, (value) => ({ value })))), (json) =>
      String((json as { value: unknown }).value),
    ),
  );

function restored(records: Iterable<JournalRecord<string>>) {
  const store = new MemoryStorage<string>();
  for (const record of throughJson(records)) store.replay(record);
  return store;
}

/** Everything that can be asked of a store. */
function observed(store: MemoryStorage<string>) {
  const history: unknown[] = [];
  const startRevision = (store.compactedRevision || 2) as Revision;
  store.watch({ prefix: '', startRevision, onEvents: (events) => history.push(events) }).close();
  const revisions = Array.from(
    { length: store.revision - startRevision + 1 },
    (_, offset) => startRevision + offset,
  );
  return {
    revision: store.revision,
    compacted: store.compactedRevision,
    nextLeaseExpiry: store.nextLeaseExpiry,
    history,
    states: revisions.map((revision) => store.range({ prefix: '', revision: revision as Revision }).entries),
  };
}

describe('a journal of the memory storage', () => {
  test('restores the same store from all records', () => {
    const { store, records } = livedIn();
    expect(observed(restored(records))).toEqual(observed(store));
  });

  test('restores the same store from a snapshot, history after the compaction included', () => {
    const { store } = livedIn();
    expect(observed(restored(store.snapshot()))).toEqual(observed(store));
  });

  test('restores the same store from a snapshot and the records after it', () => {
    const { store, records } = livedIn();
    const snapshot = [...store.snapshot()];
    records.length = 0;
    store.transact({ compare: [], success: [put('d', '1'), { kind: 'delete', key: 'a' }] });
    store.compact(7 as Revision);
    store.expireLeases(60);
    expect(observed(restored([...snapshot, ...records]))).toEqual(observed(store));
  });

  test('restores a store that left revisions out, with and without writes after it', () => {
    const { store } = livedIn();
    store.replay({ kind: 'skip', revision: 100 as Revision });
    expect(observed(restored(store.snapshot()))).toEqual(observed(store));
    expect([store.revision, store.compactedRevision]).toEqual([100, 100]);
    expect(() =>
      store.watch({ prefix: '', startRevision: 99 as Revision, onEvents: () => undefined }),
    ).toThrow(RevisionError);
    expect(store.transact({ compare: [], success: [put('d', '1')] }).revision).toBe(101);
    expect(observed(restored(store.snapshot()))).toEqual(observed(store));
  });

  test('that refuses a record leaves the store as it was', () => {
    const refusal = new StorageWriteError('noSpace', 'full');
    let isFull = false;
    const store = new MemoryStorage<string>({
      onRecord: () => {
        if (isFull) throw refusal;
      },
    });
    store.transact({ compare: [], success: [put('a', '1', store.grantLease(10))] });
    const before = observed(store);
    const heard: unknown[] = [];
    store.watch({ prefix: '', onEvents: (events) => heard.push(events) });
    isFull = true;
    const writes = [
      () => store.transact({ compare: [], success: [put('a', '2')] }),
      () => store.transact({ compare: [], success: [{ kind: 'delete', key: 'a' }] }),
      () => store.grantLease(20),
      () => store.expireLeases(10),
    ];
    for (const write of writes) expect(write).toThrow(refusal);
    expect(observed(store)).toEqual(before);
    expect(heard).toEqual([]);
    isFull = false;
    store.expireLeases(10);
    expect(store.range({ prefix: '' }).entries).toEqual([]);
    expect(store.grantLease(30)).toBe(2);
  });

  test('of an empty store is empty', () => {
    expect([...new MemoryStorage<string>().snapshot()]).toEqual([]);
  });
});

describe('memory of the memory storage', () => {
  test('holds no version of a key that compaction made unreadable', () => {
    const store = new MemoryStorage<WeakKey>();
    const write = (key: string) =>
      store.transact({ compare: [], success: [{ kind: 'put', key, value: () => ({ key }) }] });
    for (let round = 0; round < 50; round += 1) write('a');
    store.transact({ compare: [], success: [{ kind: 'delete', key: 'a' }] });
    write('b');
    store.compact(store.revision);
    const records = [...store.snapshot()];
    expect(records.map(({ kind }) => kind)).toEqual(['base', 'commit', 'compaction']);
  });
});

describe('history that is larger than it may be', () => {
  const lived = (writes: number) => {
    const records: JournalRecord<string>[] = [];
    const store = new MemoryStorage<string>({
      onRecord: (record) => records.push(record),
      maxHistoryBytes: 1_000_000,
    });
    for (let count = 0; count < writes; count++)
      store.transact({ compare: [], success: [put('a', 'x'.repeat(10_000))] });
    return { store, records };
  };

  test('is compacted to its newer half, as the journal is told', () => {
    const { store, records } = lived(500);
    expect(store.compactedRevision).toBeGreaterThan(380);
    expect(store.compactedRevision).toBeLessThan(470);
    expect(() =>
      store.watch({ prefix: '', startRevision: 2 as Revision, onEvents: () => undefined }),
    ).toThrow(RevisionError);
    const compactions = records.filter(({ kind }) => kind === 'compaction');
    expect(compactions.at(-1)).toEqual({ kind: 'compaction', revision: store.compactedRevision });
    expect(restored(records).compactedRevision).toBe(store.compactedRevision);
  });

  test('is left alone as long as it is small', () => {
    expect(lived(50).store.compactedRevision).toBe(0);
  });

  test('goes before a write, so that a write that is refused has changed nothing', () => {
    let isFull = false;
    const store = new MemoryStorage<string>({
      maxHistoryBytes: 1_000,
      onRecord: () => {
        if (isFull) throw new StorageWriteError('noSpace', 'full');
      },
    });
    const write = () => store.transact({ compare: [], success: [put('a', 'x'.repeat(1_000))] });
    write();
    isFull = true;
    const { revision } = store;
    expect(write).toThrow(StorageWriteError);
    expect(store.revision).toBe(revision);
    isFull = false;
    expect(write().succeeded).toBe(true);
  });
});
