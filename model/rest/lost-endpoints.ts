/**
 * Services whose Endpoints were deleted before those who make them were told that there were any: whoever lists again finds
 * none, as he did before, and nobody tells him that they have gone. Here as in a real cluster there are none until the
 * Service is written, or its maker begins anew.
 */
import type { ApiObject } from '../../sim/api/object.ts';
import { nameOf } from '../workloads/owned-pods.ts';

const MAKERS = 'controller-manager/';

export class LostEndpoints {
  /** Uids, by who was told. */
  readonly #told = new Map<string, Set<string>>();
  readonly #lost = new Set<string>();

  store(before: ApiObject | undefined, after: ApiObject | undefined): void {
    const object = (after ?? before) as ApiObject;
    if (object.kind === 'Service' || (object.kind === 'Endpoints' && after))
      this.#lost.delete(nameOf(object));
    else if (object.kind === 'Endpoints') this.#end(object);
  }

  hear(by: string, { kind, metadata: { uid = '' } }: ApiObject): void {
    if (!by.startsWith(MAKERS) || kind !== 'Endpoints') return;
    const told = this.#told.get(by) ?? new Set<string>();
    this.#told.set(by, told.add(uid));
  }

  forget(actor: string): void {
    if (this.#told.delete(actor)) this.#lost.clear();
  }

  areLost(service: string): boolean {
    return this.#lost.has(service);
  }

  #end(endpoints: ApiObject): void {
    const { uid = '' } = endpoints.metadata;
    if ([...this.#told.values()].some((told) => !told.has(uid))) this.#lost.add(nameOf(endpoints));
    for (const told of this.#told.values()) told.delete(uid);
  }
}
