/**
 * What an evaluation does inside values. Lists within lists, or lists added to themselves, can be far larger than
 * what making them has cost; a server would walk through them for hours. Here an evaluation that does more than
 * this ends as one does that has cost too much.
 */
const MOST = 5_000_000;

/** Ends an evaluation at once: nothing absorbs it. */
export class EvaluationEnded extends Error {}

export class CostExceeded extends EvaluationEnded {
  override readonly message = 'operation cancelled: actual cost limit exceeded';
}

let left = MOST;
let running = 0;

export function spend(steps: number): void {
  left -= steps;
  if (left < 0 && running > 0) throw new CostExceeded();
}

/** Evaluations inside an evaluation share what it has left. */
export function enterEvaluation(): void {
  if (running++ === 0) left = MOST;
}

export function leaveEvaluation(): void {
  running--;
}
