/**
 * One pod on a node, from its admission to its end: sandbox, init containers one after the other,
 * then all containers, each with its restarts and probes; graceful termination. It tells the pod's
 * record of every change; who reports it to the API is somebody else (`pod-statuses.ts`).
 * Specification: "Pods on nodes" (not shown: Kubernetes 1.31).
 */
import { formatTime } from '../../api/time-format.ts';
import type { Container, Pod, Probe } from '../../api/types/core-v1.ts';
import type { EventFacts } from '../../client/event-recorder.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { milliseconds, seconds } from '../../engine/time.ts';
import type { ContainerRuntime, RuntimeContainer } from '../runtime/container-runtime.ts';
import type { ProcessState } from '../runtime/process-memory.ts';
import {
  BehaviourError,
  behaviourOf,
  probeSucceeds,
  type ProbeFailure,
  type WorkloadBehaviour,
} from '../runtime/workload-behaviour.ts';
import type { ContainerRecord, ContainerState, Terminated } from './container-state.ts';
import type { PodRecord } from './pod-status.ts';
import { recall } from './recalled-records.ts';
import { pauseText, RestartBackoff } from './restart-backoff.ts';

export interface PodWorkerOptions {
  readonly context: Context;
  readonly runtime: ContainerRuntime;
  readonly pod: Pod;
  readonly podIP: string;
  readonly hostIP: string;
  readonly tell: (facts: EventFacts) => void;
  /** The record has changed. */
  readonly changed: () => void;
  /** A checkpoint that a container of the pod goes on from; asked once. */
  readonly restoredOf: (container: string) => ProcessState | undefined;
}

const SANDBOX_MS = { min: 50, nominal: 200, max: 1_500 };
const DEFAULT_GRACE_SECONDS = 30;
const POLL_MS = 1_000;
/** A container always has so long to end, even in a pod that is deleted by force. */
const LEAST_GRACE_SECONDS = 2;

export class PodWorker {
  readonly #options: PodWorkerOptions;
  readonly #init = new Map<string, ContainerRecord>();
  readonly #main = new Map<string, ContainerRecord>();
  readonly #ephemeral = new Map<string, ContainerRecord>();
  readonly #backoffs = new Map<string, RestartBackoff>();
  readonly #startTime: string;
  #pod: Pod;
  #hasSandbox: boolean;
  #failure: PodRecord['failure'];
  /** Ends the pod: how long its containers have for it. */
  #graceSeconds: number | undefined;
  #isOver = false;

