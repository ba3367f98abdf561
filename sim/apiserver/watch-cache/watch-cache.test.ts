import { describe, expect, test } from 'vitest';
import { MemoryStorage } from '../../storage/memory-storage.ts';
import type { Revision } from '../../storage/storage.ts';
import type { StoredObject } from '../stores/stored-object.ts';
import type { CacheWatch } from './cache-watch.ts';
import { Progress } from './progress.ts';
import { WatchCache, type CacheWatchRequest } from './watch-cache.ts';

const rev = (value: number) => value as Revision;

/** A storage with a cache of config maps; `write('x/a', {app: 'web'})` puts, `write('x/a')` deletes. */
function kitchen({ before = [] as string[], freshMs = 75_000 } = {}) {
  const storage = new MemoryStorage<StoredObject>();
  const write = (path: string, labels?: Record<string, string>) => writeKey(`/configmaps/${path}`, labels);
  const writeKey = (key: string, labels?: Record<string, string>) =>
    storage.transact({
      compare: [],
      success: [
        labels
          ? {
              kind: 'put',
              key,
              value: (revision) => configMap(key.slice(key.lastIndexOf('/') + 1), labels, revision),
            }
          : { kind: 'delete', key },
      ],
    }).revision;
  for (const path of before) write(path, {});
  let nowMs = 0;
  const progress = new Progress(storage);
  const cache = new WatchCache({
    storage,
    prefix: '/configmaps/',
    progress,
    nowMs: () => nowMs,
    windowLimits: { lowestCapacity: 4, highestCapacity: 16, freshMs, maxBytes: Infinity },
  });
  const open = (request: Partial<CacheWatchRequest> = {}) => {
    let readiness = 0;
    const watch = cache.open({
      scope: '/configmaps/',
      after: cache.revision,
      onReady: () => {
        readiness += 1;
      },
      ...request,
    });
    return { watch, taken: () => takeAll(watch), readiness: () => readiness };
  };
  return { storage, write, writeKey, cache, progress, open, setNow: (ms: number) => (nowMs = ms) };
}

const configMap = (name: string, labels: Record<string, string>, revision: Revision): StoredObject =>
  Object.freeze({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, labels, resourceVersion: String(revision) },
  });

function takeAll(watch: CacheWatch): string[] {
  const items: string[] = [];
  for (let item = watch.take(); item; item = watch.take()) {
    if (item.type === 'BOOKMARK') items.push(`BOOKMARK ${item.revision}`);
    else items.push(`${item.type} ${item.object.metadata.name} ${item.object.metadata.resourceVersion}`);
  }
  return items;
}

const isWeb = ({ metadata }: StoredObject) => metadata.labels?.['app'] === 'web';

describe('reads of the watch cache', () => {
  test('show the state that was there when it started, and every change after', () => {
    const { cache, write } = kitchen({ before: ['x/a', 'x/b'] });
    write('y/c', {});
    write('x/a');
    expect(cache.list({ prefix: '/configmaps/' }).entries.map(({ key }) => key)).toEqual([
      '/configmaps/x/b',
      '/configmaps/y/c',
    ]);
    expect(cache.list({ prefix: '/configmaps/x/' })).toMatchObject({ count: 1, hasMore: false, revision: 5 });
    expect(cache.get('/configmaps/x/a')).toBeUndefined();
    expect(cache.size).toBe(2);
  });

  test('share the frozen values of the storage', () => {
    const { cache, storage } = kitchen({ before: ['x/a'] });
    expect(cache.get('/configmaps/x/a')?.value).toBe(storage.get('/configmaps/x/a')?.value);
  });

  test('are as new as the storage even when something else was written', () => {
    const { cache, writeKey } = kitchen({ before: ['x/a'] });
    writeKey('/pods/x/p', {});
    expect([cache.revision, cache.lastEventRevision]).toEqual([3, 2]);
  });
});

describe('a lagging watch cache', () => {
  test('shows an old state at an old revision until its events arrive, oldest first', () => {
    const { cache, write } = kitchen();
    const deliveries: (() => void)[] = [];
    cache.setLag((deliver) => deliveries.push(deliver));
    write('x/a', {});
    write('x/b', {});
    expect([cache.revision, cache.size]).toEqual([1, 0]);
    deliveries.pop()?.();
    expect(cache.list({ prefix: '/configmaps/' })).toMatchObject({
      revision: 2,
      entries: [{ key: '/configmaps/x/a' }],
    });
    deliveries.pop()?.();
    expect([cache.revision, cache.size]).toEqual([3, 2]);
  });

  test('catches up at once when the lag ends', () => {
    const { cache, write } = kitchen();
    cache.setLag(() => undefined);
    write('x/a', {});
    cache.setLag(undefined);
    expect([cache.revision, cache.size]).toEqual([2, 1]);
  });

  test('held stays at its revision whatever is written, and catches up when released', () => {
    const { cache, write, writeKey, open } = kitchen();
    const { taken } = open();
    cache.hold();
    write('x/a', {});
    writeKey('/pods/x/p', {});
    expect([cache.revision, cache.size, taken()]).toEqual([1, 0, []]);
    cache.release();
    expect([cache.revision, cache.size, taken()]).toEqual([3, 1, ['ADDED a 2']]);
  });
});

