import { expect, test } from 'vitest';
import { shrinkScenario } from './shrink-scenario.ts';

test('what a scenario has of chance is written in it, whoever tries brings it along', async () => {
  const spec = { seed: 7, choices: [], exempt: [], history: true, steps: [{ advance: '1s' }] };
  const small = await shrinkScenario({ spec }, { fails: () => Promise.resolve(true), attempts: 200 });
  expect(small['spec']).toMatchObject({ seed: 7, choices: [] });
  expect(small['spec']).not.toHaveProperty('history');
});
