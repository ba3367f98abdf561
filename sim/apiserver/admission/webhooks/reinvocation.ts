/**
 * What one admission remembers of the webhooks that it has called: whether everybody is to see the object once more,
 * and which webhooks are then called again. Specification: not shown (Kubernetes 1.31).
 */
export class Reinvocation {
  /** The chain of plugins runs for the second time; there is no third. */
  isAgain = false;
  /** What the object was after the last webhook, as text: the server's own plugins may have changed it since. */
  lastOutput: string | undefined;
  /** The object went through JSON once. */
  hasRounded = false;
  #isWanted = false;
  /** Called before, and to be called again if anything changes. */
  #repeatable = new Set<string>();
  readonly #repeated = new Set<string>();

  /** A webhook has changed the object. */
  noteChange(): void {
    this.#isWanted = true;
    this.requireRepeatable();
  }

  /** Whoever was called before and wants to be called again is. */
  requireRepeatable(): void {
    for (const key of this.#repeatable) this.#repeated.add(key);
    this.#repeatable = new Set();
  }

  /** Of a webhook that wants to see what others change after it. */
  noteRepeatable(key: string): void {
    this.#repeatable.add(key);
  }

  repeats(key: string): boolean {
    return this.#repeated.has(key);
  }

  /** True: begin again. */
  begin(): boolean {
    if (!this.#isWanted || this.isAgain) return false;
    this.isAgain = true;
    return true;
  }
}

const OF_ATTRIBUTES = new WeakMap<object, Reinvocation>();

/** That of one admission of one object. */
export function reinvocationOf(attributes: object): Reinvocation {
  const known = OF_ATTRIBUTES.get(attributes);
  if (known) return known;
  const fresh = new Reinvocation();
  OF_ATTRIBUTES.set(attributes, fresh);
  return fresh;
}
