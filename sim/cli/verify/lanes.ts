/**
 * One campaign in several processes, each with a simulation of its own and every n-th sequence: what is asked does not
 * depend on their number, only what is asked at the same time. A lane that dies loses what it had found, and says so.
 */
import { fork } from 'node:child_process';
import { mostFrequentFirst, type Outcome, type Rule, sumOfTallies, type Tally } from './campaign.ts';

/** Every `of`-th sequence, beginning with number `lane`. */
export interface Lane {
  readonly lane: number;
  readonly of: number;
}

export interface LaneProgram {
  /** The command line's own file: lanes are the same program. */
  readonly entry: string;
  /** As this process was called. */
  readonly args: readonly string[];
}

export const WHOLE: Lane = { lane: 0, of: 1 };

/** `2/16`. @throws RangeError */
export function parseLane(text: string): Lane {
  const [lane, of] = text.split('/').map(Number);
  if (lane === undefined || of === undefined || !(lane >= 0 && lane < of)) throw new RangeError(text);
  return { lane, of };
}

export const isOfLane = (at: number, { lane, of }: Lane): boolean => at % of === lane;

export async function runLanes(lanes: number, program: LaneProgram): Promise<Outcome> {
  const numbers = Array.from({ length: lanes }, (_none, lane) => lane);
  return mergeOutcomes(await Promise.all(numbers.map((lane) => runLane({ lane, of: lanes }, program))));
}

function runLane({ lane, of }: Lane, { entry, args }: LaneProgram): Promise<Outcome> {
  const child = fork(entry, [...args, '--lane', `${lane}/${of}`], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return new Promise((resolve) => {
    let outcome: Outcome | undefined;
    child.on('message', (told: Outcome) => (outcome = told));
    child.on('error', () => undefined);
    child.on('close', (code, signal) =>
      resolve(outcome ?? { tally: {}, rules: [], failures: [`lane ${lane}: ended with ${signal ?? code}`] }),
    );
  });
}

/** Of a rule that several have met the first one's example stays. */
export function mergeOutcomes(outcomes: readonly Outcome[]): Outcome {
  const tally: Record<string, Tally> = {};
  const rules = new Map<string, Rule>();
  for (const outcome of outcomes) {
    for (const [area, one] of Object.entries(outcome.tally))
      tally[area] = sumOfTallies([...(tally[area] ? [tally[area]] : []), one]);
    for (const rule of outcome.rules) {
      const known = rules.get(rule.rule);
      if (known) known.count += rule.count;
      else rules.set(rule.rule, { ...rule });
    }
  }
  return {
    tally,
    rules: mostFrequentFirst([...rules.values()]),
    failures: outcomes.flatMap(({ failures }) => failures),
  };
}
