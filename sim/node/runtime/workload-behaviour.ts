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
  /** Memory in use when it starts (16 MiB). Over its limit the container is killed. */
  readonly memoryBytes?: number;
  /** Memory that it takes in addition with every second. */
  readonly memoryGrowthBytes?: number;
  /** Disk in use: writable layer, logs, `emptyDir` volumes (0). */
  readonly diskBytes?: number;
  /** Processes that it has (1). */
  readonly processes?: number;
  /** What its hooks do that are commands or requests. */
  readonly postStart?: HookBehaviour;
  readonly preStop?: HookBehaviour;
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
  /** Ports on which it answers requests: the API server's `proxy` verb and probes of others reach it there. */
  readonly listens?: readonly PortListener[];
}

export interface PortListener {
  readonly port: number;
  /** To every request: a text, or a status and a text. Default: the name of the pod. */
  readonly responds?: string | Response;
  /** To requests for these paths. */
  readonly paths?: Readonly<Record<string, string | Response>>;
  /** Begins so many seconds after the start; default: `readyAfterSeconds`. */
  readonly afterSeconds?: number;
}

interface Response {
  /** 200. */
  readonly status?: number;
  /** The name of the pod. */
  readonly body?: string;
}

export interface LogEntry {
  readonly text: string;
  /** Seconds since the start (0). */
  readonly afterSeconds?: number;
  /** And again after so many seconds, for ever; absent: once. */
  readonly everySeconds?: number;
  readonly stream?: 'stdout' | 'stderr';
  /** Nothing ends the line: it was the last that was written. Only of commands. */
  readonly isPartial?: true;
}

export interface CommandAnswer {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exitCode?: number;
  /** How long it takes (0). */
  readonly seconds?: number;
}

export interface HookBehaviour {
  /** 0. */
  readonly takesSeconds?: number;
  /** False. */
  readonly fails?: boolean;
  /** Of a command that fails (1). */
  readonly exitCode?: number;
}

export interface ProbeFailure {
  readonly probe: 'startup' | 'liveness' | 'readiness';
  readonly fromSeconds: number;
  /** Absent: for ever. */
  readonly toSeconds?: number;
}

export const BEHAVIOUR_ANNOTATION = 'behaviour.kubesim.dev/';
export const DEFAULT_MEMORY_BYTES = 16 * 1024 * 1024;
export const DEFAULT_CPU_MILLICORES = 1;

type Check = (value: unknown) => string | undefined;

const number: Check = (value) =>
  typeof value === 'number' && value >= 0 ? undefined : 'expected a number from 0';
const whole: Check = (value) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? undefined
    : 'expected a whole number from 0';
const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'expected true or false');
const anything: Check = () => undefined;
const hook: Check = (value) =>
  isObject(value)
    ? problemIn(value, { takesSeconds: number, fails: flag, exitCode: whole })
    : 'expected a JSON object';

const text: Check = (value) => (typeof value === 'string' ? undefined : 'expected a text');
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const logEntry: Check = (value) => {
  if (!isObject(value) || !('text' in value)) return 'expected a text, or a mapping with one';
  if ('everySeconds' in value && value.everySeconds === 0) return 'everySeconds: expected a number above 0';
  return problemIn(value, { text, afterSeconds: number, everySeconds: number, stream: outputStream });
};
const outputStream: Check = (value) =>
  value === 'stdout' || value === 'stderr' ? undefined : 'expected stdout or stderr';
const commandAnswer: Check = (value) =>
  isObject(value)
    ? problemIn(value, { stdout: text, stderr: text, exitCode: number, seconds: number })
    : 'expected a JSON object';
const firstProblem = (
  entries: Iterable<readonly [string | number, unknown]>,
  check: Check,
): string | undefined => {
  for (const [name, value] of entries) {
    const problem = check(value);
    if (problem !== undefined) return `${name}: ${problem}`;
  }
  return undefined;
};
const list =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) ? firstProblem(value.entries(), check) : 'expected a list';
const mapOf =
  (check: Check): Check =>
  (value) =>
    isObject(value) ? firstProblem(Object.entries(value), check) : 'expected a JSON object';

const response: Check = (value) => {
  if (typeof value === 'string') return undefined;
  return isObject(value)
    ? problemIn(value, { status: whole, body: text })
    : 'expected a text, or a status and a text';
};
const listener: Check = (value) => {
  if (!isObject(value) || !('port' in value)) return 'expected a mapping with a port';
  return problemIn(value, { port: whole, responds: response, paths: mapOf(response), afterSeconds: number });
};
const probeFailure: Check = (value) => {
  if (!isObject(value) || !('probe' in value)) return 'expected a mapping with a probe';
  return problemIn(value, { probe: probeKind, fromSeconds: number, toSeconds: number });
};
const probeKind: Check = (value) =>
  value === 'startup' || value === 'liveness' || value === 'readiness'
    ? undefined
    : 'expected startup, liveness or readiness';

const MEMBERS: Readonly<Record<keyof WorkloadBehaviour, Check>> = {
  runsForSeconds: number,
  exitCode: whole,
  readyAfterSeconds: number,
  failsProbes: list(probeFailure),
  memoryBytes: whole,
  memoryGrowthBytes: number,
  diskBytes: whole,
  processes: whole,
  postStart: hook,
  preStop: hook,
  stopsAfterSeconds: number,
  ignoresTerm: flag,
  memory: anything,
  imageMissing: flag,
  cpuMillicores: number,
  logs: list((entry) => (typeof entry === 'string' ? undefined : logEntry(entry))),
  exec: mapOf(commandAnswer),
  files: mapOf(text),
  listens: list(listener),
};

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
  const problem = problemIn(value, MEMBERS);
  if (problem !== undefined) throw new BehaviourError(problem);
  return value;
}

/** What is wrong with such an annotation, in words; undefined: nothing. */
export function behaviourProblem(text: string): string | undefined {
  try {
    parseBehaviour(text);
    return undefined;
  } catch (error) {
    if (error instanceof BehaviourError) return error.message;
    throw error;
  }
}

function problemIn(value: object, members: Readonly<Record<string, Check>>): string | undefined {
  for (const [name, member] of Object.entries(value)) {
    const check = members[name];
    if (!check) return `unknown member ${JSON.stringify(name)}; there are ${Object.keys(members).join(', ')}`;
    const problem = check(member);
    if (problem !== undefined) return `${name}: ${problem}`;
  }
  return undefined;
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

/** `silent`: it does not answer yet; `unwell`: it answers that it is not well. */
export type ProbeFinding = 'fine' | 'silent' | 'unwell';

/** What a probe of this kind finds so many seconds after the start. */
export function probeFinding(
  behaviour: WorkloadBehaviour,
  probe: ProbeFailure['probe'],
  ageSeconds: number,
): ProbeFinding {
  if (probe !== 'liveness' && ageSeconds < (behaviour.readyAfterSeconds ?? 0)) return 'silent';
  const isUnwell = (behaviour.failsProbes ?? []).some(
    (failure) =>
      failure.probe === probe &&
      ageSeconds >= failure.fromSeconds &&
      (failure.toSeconds === undefined || ageSeconds < failure.toSeconds),
  );
  return isUnwell ? 'unwell' : 'fine';
}
