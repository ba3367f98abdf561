/**
 * One pod on a node, from its admission to its end: sandbox, init containers one after the other,
 * then all containers, each with its restarts and probes; graceful termination. It tells the pod's
 * record of every change; who reports it to the API is somebody else (`pod-statuses.ts`).
 *
 * What is to be started is decided in one process, the *course* of the pod (`pod-course.ts`), which is given
 * up when the pod is to end. Containers that run are followed by processes of their own, to their end.
 * Specification: "Pods on nodes" (not shown: Kubernetes 1.31).
 */
import { formatTime } from '../../api/time-format.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import type { EventFacts } from '../../client/event-facts.ts';
import type { Process } from '../../engine/process.ts';
import { Deferred } from '../../engine/signal.ts';
import type { Task } from '../../engine/task.ts';
import type { RuntimeContainer } from '../runtime/container-runtime.ts';
import { untilDeadline } from './active-deadline.ts';
import { noteEnd } from './container-run.ts';
import type { ContainerRecord } from './container-state.ts';
import { findContainer } from './pod-containers.ts';
import { PodCourse } from './pod-course.ts';
import type { ProbeResults } from './probe-count.ts';
import { PodScope, type PodScopeOptions } from './pod-scope.ts';
import type { Disruption, PodRecord } from './pod-record.ts';
import { endContainers } from './pod-termination.ts';
import { isCriticalPod } from './static-pod.ts';
import { recall, recallFromRuntime } from './recalled-records.ts';

const DEADLINE_EXCEEDED = 'Pod was active on the node longer than the specified deadline';

export interface Eviction {
  readonly reason: string;
  readonly message: string;
  readonly graceSeconds: number;
  readonly eventType: EventFacts['type'];
  /** The pod is told to be disrupted, not broken. */
  readonly disruption?: Disruption;
}

export class PodWorker {
  readonly #scope: PodScope;
  readonly #course: PodCourse;
  readonly #startTime: string;
  readonly #over = new Deferred<void>();
  #failure: PodRecord['failure'];
  #isRejected = false;
  #running: Task<void> | undefined;
  #ending: Task<void> | undefined;

  constructor(options: PodScopeOptions) {
    const scope = new PodScope(options);
    this.#scope = scope;
    const { pod, runtime, context } = scope;
    this.#startTime = pod.status?.startTime ?? formatTime(context.wallMs());
    this.#course = new PodCourse(scope, runtime.sandboxOf(scope.uid) !== undefined);
  }

