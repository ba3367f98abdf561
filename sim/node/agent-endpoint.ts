/**
 * What a node agent answers on its own endpoint: health, pods, logs, numbers, checkpoints.
 * Specification: "Node-agent checkpoint endpoint".
 */
import type { Pod } from '../api/types/core-v1.ts';
import type { Context } from '../engine/context.ts';
import type { Process } from '../engine/process.ts';
import { seconds } from '../engine/time.ts';
import type { AgentAnswer, AgentCall } from './agent-port.ts';
import { logSelectionOf, logSourceOf, logText } from './container-logs.ts';
import type { Machine } from './machine.ts';
import type { PodManager } from './pods/pod-manager.ts';
import { checkpoint } from './runtime/checkpoint.ts';

export interface AgentEndpointOptions {
  readonly context: Context;
  readonly nodeName: string;
  readonly machine: Machine;
  readonly manager: () => PodManager | undefined;
  readonly rootDirectory: string;
  /** The gate `ContainerCheckpoint`. */
  readonly servesCheckpoints: boolean;
}

/** The timeout is a 64-bit number. */
const MOST_SECONDS = 2n ** 63n - 1n;
/** About thirty years: nobody waits longer. */
const FOR_EVER_SECONDS = 1e9;
/** How often a container that somebody follows is looked at. */
const LOOK_AGAIN_AFTER = seconds(1);
const UNAUTHORIZED: AgentAnswer = { status: 401, body: 'Unauthorized' };
const NOT_FOUND: AgentAnswer = { status: 404, body: '404 page not found\n' };
const NOT_ALLOWED: AgentAnswer = { status: 405, body: '405: Method Not Allowed' };

export class AgentEndpoint {
  readonly #options: AgentEndpointOptions;
  readonly #inProgress = new Set<string>();

  constructor(options: AgentEndpointOptions) {
    this.#options = options;
  }

  *answer(call: AgentCall): Process<AgentAnswer> {
    const { user, path, method } = call;
    if (!user) return UNAUTHORIZED;
    if (!user.groups.some((group) => group === 'system:masters' || group === 'system:nodes')) {
      return {
        status: 403,
        body: `Forbidden (user=${user.name}, verb=${verbOf(method)}, resource=nodes, subresource=${subresourceOf(path)})`,
      };
    }
    const [first = '', ...rest] = path.slice(1).split('/');
    if (first === 'checkpoint' && rest.length === 3) {
      return method === 'POST' ? yield* this.#checkpoint(rest, call) : NOT_ALLOWED;
    }
    if (method !== 'GET') return NOT_ALLOWED;
    if (first === 'containerLogs' && rest.length === 3) return yield* this.#logs(rest, call);
    return this.#read(first, rest);
  }

  #read(first: string, rest: readonly string[]): AgentAnswer {
    const { manager } = this.#options;
    const workers = manager()?.workers() ?? [];
    if (rest.length === 0 && first === 'healthz') return { status: 200, body: 'ok' };
    if (rest.length === 0 && first === 'pods')
      return { status: 200, body: podList(workers.map(({ pod }) => pod)) };
    if (rest.length === 0 && first === 'runningpods') {
      return { status: 200, body: podList(workers.filter(({ isOver }) => !isOver).map(({ pod }) => pod)) };
    }
    if (first === 'stats' && rest.join('/') === 'summary') return { status: 200, body: this.#summary() };
    if (rest.length === 0 && first === 'metrics') return { status: 200, body: this.#metrics() };
    return NOT_FOUND;
  }

  *#checkpoint(
    [namespace = '', podName = '', containerName = '']: readonly string[],
    { query }: AgentCall,
  ): Process<AgentAnswer> {
    const { context, machine, manager, rootDirectory, servesCheckpoints } = this.#options;
    if (!servesCheckpoints) return NOT_FOUND;
    const timeout = query['timeout'] ?? '0';
    if (!/^[0-9]+$/.test(timeout) || BigInt(timeout) > MOST_SECONDS) {
      return {
        status: 400,
        body: `cannot parse the value of the timeout parameter: ${JSON.stringify(timeout)}: expected whole seconds from 0`,
      };
    }
    const worker = manager()?.find(namespace, podName);
    if (!worker) return { status: 404, body: `pod does not exist: ${namespace}/${podName}` };
    if (!isPartOf(worker.pod, containerName))
      return { status: 404, body: `container ${containerName} does not exist` };
    const failed = (message: string): AgentAnswer => ({
      status: 500,
      body: `checkpointing of ${namespace}/${podName}/${containerName} failed (${message})`,
    });
    const container = worker.containerOf(containerName);
    if (!container) return failed(`container ${containerName} not found`);
    const result = yield* checkpoint({
      context,
      runtime: machine.runtime,
      disk: machine.disk,
      rootDirectory,
      container,
      timeoutSeconds: Math.min(Number(timeout), FOR_EVER_SECONDS),
      inProgress: this.#inProgress,
    });
    if (result.kind === 'written') return { status: 200, body: { items: [result.path] } };
    return failed(result.message);
  }

