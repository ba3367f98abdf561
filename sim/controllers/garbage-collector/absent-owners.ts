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

  /** Who is asked for is remembered longer. */
  has(owner: Identity): boolean {
    if (!this.#known.has(textOfIdentity(owner))) return false;
    this.add(owner);
    return true;
  }
}
