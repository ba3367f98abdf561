/** A failed run on disk: enough to run it again. */
import type { Choice, RunRecord } from '../../reports/run-record.ts';

export interface Recording {
  readonly apiVersion: 'kubesim.dev/v1';
  readonly kind: 'Recording';
  readonly scenario: string;
  /** Path of the scenario file, and the text that it had: what is replayed. */
  readonly file: string;
  readonly text: string;
  readonly seed: number;
  readonly choices: readonly Choice[];
  readonly checksDeterminism: boolean;
  readonly failure: {
    readonly property: string;
    readonly kind: string;
    readonly at: number;
    readonly line: number;
    readonly details: readonly string[];
  };
}

/** Undefined for a run that did not fail. */
export function recordingOf(
  { scenario, file, seed, failure, isDeterminismChecked }: RunRecord,
  text: string,
): Recording | undefined {
  if (!failure) return undefined;
  const { property, kind, at, line, details, choices } = failure;
  return {
    apiVersion: 'kubesim.dev/v1',
    kind: 'Recording',
    scenario,
    file,
    text: failure.drawn ?? text,
    seed,
    choices,
    checksDeterminism: kind === 'nondeterminism' && isDeterminismChecked,
    failure: { property, kind, at, line, details },
  };
}

/** @throws Error that says what is wrong with the text */
export function parseRecording(text: string): Recording {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`it is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value !== 'object' || value === null || !('kind' in value) || value.kind !== 'Recording')
    throw new Error('it is not a recording: it has no `kind: Recording`');
  for (const [name, type] of [
    ['file', 'string'],
    ['text', 'string'],
    ['seed', 'number'],
    ['choices', 'object'],
    ['failure', 'object'],
  ] as const) {
    if (typeof Reflect.get(value, name) !== type) throw new Error(`it has no \`${name}\``);
  }
  return value as Recording;
}
