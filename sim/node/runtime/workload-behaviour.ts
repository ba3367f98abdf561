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
  /** Lines that it writes when it starts. */
  readonly logs?: readonly string[];
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

type Check = (value: unknown) => string | undefined;

const number: Check = (value) =>
  typeof value === 'number' && value >= 0 ? undefined : 'expected a number from 0';
const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'expected true or false');
const anything: Check = () => undefined;
const hook: Check = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'expected a JSON object';
  return problemIn(value, { takesSeconds: number, fails: flag, exitCode: number });
};

const MEMBERS: Readonly<Record<keyof WorkloadBehaviour, Check>> = {
  runsForSeconds: number,
  exitCode: number,
  readyAfterSeconds: number,
  failsProbes: anything,
  memoryBytes: number,
  memoryGrowthBytes: number,
  diskBytes: number,
  processes: number,
  postStart: hook,
  preStop: hook,
  stopsAfterSeconds: number,
  ignoresTerm: flag,
  memory: anything,
  imageMissing: flag,
  logs: anything,
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

function problemIn(value: object, members: Readonly<Record<string, Check>>): string | undefined {
  for (const [name, member] of Object.entries(value)) {
    const check = members[name];
    if (!check) return `unknown member ${JSON.stringify(name)}`;
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
