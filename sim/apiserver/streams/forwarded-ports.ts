/**
 * The ports of a pod, as a client of port-forward reaches them: each request goes over the network of the pod's node, and
 * has one answer. Texts are those of a node's runtime.
 */
import type { Pod } from '../../api/types/core-v1.ts';
import type { Process } from '../../engine/process.ts';
import type { PodPorts, PortCall, PortOutcome } from '../request/request.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';

const PATIENCE_MS = 30_000;
const PLAIN_TEXT = 'text/plain; charset=utf-8';

export class ForwardedPorts implements PodPorts {
  readonly #surroundings: Pick<ApiServerSurroundings, 'start' | 'reachPod'>;
  readonly #pod: Pod;
  readonly #stops = new Set<() => void>();

  constructor(surroundings: Pick<ApiServerSurroundings, 'start' | 'reachPod'>, pod: Pod) {
    this.#surroundings = surroundings;
    this.#pod = pod;
  }

  ask(call: PortCall, told: (outcome: PortOutcome) => void): void {
    this.#stops.add(this.#surroundings.start(this.#passOn(call, told)));
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#stops.clear();
  }

  *#passOn({ port, method, path }: PortCall, told: (outcome: PortOutcome) => void): Process<void> {
    const { spec, status } = this.#pod;
    const request = { ip: status?.podIP ?? '', port: Number(port), method, path };
    const outcome = yield* this.#surroundings.reachPod(spec?.nodeName ?? '', request, PATIENCE_MS);
    if (outcome.kind !== 'answer') {
      told({ kind: 'problem', message: refusalOf(this.#pod, port) });
      return;
    }
    const { status: code, body, contentType = PLAIN_TEXT } = outcome;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    told({ kind: 'answer', status: code, text, contentType });
  }
}

function refusalOf({ metadata: { uid = '' } }: Pod, port: string): string {
  const namespace = `"/var/run/netns/cni-${uid}"`;
  const tried = `IPv4: dial tcp4 127.0.0.1:${port}: connect: connection refused IPv6 dial tcp6: [::1]:${port}: connect: connection refused`;
  return (
    `error forwarding port ${port} to pod ${uid.replaceAll('-', '')}, uid : failed to execute portforward in network namespace ${namespace}: ` +
    `failed to connect to localhost:${port} inside namespace ${namespace}, ${tried} `
  );
}
