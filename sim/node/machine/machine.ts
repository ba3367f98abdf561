/**
 * The machine below a node agent, as the agent sees it: what presses it, and what does not work. It outlives the
 * agent's crashes. Pairs of verbs change it; whoever runs on it is told.
 */
import { Signal } from '../../engine/signal.ts';
import { Disk } from './disk.ts';
import { OWN_FILES } from './own-files.ts';
import type { Pressure } from './pressure.ts';
import { VolumesInUse } from './volumes-in-use.ts';
import type { ContainerUsage } from '../eviction/pod-usage.ts';
import type { Observations } from '../eviction/thresholds.ts';
import { ContainerRuntime } from '../runtime/container-runtime.ts';
import { unpackCheckpoint } from '../runtime/checkpoint-archive.ts';
import type { ProcessState } from '../runtime/process-memory.ts';

const MIB = 1024 ** 2;
const DISK_BYTES = 100 * 1024 * MIB;
const MEMORY_BYTES = 16 * 1024 * MIB;
const PROCESSES = 32_768;
/** What something outside the pods leaves of the memory, and of disk and processes. */
const LEFT_MEMORY_BYTES = 64 * MIB;
const LEFT_PART = 0.02;

export interface ContainerName {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

export interface MachineOptions {
  readonly memoryBytes?: number;
  readonly diskBytes?: number;
}

export class Machine {
  readonly runtime = new ContainerRuntime();
  readonly volumes = new VolumesInUse();
  /** Survives everything but a new image. */
  readonly disk: Disk;
  /** Fires when containers have started or ended, or something outside takes or frees what they need. */
  readonly usageChanged = new Signal();
  readonly #memoryBytes: number;
  /** Of these something outside the pods takes nearly all. */
  readonly #taken = new Set<Pressure>();
  /** Processes out of checkpoints that wait for the container `namespace/pod/container` to start. */
  readonly #restores = new Map<string, ProcessState>();
  #felt: ReadonlySet<Pressure> = new Set();
  readonly #problems = new Map<string, string>();
  #hasNetwork = true;
  #changes = 0;
  #imageCount = 1;
  #bootCount = 1;
  /** Told of every change. */
  onChange: () => void = () => undefined;

  constructor({ memoryBytes = MEMORY_BYTES, diskBytes = DISK_BYTES }: MachineOptions = {}) {
    this.#memoryBytes = memoryBytes;
    this.disk = new Disk({ capacityBytes: diskBytes });
    this.#install();
    const usage = (): void => this.usageChanged.fire();
    const volumes = (): void => this.#tell();
    this.runtime.onChange = usage;
    this.volumes.onChange = volumes;
  }

  /** How often it has changed. */
  get changes(): number {
    return this.#changes;
  }

  /** How often it has come up. */
  get bootCount(): number {
    return this.#bootCount;
  }

  /** How many images it has had: each has an identity of its own. */
  get imageCount(): number {
    return this.#imageCount;
  }

  /** Its agent has found so. */
  isUnder(pressure: Pressure): boolean {
    return this.#felt.has(pressure);
  }

  /** What its agent has found. */
  get pressures(): ReadonlySet<Pressure> {
    return this.#felt;
  }

  feel(pressures: ReadonlySet<Pressure>): void {
    const isSame =
      pressures.size === this.#felt.size && [...pressures].every((pressure) => this.#felt.has(pressure));
    if (isSame) return;
    this.#felt = pressures;
    this.#tell();
  }

  get hasNetwork(): boolean {
    return this.#hasNetwork;
  }

