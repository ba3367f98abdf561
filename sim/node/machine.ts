/**
 * The machine below a node agent, as the agent sees it: what presses it, and what does not work. It outlives the
 * agent's crashes. Pairs of verbs change it; whoever runs on it is told.
 */

import { Disk } from './disk.ts';
import { ContainerRuntime } from './runtime/container-runtime.ts';
import { unpackCheckpoint } from './runtime/checkpoint-archive.ts';
import type { ProcessState } from './runtime/process-memory.ts';

const DISK_BYTES = 100 * 1024 ** 3;

export type Pressure = 'memory' | 'disk' | 'pid';

export interface ContainerName {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

export class Machine {
  readonly runtime = new ContainerRuntime();
  /** Survives everything but a new image. */
  readonly disk = new Disk({ capacityBytes: DISK_BYTES });
  /** Processes out of checkpoints that wait for the container `namespace/pod/container` to start. */
  readonly #restores = new Map<string, ProcessState>();
  readonly #pressures = new Set<Pressure>();
  readonly #problems = new Map<string, string>();
  #hasNetwork = true;
  #changes = 0;
  #imageCount = 1;
  /** Told of every change. */
  onChange: () => void = () => undefined;

  /** How often it has changed. */
  get changes(): number {
    return this.#changes;
  }

  /** How many images it has had: each has an identity of its own. */
  get imageCount(): number {
    return this.#imageCount;
  }

  isUnder(pressure: Pressure): boolean {
    return this.#pressures.has(pressure);
  }

  get hasNetwork(): boolean {
    return this.#hasNetwork;
  }

  /** Why the node is not ready, as its agent words it; empty when it is. */
  get problems(): readonly string[] {
    return [...this.#problems.values()];
  }

  /** Memory, disk or process identifiers are short. */
  press(pressure: Pressure): void {
    this.#pressures.add(pressure);
    this.#tell();
  }

  relieve(pressure: Pressure): void {
    this.#pressures.delete(pressure);
    this.#tell();
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
    this.runtime.reboot();
  }

  /** A new machine image: the disk is empty. */
  reimage(): void {
    this.reboot();
    this.disk.wipe();
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
    this.press('disk');
  }

  freeDisk(): void {
    this.disk.setFull(false);
    this.relieve('disk');
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
