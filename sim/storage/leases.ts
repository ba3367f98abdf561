import { invariant } from '../engine/invariant.ts';
import { SortedMap } from './sorted-map.ts';

interface Lease {
  readonly id: number;
  readonly expiresAt: number;
  /** In bytewise order, so that they go in the same order whatever happened before. */
  readonly keys: SortedMap<string>;
}

/** Leases in the order of their ends, and the keys that live as long as they. */
export class Leases {
  readonly #byId = new Map<number, Lease>();
  /** By end, then by id. */
  readonly #byEnd: Lease[] = [];
  #lastId = 0;

  /** Id of the newest lease, living or not; 0 if there was none. */
  get lastId(): number {
    return this.#lastId;
  }

  get nextExpiry(): number | undefined {
    return this.#byEnd[0]?.expiresAt;
  }

  grant(id: number, expiresAt: number): void {
    invariant(!this.#byId.has(id), 'a lease id is granted once', { id });
    const lease: Lease = { id, expiresAt, keys: new SortedMap() };
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
    if (id !== undefined) this.#byId.get(id)?.keys.set(key, key);
  }

  detach(key: string, id: number | undefined): void {
    if (id !== undefined) this.#byId.get(id)?.keys.delete(key);
  }

  /** The lease that ends first, if it ends at or before `now`. */
  firstExpired(now: number): { readonly id: number; readonly keys: readonly string[] } | undefined {
    const first = this.#byEnd[0];
    if (!first || first.expiresAt > now) return undefined;
    const keys: string[] = [];
    first.keys.scan({ prefix: '' }, (key) => {
      keys.push(key);
    });
    return { id: first.id, keys };
  }

  end(id: number): void {
    // Also of a lease that a snapshot does not know any more: its id is not granted again.
    this.#lastId = Math.max(this.#lastId, id);
    const lease = this.#byId.get(id);
    if (!lease) return;
    this.#byId.delete(id);
    this.#byEnd.splice(this.#byEnd.indexOf(lease), 1);
  }

  *all(): Generator<{ readonly id: number; readonly expiresAt: number }> {
    yield* this.#byEnd;
  }
}