  /** Why the node is not ready, as its agent words it; empty when it is. */
  get problems(): readonly string[] {
    return [...this.#problems.values()];
  }

  /**
   * Something outside the pods takes nearly all memory, disk or process identifiers, and frees them again. The agent
   * notices within ten seconds, and gives up pods, though that does not help.
   */
  press(pressure: Pressure): void {
    this.#taken.add(pressure);
    this.usageChanged.fire();
  }

  relieve(pressure: Pressure): void {
    this.#taken.delete(pressure);
    this.usageChanged.fire();
  }

  /** What is left, of what there is. */
  observations(nowMs: number): Observations {
    let [memoryBytes, diskBytes, processes] = [0, this.runtime.images.sizeBytes, 0];
    for (const container of this.runtime.running(nowMs)) {
      memoryBytes += this.runtime.memoryOf(container, nowMs);
      diskBytes += container.behaviour.diskBytes ?? 0;
      processes += container.behaviour.processes ?? 1;
    }
    const disk = this.#left('disk', this.disk.availableBytes - diskBytes, this.disk.capacityBytes);
    return {
      'memory.available': this.#left('memory', this.#memoryBytes - memoryBytes, this.#memoryBytes),
      'nodefs.available': disk,
      'imagefs.available': disk,
      'pid.available': this.#left('pid', PROCESSES - processes, PROCESSES),
    };
  }

  #left(what: Pressure, available: number, capacity: number) {
    const most = what === 'memory' ? LEFT_MEMORY_BYTES : Math.floor(capacity * LEFT_PART);
    const left = this.#taken.has(what) ? Math.min(available, most) : available;
    return { available: Math.max(0, left), capacity };
  }

  /** Of the running containers of one pod. */
  usageOf(podUid: string, nowMs: number): readonly ContainerUsage[] {
    return this.runtime
      .containersOf(podUid)
      .filter(({ id }) => this.runtime.fateOf(id, nowMs).kind === 'running')
      .map((container) => ({
        name: container.name,
        memoryBytes: this.runtime.memoryOf(container, nowMs),
        diskBytes: container.behaviour.diskBytes ?? 0,
        processes: container.behaviour.processes ?? 1,
      }));
  }

  /** Something the agent needs does not work; `text` is what it says of it. */
  breakDown(what: string, text: string): void {
    this.#problems.set(what, text);
    this.#tell();
  }

  repair(what: string): void {
    this.#problems.delete(what);
    this.#tell();
  }

  /** The container runtime hangs, and goes on. */
  stopRuntime(): void {
    this.runtime.isHung = true;
    this.breakDown('runtime', 'container runtime is down');
  }

  startRuntime(): void {
    this.runtime.isHung = false;
    this.repair('runtime');
  }

  /** The machine goes down and comes up again: its containers are gone, its disk is not. */
  reboot(): void {
    this.#bootCount += 1;
    this.runtime.reboot();
    this.volumes.clear();
  }

  #install(): void {
    for (const [path, file] of Object.entries(OWN_FILES)) this.disk.write(path, file);
  }

  /** A new machine image: nothing else is on the disk. */
  reimage(): void {
    this.reboot();
    this.disk.wipe();
    this.#install();
    this.runtime.images.wipe();
    this.#restores.clear();
    this.#imageCount += 1;
  }

  /**
   * The next container of this name in this pod goes on from a checkpoint.
   * @throws RangeError when the archive is none
   */
  restoreFrom(container: ContainerName, archive: Uint8Array): void {
    const checkpoint = unpackCheckpoint(archive);
    if (!checkpoint) throw new RangeError('this is no checkpoint archive, or a damaged one');
    this.#restores.set(containerKey(container), checkpoint.process);
  }

  /** The process that a container is to go on from; asked once. */
  takeRestore(container: ContainerName): ProcessState | undefined {
    const key = containerKey(container);
    const found = this.#restores.get(key);
    this.#restores.delete(key);
    return found;
  }

  /** The disk is full, and has space again. */
  fillDisk(): void {
    this.disk.setFull(true);
  }

  freeDisk(): void {
    this.disk.setFull(false);
  }

  /** The pod network has no routes to this node, and has them again. */
  loseNetwork(): void {
    this.#hasNetwork = false;
    this.#tell();
  }

  restoreNetwork(): void {
    this.#hasNetwork = true;
    this.#tell();
  }

  #tell(): void {
    this.#changes++;
    this.onChange();
  }
}

const containerKey = ({ namespace, pod, container }: ContainerName): string =>
  `${namespace}/${pod}/${container}`;
