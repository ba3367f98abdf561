/**
 * The machine below a node agent, as the agent sees it: what presses it, and what does not work. It outlives the
 * agent's crashes. Pairs of verbs change it; whoever runs on it is told.
 */

export type Pressure = 'memory' | 'disk' | 'pid';

export class Machine {
  readonly #pressures = new Set<Pressure>();
  readonly #problems = new Map<string, string>();
  #hasNetwork = true;
  #changes = 0;
  /** Told of every change. */
  onChange: () => void = () => undefined;

  /** How often it has changed. */
  get changes(): number {
    return this.#changes;
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
    this.breakDown('runtime', 'container runtime is down');
  }

  startRuntime(): void {
    this.repair('runtime');
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
