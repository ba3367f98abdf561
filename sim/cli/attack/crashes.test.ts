import { expect, test } from 'vitest';
import { attackByCrashes } from './crashes.ts';

test('a server that is killed on a disk that fails loses nothing acknowledged and keeps nothing refused', async () => {
  const figures = await attackByCrashes({
    seed: 1,
    fsync: 'always',
    oneIn: 40,
    lifeMs: 1_000,
    isOver: ({ kills, acknowledged }) => kills >= 2 && acknowledged >= 60,
  });
  expect(figures.broken).toEqual([]);
  expect(figures.fileFaults).toBeGreaterThan(0);
}, 60_000);