describe('waiting for a revision', () => {
  test('is over at once when the cache is there', () => {
    const { cache } = kitchen();
    let reached = 0;
    cache.whenAtLeast(rev(1), () => (reached += 1));
    expect(reached).toBe(1);
  });

  test('is over with the write that reaches it, of whatever resource, and not before the cache shows it', () => {
    const { cache, write, writeKey } = kitchen();
    const sizes: number[] = [];
    cache.whenAtLeast(rev(2), () => sizes.push(cache.size));
    cache.whenAtLeast(rev(3), () => sizes.push(cache.size));
    write('x/a', {});
    expect(sizes).toEqual([1]);
    writeKey('/pods/x/p', {});
    expect(sizes).toEqual([1, 1]);
  });

  test('lasts as long as the events are under way', () => {
    const { cache, write } = kitchen();
    const deliveries: (() => void)[] = [];
    cache.setLag((deliver) => deliveries.push(deliver));
    let isReached = false;
    cache.whenAtLeast(rev(2), () => (isReached = true));
    write('x/a', {});
    expect(isReached).toBe(false);
    deliveries.pop()?.();
    expect(isReached).toBe(true);
  });

  test('can be given up', () => {
    const { cache, write } = kitchen();
    let reached = 0;
    const giveUp = cache.whenAtLeast(rev(2), () => (reached += 1));
    giveUp();
    write('x/a', {});
    expect(reached).toBe(0);
  });
});

