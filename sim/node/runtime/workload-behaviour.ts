/**
 * What a container does, as data: a scenario or the pod's annotation
 * `behaviour.kubesim.dev/<container>` says it in JSON. Without a word an image just runs. A third
 * party's pod needs no change.
 */
import type { ObjectMeta } from '../../api/object.ts';

export interface WorkloadBehaviour {
  /** Ends by itself after so many seconds; absent: runs until it is stopped. */
  readonly runsForSeconds?: number;
  /** Exit code when it ends by itself (0). */
  readonly exitCode?: number;
  /** Readiness and startup probes fail until so many seconds after the start (0). */
  readonly readyAfterSeconds?: number;
  /** Probes of these kinds fail in these spans of seconds since the start. */
  readonly failsProbes?: readonly ProbeFailure[];
  /** Memory in use (16 MiB). */
  readonly memoryBytes?: number;
  /** Seconds from SIGTERM to its end (0); `ignoresTerm`: never. */
  readonly stopsAfterSeconds?: number;
  readonly ignoresTerm?: boolean;
  /** Values in the process's memory, which a checkpoint keeps. */
  readonly memory?: Readonly<Record<string, string | number | boolean>>;
  /** The image cannot be pulled. */
  readonly imageMissing?: boolean;
  /** Cores in use, in thousandths (1). */
  readonly cpuMillicores?: number;
  /** Lines that it writes: when it starts (a text alone), later, or again and again. */
  readonly logs?: readonly (string | LogEntry)[];
  /** What commands in the container do, by their words joined with blanks: `exec: {"psql -l": {"stdout": "…"}}`. */
  readonly exec?: Readonly<Record<string, CommandAnswer>>;
  /** Texts of files in the container, by absolute path. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface LogEntry {
  readonly text: string;
  /** Seconds since the start (0). */
  readonly afterSeconds?: number;
  /** And again after so many seconds, for ever; absent: once. */
  readonly everySeconds?: number;
  readonly stream?: 'stdout' | 'stderr';
}

export interface CommandAnswer {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exitCode?: number;
  /** How long it takes (0). */
  readonly seconds?: number;
}

export interface ProbeFailure {
  readonly probe: 'startup' | 'liveness' | 'readiness';
  readonly fromSeconds: number;
  /** Absent: for ever. */
  readonly toSeconds?: number;
}

export const BEHAVIOUR_ANNOTATION = 'behaviour.kubesim.dev/';
export const DEFAULT_MEMORY_BYTES = 16 * 1024 * 1024;

const NUMBERS: ReadonlySet<string> = new Set([
  'runsForSeconds',
  'exitCode',
  'readyAfterSeconds',
  'memoryBytes',
  'cpuMillicores',
  'stopsAfterSeconds',
]);
const FLAGS: ReadonlySet<string> = new Set(['ignoresTerm', 'imageMissing']);
const STRUCTURES: ReadonlySet<string> = new Set(['failsProbes', 'memory', 'logs', 'exec', 'files']);

/** The annotation cannot be read; the message says why. */
export class BehaviourError extends Error {
  override readonly name = 'BehaviourError';
}

/** What the pod's annotations say of a container. @throws BehaviourError */
export function behaviourOf({ annotations = {} }: ObjectMeta, container: string): WorkloadBehaviour {
  const text = annotations[BEHAVIOUR_ANNOTATION + container] ?? annotations[`${BEHAVIOUR_ANNOTATION}*`];
  return text === undefined ? {} : parseBehaviour(text);
}

/** @throws BehaviourError */
export function parseBehaviour(text: string): WorkloadBehaviour {
  const value = parsed(text);
  for (const [name, member] of Object.entries(value)) {
    const isKnown = NUMBERS.has(name) || FLAGS.has(name) || STRUCTURES.has(name);
    if (!isKnown) throw new BehaviourError(`unknown member ${JSON.stringify(name)}`);
    if (NUMBERS.has(name) && (typeof member !== 'number' || member < 0))
      throw new BehaviourError(`${name}: expected a number from 0`);
    if (FLAGS.has(name) && typeof member !== 'boolean')
      throw new BehaviourError(`${name}: expected true or false`);
  }
  checkLogs(value.logs ?? []);
  return value;
}

function checkLogs(logs: unknown): void {
  if (!Array.isArray(logs)) throw new BehaviourError('logs: expected a list');
  for (const entry of logs as readonly unknown[]) {
    if (typeof entry === 'string') continue;
    const { text, afterSeconds = 0, everySeconds = 1 } = (entry ?? {}) as Partial<LogEntry>;
    if (typeof text !== 'string') throw new BehaviourError('logs: expected texts, or mappings with a text');
    if (!(afterSeconds >= 0)) throw new BehaviourError('logs: afterSeconds: expected a number from 0');
    if (!(everySeconds > 0)) throw new BehaviourError('logs: everySeconds: expected a number above 0');
  }
}

function parsed(text: string): WorkloadBehaviour {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw new BehaviourError(error instanceof Error ? error.message : String(error));
  }
  throw new BehaviourError('expected a JSON object');
}

/** Does a probe of this kind succeed so many seconds after the start? */
export function probeSucceeds(
  behaviour: WorkloadBehaviour,
  probe: ProbeFailure['probe'],
  ageSeconds: number,
): boolean {
  if (probe !== 'liveness' && ageSeconds < (behaviour.readyAfterSeconds ?? 0)) return false;
  return !(behaviour.failsProbes ?? []).some(
    (failure) =>
      failure.probe === probe &&
      ageSeconds >= failure.fromSeconds &&
      (failure.toSeconds === undefined || ageSeconds < failure.toSeconds),
  );
}
