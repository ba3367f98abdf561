/**
 * The feature gates of a release: of 1.29 to 1.36 all that its servers know, as they told them; of 1.37 those of 1.36; of
 * releases before those that their documentation tells of.
 */
import type { FeatureGate, FeatureGateTable, GateStage } from './feature-gate.ts';
import { isLockedIn } from './gate-locks.ts';
import { EARLY_GATES } from './tables/early-gates.ts';
import { GATE_STAGES } from './tables/gate-stages.ts';

/** Oldest first; an empty letter: there is no such gate any more. */
type Stages = readonly (readonly [minor: number, stage: string])[];
type StageTable = Readonly<Record<string, Stages>>;

let recorded: StageTable | undefined;
let early: StageTable | undefined;

const recordedGates = (): StageTable => (recorded ??= JSON.parse(GATE_STAGES) as StageTable);
const earlyGates = (): StageTable =>
  (early ??= Object.fromEntries(EARLY_GATES.trim().split('\n').map(readRow)));

const FIRST_RECORDED = 29;

export function gatesOf(minor: number): FeatureGateTable {
  const gates = new Map<string, FeatureGate>();
  for (const [name, stages] of Object.entries(stagesAt(minor))) {
    const letter = letterAt(minor, stages);
    const stage = STAGES[letter.toLowerCase()];
    if (!stage) continue;
    const isLocked = isLockedIn(minor, name, stage);
    gates.set(name, { stage, isOnByDefault: letter !== letter.toLowerCase(), ...(isLocked && { isLocked }) });
  }
  return gates;
}

/** Whether a feature has become a part of each server for good: its gate is locked, or gone. */
export function isGraduated(minor: number, name: string): boolean {
  const letter = letterAt(minor, stagesAt(minor)[name] ?? []);
  if (letter !== '') return letter === 'G' && isLockedIn(minor, name, 'stable');
  const known = [...(earlyGates()[name] ?? []), ...(recordedGates()[name] ?? [])];
  return known.some(([from, letter]) => from <= minor && letter === 'G');
}

const stagesAt = (minor: number): StageTable => (minor < FIRST_RECORDED ? earlyGates() : recordedGates());

function letterAt(minor: number, stages: Stages): string {
  let letter = '';
  for (const [from, its] of stages) if (from <= minor) letter = its;
  return letter;
}

/** `DryRun 15B 19G 28-`. */
function readRow(row: string): [string, Stages] {
  const [name = '', ...steps] = row.split(' ');
  return [name, steps.map((step) => [Number.parseInt(step, 10), step.replace(/[0-9-]/g, '')])];
}

const STAGES: Readonly<Record<string, GateStage>> = { a: 'alpha', b: 'beta', g: 'stable', d: 'deprecated' };
