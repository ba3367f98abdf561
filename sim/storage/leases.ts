import { invariant } from '../engine/invariant.ts';

interface Lease {
  readonly id: number;
  readonly expiresAt: number;
  readonly keys: Set<string>;
}

/** Leases in the order of their ends, and the keys that live as long as they. */
export class Leases {
  readonly #byId = new Map<number, Lease>();
  /** By end, then by id. */
  readonly #byEnd: Lease[] = [];
  #lastId = 0;

  get nextExpiry(): number | undefined {
    return this.#byEnd[0]?.expiresAt;
  }

  grant(expiresAt: number): number {
    this.restore(this.#lastId + 1, expiresAt);
    return this.#lastId;
  }

  /** A lease that was granted in an earlier life of the store. */
  restore(id: number, expiresAt: number): void {
    invariant(!this.#byId.has(id), 'a lease id is granted once', { id });
    const lease: Lease = { id, expiresAt, keys: new Set() };
    this.#byId.set(id, lease);
    let at = this.#byEnd.length;
    while (at > 0 && (this.#byEnd[at - 1] as Lease).expiresAt > expiresAt) at -= 1;
    this.#byEnd.splice(at, 0, lease);
    this.#lastId = Math.max(this.#lastId, id);
  }

  has(id: number): boolean {
    return this.#byId.has(id);
  }

  attach(key: string, id: number | undefined): void {
    if (id !== undefined) this.#byId.get(id)?.keys.add(key);
  }

  detach(key: string, id: number | undefined): void {
    if (id !== undefined) this.#byId.get(id)?.keys.delete(key);
  }

  /** The lease that ends first, if it ends at or before `now`. */
  firstExpired(now: number): { readonly id: number; readonly keys: ReadonlySet<string> } | undefined {
    const first = this.#byEnd[0];
    return first && first.expiresAt <= now ? first : undefined;
  }

  end(id: number): void {
    const lease = this.#byId.get(id);
    if (!lease) return;
    this.#byId.delete(id);
    this.#byEnd.splice(this.#byEnd.indexOf(lease), 1);
  }

  *all(): Generator<{ readonly id: number; readonly expiresAt: number }> {
    yield* this.#byEnd;
  }
}
