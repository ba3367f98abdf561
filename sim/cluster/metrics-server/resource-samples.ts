/**
 * What an agent's `/metrics/resource` says of its node and the containers there, and what two such readings make of
 * it: processor time is counted, so usage is known from the second reading on. Pure.
 */

/** At one time; bytes, and core-seconds since the start. */
interface Reading {
  readonly atMs: number;
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
}

export interface ContainerReading extends Reading {
  readonly startedMs: number;
}

export interface NodeReadings {
  readonly node: Reading;
  /** By `namespace/pod`, then by name. */
  readonly pods: ReadonlyMap<string, ReadonlyMap<string, ContainerReading>>;
}

export interface UsageSample {
  readonly atMs: number;
  readonly windowMs: number;
  readonly cores: number;
  readonly memoryBytes: number;
}

/** A container that is younger than this between two readings says nothing yet. */
const FRESH_MS = 10_000;
const LINE = /^(\w+)(?:\{(.*)\})? (\S+)(?: (\d+))?$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

export function readingsIn(text: string): NodeReadings | undefined {
  const drafts = new Map<string, Map<string, Draft>>();
  const node: Draft = {};
  for (const line of text.split('\n')) {
    const [, name = '', labelText = '', value = '', at] = LINE.exec(line) ?? [];
    const member = MEMBERS[name];
    if (!member) continue;
    const { container, pod, namespace } = labelsIn(labelText);
    const draft = name.startsWith('node_') ? node : draftOf(drafts, `${namespace}/${pod}`, container ?? '');
    draft[member] = Number(value);
    if (at !== undefined) draft.atMs = Number(at);
  }
  if (node.cpuSeconds === undefined || node.memoryBytes === undefined) return undefined;
  return {
    node: { atMs: node.atMs ?? 0, cpuSeconds: node.cpuSeconds, memoryBytes: node.memoryBytes },
    pods: new Map([...drafts].map(([pod, containers]) => [pod, completeOnes(containers)])),
  };
}

interface Draft {
  atMs?: number;
  cpuSeconds?: number;
  memoryBytes?: number;
  startedSeconds?: number;
}

const MEMBERS: Readonly<Record<string, Exclude<keyof Draft, 'atMs'>>> = {
  node_cpu_usage_seconds_total: 'cpuSeconds',
  node_memory_working_set_bytes: 'memoryBytes',
  container_cpu_usage_seconds_total: 'cpuSeconds',
  container_memory_working_set_bytes: 'memoryBytes',
  container_start_time_seconds: 'startedSeconds',
};

const labelsIn = (text: string): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries([...text.matchAll(LABEL)].map(([, name = '', value = '']) => [name, value]));

function draftOf(drafts: Map<string, Map<string, Draft>>, pod: string, container: string): Draft {
  let containers = drafts.get(pod);
  if (!containers) drafts.set(pod, (containers = new Map<string, Draft>()));
  let draft = containers.get(container);
  if (!draft) containers.set(container, (draft = {}));
  return draft;
}

const completeOnes = (drafts: ReadonlyMap<string, Draft>): ReadonlyMap<string, ContainerReading> =>
  new Map(
    [...drafts].flatMap(([name, { atMs, cpuSeconds, memoryBytes, startedSeconds }]) =>
      atMs === undefined || cpuSeconds === undefined || memoryBytes === undefined
        ? []
        : [[name, { atMs, cpuSeconds, memoryBytes, startedMs: (startedSeconds ?? 0) * 1_000 }] as const],
    ),
  );

export const nodeUsage = (before: NodeReadings | undefined, now: NodeReadings): UsageSample | undefined =>
  before && between(before.node, now.node);

/** By container; undefined: of one of them nothing can be said yet. */
export function podUsage(
  before: NodeReadings | undefined,
  now: NodeReadings,
  pod: string,
): ReadonlyMap<string, UsageSample> | undefined {
  const usages = new Map<string, UsageSample>();
  for (const [name, reading] of now.pods.get(pod) ?? []) {
    const old = before?.pods.get(pod)?.get(name);
    const usage = old?.startedMs === reading.startedMs ? between(old, reading) : sinceStart(reading);
    if (!usage) return undefined;
    usages.set(name, usage);
  }
  return usages.size === 0 ? undefined : usages;
}

/** Of a container that was not there at the last reading. */
function sinceStart(reading: ContainerReading): UsageSample | undefined {
  const { startedMs: atMs, atMs: nowMs } = reading;
  return nowMs - atMs < FRESH_MS ? undefined : between({ atMs, cpuSeconds: 0, memoryBytes: 0 }, reading);
}

function between(before: Reading, { atMs, cpuSeconds, memoryBytes }: Reading): UsageSample | undefined {
  const windowMs = atMs - before.atMs;
  const used = cpuSeconds - before.cpuSeconds;
  // A clock that was set back, or a counter that began anew.
  if (windowMs <= 0 || used < 0) return undefined;
  return { atMs, windowMs, cores: (used * 1_000) / windowMs, memoryBytes };
}
