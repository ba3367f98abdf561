/**
 * What the parts of one pod's worker share: the pod as the agent last saw it, the records of its
 * containers, the runtime below, and whether the pod is ending. It decides nothing.
 */
import type { Container, Pod, Volume } from '../../api/types/core-v1.ts';
import type { EventFacts } from '../../client/event-facts.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { Signal } from '../../engine/signal.ts';
import type { Task } from '../../engine/task.ts';
import { milliseconds } from '../../engine/time.ts';
import type { EnvironmentOutcome } from '../environment/container-environment.ts';
import type { ContainerNetwork } from '../network/container-network.ts';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';
import type { ContainerMount } from '../runtime/file-tree.ts';
import type { ProcessState } from '../runtime/process-memory.ts';
import { BehaviourError, behaviourOf, type WorkloadBehaviour } from '../runtime/workload-behaviour.ts';
import { ContainerRecords } from './container-records.ts';
import { fieldPathOf, type PodContainer } from './pod-containers.ts';
import { ProbeCount } from './probe-count.ts';
import { RestartBackoff } from './restart-backoff.ts';
import { Turns } from './turns.ts';

export interface PodScopeOptions {
  readonly context: Context;
  readonly runtime: ContainerRuntime;
  readonly pod: Pod;
  readonly podIP: string;
  readonly hostIP: string;
  /** Out of a manifest on the node's disk. */
  readonly isStatic: boolean;
  /** `fieldPath`: the container that it is about, if it is about one. */
  readonly tell: (facts: EventFacts, fieldPath?: string) => void;
  /** Until its volumes are there. */
  readonly mount: () => Process<void>;
  /** Of a container that is to start; nothing is asked where all is said. */
  readonly environment: (pod: Pod, container: Container) => Process<EnvironmentOutcome>;
  /** Names of the secrets for registries that cannot be had; nothing is asked where it names none. */
  readonly missingPullSecrets: (pod: Pod) => Process<readonly string[]>;
  /** Where a container sees the pod's volumes. */
  readonly mounts: (
    container: Container,
    variables: ReadonlyMap<string, string>,
  ) => readonly ContainerMount[];
  /** Volumes that a command names, if they may show something else by now. */
  readonly dueFiles: (pod: Pod, words: readonly string[]) => readonly Volume[];
  /** They show what they would show by now. */
  readonly refreshFiles: (pod: Pod, volumes: readonly Volume[]) => Process<void>;
  /** What its containers reach. */
  readonly network: ContainerNetwork;
  /** It needs them no more. */
  readonly unmount: () => void;
  /** The record has changed. */
  readonly changed: () => void;
  /** A checkpoint that a container of the pod goes on from; asked once. */
  readonly restoredOf: (container: string) => ProcessState | undefined;
  /** What probes have found outlasts the agent. */
  readonly keepsFindings: boolean;
}

export const DEFAULT_GRACE_SECONDS = 30;

export class PodScope {
  readonly options: PodScopeOptions;
  readonly context: Context;
  readonly runtime: ContainerRuntime;
  readonly records: ContainerRecords;
  readonly probes = new ProbeCount();
  /** An agent starts the containers of a pod one after the other. */
  readonly starts = new Turns();
  /** Fires when the pod was changed, is to end, or is to end sooner. */
  readonly changes = new Signal();
  pod: Pod;
  /** Set once the pod is to end: how long its containers have for it. */
  graceSeconds: number | undefined;
  readonly #backoffs = new Map<string, RestartBackoff>();
  #refreshing: Task<void> | undefined;

  constructor(options: PodScopeOptions) {
    this.options = options;
    this.context = options.context;
    this.runtime = options.runtime;
    this.pod = options.pod;
    this.records = new ContainerRecords(options.changed);
  }

  get uid(): string {
    return this.options.pod.metadata.uid ?? '';
  }

  get nowMs(): number {
    return this.context.now() / 1_000;
  }

  get isEnding(): boolean {
    return this.graceSeconds !== undefined;
  }

  /** What the pod's author gives its containers. */
  get ownGraceSeconds(): number {
    return this.pod.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
  }

  tell(type: EventFacts['type'], reason: string, message: string): void {
    this.options.tell({ type, reason, message });
  }

  tellOf(container: PodContainer, type: EventFacts['type'], reason: string, message: string): void {
    this.options.tell({ type, reason, message }, fieldPathOf(container));
  }

  behaviourOf(container: PodContainer): WorkloadBehaviour {
    const { name } = container.spec;
    try {
      return behaviourOf(this.pod.metadata, name);
    } catch (error) {
      if (!(error instanceof BehaviourError)) throw error;
      this.tellOf(
        container,
        'Warning',
        'InvalidBehaviour',
        `behaviour of container ${name}: ${error.message}`,
      );
      return {};
    }
  }

  /** What a command names is filled anew, if it is due, while the command goes on with what is there. */
  refreshAside(words: readonly string[]): void {
    if (this.#refreshing?.state === 'active') return;
    const due = this.options.dueFiles(this.pod, words);
    if (due.length > 0)
      this.#refreshing = this.context.spawn('files', this.options.refreshFiles(this.pod, due));
  }

  /** It needs its volumes no more, and nothing is put into them any more. */
  unmount(): void {
    this.#refreshing?.cancel();
    this.options.unmount();
  }

  /** Of the restarts of a container, or the pulls of an image. */
  backoffOf(subject: string): RestartBackoff {
    let known = this.#backoffs.get(subject);
    if (!known) this.#backoffs.set(subject, (known = new RestartBackoff()));
    return known;
  }

  /** A stop may move its end: nobody looks before the end or the stop. */
  *untilEnded(id: string): Process<void> {
    for (;;) {
      const leftMs = this.runtime.endsAtMs(id) - this.nowMs;
      if (leftMs <= 0) return;
      const moved = this.runtime.moved(id).wait();
      if (leftMs === Infinity) yield* moved;
      else yield* this.context.race([moved, this.context.sleep(milliseconds(Math.ceil(leftMs)))]);
    }
  }
}
