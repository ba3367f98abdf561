/**
 * Paths that do something of their own instead of a verb on a stored object: reviews, eviction,
 * binding, scale, tokens. Found by resource and subresource. Specification: "Virtual resources".
 */
import type { Process } from '../../engine/process.ts';
import type { Exchange } from '../request/exchange.ts';
import { resourceText } from '../registry/resource.ts';

export type Endpoint = (exchange: Exchange) => Process<void>;

export class Endpoints {
  readonly #byPath: ReadonlyMap<string, Endpoint>;
  readonly #bySubresource: ReadonlyMap<string, Endpoint>;

  /** Keys: `pods/eviction`, `subjectaccessreviews.authorization.k8s.io`; with a star for every resource: `*` + `/scale`. */
  constructor(endpoints: Readonly<Record<string, Endpoint>> = {}) {
    const all = Object.entries(endpoints);
    this.#byPath = new Map(all.filter(([path]) => !path.startsWith('*/')));
    this.#bySubresource = new Map(
      all.filter(([path]) => path.startsWith('*/')).map(([path, endpoint]) => [path.slice(2), endpoint]),
    );
  }

  find(
    resource: { readonly group: string; readonly resource: string },
    subresource: string,
  ): Endpoint | undefined {
    const text = resourceText(resource);
    if (subresource === '') return this.#byPath.get(text);
    return this.#byPath.get(`${text}/${subresource}`) ?? this.#bySubresource.get(subresource);
  }
}
