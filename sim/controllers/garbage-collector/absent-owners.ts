/** The owners that were looked for last and were not there: a bounded memory, so that many dependents ask once. */
import { type Identity, textOfIdentity } from './graph-node.ts';

const CAPACITY = 500;

export class AbsentOwners {
  readonly #known = new Set<string>();

  add(owner: Identity): void {
    const key = textOfIdentity(owner);
    this.#known.delete(key);
    this.#known.add(key);
    if (this.#known.size <= CAPACITY) return;
    for (const oldest of this.#known) {
      this.#known.delete(oldest);
      return;
    }
  }

  has(owner: Identity): boolean {
    return this.#known.has(textOfIdentity(owner));
  }
}
