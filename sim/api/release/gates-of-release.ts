/** The feature gates of a release other than 1.31, of those that kubesim looks at. */
import { EARLY_GATES } from './early-gates.ts';
import type { FeatureGate, FeatureGateTable, GateStage } from './feature-gate.ts';
import { GATE_STAGES } from './tables/gate-stages.ts';

type Stages = readonly (readonly [minor: number, stage: string])[];

let recorded: Readonly<Record<string, Stages>> | undefined;

const FIRST_RECORDED = 29;

/** @param names of the gates that anybody looks at */
export function gatesOf(minor: number, names: Iterable<string>): FeatureGateTable {
  recorded ??= JSON.parse(GATE_STAGES) as Readonly<Record<string, Stages>>;
  const gates = new Map<string, FeatureGate>();
  for (const name of names) {
    const stages = (minor < FIRST_RECORDED ? EARLY_GATES[name] : recorded[name]) ?? [];
    let letter = '';
    for (const [from, its] of stages) if (from <= minor) letter = its;
    const stage = STAGES[letter.toLowerCase()];
    if (stage) gates.set(name, { stage, isOnByDefault: letter !== letter.toLowerCase() });
  }
  return gates;
}

const STAGES: Readonly<Record<string, GateStage>> = { a: 'alpha', b: 'beta', g: 'stable', d: 'deprecated' };
