/**
 * The machine below a node agent, as the agent sees it: what presses it, and what does not work. It outlives the
 * agent's crashes. Pairs of verbs change it; whoever runs on it is told.
 */

import { Disk } from './disk.ts';
import { ContainerRuntime } from './runtime/container-runtime.ts';
import type { ProcessState } from './runtime/process-memory.ts';

const DISK_BYTES = 100 * 1024 ** 3;

export type Pressure = 'memory' | 'disk' | 'pid';

export class Machine {
  readonly runtime = new ContainerRuntime();
  /** Survives everything but a new image. */
  readonly disk = new Disk({ capacityBytes: DISK_BYTES });
  /** Processes out of checkpoints that wait for the container `namespace/pod/container` to start. */
  readonly restores = new Map<string, ProcessState>();
  readonly #pressures = new Set<Pressure>();
  readonly #problems = new Map<string, string>();
  #hasNetwork = true;
  /** Told of every change. */
  onChange: () => void = () => undefined;

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
    this.onChange();
  }

  relieve(pressure: Pressure): void {
    this.#pressures.delete(pressure);
    this.onChange();
  }

  /** Something the agent needs does not work; `text` is what it says of it. */
  breakDown(what: string, text: string): void {
    this.#problems.set(what, text);
    this.onChange();
  }

  repair(what: string): void {
    this.#problems.delete(what);
    this.onChange();
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
    this.onChange();
  }

  restoreNetwork(): void {
    this.#hasNetwork = true;
    this.onChange();
  }
}
