/**
 * The container runtime of one machine: images, containers, what they do, and checkpoints of them. It
 * outlives the node agent, so containers run on while the agent restarts; a reboot of the machine
 * ends them. What a container does is a function of time: nobody has to run for it to end.
 *
 * It knows no pods beyond their names, and no API.
 */
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { Signal } from '../../engine/signal.ts';
import type { ContainerConsole } from './container-console.ts';
import type { ContainerMount } from './file-tree.ts';
import { imageIdOf, isKnownMissing } from './image-name.ts';
import { ImageStore, type PullResult } from './image-store.ts';
import type { ProcessState } from './process-memory.ts';
import type { TestServer } from './agnhost/test-servers.ts';
import { WrittenFiles } from './written-files.ts';
import type { WrittenLine, WrittenLines } from './written-lines.ts';
import {
  DEFAULT_CPU_MILLICORES,
  DEFAULT_MEMORY_BYTES,
  type WorkloadBehaviour,
} from './workload-behaviour.ts';

/** As whom a process runs. */
export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
  /** Beside its own. */
  readonly groups: readonly number[];
}

/** What a container has of the kernel. */
export interface KernelRights {
  /** Parameters that its pod sets, by name. */
  readonly sysctls: ReadonlyMap<string, string>;
  readonly mayChangeNetwork: boolean;
}

export interface ContainerSpec {
  readonly podUid: string;
  readonly podName: string;
  readonly podNamespace: string;
  /** Absent: it has none. */
  readonly podIP?: string;
  /** What the system puts into it, by path. */
  readonly systemFiles?: () => Readonly<Record<string, string>>;
  readonly name: string;
  readonly image: string;
  /** Default: root. */
  readonly user?: ContainerUser;
  readonly command: readonly string[];
  readonly environment: readonly string[];
  readonly behaviour: WorkloadBehaviour;
  /** How often a container of this name was started in the pod before. */
  readonly restartCount: number;
  /** With more memory it is killed. */
  readonly memoryLimitBytes?: number;
  readonly mounts?: readonly ContainerMount[];
  /** Default: nothing beyond what all have. */
  readonly kernel?: KernelRights;
  /** Only its volumes, and what the system puts there, can be written. */
  readonly hasReadOnlyRoot?: boolean;
  /** All that it does by itself is known, so that nothing is there that nobody knows of. */
  readonly isKnown?: boolean;
  /** Memory of a process that goes on from a checkpoint. */
  readonly restored?: ProcessState;
  /** Of a process that must run for anybody to know what it does: what it has written so far. */
  readonly written?: WrittenLines;
  /** Of one that answers by itself. */
  readonly server?: TestServer;
  /** Of one that has a standard input. */
  readonly console?: ContainerConsole;
}

export interface RuntimeContainer extends ContainerSpec {
  readonly id: string;
  readonly imageId: string;
  readonly createdAtMs: number;
  readonly startedAtMs: number;
  /** What the clock on the wall showed then; where it is set later on, this stays. */
  readonly startedWallMs: number;
}

export type ContainerFate =
  | { readonly kind: 'running' }
  | { readonly kind: 'ended'; readonly exitCode: number; readonly reason: string; readonly atMs: number };

interface Ending {
  readonly atMs: number;
  readonly exitCode: number;
  readonly reason: string;
}

const NANO_OF_MILLICORE = 1_000_000;
const SIGKILL_EXIT = 137;
const SIGTERM_EXIT = 143;
/** A process that wants more than its limit at once is killed so soon. */
const OOM_AFTER_MS = 500;

export class ContainerRuntime {
  /** Whether it knows how to checkpoint at all. */
  implementsCheckpoint = true;
  /** Why the next checkpoints fail; empty: they do not. */
  checkpointFailure = '';
  readonly images = new ImageStore();
  readonly written = new WrittenFiles();
  /** Told when a container starts or is removed. */
  onChange: () => void = () => undefined;
  /** Told of every container that starts. For checkers. */
  onStarted: (container: RuntimeContainer) => void = () => undefined;
  /** Told when it begins to hang, and when it goes on. For checkers. */
  onHanging: () => void = () => undefined;
  readonly #containers = new Map<string, RuntimeContainer>();
  readonly #endings = new Map<string, Ending>();
  readonly #moved = new Map<string, Signal>();
  readonly #byPod = new Map<string, RuntimeContainer[]>();
  readonly #resumed = new Signal();
  #isHung = false;
  /** Addresses of the pods' sandboxes, by the pod's uid. */
  readonly #sandboxes = new Map<string, string>();
  /** Core-seconds in billionths, of containers that are removed, since the machine came up. */
  #spentBefore = 0;

  /** No call is answered while it hangs. */
  get isHung(): boolean {
    return this.#isHung;
  }

