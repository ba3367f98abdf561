/**
 * Bugs of the simulator. A violation ends the run with seed, time and the last trace records; it is
 * neither an API outcome (`ApiError`) nor a simulated fault (data). Code between the violation and the
 * loop cannot swallow it: the loop asks for the last violation after every event.
 */

export type Facts = Readonly<Record<string, unknown>>;

/** Where the run stood when the violation was raised; filled in by the loop. Knows nothing of the engine, which stands on this file. */
export interface ViolationScene {
  readonly seed: number;
  /** Virtual microseconds. */
  readonly at: number;
  /** The last records of the trace. */
  readonly records: readonly object[];
}

export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation';
  readonly facts: Facts;
  /** What was violated, without the facts and the scene that `message` carries too. */
  readonly claim: string;
  scene: ViolationScene | undefined;

  constructor(claim: string, facts: Facts = {}, options?: ErrorOptions) {
    super(claim + factsText(facts), options);
    this.claim = claim;
    this.facts = facts;
  }

  /** Adds seed, time and records once; the innermost loop knows best. */
  describe(scene: ViolationScene, sceneText: string): void {
    if (this.scene) return;
    this.scene = scene;
    this.message += `\n${sceneText}`;
  }
}

// Two simulations never run at once in one thread, so one slot is enough; the loop empties it when it starts.
let lastViolation: InvariantViolation | undefined;

/**
 * Throws unless `condition` holds. `facts` are small values that help to understand the violation.
 * @throws InvariantViolation
 */
export function invariant(condition: unknown, message: string, facts?: Facts): asserts condition {
  if (!condition) throw violation(message, facts);
}

/** A violation to throw; the loop raises it even when the code in between catches it. */
export function violation(message: string, facts?: Facts, options?: ErrorOptions): InvariantViolation {
  lastViolation = new InvariantViolation(message, facts, options);
  return lastViolation;
}

/** The violation raised since the last call, if any. For the loop. */
export function takeViolation(): InvariantViolation | undefined {
  if (lastViolation === undefined) return undefined;
  const taken = lastViolation;
  lastViolation = undefined;
  return taken;
}

/** Proof that a closed union was handled completely. */
export function assertNever(value: never, what = 'case'): never {
  throw violation(`unhandled ${what}`, { value });
}

function factsText(facts: Facts): string {
  const parts = Object.entries(facts).map(([name, value]) => `${name}=${factText(value)}`);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function factText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'object' && value !== null) {
    return Array.isArray(value) ? `[${value.length} items]` : `{${Object.keys(value).join(', ')}}`;
  }
  return String(value);
}