  get record(): PodRecord {
    const { records, options } = this.#scope;
    const { hasSandbox } = this.#course;
    return {
      init: records.init,
      main: records.main,
      ephemeral: records.ephemeral,
      hasSandbox: hasSandbox && !this.isOver,
      startTime: this.#startTime,
      podIPs: hasSandbox ? [options.podIP] : [],
      hostIP: options.hostIP,
      isOver: this.isOver,
      isRejected: this.#isRejected,
      ...(this.#failure && { failure: this.#failure }),
    };
  }

  /** What its containers are known by on the machine. */
  get uid(): string {
    return this.#scope.uid;
  }

  get probeResults(): readonly ProbeResults[] {
    return this.#scope.probes.results;
  }

  get pod(): Pod {
    return this.#scope.pod;
  }

  /** The agent runs it out of a manifest of its own; the API has a picture of it at most. */
  get isStatic(): boolean {
    return this.#scope.options.isStatic;
  }

  /** The node does not give it up for want of anything. */
  get isCritical(): boolean {
    return this.isStatic || isCriticalPod(this.pod);
  }

  /** The pod has changed in the API. */
  see(pod: Pod): void {
    this.#scope.pod = pod;
    this.#scope.changes.fire();
  }

  /** Its containers have ended for good. */
  get isOver(): boolean {
    return this.#over.isSettled;
  }

  /** Until its containers have ended for good. */
  *untilOver(): Process<void> {
    yield* this.#over.wait();
  }

  /** The pod is never to run: rejected at admission. */
  reject(reason: string, message: string): void {
    this.#failure = { reason, message: `Pod was rejected: ${message}` };
    this.#isRejected = true;
    this.#scope.tell('Warning', reason, message);
    this.#finish();
  }

  /** The node gives the pod up; its containers get the grace to end. */
  evict({ reason, message, graceSeconds, eventType, disruption }: Eviction): void {
    if (this.isOver) return;
    this.#scope.tell(eventType, reason, message);
    this.#failure = { reason, message, ...(disruption && { disruption }) };
    this.terminate(graceSeconds);
  }

  /** A pod that the node cannot do without needs its room. */
  makeRoom(): void {
    const message = 'Pod was preempted by Kubelet to accommodate a critical pod.';
    this.evict({
      reason: 'Preempting',
      message: 'Preempted in order to admit critical pod',
      graceSeconds: this.#scope.ownGraceSeconds,
      eventType: 'Warning',
      disruption: { reason: 'TerminationByKubelet', message },
    });
  }

  /** Whether it may be sent away for that one. */
  isLesserThan(other: PodWorker): boolean {
    if (!this.isCritical) return other.isCritical;
    const [own, its] = [this.pod.spec?.priority, other.pod.spec?.priority];
    return own !== undefined && its !== undefined && its > own;
  }

  /** Ends the pod; called again, it may only be hurried. */
  terminate(graceSeconds: number): void {
    const scope = this.#scope;
    const isFirst = scope.graceSeconds === undefined;
    if (this.isOver || (scope.graceSeconds ?? Infinity) <= graceSeconds) return;
    scope.graceSeconds = graceSeconds;
    scope.changes.fire();
    this.#running?.cancel();
    this.#course.cancel();
    this.#ending?.cancel();
    this.#ending = scope.context.spawn('ending', this.#end(graceSeconds, isFirst));
    scope.options.changed();
  }

  get isTerminating(): boolean {
    return this.#scope.isEnding;
  }

  /** Whether the pod has such a container, started or not. */
  hasContainer(name: string): boolean {
    return findContainer(this.pod, name) !== undefined;
  }

  /** Undefined until something has happened to the container. */
  recordOf(name: string): ContainerRecord | undefined {
    return this.#scope.records.find(name);
  }

  containerOf(name: string): RuntimeContainer | undefined {
    const record = this.recordOf(name);
    return record && this.#scope.runtime.get(record.containerId);
  }

  /** Starts what is to be started, until the pod has nothing more to do; then ends it. `after`: pods that make room for it first. */
  start(after: readonly PodWorker[] = []): void {
    this.#recall();
    const { context, pod } = this.#scope;
    const { namespace = '', name = '' } = pod.metadata;
    this.#running = context.spawn(`pod ${namespace}/${name}`, this.#run(after));
    context.spawn('deadline', this.#keepDeadline());
  }

  /** An agent that has restarted finds what its containers did. */
  #recall(): void {
    const { pod, runtime, context, records, nowMs } = this.#scope;
    const now = { nowMs: nowMs, wallMs: context.wallMs() };
    const { containerStatuses, initContainerStatuses, ephemeralContainerStatuses } = pod.status ?? {};
    recall(records.main, containerStatuses, runtime, now);
    // With its sandbox a pod has lost what its init containers did.
    if (this.#course.hasSandbox) recall(records.init, initContainerStatuses, runtime, now);
    recall(records.ephemeral, ephemeralContainerStatuses, runtime, now);
    if (!containerStatuses) recallFromRuntime(this.#scope);
  }

  *#run(after: readonly PodWorker[]): Process<void> {
    for (const other of after) yield* other.untilOver();
    yield* this.#course.run();
    this.terminate(this.#scope.ownGraceSeconds);
  }

  *#keepDeadline(): Process<void> {
    const scope = this.#scope;
    yield* scope.context.race([untilDeadline(scope, this.#startTime), this.#over.wait()]);
    if (this.isOver || scope.isEnding) return;
    this.evict({
      reason: 'DeadlineExceeded',
      message: DEADLINE_EXCEEDED,
      graceSeconds: scope.ownGraceSeconds,
      eventType: 'Normal',
    });
  }

  *#end(graceSeconds: number, isFirst: boolean): Process<void> {
    yield* endContainers(this.#scope, graceSeconds, isFirst);
    this.#finish();
  }

  /** Containers that nobody followed, because they were just being started, have their end noted, too. */
  #finish(): void {
    const scope = this.#scope;
    const newest = new Map(scope.runtime.containersOf(scope.uid).map((each) => [each.name, each]));
    for (const running of newest.values()) {
      const container = findContainer(scope.pod, running.name);
      const known = container && scope.records.get(container.role, running.name);
      const isNoted = known?.containerId === running.id && known.state.kind !== 'running';
      if (container && !isNoted) noteEnd(scope, container, running);
    }
    scope.unmount();
    this.#over.resolve();
    scope.options.changed();
  }
}
