/** What a failed run says of its failure: what did not hold, where the file says so, and what happened just before. */
import type { FailureRecord, Snapshot } from '../../reports/run-record.ts';
import type { LoadedScenario } from '../language/load-scenario.ts';
import { excerpt } from '../language/problem.ts';
import type { Path } from '../language/read-value.ts';
import type { Expectation } from '../language/scenario-shape.ts';
import { parsePath } from '../language/value-path.ts';
import { ScenarioError } from '../language/variables.ts';
import type { Mismatch } from '../checks/match.ts';
import { GuestFailure, StoodStill } from '../../sim/index.ts';
import { RunFailure } from './run-failure.ts';
import type { World, WorldRecord } from '../world/world.ts';

/** Among so many of the last records the relevant ones are looked for. */
const RECENT_RECORDS = 256;
const TRACE_LINES = 12;
const USER = 'user/test';

/** `before`: all objects as they were before the step that failed. @throws StoodStill, which is no failure */
export function failureRecordOf(
  error: unknown,
  { file, text, locate }: LoadedScenario,
  world: World,
  before: Snapshot | undefined,
): FailureRecord {
  const failure = locatedError(error, ['spec', 'steps'], 'the run');
  if (failure instanceof StoodStill) throw failure;
  const position = locate(failure.path);
  return {
    kind: failure.kind,
    property: failure.property,
    at: world.now,
    details: failure.details,
    file,
    ...position,
    excerpt: excerpt(text, position),
    trace: relevantRecords(world.tail(RECENT_RECORDS)),
    ...(failure.answer && { answer: failure.answer }),
    ...(before && { before, after: world.objects() }),
    choices: world.choices,
    allChoices: world.choices.length,
  };
}

/** The last records that are not about the scenario's own looking, and the very last ones, whatever they are about. */
function relevantRecords(records: readonly WorldRecord[]): readonly string[] {
  const isOwn = ({ actor, subject, kind }: WorldRecord): boolean =>
    actor === USER || subject.includes(USER) || kind === 'GET';
  const last = records.slice(-3);
  const others = records.slice(0, -3).filter((record) => !isOwn(record));
  return [...others.slice(last.length - TRACE_LINES), ...last].map(({ text }) => text);
}

/** Where the file says what did not come true; as near as can be. */
export function placeOf(expect: Expectation | undefined, path: Path, [first]: readonly Mismatch[]): Path {
  if (!expect) return path.slice(0, -1);
  return [...path, ...((first && parsePath(first.path)) ?? [])];
}

/** Everything that can go wrong in a step, as a failure of that step; a machine that stood still is none. */
export function locatedError(error: unknown, path: Path, property: string): RunFailure | StoodStill {
  if (error instanceof RunFailure || error instanceof StoodStill) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ScenarioError)
    return new RunFailure({ kind: 'invalid', property, details: [message], path });
  if (error instanceof GuestFailure) return guestFailed(error, path);
  const isViolation = error instanceof Error && error.name === 'InvariantViolation';
  const stack =
    error instanceof Error && !isViolation
      ? (error.stack ?? message).split('\n').slice(0, 6)
      : message.split('\n');
  return new RunFailure({ kind: isViolation ? 'invariant' : 'crash', property, details: stack, path });
}

/** A program of the user's that threw, ended itself or never rests is no fault of the simulator: told by its own lines. */
function guestFailed(failure: GuestFailure, path: Path): RunFailure {
  const { cause } = failure as { readonly cause?: unknown };
  const stack = cause instanceof Error ? (cause.stack ?? '').split('\n') : [];
  const own = stack.filter((line) => line.startsWith('    at ') && !line.includes('node:'));
  const details = [failure.message, ...own.slice(0, 6)];
  return new RunFailure({ kind: 'checker', property: `${failure.guest} lives on`, details, path });
}
