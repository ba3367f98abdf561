/**
 * The pods of one node: a worker for each that is bound to it. The manager sees what its informer has
 * heard; it starts, ends and forgets workers, and refuses pods that do not fit.
 * Specification: "Pods on nodes" (not shown: Kubernetes 1.31).
 */
import type { Node, Pod } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { EventRecorder } from '../../client/event-recorder.ts';
import { Informer } from '../../client/informer/informer.ts';
import type { Process } from '../../engine/process.ts';
import { milliseconds } from '../../engine/time.ts';
import type { Machine } from '../machine.ts';
import { rejectionOf } from './pod-admission.ts';
import { PodStatuses } from './pod-statuses.ts';
import { PodWorker } from './pod-worker.ts';

const { pods } = BUILTIN_HANDLES;

export interface PodManagerOptions {
  readonly client: ApiClient;
  readonly nodeName: string;
  readonly hostIP: string;
  readonly machine: Machine;
  /** The Node as the agent last saw it. */
  readonly node: () => Node | undefined;
}

/** Of a /24, without the network, its gateway and its broadcast address. */
const ADDRESSES = 253;
const FINISHED: ReadonlySet<string> = new Set(['Succeeded', 'Failed']);
const DEFAULT_GRACE_SECONDS = 30;
const ORPHAN_GRACE_MS = 2_000;

export class PodManager {
  readonly #options: PodManagerOptions;
  readonly #workers = new Map<string, PodWorker>();
  readonly #statuses: PodStatuses;
  readonly #recorder: EventRecorder;
  #addresses = 0;

  constructor(options: PodManagerOptions) {
    this.#options = options;
    this.#statuses = new PodStatuses({ client: options.client, inApi: ({ pod }) => pod });
    this.#recorder = new EventRecorder(options.client, 'kubelet', options.nodeName);
  }

  /** Begins to listen for pods. */
  start(): void {
    const { client, nodeName } = this.#options;
    const informer = new Informer({ client, handle: pods, fieldSelector: `spec.nodeName=${nodeName}` });
    informer.addHandler({
      added: (pod) => this.#see(pod),
      changed: (pod) => this.#see(pod),
      removed: (pod) => this.#forget(pod),
    });
    informer.start();
    client.context.spawn('pod statuses', this.#statuses.run());
    client.context.spawn('orphans', this.#endOrphans(informer));
  }

  /** In the order in which they came. */
  workers(): readonly PodWorker[] {
    return [...this.#workers.values()];
  }

  find(namespace: string, name: string): PodWorker | undefined {
    return this.workers().findLast(
      ({ pod: { metadata } }) => metadata.namespace === namespace && metadata.name === name,
    );
  }

  #see(pod: Pod): void {
    const uid = pod.metadata.uid ?? '';
    const known = this.#workers.get(uid);
    const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
    if (!known) {
      if (!FINISHED.has(pod.status?.phase ?? '')) this.#begin(pod);
      else if (deletionTimestamp !== undefined) this.#statuses.letGo(pod);
      return;
    }
    known.see(pod);
    this.#statuses.compare(known);
    if (deletionTimestamp === undefined) return;
    known.terminate(deletionGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS);
    if (known.isOver) this.#statuses.note(known);
  }

  #forget(pod: Pod): void {
    const uid = pod.metadata.uid ?? '';
    const worker = this.#workers.get(uid);
    if (!worker) return;
    this.#workers.delete(uid);
    worker.terminate(0);
    this.#options.client.context.spawn('reap', this.#reap(worker));
  }

  /** The runtime keeps nothing of a pod that is gone. */
  *#reap(worker: PodWorker): Process<void> {
    const { machine } = this.#options;
    yield* worker.untilOver();
    machine.runtime.removePod(worker.pod.metadata.uid ?? '');
  }

  /** Pods that were deleted while the agent was away: their containers are nobody's. */
  *#endOrphans(informer: Informer<Pod>): Process<void> {
    const { client, machine } = this.#options;
    const { context } = client;
    yield* informer.waitUntilSynced();
    const present = new Set(informer.store.list().map(({ metadata }) => metadata.uid ?? ''));
    const orphans = [...machine.runtime.sandboxes.keys()].filter((uid) => !present.has(uid));
    for (const { id, podUid } of machine.runtime.all())
      if (orphans.includes(podUid)) machine.runtime.stop(id, context.now() / 1_000, ORPHAN_GRACE_MS);
    yield* context.sleep(milliseconds(ORPHAN_GRACE_MS));
    for (const uid of orphans) machine.runtime.removePod(uid);
  }

  #begin(pod: Pod): void {
    const { client, hostIP, machine, node } = this.#options;
    const worker: PodWorker = new PodWorker({
      context: client.context,
      runtime: machine.runtime,
      pod,
      podIP:
        machine.runtime.sandboxOf(pod.metadata.uid ?? '') ??
        (pod.spec?.hostNetwork === true ? hostIP : this.#nextAddress()),
      hostIP,
      tell: (facts, fieldPath) => this.#recorder.record(pod, facts, fieldPath),
      changed: () => this.#statuses.note(worker),
      restoredOf: (container) => {
        const { namespace = '', name = '' } = pod.metadata;
        return machine.takeRestore({ namespace, pod: name, container });
      },
    });
    const others = this.workers()
      .filter(({ isOver }) => !isOver)
      .map((other) => other.pod);
    this.#workers.set(pod.metadata.uid ?? '', worker);
    const present = node();
    const rejection = present && rejectionOf(pod, present, others);
    if (rejection) {
      worker.reject(rejection.reason, rejection.message);
      return;
    }
    worker.start();
    if (pod.metadata.deletionTimestamp !== undefined)
      worker.terminate(pod.metadata.deletionGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS);
  }

  /** From the node's pod network, in order. */
  #nextAddress(): string {
    const network = this.#options.node()?.spec?.podCIDR?.split('.').slice(0, 3).join('.') ?? '10.244.0';
    const taken = new Set(this.#options.machine.runtime.sandboxes.values());
    let address = '';
    for (let tries = 0; tries < ADDRESSES && (tries === 0 || taken.has(address)); tries += 1) {
      this.#addresses += 1;
      address = `${network}.${(this.#addresses % ADDRESSES) + 2}`;
    }
    return address;
  }
}
