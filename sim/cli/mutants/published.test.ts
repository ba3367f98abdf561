/** Published bugs are found by whatever a few seeds draw, and what mends them stays green: `npm run published` in small. */
import { describe, expect, test } from 'vitest';
import { alarmsOf, hunted, publishedPairs, publishedProperty } from './published.ts';
import { huntedPlanted, publishedPlanted } from './published-planted.ts';
import { publishedTable } from './published-table.ts';

const pairs = await publishedPairs();
const BUDGET_MS = 30_000;

test('ten bugs that were told of in public are rebuilt', () => {
  expect(new Set(pairs.map(({ thread }) => thread)).size).toBeGreaterThanOrEqual(10);
});

describe.each(pairs)('$thread', ({ bug, mended }) => {
  test('is found without a word of where', async () => {
    const found = await hunted(bug, BUDGET_MS);
    expect(found?.sentences[0]).toMatch(/does not end alike: /);
  });

  test('is not found once it is mended', async () => {
    expect(await alarmsOf(mended, 2)).toBe(0);
  });
});

describe.each(publishedPlanted())('$published.thread, planted into the server', (planted) => {
  test('is found by a property that knows nothing of it', async () => {
    const found = await huntedPlanted(planted, BUDGET_MS / 1_000);
    expect(found?.sentences[0]).toMatch(/^at \d+\.\d+s: user\/test/);
  });

  test('is not found where it is not', async () => {
    expect(await alarmsOf(await publishedProperty(planted.published.property), 5)).toBe(0);
  });
});

test('what was found is a table', () => {
  const found = { runs: 3, cpuSeconds: 1.5, steps: 4, faults: 2, sentences: ['why'] };
  const named = { ...found, choices: 3 };
  const mended = { runs: 200, alarms: 0 };
  const bugs = [
    { thread: 'a/b#1', property: 'one', found, mended },
    { thread: 'a/b#3', property: 'third', found: named, mended },
    { thread: 'a/b#2', property: 'other', mended: { runs: 200, alarms: 1 } },
  ];
  expect(publishedTable(bugs).split('\n').slice(1, 4)).toEqual([
    'a/b#1  one       3          1.5      4 steps, 2 faults, a seed     200 of 200',
    'a/b#3  third     3          1.5      4 steps, 2 faults, 3 choices  200 of 200',
    'a/b#2  other     not found                                         199 of 200',
  ]);
});
