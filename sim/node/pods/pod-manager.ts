/**
 * The pods of one node: a worker for each that is bound to it, or that a manifest on its disk asks for. The
 * manager sees what its informer has heard; it starts, ends and forgets workers, and refuses pods
 * that do not fit. Specification: "Pods on nodes" (not shown: Kubernetes 1.31).
 */
import type { BuiltinTypes } from '../../api/catalog/builtin-types.ts';
import type { Node, Pod } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import type { ContainerNetwork } from '../network/container-network.ts';
import { compareStrings } from '../../api/go-text.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { EventRecorder } from '../../client/event-recorder.ts';
import { Informer } from '../../client/informer/informer.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import type { Process } from '../../engine/process.ts';
import type { Signal } from '../../engine/signal.ts';
import { milliseconds } from '../../engine/time.ts';
import type { PodSurroundings } from '../environment/own-fields.ts';
import { missingPullSecrets } from '../environment/pull-secrets.ts';
import { environmentOf } from '../environment/container-environment.ts';
import { pressureRejectionOf } from '../eviction/pressure-admission.ts';
import type { Machine } from '../machine/machine.ts';
import { MirrorPods } from './mirror-pods.ts';
import { PodAddresses } from './pod-addresses.ts';
import { roomFor } from './making-room.ts';
import { missingResources, type Rejection, rejectionOf } from './pod-admission.ts';
import { DEFAULT_GRACE_SECONDS } from './pod-scope.ts';
import { PodStatuses } from './pod-statuses.ts';
import { PodWorker } from './pod-worker.ts';
import { StaticManifests } from './static-manifests.ts';
import { isMirrorOf, isMirrorPod } from './static-pod.ts';
import { volumesNamedBy } from '../volumes/container-mounts.ts';
import { PodVolumes } from '../volumes/pod-volumes.ts';
import type { VolumePlaces } from '../volumes/volume-places.ts';

const { pods } = BUILTIN_HANDLES;

export interface PodManagerOptions {
  readonly client: ApiClient;
  readonly nodeName: string;
  readonly hostIP: string;
  /** Network of the node's pods, where its Node does not say. */
  readonly podCIDR: string | undefined;
  readonly machine: Machine;
  /** Of its pods. */
  readonly places: VolumePlaces;
  /** Those of the agent's release. */
  readonly types: BuiltinTypes;
  /** What probes have found outlasts the agent. */
  readonly keepsFindings: boolean;
  readonly recorder: EventRecorder;
  /** What its containers reach. */
  readonly network: ContainerNetwork;
  /** The Node as the agent last saw it. */
  readonly node: () => Node | undefined;
  /** Fires when it has seen another. */
  readonly nodeSeen: Signal;
}

const FINISHED: ReadonlySet<string> = new Set(['Succeeded', 'Failed']);
const ORPHAN_GRACE_MS = 2_000;

export class PodManager {
  readonly #options: PodManagerOptions;
  readonly #workers = new Map<string, PodWorker>();
  readonly #informer: Informer<Pod>;
  readonly #statuses: PodStatuses;
  readonly #mirrors: MirrorPods;
  readonly #addresses: PodAddresses;
  /** What the first list has is looked at all together. */
  #hasBegun = false;
  readonly #volumes: PodVolumes;
  /** By uid: what the manifests ask for. */
  #manifests: ReadonlyMap<string, Pod> = new Map();