describe('a watch', () => {
  test('after a revision delivers the held events since, then what follows, each once', () => {
    const { write, open } = kitchen();
    for (const path of ['x/a', 'x/b', 'x/c']) write(path, {});
    const { taken } = open({ after: rev(2) });
    write('x/d', {});
    expect(taken()).toEqual(['ADDED b 3', 'ADDED c 4', 'ADDED d 5']);
    write('x/d', { again: '' });
    expect(taken()).toEqual(['MODIFIED d 6']);
  });

  test('from the initial state delivers the present objects, then what follows', () => {
    const { write, open } = kitchen({ before: ['x/a', 'y/b'] });
    const { taken } = open({ after: 'initial' });
    write('x/a');
    expect(taken()).toEqual(['ADDED a 2', 'ADDED b 3', 'DELETED a 4']);
  });

  test('can have the end of its initial state marked', () => {
    const { write, open } = kitchen({ before: ['x/a'] });
    const { taken } = open({ after: 'initial', marksInitialEnd: true });
    write('x/b', {});
    expect(taken()).toEqual(['ADDED a 2', 'BOOKMARK 2', 'ADDED b 3']);
  });

  test('of a future revision is silent until after it', () => {
    const { write, open } = kitchen();
    const { taken } = open({ after: rev(3) });
    for (const name of ['a', 'b', 'c']) write(`x/${name}`, {});
    expect(taken()).toEqual(['ADDED c 4']);
  });

  test('sees its namespace or its object only', () => {
    const { write, open } = kitchen();
    for (const path of ['x/a', 'x/ab', 'xy/a']) write(path, {});
    const watches = ['/configmaps/x/', '/configmaps/x/a'].flatMap((scope) => [
      open({ scope, after: rev(1) }),
      open({ scope, after: 'initial' }),
    ]);
    for (const path of ['x/a', 'x/ab', 'xy/a']) write(path, { again: '' });
    expect(watches.map(({ taken }) => taken().length)).toEqual([4, 4, 2, 2]);
  });

  test('of a selection sees objects enter as ADDED and leave as DELETED with their last selected state', () => {
    const { write, open } = kitchen();
    const { taken, watch } = open({ selects: isWeb });
    write('x/a', { app: 'db' });
    write('x/a', { app: 'web' });
    write('x/a', { app: 'web', tier: '1' });
    expect(taken()).toEqual(['ADDED a 3', 'MODIFIED a 4']);
    write('x/a', { app: 'db' });
    const left = watch.take();
    expect(left).toMatchObject({
      type: 'DELETED',
      object: { metadata: { labels: { app: 'web', tier: '1' }, resourceVersion: '5' } },
    });
    write('x/a');
    expect(taken()).toEqual([]);
  });

  test('of an initial state that is selected starts with the selected objects', () => {
    const { write, open } = kitchen();
    write('x/a', { app: 'db' });
    write('x/b', { app: 'web' });
    expect(open({ after: 'initial', selects: isWeb }).taken()).toEqual(['ADDED b 3']);
  });

  test('of one value of a field is found by it, and sees objects come and go', () => {
    const { write, open } = kitchen();
    const byApp = (value: string) => ({
      trigger: {
        field: 'app',
        value,
        valueOf: ({ metadata }: StoredObject) => metadata.labels?.['app'] ?? '',
      },
      selects: ({ metadata }: StoredObject) => (metadata.labels?.['app'] ?? '') === value,
    });
    const [web, db, webOfX] = [
      open(byApp('web')),
      open(byApp('db')),
      open({ ...byApp('web'), scope: '/configmaps/x/' }),
    ];
    write('x/a', { app: 'web' });
    write('y/b', { app: 'web' });
    write('x/a', { app: 'db' });
    write('y/b');
    expect(web.taken()).toEqual(['ADDED a 2', 'ADDED b 3', 'DELETED a 4', 'DELETED b 5']);
    expect(db.taken()).toEqual(['ADDED a 4']);
    expect(webOfX.taken()).toEqual(['ADDED a 2', 'DELETED a 4']);
    web.watch.close();
    write('x/c', { app: 'web' });
    expect([web.taken(), webOfX.taken()]).toEqual([[], ['ADDED c 6']]);
  });

  test('shares every item and every object with the other watches', () => {
    const { write, open } = kitchen({ before: ['x/a'] });
    const [first, second] = [open(), open()];
    write('x/a');
    const item = first.watch.take();
    expect(item).toMatchObject({ type: 'DELETED', object: { metadata: { resourceVersion: '3' } } });
    expect(second.watch.take()).toBe(item);
  });

  test('calls its consumer once until everything was taken', () => {
    const { write, open } = kitchen();
    const { taken, readiness } = open();
    write('x/a', {});
    expect(readiness()).toBe(0);
    expect(taken()).toEqual(['ADDED a 2']);
    write('x/b', {});
    write('x/c', {});
    expect(readiness()).toBe(1);
    expect(taken()).toEqual(['ADDED b 3', 'ADDED c 4']);
    write('x/d', {});
    expect(readiness()).toBe(2);
  });

  test('is cut off when its consumer does not keep up', () => {
    const { write, open } = kitchen();
    const { taken, watch, readiness } = open({ queueCapacity: 2 });
    expect(taken()).toEqual([]);
    for (const name of ['a', 'b']) write(`x/${name}`, {});
    expect(watch.state).toBe('open');
    write('x/c', {});
    expect([watch.state, taken(), readiness()]).toEqual(['tooSlow', [], 1]);
  });

  test('never holds more than its queue, however long it runs', () => {
    const { write, open } = kitchen();
    const { watch } = open({ queueCapacity: 2 });
    write('x/a', {});
    for (let round = 0; round < 1000; round += 1) {
      write('x/a', { round: String(round) });
      expect(watch.take()).toBeDefined();
    }
    expect(watch.state).toBe('open');
  });

  test('ends when it is closed and when its cache is', () => {
    const { write, open, cache } = kitchen();
    const [closed, left] = [open(), open()];
    closed.watch.close();
    write('x/a', {});
    expect([closed.watch.state, closed.taken(), left.taken()]).toEqual(['closed', [], ['ADDED a 2']]);
    cache.close();
    expect([left.watch.state, left.readiness()]).toEqual(['closed', 1]);
  });

  test('offers a bookmark at the last write to the resource, when all is taken and something was written', () => {
    const { write, writeKey, open } = kitchen({ before: ['x/a'] });
    const { watch, taken } = open({ scope: '/configmaps/y/' });
    expect([taken(), watch.bookmarkRevision]).toEqual([[], undefined]);
    write('x/b', {});
    writeKey('/pods/x/p', {});
    expect(watch.bookmarkRevision).toBe(3);
    write('y/c', {});
    expect(watch.bookmarkRevision).toBeUndefined();
    expect([taken(), watch.bookmarkRevision]).toEqual([['ADDED c 5'], 5]);
  });
});

describe('the window of events', () => {
  const fill = (write: (path: string, labels: Record<string, string>) => unknown, count: number) => {
    for (let index = 0; index < count; index += 1) write('x/a', { index: String(index) });
  };

  test('refuses watches from before the start of the cache', () => {
    const { open } = kitchen({ before: ['x/a', 'x/b'] });
    expect(() => open({ after: rev(1) })).toThrow('too old resource version: 1 (3)');
    expect(open({ after: rev(3) }).taken()).toEqual([]);
  });

  test('survives compaction of the storage', () => {
    const { storage, write, open } = kitchen();
    fill(write, 3);
    storage.compact(rev(4));
    expect(open({ after: rev(1) }).taken().length).toBe(3);
  });

  test('grows while its events are fresh, up to its limit, and then forgets the oldest', () => {
    const { write, cache } = kitchen();
    fill(write, 16);
    expect(cache.oldestStart).toBe(1);
    fill(write, 1);
    expect(cache.oldestStart).toBe(2);
  });

  test('keeps its size when its events are old, and shrinks when even the newest are', () => {
    const { write, cache, setNow } = kitchen({ freshMs: 10 });
    fill(write, 5);
    setNow(8);
    fill(write, 3);
    expect(cache.revision - cache.oldestStart).toBe(8);
    setNow(12);
    fill(write, 1);
    expect(cache.revision - cache.oldestStart).toBe(8);
    setNow(100);
    fill(write, 1);
    expect(cache.revision - cache.oldestStart).toBe(4);
  });
});
