/**
 * In which order a hunt tries what there is. Where it is known who comes by the changed place, only those are tried: scripts,
 * the quickest first, and properties in turns, half of the time each; a property has the more turns the more of its
 * stories come by. Else what is small and was written for such bugs comes first; then properties take turns, and after
 * each a share of the rest.
 */
import type { LoadedScenario } from '../../../scenarios/language/load-scenario.ts';
import type { RecordedRun } from './reach.ts';

export interface Attempt {
  readonly loaded: LoadedScenario;
  readonly seed: number;
}

export interface Hunters {
  readonly properties: readonly LoadedScenario[];
  readonly scripted: readonly LoadedScenario[];
}

const FIRST_SEED = 1_000;
/** After so many turns of properties nobody waits any longer. */
const MOST_TURNS = 100_000;

export function huntPlan(hunters: Hunters, comeBy: readonly RecordedRun[] | undefined): Iterable<Attempt> {
  return comeBy && comeBy.length > 0 ? guidedFirst(hunters, comeBy) : unguided(hunters);
}

/** Other stories of properties may come by where those that were recorded did not. */
function* guidedFirst(hunters: Hunters, comeBy: readonly RecordedRun[]): Generator<Attempt> {
  yield* guided(hunters, comeBy);
  yield* unguided({ properties: hunters.properties, scripted: [] });
}

const nameOf = ({ scenario }: LoadedScenario): string => scenario.metadata.name;

function* guided({ properties, scripted }: Hunters, comeBy: readonly RecordedRun[]): Generator<Attempt> {
  const costs = new Map<string, number[]>();
  for (const { name, ms } of comeBy) costs.set(name, [...(costs.get(name) ?? []), ms]);
  const costOf = (loaded: LoadedScenario): number => mean(costs.get(nameOf(loaded)) ?? [0]);
  const scripts = scripted
    .filter((loaded) => costs.has(nameOf(loaded)))
    .toSorted((a, b) => costOf(a) - costOf(b));
  const turns = properties
    .filter((loaded) => costs.has(nameOf(loaded)))
    // What a story that comes by costs, those included that do not.
    .map((loaded) => ({ loaded, cost: costOf(loaded) / (costs.get(nameOf(loaded)) ?? []).length, taken: 0 }));
  let [ofScripts, ofProperties] = [0, 0];
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    while (scripts.length > 0 && (turns.length === 0 || ofScripts <= ofProperties)) {
      const [loaded] = scripts.splice(0, 1);
      if (!loaded) break;
      ofScripts += costOf(loaded);
      yield { loaded, seed: 1 };
    }
    const next = turns.toSorted((a, b) => (a.taken + 1) * a.cost - (b.taken + 1) * b.cost)[0];
    if (!next) return;
    ofProperties += costOf(next.loaded);
    yield { loaded: next.loaded, seed: FIRST_SEED + next.taken++ };
  }
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

const FIRST = /second-tries|regression|published/;
const SHARE = 12;
/** Seeds in a turn: so that all cost about the same. */
const TURNS: readonly (readonly [RegExp, number])[] = [
  [/objects|verdicts/, 8],
  [/owners|definitions|volumes|struck/, 4],
  [/replaced|unseen/, 4],
  [/compete|half/, 3],
  [/containers/, 2],
];

function* unguided({ properties, scripted }: Hunters): Generator<Attempt> {
  const first = scripted.filter(({ file }) => FIRST.test(file));
  const rest = scripted.filter((scenario) => !first.includes(scenario));
  for (const loaded of first) yield { loaded, seed: 1 };
  for (let round = 0; properties.length > 0 || round * SHARE < rest.length; round++) {
    for (const loaded of properties) {
      const times = TURNS.find(([name]) => name.test(nameOf(loaded)))?.[1] ?? 1;
      for (let each = 0; each < times; each++) yield { loaded, seed: FIRST_SEED + round * times + each };
    }
    for (const loaded of rest.slice(round * SHARE, (round + 1) * SHARE)) yield { loaded, seed: 1 };
  }
}
