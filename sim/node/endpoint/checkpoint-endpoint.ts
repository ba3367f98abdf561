/** `POST /checkpoint/<namespace>/<pod>/<container>` of a node agent. Specification: "Node-agent checkpoint endpoint". */
import type { Pod } from '../../api/types/core-v1.ts';
import type { Process } from '../../engine/process.ts';
import { type AgentAnswer, type AgentQuery, lastOf } from './agent-port.ts';
import type { AgentView } from './agent-view.ts';
import { checkpoint } from '../runtime/checkpoint.ts';

/** The timeout is a 64-bit number. */
const LEAST_SECONDS = -(2n ** 63n);
const MOST_SECONDS = 2n ** 63n - 1n;
/** About thirty years: nobody waits longer. */
const FOR_EVER_SECONDS = 1e9;
const NO_POD: AgentAnswer = { status: 404, body: 'pod does not exist' };
const NO_TIMEOUT: AgentAnswer = { status: 404, body: 'cannot parse value of timeout parameter' };

export class CheckpointEndpoint {
  readonly #view: AgentView;
  readonly #rootDirectory: string;
  readonly #inProgress = new Set<string>();

  constructor(view: AgentView, rootDirectory: string) {
    this.#view = view;
    this.#rootDirectory = rootDirectory;
  }

  *answer(
    [namespace = '', podName = '', containerName = '']: readonly string[],
    query: AgentQuery,
  ): Process<AgentAnswer> {
    const { context, machine } = this.#view;
    const worker = this.#view.find(namespace, podName);
    if (!worker) return NO_POD;
    if (!isPartOf(worker.pod, containerName))
      return { status: 404, body: `container ${containerName} does not exist` };
    const timeoutSeconds = timeoutOf(query);
    if (timeoutSeconds === undefined) return NO_TIMEOUT;
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
      availableBytes: () => machine.observations(this.#view.runtimeMs)['nodefs.available'].available,
      rootDirectory: this.#rootDirectory,
      container,
      timeoutSeconds,
      inProgress: this.#inProgress,
    });
    return result.kind === 'written'
      ? { status: 200, body: { items: [result.path] } }
      : failed(result.message);
  }
}

/** The last one that is given; undefined: it is no whole number of 64 bits. */
function timeoutOf(query: AgentQuery): number | undefined {
  const text = lastOf(query, 'timeout') ?? '0';
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const whole = BigInt(text.replace('+', ''));
  if (whole < LEAST_SECONDS || whole > MOST_SECONDS) return undefined;
  return Math.min(Number(whole), FOR_EVER_SECONDS);
}

const isPartOf = ({ spec }: Pod, name: string): boolean =>
  [...(spec?.containers ?? []), ...(spec?.initContainers ?? []), ...(spec?.ephemeralContainers ?? [])].some(
    (container) => container.name === name,
  );
