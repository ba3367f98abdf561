/** What a run of a scenario asks of its world, whoever makes it: to find, to make smaller, to look back. */
import { needsHistory, rulesOf } from '../checks/checkers.ts';
import type { LoadedScenario } from '../language/loaded-scenario.ts';
import { clusterOfRun } from '../world/cluster-options.ts';
import type { WorldOptions } from '../world/world.ts';

export const optionsOfRun = ({ scenario }: LoadedScenario, seed: number): WorldOptions => ({
  cluster: clusterOfRun(scenario.spec, seed),
  seed,
  rules: rulesOf(scenario),
  keepsHistory: needsHistory(scenario),
  replay: scenario.spec.choices,
});
