/**
 * The container runtime of one machine: images, containers, what they do, and checkpoints of them. It
 * outlives the node agent, so containers run on while the agent restarts; a reboot of the machine
 * ends them. What a container does is a function of time: nobody has to run for it to end.
 *
 * It knows no pods beyond their names, and no API.
 */
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { milliseconds } from '../../engine/time.ts';
import type { ProcessState } from './process-memory.ts';
import { DEFAULT_MEMORY_BYTES, type WorkloadBehaviour } from './workload-behaviour.ts';

export interface ContainerSpec {
  readonly podUid: string;
  readonly podName: string;
  readonly podNamespace: string;
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly environment: readonly string[];
  readonly behaviour: WorkloadBehaviour;
  /** Memory of a process that goes on from a checkpoint. */
  readonly restored?: ProcessState;
}

export interface RuntimeContainer extends ContainerSpec {
  readonly id: string;
  readonly imageId: string;
  readonly createdAtMs: number;
  readonly startedAtMs: number;
}

export type ContainerFate =
  | { readonly kind: 'running' }
  | { readonly kind: 'ended'; readonly exitCode: number; readonly reason: string; readonly atMs: number };

export type PullResult =
  | { readonly kind: 'pulled'; readonly tookMs: number }
  | { readonly kind: 'failed'; readonly message: string };

interface Ending {
  readonly atMs: number;
  readonly exitCode: number;
  readonly reason: string;
}

const SIGKILL_EXIT = 137;
const SIGTERM_EXIT = 143;
/** Pulls take so long; drawn for each. */
const PULL_MS = { min: 200, nominal: 800, max: 5_000 };

export class ContainerRuntime {
  /** No call is answered while it hangs. */
  isHung = false;
  /** Whether it knows how to checkpoint at all. */
  implementsCheckpoint = true;
  /** Why the next checkpoints fail; empty: they do not. */
  checkpointFailure = '';
  /** Told of every container that starts. For checkers. */
  onStarted: (container: RuntimeContainer) => void = () => undefined;
  readonly #containers = new Map<string, RuntimeContainer>();
  readonly #endings = new Map<string, Ending>();
  readonly #images = new Set<string>();
  readonly #logs = new Map<string, string[]>();
  /** Addresses of the pods' sandboxes, by the pod's uid. */
  readonly #sandboxes = new Map<string, string>();

  hasImage(image: string): boolean {
    return this.#images.has(image);
  }

  *pull(context: Context, image: string, { imageMissing }: WorkloadBehaviour): Process<PullResult> {
    const { min, nominal, max } = PULL_MS;
    const tookMs = context.site('image pull').around(min, nominal, max);
    yield* this.answer(context);
    yield* context.sleep(milliseconds(tookMs));
    if (imageMissing) {
      const message = `failed to pull and unpack image ${JSON.stringify(image)}: failed to resolve reference ${JSON.stringify(image)}: not found`;
      return { kind: 'failed', message };
    }
    this.#images.add(image);
    return { kind: 'pulled', tookMs };
  }

  /** Waits until the runtime answers calls. */
  *answer(context: Context): Process<void> {
    while (this.isHung) yield* context.sleep(milliseconds(500));
  }

  start(context: Context, spec: ContainerSpec, nowMs: number): RuntimeContainer {
    const id = context.site('container ids').hex(64);
    const container: RuntimeContainer = {
      ...spec,
      id,
      imageId: imageIdOf(spec.image),
      createdAtMs: nowMs,
      startedAtMs: nowMs,
    };
    this.#dropEnded(spec, nowMs);
    this.#containers.set(id, container);
    this.#logs.set(id, [...(spec.behaviour.logs ?? [])]);
    const { runsForSeconds, exitCode = 0 } = spec.behaviour;
    if (runsForSeconds !== undefined) {
      const ran = spec.restored?.ranSeconds ?? 0;
      const atMs = nowMs + Math.max(0, runsForSeconds - ran) * 1_000;
      this.#endings.set(id, { atMs, exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' });
    }
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
  removePod(podUid: string): void {
    this.#sandboxes.delete(podUid);
    for (const { id } of this.all().filter((container) => container.podUid === podUid)) this.#remove(id);
  }

  /** Of the containers that ended, the last one of each name is kept. */
  #dropEnded({ podUid, name }: ContainerSpec, nowMs: number): void {
    const ended = this.all().filter(
      (known) =>
        known.podUid === podUid && known.name === name && this.fateOf(known.id, nowMs).kind === 'ended',
    );
    for (const { id } of ended.slice(0, -1)) this.#remove(id);
  }

  #remove(id: string): void {
    this.#containers.delete(id);
    this.#endings.delete(id);
    this.#logs.delete(id);
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

  logsOf(id: string): readonly string[] {
    return this.#logs.get(id) ?? [];
  }

  /** What its process has in memory now. */
  processOf({ id, startedAtMs, restored, behaviour }: RuntimeContainer, nowMs: number): ProcessState {
    return {
      containerId: restored?.containerId ?? id,
      ranSeconds: (restored?.ranSeconds ?? 0) + Math.floor((nowMs - startedAtMs) / 1_000),
      values: restored?.values ?? behaviour.memory ?? {},
    };
  }

  memoryOf({ behaviour }: Pick<RuntimeContainer, 'behaviour'>): number {
    return behaviour.memoryBytes ?? DEFAULT_MEMORY_BYTES;
  }

  /** The machine went down: nothing runs any more. */
  reboot(): void {
    this.#containers.clear();
    this.#endings.clear();
    this.#logs.clear();
    this.#sandboxes.clear();
  }

  #endBy(id: string, ending: Ending): void {
    const planned = this.#endings.get(id);
    if (!planned || planned.atMs > ending.atMs) this.#endings.set(id, ending);
  }
}

/** A digest-like identifier that depends on the image's name alone. */
function imageIdOf(image: string): string {
  let [a, b] = [0x811c9dc5, 0x01000193];
  for (let index = 0; index < image.length; index += 1) {
    a = Math.imul(a ^ image.charCodeAt(index), 0x01000193);
    b = Math.imul(b ^ image.charCodeAt(index), 0x85ebca6b);
  }
  const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, '0');
  return `${image}@sha256:${hex(a)}${hex(b)}${hex(a ^ b)}${hex(Math.imul(a, b))}`.slice(0, image.length + 40);
}
