/**
 * Quotas whose sum was raised by a server at about the instant at which something went that they count: whoever counts anew may
 * find the sum that he knows right, and be told of the raised one afterwards, which is no reason to count. Here as in a real
 * cluster it stays until something else goes that they count, or all are counted anew, after five minutes.
 */
import type { ApiObject } from '../../sim/api/object.ts';
import { compareQuantities, parseQuantity } from '../../sim/api/quantity.ts';
import type { PodStatus, ResourceQuota } from '../../sim/api/types/core-v1.ts';
import { SECOND } from '../nodes/observation.ts';
import { nameOf } from '../workloads/owned-pods.ts';

/** Who is hindered hears of both late. */
const AT_ONCE = SECOND;

interface Raised {
  readonly quota: ResourceQuota;
  readonly at: number;
}

export class Miscounted {
  /** When something went last, by its namespace and kind. */
  readonly #freedAt = new Map<string, Map<string, number>>();
  /** Quotas whose last write raised them, by name. */
  readonly #raised = new Map<string, Raised>();
  readonly #miscounted = new Set<string>();

  store(at: number, before: ApiObject | undefined, after: ApiObject | undefined): void {
    const object = (after ?? before) as ApiObject;
    if (object.kind === 'ResourceQuota') this.#sum(at, before, after);
    else if (before && (!after || hasEnded(after) !== hasEnded(before))) this.#free(at, object);
  }

  isMiscounted(object: ApiObject): boolean {
    return object.kind === 'ResourceQuota' && this.#miscounted.has(nameOf(object));
  }

  #sum(at: number, before: ResourceQuota | undefined, after: ResourceQuota | undefined): void {
    const quota = (after ?? before) as ResourceQuota;
    const name = nameOf(quota);
    this.#miscounted.delete(name);
    this.#raised.delete(name);
    if (!before || !after || !isRaised(before, after)) return;
    this.#raised.set(name, { quota, at });
    for (const [kind, freedAt] of this.#freedAt.get(quota.metadata.namespace ?? '') ?? [])
      if (at - freedAt < AT_ONCE && counts(quota, kind)) this.#miscounted.add(name);
  }

  #free(at: number, { kind = '', metadata: { namespace = '' } }: ApiObject): void {
    const freedAt = this.#freedAt.get(namespace) ?? new Map<string, number>();
    this.#freedAt.set(namespace, freedAt.set(kind, at));
    for (const [name, raised] of this.#raised) {
      if (raised.quota.metadata.namespace !== namespace || !counts(raised.quota, kind)) continue;
      if (at - raised.at < AT_ONCE) this.#miscounted.add(name);
      else this.#miscounted.delete(name);
    }
  }
}

const hasEnded = ({ kind, status }: ApiObject & { readonly status?: PodStatus }): boolean =>
  kind === 'Pod' && (status?.phase === 'Succeeded' || status?.phase === 'Failed');

/** What is counted of anything but pods bears its name. */
const counts = ({ status }: ResourceQuota, kind: string): boolean =>
  kind === 'Pod' || Object.keys(status?.used ?? {}).some((name) => name.includes(kind.toLowerCase()));

/** Only a server adds to what is used; whoever counts anew most often finds less. */
const isRaised = (before: ResourceQuota, after: ResourceQuota): boolean =>
  Object.entries(after.status?.used ?? {}).some(
    ([name, amount]) =>
      compareQuantities(parseQuantity(amount), parseQuantity(before.status?.used?.[name] ?? '0')) > 0,
  );