  *#logs(
    [namespace = '', podName = '', container = '']: readonly string[],
    { query }: AgentCall,
  ): Process<AgentAnswer> {
    const worker = this.#options.manager()?.find(namespace, podName);
    if (!worker) return { status: 404, body: `pod ${JSON.stringify(podName)} not found\n` };
    if (!worker.hasContainer(container)) {
      const body = `container ${JSON.stringify(container)} not found in pod ${JSON.stringify(podName)}\n`;
      return { status: 404, body };
    }
    const { context, machine } = this.#options;
    const selection = logSelectionOf(query, context.wallMs());
    if (typeof selection === 'string') return { status: 400, body: selection };
    const isPrevious = query['previous'] === 'true';
    const source = logSourceOf(worker.recordOf(container), { pod: podName, container, isPrevious });
    if (source.kind === 'none') return { status: 400, body: source.message };
    const { runtime } = machine;
    const isFollowing = query['follow'] === 'true';
    const before = runtime.logsOf(source.id).length;
    if (isFollowing) yield* this.#untilEnded(source.id);
    const lines = runtime.logsOf(source.id).slice(isFollowing ? before : 0);
    const startedMs = runtime.get(source.id)?.startedAtMs;
    // Runtimes count from the agent's start, logs from 1970.
    const writtenAtMs = startedMs === undefined ? 0 : context.wallMs() - (this.#runtimeMs() - startedMs);
    return { status: 200, body: logText(lines, writtenAtMs, selection) };
  }

  /** A stop may move its end, so it is looked at again and again. */
  *#untilEnded(id: string): Process<void> {
    const { context, machine } = this.#options;
    while (machine.runtime.fateOf(id, this.#runtimeMs()).kind === 'running')
      yield* context.sleep(LOOK_AGAIN_AFTER);
  }

  #runtimeMs(): number {
    return this.#options.context.now() / 1_000;
  }

  #summary(): object {
    const { context, nodeName, machine } = this.#options;
    const containers = machine.runtime.running(context.now() / 1_000);
    const used = containers.reduce((sum, container) => sum + machine.runtime.memoryOf(container), 0);
    return {
      node: {
        nodeName,
        memory: { workingSetBytes: used, usageBytes: used },
        fs: { availableBytes: machine.disk.availableBytes, capacityBytes: machine.disk.capacityBytes },
      },
      pods: (this.#options.manager()?.workers() ?? []).map(({ pod: { metadata } }) => ({
        podRef: { name: metadata.name, namespace: metadata.namespace, uid: metadata.uid },
        containers: containers
          .filter(({ podUid }) => podUid === metadata.uid)
          .map((container) => ({
            name: container.name,
            memory: { workingSetBytes: machine.runtime.memoryOf(container) },
          })),
      })),
    };
  }

  #metrics(): string {
    const workers = this.#options.manager()?.workers() ?? [];
    const { context, machine } = this.#options;
    const running = machine.runtime.running(context.now() / 1_000).length;
    return [
      '# HELP kubelet_running_containers [ALPHA] Number of containers currently running',
      '# TYPE kubelet_running_containers gauge',
      `kubelet_running_containers{container_state="running"} ${running}`,
      '# HELP kubelet_running_pods [ALPHA] Number of pods that have a running pod sandbox',
      '# TYPE kubelet_running_pods gauge',
      `kubelet_running_pods ${workers.filter(({ isOver }) => !isOver).length}`,
      '',
    ].join('\n');
  }
}

const isPartOf = ({ spec }: Pod, name: string): boolean =>
  [...(spec?.containers ?? []), ...(spec?.initContainers ?? []), ...(spec?.ephemeralContainers ?? [])].some(
    (container) => container.name === name,
  );

const podList = (items: readonly Pod[]): object => ({
  kind: 'PodList',
  apiVersion: 'v1',
  metadata: {},
  items,
});

const verbOf = (method: string): string =>
  method === 'GET' ? 'get' : method === 'POST' ? 'create' : method.toLowerCase();

const SUBRESOURCES: Readonly<Record<string, string>> = {
  checkpoint: 'checkpoint',
  stats: 'stats',
  metrics: 'metrics',
  logs: 'log',
};
const subresourceOf = (path: string): string => SUBRESOURCES[path.split('/')[1] ?? ''] ?? 'proxy';
