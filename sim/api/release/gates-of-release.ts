/**
 * The feature gates of a release: of 1.29 to 1.36 all that its servers know, as they told them; of 1.37 those of 1.36; of
 * releases before those that kubesim looks at.
 */
import { EARLY_GATES } from './early-gates.ts';
import type { FeatureGate, FeatureGateTable, GateStage } from './feature-gate.ts';
import { isLockedIn } from './gate-locks.ts';
import { GATE_STAGES } from './tables/gate-stages.ts';

type Stages = readonly (readonly [minor: number, stage: string])[];

let recorded: Readonly<Record<string, Stages>> | undefined;

const FIRST_RECORDED = 29;

export function gatesOf(minor: number): FeatureGateTable {
  recorded ??= JSON.parse(GATE_STAGES) as Readonly<Record<string, Stages>>;
  const gates = new Map<string, FeatureGate>();
  for (const [name, stages] of Object.entries(minor < FIRST_RECORDED ? EARLY_GATES : recorded)) {
    let letter = '';
    for (const [from, its] of stages) if (from <= minor) letter = its;
    const stage = STAGES[letter.toLowerCase()];
    if (!stage) continue;
    const isLocked = isLockedIn(minor, name, stage);
    gates.set(name, { stage, isOnByDefault: letter !== letter.toLowerCase(), ...(isLocked && { isLocked }) });
  }
  return gates;
}

const STAGES: Readonly<Record<string, GateStage>> = { a: 'alpha', b: 'beta', g: 'stable', d: 'deprecated' };
