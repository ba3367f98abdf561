/**
 * The numbers of a node agent in the Prometheus text format: a useful part of `/metrics`, `/metrics/resource`,
 * `/metrics/cadvisor`, `/metrics/probes` and `/metrics/slis`, under the names that monitoring knows.
 */
import type { Release } from '../../api/release/release.ts';
import { expositionOf, type Labels, type MetricFamily, type Sample } from '../../api/exposition.ts';
import type { AgentView } from './agent-view.ts';
import {
  capacityOf,
  type ContainerUsage,
  containerUsages,
  nodeUsage,
  secondsOf,
  sumOf,
} from '../machine/usage.ts';

/** Requests to the agent's endpoint by method and first part of the path. */
export class RequestCount {
  readonly #counts = new Map<string, { readonly labels: Labels; count: number }>();

  note(method: string, path: string): void {
    const [, first = '', second] = path.split('/');
    const bucket = first === 'metrics' && second !== undefined ? `${first}/${second}` : first;
    const key = `${method} ${bucket}`;
    const known = this.#counts.get(key);
    if (known) known.count += 1;
    else {
      const long_running = String(bucket === 'exec' || bucket === 'attach');
      this.#counts.set(key, {
        labels: { long_running, method, path: bucket, server_type: 'readwrite' },
        count: 1,
      });
    }
  }

  get samples(): readonly Sample[] {
    return [...this.#counts.values()].map(({ labels, count }) => ({ labels, value: count }));
  }
}

const family = (
  name: string,
  type: MetricFamily['type'],
  help: string,
  samples: readonly Sample[],
): MetricFamily => ({ name, type, help, samples });

const only = (value: number, labels: Labels = {}): readonly Sample[] => [{ labels, value }];

export function agentMetrics(view: AgentView, requests: RequestCount): string {
  const now = view.runtimeMs;
  const all = view.runtime.all();
  const running = all.filter(({ id }) => view.runtime.fateOf(id, now).kind === 'running').length;
  const states = [
    { labels: { container_state: 'exited' }, value: all.length - running },
    { labels: { container_state: 'running' }, value: running },
  ];
  return expositionOf([
    family(
      'kubelet_http_requests_total',
      'counter',
      '[ALPHA] Number of the http requests received since the server started',
      requests.samples,
    ),
    family(
      'kubelet_node_name',
      'gauge',
      "[ALPHA] The node's name. The count is always 1.",
      only(1, { node: view.nodeName }),
    ),
    family(
      'kubelet_running_containers',
      'gauge',
      '[ALPHA] Number of containers currently running',
      states.filter(({ value }) => value > 0),
    ),
    family(
      'kubelet_running_pods',
      'gauge',
      '[ALPHA] Number of pods that have a running pod sandbox',
      only(view.runtime.sandboxes.size),
    ),
    family(
      'kubernetes_build_info',
      'gauge',
      "[ALPHA] A metric with a constant '1' value labeled by version.",
      only(1, buildLabels(view.release)),
    ),
    processStart(view),
  ]);
}

const buildLabels = ({ componentVersion, versionInfo }: Release): Record<string, string> => ({
  git_version: componentVersion,
  major: versionInfo.major,
  minor: versionInfo.minor,
  platform: versionInfo.platform,
});

/** Who reads these adds up what containers and pods use: numbers carry the time at which they were measured. */
export function resourceMetrics(view: AgentView): string {
  const atMs = view.context.wallMs();
  const containers = containerUsages(view);
  const pods = byPod(containers);
  const ofContainers = (value: (usage: ContainerUsage) => number): readonly Sample[] =>
    containers.map((usage) => ({ labels: containerLabels(usage), value: value(usage), atMs }));
  const ofPods = (value: (usages: readonly ContainerUsage[]) => number): readonly Sample[] =>
    [...pods.values()].map((usages) => ({ labels: podLabels(usages), value: value(usages), atMs }));
  return expositionOf([
    family(
      'container_cpu_usage_seconds_total',
      'counter',
      '[STABLE] Cumulative cpu time consumed by the container in core-seconds',
      ofContainers(secondsOf),
    ),
    family(
      'container_memory_working_set_bytes',
      'gauge',
      '[STABLE] Current working set of the container in bytes',
      ofContainers(({ memoryBytes }) => memoryBytes),
    ),
    family(
      'container_start_time_seconds',
      'gauge',
      '[STABLE] Start time of the container since unix epoch in seconds',
      containers.map((usage) => ({ labels: containerLabels(usage), value: usage.startedMs / 1_000 })),
    ),
    family(
      'node_cpu_usage_seconds_total',
      'counter',
      '[STABLE] Cumulative cpu time consumed by the node in core-seconds',
      [{ labels: {}, value: secondsOf(nodeUsage(view, containers)), atMs }],
    ),
    family('node_memory_working_set_bytes', 'gauge', '[STABLE] Current working set of the node in bytes', [
      { labels: {}, value: usedMemoryOf(view), atMs },
    ]),
    family(
      'pod_cpu_usage_seconds_total',
      'counter',
      '[STABLE] Cumulative cpu time consumed by the pod in core-seconds',
      ofPods((usages) => secondsOf(sumOf(usages))),
    ),
    family(
      'pod_memory_working_set_bytes',
      'gauge',
      '[STABLE] Current working set of the pod in bytes',
      ofPods((usages) => sumOf(usages).memoryBytes),
    ),
    family(
      'resource_scrape_error',
      'gauge',
      '[STABLE] 1 if there was an error while getting container metrics, 0 otherwise',
      only(0),
    ),
  ]);
}

