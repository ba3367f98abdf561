/** What the endpoint of an agent shows of its node. */
import type { Release } from '../../api/release/release.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import type { Machine } from '../machine/machine.ts';
import type { ContainerNetwork } from '../network/container-network.ts';
import type { PodManager } from '../pods/pod-manager.ts';
import type { PodWorker } from '../pods/pod-worker.ts';
import type { ContainerRuntime, RuntimeContainer } from '../runtime/container-runtime.ts';

export interface AgentViewOptions {
  readonly context: Context;
  readonly nodeName: string;
  readonly machine: Machine;
  readonly release: Release;
  readonly network: ContainerNetwork;
  /** Undefined before the node is registered. */
  readonly manager: () => PodManager | undefined;
  /** Of the machine: `cpu`, `memory`, … as quantities. */
  readonly capacity: Readonly<Record<string, string>>;
}

export class AgentView {
  readonly context: Context;
  readonly nodeName: string;
  readonly machine: Machine;
  readonly release: Release;
  /** What its containers reach. */
  readonly network: ContainerNetwork;
  readonly capacity: Readonly<Record<string, string>>;
  /** Wall clock when the agent began. */
  readonly startedMs: number;
  readonly #manager: () => PodManager | undefined;
  /** Runtime's clock when the runtime was first seen to hang. */
  #hungSinceMs: number | undefined;

  constructor({ context, nodeName, machine, release, network, manager, capacity }: AgentViewOptions) {
    this.context = context;
    this.nodeName = nodeName;
    this.machine = machine;
    this.release = release;
    this.network = network;
    this.capacity = capacity;
    this.startedMs = context.wallMs();
    this.#manager = manager;
  }

  get runtime(): ContainerRuntime {
    return this.machine.runtime;
  }

  /** The clock that the runtime counts by: milliseconds since the agent's first start. */
  get runtimeMs(): number {
    return this.context.now() / 1_000;
  }

  /** An instant of the runtime's clock on the wall. */
  wallMsOf(runtimeMs: number): number {
    return this.context.wallMs() - (this.runtimeMs - runtimeMs);
  }

  workers(): readonly PodWorker[] {
    return this.#manager()?.workers() ?? [];
  }

  find(namespace: string, pod: string): PodWorker | undefined {
    return this.#manager()?.find(namespace, pod);
  }

  /** The volumes of a pod show what they would show by now. */
  *refreshFiles(podUid: string): Process<void> {
    const manager = this.#manager();
    if (manager) yield* manager.refreshFiles(podUid);
  }

  running(): readonly RuntimeContainer[] {
    return this.runtime.running(this.runtimeMs);
  }

  /** The machine has changed. */
  noteChange(): void {
    if (!this.runtime.isHung) this.#hungSinceMs = undefined;
    else this.#hungSinceMs ??= this.runtimeMs;
  }

  /** For how long pods were not looked after, because the runtime does not answer. */
  get standstillMs(): number {
    return this.#hungSinceMs === undefined ? 0 : this.runtimeMs - this.#hungSinceMs;
  }
}