  constructor(options: PodWorkerOptions) {
    this.#options = options;
    const { pod, runtime, context } = options;
    this.#pod = pod;
    this.#startTime = pod.status?.startTime ?? formatTime(context.wallMs());
    this.#hasSandbox = runtime.sandboxOf(pod.metadata.uid ?? '') !== undefined;
    const now = { nowMs: this.#nowMs, wallMs: context.wallMs() };
    recall(this.#main, pod.status?.containerStatuses, runtime, now);
    // With its sandbox a pod has lost what its init containers did.
    if (this.#hasSandbox) recall(this.#init, pod.status?.initContainerStatuses, runtime, now);
  }

  get record(): PodRecord {
    return {
      init: this.#init,
      main: this.#main,
      ephemeral: this.#ephemeral,
      hasSandbox: this.#hasSandbox,
      startTime: this.#startTime,
      podIPs: this.#hasSandbox ? [this.#options.podIP] : [],
      hostIP: this.#options.hostIP,
      isOver: this.#isOver,
      ...(this.#failure && { failure: this.#failure }),
    };
  }

  get pod(): Pod {
    return this.#pod;
  }

  /** The pod has changed in the API. */
  see(pod: Pod): void {
    this.#pod = pod;
  }

  /** Its containers have ended for good. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The pod is never to run: rejected at admission. */
  reject(reason: string, message: string): void {
    this.#failure = { reason, message };
    this.#isOver = true;
    this.#options.tell({ type: 'Warning', reason, message });
    this.#options.changed();
  }

  /** The node gives the pod up; its containers get the grace to end. */
  evict(reason: string, message: string, graceSeconds: number): void {
    this.#failure = { reason, message };
    this.terminate(graceSeconds);
  }

  /** Ends the pod; called again, it may only be hurried. */
  terminate(graceSeconds: number): void {
    if (this.#graceSeconds !== undefined && graceSeconds >= this.#graceSeconds) return;
    const isFirst = this.#graceSeconds === undefined;
    this.#graceSeconds = graceSeconds;
    for (const [name, record] of [...this.#init, ...this.#main]) {
      if (record.state.kind !== 'running') continue;
      if (isFirst) this.#tell('Normal', 'Killing', `Stopping container ${name}`);
      const graceMs = Math.max(LEAST_GRACE_SECONDS, graceSeconds) * 1_000;
      this.#options.runtime.stop(record.containerId, this.#nowMs, graceMs);
    }
    this.#options.changed();
  }

  get isTerminating(): boolean {
    return this.#graceSeconds !== undefined;
  }

  /** Whether the pod has such a container, started or not. */
  hasContainer(name: string): boolean {
    const { containers = [], initContainers = [], ephemeralContainers = [] } = this.pod.spec ?? {};
    return [...containers, ...initContainers, ...ephemeralContainers].some((each) => each.name === name);
  }

  /** Undefined until something has happened to the container. */
  recordOf(name: string): ContainerRecord | undefined {
    return this.#main.get(name) ?? this.#init.get(name) ?? this.#ephemeral.get(name);
  }

  containerOf(name: string): RuntimeContainer | undefined {
    const record = this.recordOf(name);
    return record && this.#options.runtime.get(record.containerId);
  }

  *run(): Process<void> {
    const { context, pod } = this.#options;
    if (pod.spec?.activeDeadlineSeconds !== undefined) context.spawn('deadline', this.#keepDeadline());
    if (!this.#hasSandbox) yield* this.#makeSandbox();
    for (const container of pod.spec?.containers ?? [])
      if (!this.#main.has(container.name)) this.#wait(this.#main, container, 'PodInitializing');
    this.#options.changed();
    for (const container of pod.spec?.initContainers ?? []) {
      if (this.isTerminating || this.#isDone) break;
      if (container.restartPolicy === 'Always') yield* this.#startSidecar(container);
      else if (!(yield* this.#runInit(container))) break;
    }
    const isReady = [...this.#init.values()].every(
      ({ state, isStarted }) => isStarted || (state.kind === 'terminated' && state.exitCode === 0),
    );
    if (isReady && !this.isTerminating) {
      const tasks = (pod.spec?.containers ?? []).map((container) =>
        context.spawn(`container ${container.name}`, this.#keepRunning(this.#main, container)),
      );
      for (const task of tasks) yield* task.join();
    }
    this.terminate(this.#graceSeconds ?? 0);
    yield* this.#untilAllEnded();
    this.#isOver = true;
    this.#options.changed();
  }

  *#makeSandbox(): Process<void> {
    const { context, pod, runtime, podIP } = this.#options;
    const { min, nominal, max } = SANDBOX_MS;
    yield* runtime.answer(context);
    yield* context.sleep(milliseconds(context.site('sandbox').around(min, nominal, max)));
    runtime.addSandbox(pod.metadata.uid ?? '', podIP);
    this.#hasSandbox = true;
  }

  /** All its containers have ended and none is to be started again. */
  get #isDone(): boolean {
    const { containers = [], restartPolicy: policy = 'Always' } = this.#options.pod.spec ?? {};
    return containers.every(({ name }) => {
      const state = this.#main.get(name)?.state;
      if (state?.kind !== 'terminated') return false;
      return policy === 'Never' || (policy === 'OnFailure' && state.exitCode === 0);
    });
  }

  /** Looks every second: the deadline may be brought forward. */
  *#keepDeadline(): Process<void> {
    const { context } = this.#options;
    const message = 'Pod was active on the node longer than the specified deadline';
    while (!this.isTerminating) {
      const { activeDeadlineSeconds: limit = Infinity, terminationGracePeriodSeconds } = this.pod.spec ?? {};
      if (context.wallMs() - Date.parse(this.#startTime) >= limit * 1_000) {
        this.#tell('Normal', 'DeadlineExceeded', message);
        this.evict('DeadlineExceeded', message, terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS);
        return;
      }
      yield* context.sleep(milliseconds(POLL_MS));
    }
  }

  /** A sidecar goes on beside the others; the next container starts when it has. */
  *#startSidecar(container: Container): Process<void> {
    const { context } = this.#options;
    context.spawn(`container ${container.name}`, this.#keepRunning(this.#init, container));
    while (this.#init.get(container.name)?.isStarted !== true && !this.isTerminating)
      yield* context.sleep(milliseconds(100));
  }

  /** Until it has ended well; false: it never will. */
  *#runInit(container: Container): Process<boolean> {
    const policy = this.pod.spec?.restartPolicy ?? 'Always';
    let ended = this.#recalledEnd(this.#init, container);
    for (;;) {
      ended ??= yield* this.#runOnce(this.#init, container);
      if (!ended || this.isTerminating) return false;
      if (ended.exitCode === 0) return true;
      if (policy === 'Never') return false;
      yield* this.#backOff(this.#init, container);
      ended = undefined;
    }
  }

  /** Restarts a container as long as its policy says so. */
  *#keepRunning(records: Map<string, ContainerRecord>, container: Container): Process<void> {
    const policy = container.restartPolicy ?? this.pod.spec?.restartPolicy ?? 'Always';
    let ended = this.#recalledEnd(records, container);
    for (;;) {
      ended ??= yield* this.#runOnce(records, container);
      if (!ended || this.isTerminating) return;
      if (policy === 'Never' || (policy === 'OnFailure' && ended.exitCode === 0)) return;
      yield* this.#backOff(records, container);
      if (this.isTerminating) return;
      ended = undefined;
    }
  }

  /** How a container ended before the agent started. */
  #recalledEnd(records: ReadonlyMap<string, ContainerRecord>, { name }: Container): Terminated | undefined {
    const state = records.get(name)?.state;
    return state?.kind === 'terminated' ? state : undefined;
  }

  *#runOnce(records: Map<string, ContainerRecord>, container: Container): Process<Terminated | undefined> {
    const { context, runtime, pod } = this.#options;
    const adopted = this.#stillRunning(container.name);
    if (adopted) return yield* this.#followToItsEnd(records, container, adopted);
    const behaviour = this.#behaviourOf(container.name);
    if (!(yield* this.#pull(records, container, behaviour))) return undefined;
    const restored = this.#options.restoredOf(container.name);
    const started = runtime.start(
      context,
      {
        podUid: pod.metadata.uid ?? '',
        podName: pod.metadata.name ?? '',
        podNamespace: pod.metadata.namespace ?? '',
        name: container.name,
        image: container.image ?? '',
        command: [...(container.command ?? []), ...(container.args ?? [])],
        environment: (container.env ?? []).map(({ name, value = '' }) => `${name}=${value}`),
        behaviour,
        ...(restored && { restored }),
      },
      this.#nowMs,
    );
    this.#tell('Normal', 'Created', `Created container ${container.name}`);
    this.#tell('Normal', 'Started', `Started container ${container.name}`);
    this.#backoffOf(container.name).started(this.#nowMs);
    return yield* this.#followToItsEnd(records, container, started);
  }

  /** A container that runs since before the agent was restarted. */
  #stillRunning(name: string): RuntimeContainer | undefined {
    const { runtime, pod } = this.#options;
    return runtime
      .all()
      .find(
        (known) =>
          known.podUid === pod.metadata.uid &&
          known.name === name &&
          runtime.fateOf(known.id, this.#nowMs).kind === 'running',
      );
  }

  *#followToItsEnd(
    records: Map<string, ContainerRecord>,
    container: Container,
    started: RuntimeContainer,
  ): Process<Terminated> {
    const { context } = this.#options;
    const before = records.get(container.name);
    const isAdopted = before?.containerId === started.id && before.state.kind === 'running';
    const startedAt =
      isAdopted && before.state.kind === 'running'
        ? before.state.startedAt
        : formatTime(context.wallMs() - (this.#nowMs - started.startedAtMs));
    const restarts = before?.restartCount ?? 0;
    this.#set(records, {
      name: container.name,
      state: { kind: 'running', startedAt },
      lastTermination: before?.lastTermination,
      restartCount: before?.lastTermination && !isAdopted ? restarts + 1 : restarts,
      containerId: started.id,
      imageId: started.imageId,
      isStarted: !container.startupProbe,
      isReady: isAdopted ? before.isReady : !container.startupProbe && !container.readinessProbe,
    });
    yield* context.race([this.#untilEnded(started.id), this.#watchOver(records, container, started)]);
    return this.#noteEnd(records, container, startedAt, started.id);
  }

  #noteEnd(
    records: Map<string, ContainerRecord>,
    { name }: Container,
    startedAt: string,
    id: string,
  ): Terminated {
    const { runtime, context } = this.#options;
    const fate = runtime.fateOf(id, this.#nowMs);
    const [exitCode, reason, endedAtMs] =
      fate.kind === 'ended' ? [fate.exitCode, fate.reason, fate.atMs] : [0, 'Completed', this.#nowMs];
    const state: Terminated = {
      kind: 'terminated',
      exitCode,
      reason,
      startedAt,
      finishedAt: formatTime(context.wallMs() - Math.max(0, this.#nowMs - endedAtMs)),
      containerId: id,
    };
    const known = records.get(name);
    if (known) this.#set(records, { ...known, state, isReady: false, isStarted: false });
    return state;
  }

  *#untilEnded(id: string): Process<void> {
    const { context, runtime } = this.#options;
    // A stop brings the end forward, and the loss of a container is its end.
    const moved = context.signal();
    runtime.onEndMoved(id, () => moved.fire());
    for (;;) {
      const left = runtime.endsAtMs(id) - this.#nowMs;
      if (left <= 0) return;
      if (left === Infinity) yield* moved.wait();
      else yield* context.race([moved.wait(), context.sleep(milliseconds(Math.ceil(left)))]);
    }
  }

  /** Probes, for as long as the container runs. A failed liveness or startup probe stops it. */
  *#watchOver(
    records: Map<string, ContainerRecord>,
    container: Container,
    started: RuntimeContainer,
  ): Process<void> {
    const { context } = this.#options;
    const { startupProbe, livenessProbe, readinessProbe } = container;
    if (startupProbe && !(yield* this.#untilStarted(container, startupProbe, started))) return;
    this.#change(records, container.name, { isStarted: true, isReady: !readinessProbe });
    const probes: Process<void>[] = [];
    if (livenessProbe) probes.push(this.#keepAlive(container, livenessProbe, started));
    if (readinessProbe) probes.push(this.#judgeReadiness(records, container, readinessProbe, started));
    yield* context.all([...probes, forever(context)]);
  }

  *#untilStarted(container: Container, probe: Probe, started: RuntimeContainer): Process<boolean> {
    let failures = 0;
    yield* this.#options.context.sleep(seconds(probe.initialDelaySeconds ?? 0));
    for (;;) {
      if (this.#probe('startup', started)) return true;
      failures += 1;
      this.#unhealthy('Startup');
      if (failures >= (probe.failureThreshold ?? 3)) {
        this.#kill(container, started, `Container ${container.name} failed startup probe, will be restarted`);
        return false;
      }
      yield* this.#options.context.sleep(seconds(probe.periodSeconds ?? 10));
    }
  }

  *#keepAlive(container: Container, probe: Probe, started: RuntimeContainer): Process<void> {
    let failures = 0;
    yield* this.#options.context.sleep(seconds(probe.initialDelaySeconds ?? 0));
    for (;;) {
      failures = this.#probe('liveness', started) ? 0 : failures + 1;
      if (failures > 0) this.#unhealthy('Liveness');
      if (failures >= (probe.failureThreshold ?? 3)) {
        this.#kill(
          container,
          started,
          `Container ${container.name} failed liveness probe, will be restarted`,
        );
        return;
      }
      yield* this.#options.context.sleep(seconds(probe.periodSeconds ?? 10));
    }
  }

  *#judgeReadiness(
    records: Map<string, ContainerRecord>,
    container: Container,
    probe: Probe,
    started: RuntimeContainer,
  ): Process<void> {
    let successes = 0;
    let failures = 0;
    yield* this.#options.context.sleep(seconds(probe.initialDelaySeconds ?? 0));
    for (;;) {
      const isFine = this.#probe('readiness', started);
      successes = isFine ? successes + 1 : 0;
      failures = isFine ? 0 : failures + 1;
      if (!isFine) this.#unhealthy('Readiness');
      if (successes >= (probe.successThreshold ?? 1))
        this.#change(records, container.name, { isReady: true });
      if (failures >= (probe.failureThreshold ?? 3))
        this.#change(records, container.name, { isReady: false });
      yield* this.#options.context.sleep(seconds(probe.periodSeconds ?? 10));
    }
  }

  #probe(kind: ProbeFailure['probe'], { behaviour, startedAtMs }: RuntimeContainer): boolean {
    return probeSucceeds(behaviour, kind, (this.#nowMs - startedAtMs) / 1_000);
  }

  #unhealthy(kind: string): void {
    this.#tell('Warning', 'Unhealthy', `${kind} probe failed: the behaviour of the workload says so`);
  }

  #kill(_container: Container, { id }: RuntimeContainer, message: string): void {
    this.#tell('Normal', 'Killing', message);
    this.#options.runtime.stop(
      id,
      this.#nowMs,
      (this.pod.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS) * 1_000,
    );
  }

  /** Until the image is there; false: the pod ends before that. */
  *#pull(
    records: Map<string, ContainerRecord>,
    container: Container,
    behaviour: WorkloadBehaviour,
  ): Process<boolean> {
    const { context, runtime } = this.#options;
    const image = container.image ?? '';
    const backoff = new RestartBackoff();
    backoff.pauseAfterEnd(this.#nowMs);
    this.#wait(records, container, 'ContainerCreating');
    for (;;) {
      const isPresent = runtime.hasImage(image) && container.imagePullPolicy !== 'Always';
      if (isPresent) {
        this.#tell('Normal', 'Pulled', `Container image ${JSON.stringify(image)} already present on machine`);
        return !this.isTerminating;
      }
      if (container.imagePullPolicy === 'Never') {
        this.#wait(
          records,
          container,
          'ErrImageNeverPull',
          `Container image ${JSON.stringify(image)} is not present with pull policy of Never`,
        );
      } else {
        this.#tell('Normal', 'Pulling', `Pulling image ${JSON.stringify(image)}`);
        const result = yield* runtime.pull(context, image, behaviour);
        if (result.kind === 'pulled') {
          this.#tell(
            'Normal',
            'Pulled',
            `Successfully pulled image ${JSON.stringify(image)} in ${result.tookMs}ms`,
          );
          return !this.isTerminating;
        }
        this.#tell('Warning', 'Failed', `Failed to pull image ${JSON.stringify(image)}: ${result.message}`);
        this.#wait(records, container, 'ErrImagePull', result.message);
      }
      if (this.isTerminating) return false;
      backoff.started(this.#nowMs);
      const pause = backoff.pauseAfterEnd(this.#nowMs);
      yield* context.sleep(seconds(1));
      this.#wait(records, container, 'ImagePullBackOff', `Back-off pulling image ${JSON.stringify(image)}`);
      this.#tell('Normal', 'BackOff', `Back-off pulling image ${JSON.stringify(image)}`);
      yield* this.#sleepUnlessEnding(pause);
      if (this.isTerminating) return false;
    }
  }

  *#backOff(records: Map<string, ContainerRecord>, container: Container): Process<void> {
    const pause = this.#backoffOf(container.name).pauseAfterEnd(this.#nowMs);
    const known = records.get(container.name);
    const last = known?.state.kind === 'terminated' ? known.state : known?.lastTermination;
    if (known && last) this.#set(records, { ...known, lastTermination: last });
    if (pause === 0 || !known) return;
    const podText = `${this.pod.metadata.name ?? ''}_${this.pod.metadata.namespace ?? ''}(${this.pod.metadata.uid ?? ''})`;
    const message = `back-off ${pauseText(pause)} restarting failed container=${container.name} pod=${podText}`;
    this.#tell(
      'Warning',
      'BackOff',
      `Back-off restarting failed container ${container.name} in pod ${podText}`,
    );
    this.#set(records, {
      ...known,
      lastTermination: last,
      state: { kind: 'waiting', reason: 'CrashLoopBackOff', message },
    });
    yield* this.#sleepUnlessEnding(pause);
  }

  *#sleepUnlessEnding(ms: number): Process<void> {
    const { context } = this.#options;
    for (let left = ms; left > 0 && !this.isTerminating; left -= POLL_MS) {
      yield* context.sleep(milliseconds(Math.min(left, POLL_MS)));
    }
  }

  *#untilAllEnded(): Process<void> {
    const { context, runtime } = this.#options;
    const ids = [...this.#init.values(), ...this.#main.values()]
      .map(({ containerId }) => containerId)
      .filter((id) => id !== '');
    while (ids.some((id) => runtime.fateOf(id, this.#nowMs).kind === 'running'))
      yield* context.sleep(milliseconds(100));
  }

  #behaviourOf(container: string): WorkloadBehaviour {
    try {
      return behaviourOf(this.pod.metadata, container);
    } catch (error) {
      if (!(error instanceof BehaviourError)) throw error;
      this.#tell('Warning', 'InvalidBehaviour', `behaviour of container ${container}: ${error.message}`);
      return {};
    }
  }

  #backoffOf(container: string): RestartBackoff {
    const known = this.#backoffs.get(container);
    if (known) return known;
    const made = new RestartBackoff();
    this.#backoffs.set(container, made);
    return made;
  }

  #wait(records: Map<string, ContainerRecord>, { name }: Container, reason: string, message?: string): void {
    const known = records.get(name);
    const state: ContainerState = { kind: 'waiting', reason, ...(message !== undefined && { message }) };
    this.#set(records, {
      name,
      state,
      lastTermination: known?.state.kind === 'terminated' ? known.state : known?.lastTermination,
      restartCount: known?.restartCount ?? 0,
      containerId: known?.containerId ?? '',
      imageId: known?.imageId ?? '',
      isStarted: false,
      isReady: false,
    });
  }

  #change(records: Map<string, ContainerRecord>, name: string, change: Partial<ContainerRecord>): void {
    const known = records.get(name);
    if (known?.state.kind === 'running') this.#set(records, { ...known, ...change });
  }

  #set(records: Map<string, ContainerRecord>, record: ContainerRecord): void {
    records.set(record.name, record);
    this.#options.changed();
  }

  #tell(type: EventFacts['type'], reason: string, message: string): void {
    this.#options.tell({ type, reason, message });
  }

  get #nowMs(): number {
    return this.#options.context.now() / 1_000;
  }
}

function* forever(context: Context): Process<void> {
  yield* context.signal().wait();
}
