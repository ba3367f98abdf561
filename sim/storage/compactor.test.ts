import { expect, test } from 'vitest';
import { Compactor } from './compactor.ts';
import { MemoryStorage } from './memory-storage.ts';

test('history is kept for one interval at least and two at most', () => {
  const storage = new MemoryStorage<string>();
  const write = () =>
    storage.transact({ compare: [], success: [{ kind: 'put', key: 'a', value: () => '' }] });
  const compactor = new Compactor(storage);
  const compacted: number[] = [];
  const tick = () => {
    compactor.tick();
    compacted.push(storage.compactedRevision);
  };
  write();
  tick();
  write();
  tick();
  write();
  write();
  tick();
  tick();
  tick();
  expect([storage.revision, compacted]).toEqual([5, [0, 2, 3, 5, 5]]);
});