  constructor(options: PodManagerOptions) {
    this.#options = options;
    const { client, node, nodeName, machine } = options;
    this.#informer = new Informer({ client, handle: pods, fieldSelector: `spec.nodeName=${nodeName}` });
    this.#statuses = new PodStatuses({ client, inApi: (worker) => this.#inApi(worker) });
    this.#addresses = new PodAddresses(
      () => node()?.spec?.podCIDR ?? options.podCIDR,
      () => machine.runtime.sandboxes.values(),
    );
    const { nodeSeen, places } = options;
    this.#volumes = new PodVolumes({ client, machine, places, node, nodeSeen });
    this.#mirrors = new MirrorPods({
      client,
      node,
      staticPods: () => this.#staticPods(),
      mirrors: () => this.#informer.store.list().filter(isMirrorPod),
    });
  }

  /** Static pods need nobody: they run before the node is known to anybody. */
  startStatic(): void {
    const { client, machine, nodeName, types } = this.#options;
    const manifests = new StaticManifests({
      types,
      context: client.context,
      disk: machine.disk,
      nodeName,
      found: (found) => this.#seeManifests(found),
    });
    client.context.spawn('manifests', manifests.run());
  }

  /** Begins to listen for pods. */
  start(): void {
    const { context } = this.#options.client;
    this.#informer.addHandler({
      added: (pod) => {
        if (this.#hasBegun) this.#see(pod);
      },
      changed: (pod, old) => {
        if (!this.#hasBegun) return;
        // Deleted and made again while nobody looked.
        if (pod.metadata.uid !== old.metadata.uid) this.#forget(old);
        this.#see(pod);
      },
      removed: (pod) => {
        if (this.#hasBegun) this.#forget(pod);
      },
    });
    this.#informer.start();
    context.spawn('first pods', this.#seeFirst());
    context.spawn('pod statuses', this.#statuses.run());
    context.spawn('mirror pods', this.#keepMirrors());
    context.spawn('orphans', this.#endOrphans());
  }

  /** The oldest are let in first: whoever was here before the agent began anew is not pushed aside by who was to come. */
  *#seeFirst(): Process<void> {
    yield* this.#informer.waitUntilSynced();
    this.#hasBegun = true;
    const createdAt = ({ metadata }: Pod): string => metadata.creationTimestamp ?? '';
    const byAge = (one: Pod, other: Pod): number => compareStrings(createdAt(one), createdAt(other));
    for (const pod of this.#informer.store.list().toSorted(byAge)) this.#see(pod);
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
    if (isMirrorPod(pod)) {
      this.#seeMirror(pod);
      return;
    }
    const known = this.#workers.get(pod.metadata.uid ?? '');
    const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
    const isFinished = FINISHED.has(pod.status?.phase ?? '');
    if (!known) {
      if (!isFinished) this.#begin(pod);
      else if (this.#runsOn(pod)) this.#endGivenUp(pod);
      else this.#seeOver(pod);
      return;
    }
    known.see(pod);
    this.#statuses.compare(known);
    // Somebody else has given it up.
    if (isFinished) known.terminate(pod.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS);
    if (deletionTimestamp === undefined) return;
    known.terminate(deletionGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS);
    if (known.isOver) this.#statuses.note(known);
  }

  #runsOn({ metadata: { uid = '' } }: Pod): boolean {
    const { client, machine } = this.#options;
    const nowMs = client.context.now() / 1_000;
    return machine.runtime
      .containersOf(uid)
      .some(({ id }) => machine.runtime.fateOf(id, nowMs).kind === 'running');
  }

  /** Somebody else has given it up while the agent was away; its containers run still. */
  #endGivenUp(pod: Pod): void {
    this.#begin(pod);
    const { terminationGracePeriodSeconds = DEFAULT_GRACE_SECONDS } = pod.spec ?? {};
    this.#workers.get(pod.metadata.uid ?? '')?.terminate(terminationGracePeriodSeconds);
  }

  /** It ended, or was given up, while the agent was away, with nothing that runs. */
  #seeOver(pod: Pod): void {
    const { uid = '', deletionTimestamp } = pod.metadata;
    this.#volumes.release(uid);
    if (deletionTimestamp !== undefined) this.#statuses.letGo(pod);
  }

  #seeMirror(mirror: Pod): void {
    this.#mirrors.changed.fire();
    const { namespace = '', name = '' } = mirror.metadata;
    const worker = this.find(namespace, name);
    if (!worker?.isStatic) return;
    if (mirror.status?.startTime === undefined) this.#statuses.note(worker);
    else this.#statuses.compare(worker);
  }

  #forget(pod: Pod): void {
    if (isMirrorPod(pod)) {
      this.#mirrors.changed.fire();
      return;
    }
    const { context } = this.#options.client;
    const uid = pod.metadata.uid ?? '';
    const worker = this.#workers.get(uid);
    if (!worker) {
      context.spawn('orphan', this.#endOrphan(uid));
      return;
    }
    this.#workers.delete(uid);
    worker.terminate(0);
    context.spawn('reap', this.#reap(worker));
  }

  /** The runtime keeps nothing of a pod that is gone. */
  *#reap(worker: PodWorker): Process<void> {
    yield* worker.untilOver();
    const { client, machine } = this.#options;
    machine.runtime.removePod(worker.uid, client.context.now() / 1_000);
  }

  #seeManifests(found: readonly Pod[]): void {
    this.#manifests = new Map(found.map((pod) => [pod.metadata.uid ?? '', pod]));
    const { context } = this.#options.client;
    for (const worker of this.workers()) {
      if (!worker.isStatic || this.#manifests.has(worker.uid) || worker.isTerminating) continue;
      worker.terminate(worker.pod.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS);
      context.spawn('static pod ends', this.#endStatic(worker));
    }
    for (const pod of found) this.#beginStatic(pod);
    this.#mirrors.changed.fire();
  }

  *#endStatic(worker: PodWorker): Process<void> {
    yield* this.#reap(worker);
    this.#workers.delete(worker.uid);
    this.#mirrors.changed.fire();
    // One that has changed comes when the old one is gone.
    for (const pod of this.#manifests.values()) this.#beginStatic(pod);
  }

  #beginStatic(pod: Pod): void {
    const { namespace = '', name = '', uid = '' } = pod.metadata;
    if (!this.#workers.has(uid) && !this.find(namespace, name)?.isStatic) this.#begin(pod, true);
  }

  /** What runs is shown as long as it runs. */
  #staticPods(): readonly Pod[] {
    return this.workers().flatMap((worker) => (worker.isStatic ? [worker.pod] : []));
  }

  *#keepMirrors(): Process<void> {
    yield* this.#informer.waitUntilSynced();
    yield* this.#mirrors.run();
  }

  /** The pod in the API that shows a worker's. */
  #inApi(worker: PodWorker): Pod | undefined {
    if (!worker.isStatic) return worker.pod;
    const mirror = this.#informer.store.get(storeKeyOf(worker.pod));
    const shows = mirror && isMirrorOf(mirror, worker.pod) && !mirror.metadata.deletionTimestamp;
    return shows ? mirror : undefined;
  }

  /** Pods that were deleted while the agent was away: their containers are nobody's, and nobody uses their volumes. */
  *#endOrphans(): Process<void> {
    const { client, machine, places } = this.#options;
    yield* this.#informer.waitUntilSynced();
    const present = new Set(this.#informer.store.list().map(({ metadata }) => metadata.uid ?? ''));
    // Who waited for volumes has nothing else.
    const known = new Set([...machine.runtime.sandboxes.keys(), ...machine.volumes.users, ...places.owners]);
    for (const uid of known)
      if (!present.has(uid) && !this.#workers.has(uid)) client.context.spawn('orphan', this.#endOrphan(uid));
  }

  *#endOrphan(uid: string): Process<void> {
    const { client, machine } = this.#options;
    const { context } = client;
    for (const { id } of machine.runtime.containersOf(uid))
      machine.runtime.stop(id, context.now() / 1_000, ORPHAN_GRACE_MS);
    yield* context.sleep(milliseconds(ORPHAN_GRACE_MS));
    machine.runtime.removePod(uid, context.now() / 1_000);
    this.#volumes.release(uid);
  }

  #begin(pod: Pod, isStatic = false): void {
    const { client, hostIP, keepsFindings, machine, network, recorder } = this.#options;
    const uid = pod.metadata.uid ?? '';
    const podIP =
      machine.runtime.sandboxOf(uid) ?? (pod.spec?.hostNetwork === true ? hostIP : this.#addresses.next());
    const worker: PodWorker = new PodWorker({
      context: client.context,
      runtime: machine.runtime,
      pod,
      podIP,
      hostIP,
      isStatic,
      tell: (facts, fieldPath) => recorder.record(pod, facts, fieldPath),
      changed: () => this.#statuses.note(worker),
      mount: () =>
        this.#volumes.mount(this.#surroundingsOf(pod, podIP), (facts) => recorder.record(pod, facts)),
      environment: (newest, container) =>
        environmentOf(client, container, this.#surroundingsOf(newest, podIP)),
      missingPullSecrets: (newest) => missingPullSecrets(client, newest),
      mounts: (container, variables) => this.#volumes.mountsOf(pod, container, variables),
      dueFiles: (newest, words) => this.#volumes.due(newest, volumesNamedBy(newest, words)),
      refreshFiles: (newest, volumes) => this.#volumes.refresh(this.#surroundingsOf(newest, podIP), volumes),
      network,
      unmount: () => this.#volumes.release(uid),
      restoredOf: (container) => {
        const { namespace = '', name = '' } = pod.metadata;
        return machine.takeRestore({ namespace, pod: name, container });
      },
      keepsFindings,
    });
    const { rejection, victims = [] } = this.#admissionOf(worker);
    this.#workers.set(uid, worker);
    if (rejection) {
      worker.reject(rejection.reason, rejection.message);
      return;
    }
    for (const victim of victims) victim.makeRoom();
    worker.start(victims);
    if (pod.metadata.deletionTimestamp !== undefined)
      worker.terminate(pod.metadata.deletionGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS);
  }

  /** Somebody looks into its containers. Nothing is put any more where the volumes of a pod that has ended were. */
  *refreshFiles(podUid: string): Process<void> {
    const { client, machine } = this.#options;
    const worker = this.#workers.get(podUid);
    if (!worker || worker.isOver) return;
    const due = this.#volumes.due(worker.pod, worker.pod.spec?.volumes ?? []);
    if (due.length === 0) return;
    const surroundings = this.#surroundingsOf(worker.pod, machine.runtime.sandboxOf(podUid) ?? '');
    yield* client.context.race([this.#volumes.refresh(surroundings, due), worker.untilOver()]);
  }

  #surroundingsOf(pod: Pod, podIP: string): PodSurroundings {
    const { hostIP, node } = this.#options;
    return { pod, podIP, hostIP, allocatable: node()?.status?.allocatable ?? {} };
  }

  /** A pod that has its sandbox was let in long ago, and one that is to end may. */
  #admissionOf(worker: PodWorker): Admission {
    const { pod, uid, isCritical, isStatic } = worker;
    const { machine, node } = this.#options;
    const isLetIn = machine.runtime.sandboxOf(uid) !== undefined;
    if (isLetIn || pod.metadata.deletionTimestamp !== undefined) return {};
    const pressed = isCritical ? undefined : pressureRejectionOf(pod, machine.pressures);
    if (pressed) return { rejection: pressed };
    const present = node();
    if (!present) return {};
    const workers = this.workers().filter(({ isOver }) => !isOver);
    const others = workers.map((other) => other.pod);
    const rejection = rejectionOf(pod, present, { others, isStatic, isCritical });
    if (rejection) return { rejection };
    const missing = isCritical ? missingResources(pod, present, others) : [];
    if (missing.length === 0) return {};
    const lesser = workers.filter((other) => other.isLesserThan(worker));
    const room = roomFor(
      missing,
      lesser.map((other) => other.pod),
    );
    if ('problem' in room) return { rejection: unexpected(room.problem) };
    return { victims: lesser.filter((other) => room.victims.includes(other.pod)) };
  }
}

interface Admission {
  readonly rejection?: Rejection;
  /** Those that have to go for it. */
  readonly victims?: readonly PodWorker[];
}

const unexpected = (problem: string): Rejection => ({
  reason: 'UnexpectedAdmissionError',
  message: `Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: ${problem}`,
});