  set isHung(isHung: boolean) {
    this.#isHung = isHung;
    this.onHanging();
    if (!isHung) this.#resumed.fire();
  }

  hasImage(image: string): boolean {
    return this.images.has(image);
  }

  *pull(context: Context, image: string, { imageMissing = false }: WorkloadBehaviour): Process<PullResult> {
    yield* this.answer(context);
    return yield* this.images.pull(context, image, imageMissing || isKnownMissing(image));
  }

  /** Waits until the runtime answers calls. */
  *answer(_context: Context): Process<void> {
    while (this.#isHung) yield* this.#resumed.wait();
  }

  start(context: Context, spec: ContainerSpec, nowMs: number): RuntimeContainer {
    const id = context.site('container ids').hex(64);
    const container: RuntimeContainer = {
      ...spec,
      id,
      imageId: imageIdOf(spec.image),
      createdAtMs: nowMs,
      startedAtMs: nowMs,
      startedWallMs: context.wallMs(),
    };
    this.#dropEnded(spec, nowMs);
    this.#containers.set(id, container);
    this.#moved.set(id, new Signal());
    this.#byPod.set(spec.podUid, [...this.containersOf(spec.podUid), container]);
    const { runsForSeconds, exitCode = 0 } = spec.behaviour;
    if (runsForSeconds !== undefined) {
      const ran = spec.restored?.ranSeconds ?? 0;
      const atMs = nowMs + Math.max(0, runsForSeconds - ran) * 1_000;
      this.#endings.set(id, { atMs, exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' });
    }
    const killedAtMs = outOfMemoryAtMs(container, this.memoryOf(container));
    if (killedAtMs < Infinity)
      this.#endBy(id, { atMs: killedAtMs, exitCode: SIGKILL_EXIT, reason: 'OOMKilled' });
    this.onChange();
    this.onStarted(container);
    return container;
  }

  /** Asks a container to end (SIGTERM), and ends it (SIGKILL) when the grace is over. */
  stop(id: string, nowMs: number, graceMs: number): void {
    const container = this.#containers.get(id);
    if (!container || this.fateOf(id, nowMs).kind === 'ended') return;
    const { stopsAfterSeconds = 0, ignoresTerm = false } = container.behaviour;
    const ownMs = ignoresTerm ? Infinity : stopsAfterSeconds * 1_000;
    const isKilled = ownMs > graceMs;
    this.#endBy(id, {
      atMs: nowMs + Math.min(ownMs, graceMs),
      exitCode: isKilled ? SIGKILL_EXIT : SIGTERM_EXIT,
      reason: 'Error',
    });
  }

  /** Its process has ended by itself, not before its last line. */
  exit({ id, startedAtMs, written }: RuntimeContainer, nowMs: number, exitCode: number): void {
    const lastMs = startedAtMs + (written?.lastSeconds ?? 0) * 1_000;
    const reason = exitCode === 0 ? 'Completed' : 'Error';
    this.#endBy(id, { atMs: Math.max(nowMs, lastMs), exitCode, reason });
  }

  /** A line of a process that runs. */
  write({ id, written, startedAtMs }: RuntimeContainer, nowMs: number, line: WrittenLine): void {
    written?.add(line, (nowMs - startedAtMs) / 1_000);
    this.#moved.get(id)?.fire();
  }

  /** Fires when its end is moved, it has written a line, or it is removed. */
  moved(id: string): Signal {
    return this.#moved.get(id) ?? new Signal();
  }

  fateOf(id: string, nowMs: number): ContainerFate {
    const ending = this.#endings.get(id);
    if (!this.#containers.has(id))
      return { kind: 'ended', exitCode: SIGKILL_EXIT, reason: 'ContainerStatusUnknown', atMs: nowMs };
    if (!ending || ending.atMs > nowMs) return { kind: 'running' };
    return { kind: 'ended', exitCode: ending.exitCode, reason: ending.reason, atMs: ending.atMs };
  }

  /** When it will have ended, as far as is known now; Infinity: never. */
  endsAtMs(id: string): number {
    if (!this.#containers.has(id)) return 0;
    return this.#endings.get(id)?.atMs ?? Infinity;
  }

  /** The sandbox of a pod, with its address, until the pod is removed or the machine goes down. */
  addSandbox(podUid: string, ip: string): void {
    this.#sandboxes.set(podUid, ip);
  }

  sandboxOf(podUid: string): string | undefined {
    return this.#sandboxes.get(podUid);
  }

  get sandboxes(): ReadonlyMap<string, string> {
    return this.#sandboxes;
  }

  /** Forgets a pod: its sandbox and all its containers. */
  removePod(podUid: string, nowMs: number): void {
    this.#sandboxes.delete(podUid);
    for (const container of this.containersOf(podUid)) this.#remove(container, nowMs);
  }

  /** Of the containers that ended, the last one of each name is kept. */
  #dropEnded({ podUid, name }: ContainerSpec, nowMs: number): void {
    const ended = this.containersOf(podUid).filter(
      (known) => known.name === name && this.fateOf(known.id, nowMs).kind === 'ended',
    );
    for (const container of ended.slice(0, -1)) this.#remove(container, nowMs);
  }

  #remove(container: RuntimeContainer, nowMs: number): void {
    const { id, podUid } = container;
    this.#spentBefore += this.coreNanoSecondsOf(container, nowMs);
    this.#containers.delete(id);
    this.#endings.delete(id);
    this.written.drop(id);
    const left = this.containersOf(podUid).filter((other) => other.id !== id);
    if (left.length > 0) this.#byPod.set(podUid, left);
    else this.#byPod.delete(podUid);
    this.#moved.get(id)?.fire();
    this.#moved.delete(id);
    this.onChange();
  }

  /** Of one pod, in the order in which they were started. */
  containersOf(podUid: string): readonly RuntimeContainer[] {
    return this.#byPod.get(podUid) ?? [];
  }

  get(id: string): RuntimeContainer | undefined {
    return this.#containers.get(id);
  }

  /** In the order in which they were started. */
  all(): readonly RuntimeContainer[] {
    return [...this.#containers.values()];
  }

  running(nowMs: number): readonly RuntimeContainer[] {
    return this.all().filter(({ id }) => this.fateOf(id, nowMs).kind === 'running');
  }

  /** What its process has in memory now. */
  processOf({ id, startedAtMs, restored, behaviour }: RuntimeContainer, nowMs: number): ProcessState {
    const files = new Map(Object.entries(restored?.files ?? {}));
    for (const [path, bytes] of this.written.of(id))
      if (bytes) files.set(path, bytes);
      else files.delete(path);
    return {
      containerId: restored?.containerId ?? id,
      ranSeconds: (restored?.ranSeconds ?? 0) + Math.floor((nowMs - startedAtMs) / 1_000),
      values: restored?.values ?? behaviour.memory ?? {},
      ...(files.size > 0 && { files: Object.fromEntries(files) }),
    };
  }

  /** Bytes; without a time as it starts. */
  memoryOf(container: RuntimeContainer, nowMs = container.startedAtMs): number {
    const { behaviour, memoryLimitBytes = Infinity, restored, startedAtMs } = container;
    const base = behaviour.memoryBytes ?? Math.min(DEFAULT_MEMORY_BYTES, memoryLimitBytes);
    const ageSeconds = (restored?.ranSeconds ?? 0) + (nowMs - startedAtMs) / 1_000;
    return Math.floor(base + (behaviour.memoryGrowthBytes ?? 0) * ageSeconds);
  }

  /** Cores in use while it runs, in billionths. */
  nanoCoresOf({ behaviour: { cpuMillicores = DEFAULT_CPU_MILLICORES } }: RuntimeContainer): number {
    return cpuMillicores * NANO_OF_MILLICORE;
  }

  /** Core-seconds since its start, in billionths; it may have ended. */
  coreNanoSecondsOf(container: RuntimeContainer, nowMs: number): number {
    const ranMs = Math.min(nowMs, this.endsAtMs(container.id)) - container.startedAtMs;
    return Math.round((this.nanoCoresOf(container) * Math.max(0, ranMs)) / 1_000);
  }

  /** Of all that have run since the machine came up, whatever became of them: a count that goes up only. */
  coreNanoSeconds(nowMs: number): number {
    return this.all().reduce((sum, each) => sum + this.coreNanoSecondsOf(each, nowMs), this.#spentBefore);
  }

  /** The machine went down: nothing runs any more. */
  reboot(): void {
    this.#spentBefore = 0;
    const moved = [...this.#moved.values()];
    this.#containers.clear();
    this.#byPod.clear();
    this.#moved.clear();
    this.#endings.clear();
    this.written.clear();
    this.#sandboxes.clear();
    for (const signal of moved) signal.fire();
    this.onChange();
  }

  #endBy(id: string, ending: Ending): void {
    const planned = this.#endings.get(id);
    if (planned && planned.atMs <= ending.atMs) return;
    this.#endings.set(id, ending);
    this.#moved.get(id)?.fire();
  }
}

/** When the kernel kills it; Infinity: never. */
function outOfMemoryAtMs(
  { memoryLimitBytes = Infinity, behaviour, startedAtMs }: RuntimeContainer,
  memoryBytes: number,
): number {
  if (memoryBytes > memoryLimitBytes) return startedAtMs + OOM_AFTER_MS;
  const { memoryGrowthBytes = 0 } = behaviour;
  if (memoryGrowthBytes === 0) return Infinity;
  return startedAtMs + Math.ceil(((memoryLimitBytes - memoryBytes) / memoryGrowthBytes) * 1_000);
}