export function containerMetrics(view: AgentView): string {
  const atMs = view.context.wallMs();
  const containers = containerUsages(view);
  const samples = (value: (usage: ContainerUsage) => number, more: Labels = {}): readonly Sample[] =>
    containers.map((usage) => ({ labels: cadvisorLabels(usage, more), value: value(usage), atMs }));
  const memory = ({ memoryBytes }: ContainerUsage): number => memoryBytes;
  return expositionOf([
    family(
      'container_cpu_usage_seconds_total',
      'counter',
      'Cumulative cpu time consumed in seconds.',
      samples(secondsOf, { cpu: 'total' }),
    ),
    family(
      'container_last_seen',
      'gauge',
      'Last time a container was seen by the exporter',
      samples(() => Math.floor(atMs / 1_000)),
    ),
    family('container_memory_rss', 'gauge', 'Size of RSS in bytes.', samples(memory)),
    family(
      'container_memory_usage_bytes',
      'gauge',
      'Current memory usage in bytes, including all memory regardless of when it was accessed',
      samples(memory),
    ),
    family('container_memory_working_set_bytes', 'gauge', 'Current working set in bytes.', samples(memory)),
    family(
      'container_processes',
      'gauge',
      'Number of processes running inside the container.',
      samples(({ processes }) => processes),
    ),
    family(
      'container_start_time_seconds',
      'gauge',
      'Start time of the container since unix epoch in seconds.',
      samples(({ startedMs }) => startedMs / 1_000),
    ),
    family('machine_cpu_cores', 'gauge', 'Number of logical CPU cores.', only(capacityOf(view, 'cpu'))),
    family(
      'machine_memory_bytes',
      'gauge',
      'Amount of memory installed on the machine.',
      only(capacityOf(view, 'memory')),
    ),
  ]);
}

export function probeMetrics(view: AgentView): string {
  const samples = view.workers().flatMap(({ pod: { metadata }, probeResults }) =>
    probeResults.map(({ container, probe, result, count }): Sample => {
      const { name = '', namespace = '', uid = '' } = metadata;
      const probe_type = PROBE_TYPES[probe];
      return { labels: { container, namespace, pod: name, pod_uid: uid, probe_type, result }, value: count };
    }),
  );
  return expositionOf([
    family(
      'prober_probe_total',
      'counter',
      '[BETA] Cumulative number of a liveness, readiness or startup probe for a container by result.',
      samples,
    ),
    processStart(view),
  ]);
}

const PROBE_TYPES = { startup: 'Startup', liveness: 'Liveness', readiness: 'Readiness' } as const;

export function healthMetrics(
  checks: readonly { readonly name: string; readonly isHealthy: boolean }[],
): string {
  const samples = checks.map(({ name, isHealthy }) => ({
    labels: { name, type: 'healthz' },
    value: isHealthy ? 1 : 0,
  }));
  const help = '[STABLE] This metric records the result of a single healthcheck.';
  return expositionOf([family('kubernetes_healthcheck', 'gauge', help, samples)]);
}

function usedMemoryOf({ machine, runtimeMs }: AgentView): number {
  const { capacity, available } = machine.observations(runtimeMs)['memory.available'];
  return capacity - available;
}

const processStart = ({ startedMs }: AgentView): MetricFamily =>
  family(
    'process_start_time_seconds',
    'gauge',
    '[ALPHA] Start time of the process since unix epoch in seconds.',
    only(startedMs / 1_000),
  );

const containerLabels = ({ container: { name, podName, podNamespace } }: ContainerUsage): Labels => ({
  container: name,
  namespace: podNamespace,
  pod: podName,
});

function podLabels([first]: readonly ContainerUsage[]): Labels {
  const { podName = '', podNamespace = '' } = first?.container ?? {};
  return { namespace: podNamespace, pod: podName };
}

function cadvisorLabels({ container }: ContainerUsage, more: Labels): Labels {
  const { id, name, image, podName, podNamespace, podUid } = container;
  return {
    container: name,
    ...more,
    id: `/kubepods/pod${podUid}/${id}`,
    image,
    name: id,
    namespace: podNamespace,
    pod: podName,
  };
}

function byPod(usages: readonly ContainerUsage[]): ReadonlyMap<string, readonly ContainerUsage[]> {
  const pods = new Map<string, ContainerUsage[]>();
  for (const usage of usages) {
    const { podUid } = usage.container;
    const known = pods.get(podUid);
    if (known) known.push(usage);
    else pods.set(podUid, [usage]);
  }
  return pods;
}
