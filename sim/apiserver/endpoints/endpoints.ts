/**
 * Paths that do something of their own instead of a verb on a stored object: reviews, eviction,
 * binding, scale, tokens. Found by resource and subresource. Specification: "Virtual resources".
 */
import type { Process } from '../../engine/process.ts';
import type { Exchange } from '../request/exchange.ts';

export type Endpoint = (exchange: Exchange) => Process<void>;

/** Whose paths they are, and by subresource (`''`: the resource itself) what they do. */
export interface KindEndpoints {
  readonly group?: string;
  readonly resource: string;
  readonly endpoints?: Readonly<Record<string, Endpoint>>;
}

/** The endpoints of one resource, by subresource. */
type Own = ReadonlyMap<string, Endpoint>;

const NONE: Own = new Map();

export class Endpoints {
  readonly #byGroup = new Map<string, Map<string, Own>>();
  readonly #shared: Own;

  /** `shared`: subresources that do the same whichever resource has them, custom ones too. */
  constructor(kinds: readonly KindEndpoints[] = [], shared: Readonly<Record<string, Endpoint>> = {}) {
    this.#shared = new Map(Object.entries(shared));
    for (const { group = '', resource, endpoints } of kinds) {
      if (!endpoints) continue;
      let ofGroup = this.#byGroup.get(group);
      if (!ofGroup) this.#byGroup.set(group, (ofGroup = new Map()));
      ofGroup.set(resource, new Map(Object.entries(endpoints)));
    }
  }

  find(
    { group, resource }: { readonly group: string; readonly resource: string },
    subresource: string,
  ): Endpoint | undefined {
    const own = this.#byGroup.get(group)?.get(resource) ?? NONE;
    return own.get(subresource) ?? (subresource === '' ? undefined : this.#shared.get(subresource));
  }
}
