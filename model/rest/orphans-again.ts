/**
 * Owners that were to leave what they own, then were not, and then were again, while whoever collects was told of neither:
 * for him nothing has begun, here as in a real cluster, and the finalizer stays.
 */
import type { ApiObject } from '../../sim/api/object.ts';

export const ORPHAN = 'orphan';

const isToOrphan = ({ metadata }: ApiObject): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(ORPHAN) === true;

export class OrphansAgain {
  /** Uids of those that are not to orphan any more, of which nobody was told. */
  readonly #between = new Set<string>();
  readonly #unseen = new Set<string>();

  store(before: ApiObject | undefined, after: ApiObject | undefined): void {
    const { uid = '' } = (after ?? before)?.metadata ?? {};
    if (!after || !before) this.#forget(uid);
    else if (isToOrphan(before) && !isToOrphan(after)) this.#between.add(uid);
    else if (isToOrphan(after) && this.#between.delete(uid)) this.#unseen.add(uid);
  }

  /** What was told before it was to go tells nothing of the time between. */
  hear(object: ApiObject): void {
    if (this.#between.size === 0 || isToOrphan(object)) return;
    const { uid = '', deletionTimestamp } = object.metadata;
    if (deletionTimestamp !== undefined) this.#between.delete(uid);
  }

  areUnseen({ metadata: { uid = '' } }: ApiObject): boolean {
    return this.#unseen.has(uid);
  }

  #forget(uid: string): void {
    this.#between.delete(uid);
    this.#unseen.delete(uid);
  }
}
