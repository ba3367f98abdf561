/**
 * A cluster that is over costs the collector of the built package nothing: it goes with what is young. Functions that are
 * written where they are assigned to a member, and values of a WeakMap, kept whole clusters until all of the heap was
 * collected, which took half of the time of short runs.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const PACKAGE = join(import.meta.dirname, '../../dist/index.js');

/** Prints, of what each cluster takes, the part that is left of it when only what is young was collected. */
const PROGRAM = `
import { getHeapSpaceStatistics } from 'node:v8';
import { createCluster } from ${JSON.stringify(PACKAGE)};
const young = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_used_size;
const made = (seed) => void createCluster({ seed });
for (let seed = 1; seed <= 60; seed++) made(seed);
for (let seed = 1; seed <= 15; seed++) {
  gc();
  gc();
  const before = young();
  made(seed);
  const taken = young() - before;
  await new Promise((resolve) => setImmediate(resolve));
  gc({ type: 'minor' });
  console.log((young() - before) / taken);
}`;

it('a cluster that nobody knows any more is collected with what is young', () => {
  const parts = execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '--eval', PROGRAM], {
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .map(Number);
  expect(parts).toHaveLength(15);
  // Now and then the engine itself holds on to one, while it makes machine code.
  expect(parts.toSorted((a, b) => a - b)[7]).toBeLessThan(0.15);
});
