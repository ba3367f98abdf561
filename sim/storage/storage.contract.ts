import { describe, expect, test } from 'vitest';
import type { Revision, Storage, StorageEvent, StorageOperation } from './storage.ts';
import { RevisionError } from './storage.ts';

const put = (key: string, value: string, leaseId?: number): StorageOperation<string> => ({
  kind: 'put',
  key,
  value: () => value,
  ...(leaseId !== undefined && { leaseId }),
});
const remove = (key: string): StorageOperation<string> => ({ kind: 'delete', key });

/** What every `Storage` promises. Run by each implementation, and by the reference model. */
export function describeStorage(name: string, create: () => Storage<string>): void {
  const write = (store: Storage<string>, ...success: StorageOperation<string>[]): Revision =>
    store.transact({ compare: [], success }).revision;
  const keysOf = (store: Storage<string>, request: Parameters<Storage<string>['range']>[0]) =>
    store.range(request).entries.map(({ key }) => key);
  const rev = (value: number) => value as Revision;
  const told = (events: readonly StorageEvent<string>[]) =>
    events.map((event) =>
      event.kind === 'put'
        ? `${event.revision} ${event.previous ? 'update' : 'create'} ${event.entry.key}=${event.entry.value}`
        : `${event.revision} delete ${event.key} (was ${event.previous.value})`,
    );
  const watchAll = (store: Storage<string>, startRevision?: number, prefix = '') => {
    const seen: string[][] = [];
    const watch = store.watch({
      prefix,
      ...(startRevision !== undefined && { startRevision: rev(startRevision) }),
      onEvents: (events) => seen.push(told(events)),
    });
    return { seen, watch };
  };

  describe(`${name} as a storage`, () => {
    describe('revisions', () => {
      test('an empty store is at revision 1 and nothing is compacted', () => {
        const store = create();
        expect([store.revision, store.compactedRevision]).toEqual([1, 0]);
      });

      test('every writing transaction raises the one revision by one', () => {
        const store = create();
        expect([write(store, put('a', '1')), write(store, put('b', '1'), put('c', '1'))]).toEqual([2, 3]);
        expect(store.get('b')?.modRevision).toBe(3);
        expect(store.get('c')?.modRevision).toBe(3);
      });

      test('a value may carry the revision that it is stored at', () => {
        const store = create();
        write(store, { kind: 'put', key: 'a', value: (revision) => `at ${revision}` });
        expect(store.get('a')?.value).toBe('at 2');
      });

      test('a deletion of nothing writes nothing', () => {
        const store = create();
        const result = store.transact({ compare: [], success: [remove('a')] });
        expect(result).toEqual({ succeeded: true, revision: 1, entries: [undefined] });
      });

      test('an entry knows when it was created, when written and how often; deletion starts anew', () => {
        const store = create();
        write(store, put('a', '1'));
        write(store, put('a', '2'));
        expect(store.get('a')).toEqual({
          key: 'a',
          value: '2',
          createRevision: 2,
          modRevision: 3,
          version: 2,
        });
        write(store, remove('a'));
        write(store, put('a', '3'));
        expect(store.get('a')).toEqual({
          key: 'a',
          value: '3',
          createRevision: 5,
          modRevision: 5,
          version: 1,
        });
      });
    });

    describe('transactions', () => {
      test('happen when every comparison holds, and answer what they put and deleted', () => {
        const store = create();
        write(store, put('a', '1'));
        const result = store.transact({
          compare: [
            { key: 'a', modRevision: rev(2) },
            { key: 'b', modRevision: 0 },
          ],
          success: [put('b', '1'), remove('a')],
        });
        expect(result.succeeded).toBe(true);
        expect(result.revision).toBe(3);
        expect(result.entries.map((entry) => entry?.key)).toEqual(['b', 'a']);
        expect(keysOf(store, { prefix: '' })).toEqual(['b']);
      });

      test('change nothing when one comparison fails, and answer the present entries', () => {
        const store = create();
        write(store, put('a', '1'));
        const result = store.transact({
          compare: [
            { key: 'b', modRevision: 0 },
            { key: 'a', modRevision: 0 },
          ],
          success: [put('b', '1')],
        });
        expect(result.succeeded).toBe(false);
        expect(result.revision).toBe(2);
        expect(result.entries.map((entry) => entry?.value)).toEqual([undefined, '1']);
        expect(store.get('b')).toBeUndefined();
      });

      test('change nothing when a value cannot be made', () => {
        const store = create();
        const fails: StorageOperation<string> = {
          kind: 'put',
          key: 'b',
          value: () => {
            throw new Error('no value');
          },
        };
        expect(() => write(store, put('a', '1'), fails)).toThrow('no value');
        expect([store.revision, store.get('a')]).toEqual([1, undefined]);
      });

      test('are refused when a key occurs twice', () => {
        expect(() => write(create(), put('a', '1'), put('a', '2'))).toThrow(/at most once/);
      });
    });

    describe('ranges', () => {
      test('are in bytewise order, so that a slash comes after a hyphen and before a digit', () => {
        const store = create();
        for (const key of ['x0/a', 'x/b', 'x-b/a', 'x/a', 'é', 'z', '\u{1f600}', '\uffee'])
          write(store, put(key, ''));
        expect(keysOf(store, { prefix: '' })).toEqual([
          'x-b/a', 'x/a', 'x/b', 'x0/a', 'z', 'é', '\uffee', '\u{1f600}',
        ]); // prettier-ignore
      });

      test('hold the keys with the prefix, from the start key on', () => {
        const store = create();
        for (const key of ['a/1', 'b/1', 'b/2', 'b/3', 'c/1']) write(store, put(key, ''));
        expect(keysOf(store, { prefix: 'b/' })).toEqual(['b/1', 'b/2', 'b/3']);
        expect(keysOf(store, { prefix: 'b/', startKey: 'b/2' })).toEqual(['b/2', 'b/3']);
        expect(keysOf(store, { prefix: 'b/', startKey: 'a/7' })).toEqual(['b/1', 'b/2', 'b/3']);
        expect(keysOf(store, { prefix: 'b/', startKey: 'b/9' })).toEqual([]);
      });

      test('say how many entries there are beyond the limit', () => {
        const store = create();
        for (const key of ['b/1', 'b/2', 'b/3']) write(store, put(key, ''));
        const page = store.range({ prefix: 'b/', limit: 2 });
        expect([page.entries.length, page.hasMore, page.count, page.revision]).toEqual([2, true, 3, 4]);
        const all = store.range({ prefix: 'b/', limit: 3 });
        expect([all.entries.length, all.hasMore, all.count]).toEqual([3, false, 3]);
      });

      test('at a revision show the store as it was then, deleted and updated keys included', () => {
        const store = create();
        write(store, put('a', '1'));
        write(store, put('b', '1'));
        write(store, put('a', '2'));
        write(store, remove('b'));
        write(store, put('c', '1'));
        const states = [1, 2, 3, 4, 5, 6].map((revision) =>
          store
            .range({ prefix: '', revision: rev(revision) })
            .entries.map(({ key, value }) => key + value)
            .join(' '),
        );
        expect(states).toEqual(['', 'a1', 'a1 b1', 'a2 b1', 'a2', 'a2 c1']);
        expect(store.range({ prefix: '', revision: rev(3) }).revision).toBe(6);
        expect(store.get('b', rev(4))?.value).toBe('1');
        expect(store.get('b', rev(5))).toBeUndefined();
      });

      test('of a future revision are refused', () => {
        const store = create();
        expect(() => store.range({ prefix: '', revision: rev(2) })).toThrow(RevisionError);
        expect(() => store.get('a', rev(2))).toThrow('required revision is a future revision');
      });
    });

    describe('compaction', () => {
      const aged = () => {
        const store = create();
        write(store, put('a', '1'));
        write(store, put('b', '1'));
        write(store, put('a', '2'));
        write(store, remove('b'));
        write(store, put('a', '3'));
        return store;
      };

      test('leaves what is readable at its revision and after', () => {
        const store = aged();
        store.compact(rev(4));
        expect(store.compactedRevision).toBe(4);
        expect(store.range({ prefix: '', revision: rev(4) }).entries.map(({ value }) => value)).toEqual([
          '2',
          '1',
        ]);
        expect(store.get('a', rev(5))?.value).toBe('2');
        expect(store.get('a')?.value).toBe('3');
        expect(store.revision).toBe(6);
      });

      test('makes older revisions Gone', () => {
        const store = aged();
        store.compact(rev(4));
        expect(() => store.get('a', rev(3))).toThrow('required revision has been compacted');
        expect(() => store.range({ prefix: '', revision: rev(3) })).toThrow(RevisionError);
        expect(() => watchAll(store, 3)).toThrow(RevisionError);
      });

      test('keeps the event of its own revision', () => {
        const store = aged();
        store.compact(rev(5));
        expect(watchAll(store, 5).seen).toEqual([['5 delete b (was 1)'], ['6 update a=3']]);
      });

      test('takes away a deleted key and lets it come back', () => {
        const store = aged();
        store.compact(rev(6));
        expect(store.get('b', rev(6))).toBeUndefined();
        write(store, put('b', '2'));
        expect(store.get('b', rev(6))).toBeUndefined();
        expect(store.get('b', rev(7))?.version).toBe(1);
      });

      test('goes forward only, and not beyond the present', () => {
        const store = aged();
        store.compact(rev(4));
        expect(() => store.compact(rev(4))).toThrow('required revision has been compacted');
        expect(() => store.compact(rev(7))).toThrow('required revision is a future revision');
      });
    });

    describe('watches', () => {
      test('deliver the history from their start, then every commit, each revision at once', () => {
        const store = create();
        write(store, put('a', '1'));
        write(store, put('b', '1'), put('c', '1'));
        const { seen } = watchAll(store, 3);
        write(store, remove('b'), put('c', '2'));
        expect(seen).toEqual([
          ['3 create b=1', '3 create c=1'],
          ['4 delete b (was 1)', '4 update c=2'],
        ]);
      });

      test('without a start begin with the next revision', () => {
        const store = create();
        write(store, put('a', '1'));
        const { seen } = watchAll(store);
        write(store, put('a', '2'));
        expect(seen).toEqual([['3 update a=2']]);
      });

      test('see the keys with their prefix only', () => {
        const store = create();
        const directory = watchAll(store, 2, 'pods/x/');
        const parent = watchAll(store, 2, 'pods/');
        const partial = watchAll(store, 2, 'pods/x');
        write(store, put('pods/x/1', ''), put('pods/xy/1', ''), put('nodes/1', ''));
        write(store, put('pods/xy/2', ''));
        write(store, put('nodes/2', ''));
        expect(directory.seen.map((events) => events.length)).toEqual([1]);
        expect(parent.seen.map((events) => events.length)).toEqual([2, 1]);
        expect(partial.seen.map((events) => events.length)).toEqual([2, 1]);
      });

      test('of a shorter directory are told after those of a longer one', () => {
        const store = create();
        const order: string[] = [];
        for (const prefix of ['', 'pods/', 'pods/x/'])
          store.watch({ prefix, onEvents: () => order.push(prefix) });
        write(store, put('pods/x/1', ''));
        write(store, put('pods/x/1', ''), put('pods/x/2', ''));
        expect(order).toEqual(['pods/x/', 'pods/', '', 'pods/x/', 'pods/', '']);
      });

      test('of a future revision are silent until then', () => {
        const store = create();
        const { seen } = watchAll(store, 4);
        for (const value of ['1', '2', '3']) write(store, put('a', value));
        expect(seen).toEqual([['4 update a=3']]);
      });

      test('say nothing after they were closed', () => {
        const store = create();
        const { seen, watch } = watchAll(store);
        watch.close();
        write(store, put('a', '1'));
        expect(seen).toEqual([]);
      });

      test('are told nothing of a transaction that did not happen', () => {
        const store = create();
        const { seen } = watchAll(store);
        store.transact({ compare: [{ key: 'a', modRevision: rev(7) }], success: [put('a', '1')] });
        write(store, remove('a'));
        expect(seen).toEqual([]);
      });

      test('do not write to the store while they are told', () => {
        const store = create();
        store.watch({ prefix: '', onEvents: () => write(store, put('b', '1')) });
        expect(() => write(store, put('a', '1'))).toThrow(/call back/);
      });
    });

    describe('leases', () => {
      test('take their keys along at their end, one revision for each lease, the earliest first', () => {
        const store = create();
        const late = store.grantLease(20);
        const early = store.grantLease(10);
        write(store, put('a', '1', late));
        write(store, put('b', '1', early));
        write(store, put('c', '1', early));
        const { seen } = watchAll(store);
        expect(store.nextLeaseExpiry).toBe(10);
        expect([late, early, 77].map((lease) => store.hasLease(lease))).toEqual([true, true, false]);
        store.expireLeases(9);
        expect(seen).toEqual([]);
        store.expireLeases(20);
        expect(seen).toEqual([['5 delete b (was 1)', '5 delete c (was 1)'], ['6 delete a (was 1)']]);
        expect(store.nextLeaseExpiry).toBeUndefined();
        expect([late, early].map((lease) => store.hasLease(lease))).toEqual([false, false]);
      });

      test('let go of a key that is written without them or deleted', () => {
        const store = create();
        const lease = store.grantLease(10);
        write(store, put('a', '1', lease), put('b', '1', lease));
        expect(store.get('a')?.leaseId).toBe(lease);
        write(store, put('a', '2'), remove('b'));
        write(store, put('b', '2'));
        store.expireLeases(10);
        expect(keysOf(store, { prefix: '' })).toEqual(['a', 'b']);
        expect(store.get('a')?.leaseId).toBeUndefined();
      });

      test('must exist to be named', () => {
        expect(() => write(create(), put('a', '1', 77))).toThrow(/living lease/);
      });
    });
  });
}
