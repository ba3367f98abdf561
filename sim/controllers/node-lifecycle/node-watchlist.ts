/**
 * Whom to look at in a round of the monitor. A node that was heard of, is ready and has nothing to be put right is
 * calm: until something of it changes, or it has been silent for too long, a look would find nothing. Thus a round
 * costs as much as has changed, however many nodes there are. Pure bookkeeping.
 */
import type { Micros } from '../../engine/time.ts';

export class NodeWatchlist {
  /** Something of them has changed since the last round. */
  readonly #touched = new Set<string>();
  /** To be looked at in every round. */
  readonly #restless = new Set<string>();
  /** When calm nodes were last heard of: the longest silence first. */
  readonly #calm = new Map<string, Micros>();
  /** The last answer of `take`, and the next: most rounds are alike. */
  readonly #taken: string[] = [];

  touch(node: string): void {
    this.#touched.add(node);
  }

  /**
   * Whom to look at now, each once: of the calm ones those that were not heard of since `since`. The list is good until
   * it is asked for again.
   */
  take(since: Micros): readonly string[] {
    const names = this.#taken;
    names.length = 0;
    const touched = this.#touched;
    for (const name of touched) names.push(name);
    for (const name of this.#restless) if (!touched.has(name)) names.push(name);
    for (const [name, heardAt] of this.#calm) {
      if (heardAt >= since) break;
      if (!touched.has(name)) names.push(name);
    }
    touched.clear();
    return names;
  }

  /** A look in the round of `now` has found nothing. */
  settle(node: string, heardAt: Micros, now: Micros): void {
    if (this.#calm.get(node) === heardAt) return;
    this.#calm.delete(node);
    // The order of the calm ones is that of their rounds: whoever was heard of before has to be heard of again.
    if (heardAt === now) this.#calm.set(node, heardAt);
    if (heardAt === now) this.#restless.delete(node);
    else this.#restless.add(node);
  }

  unsettle(node: string): void {
    this.#calm.delete(node);
    this.#restless.add(node);
  }

  forget(node: string): void {
    this.#touched.delete(node);
    this.#restless.delete(node);
    this.#calm.delete(node);
  }
}
