/**
 * Pods that waited when a place that was promised to another one became free: that the promise is taken back, or that who
 * has it goes without ever being there, is no news for anybody, here as in a real cluster. They are tried with the next
 * flush, unless something else happens before.
 */
import type { ApiObject } from '../../sim/api/object.ts';
import type { Pod } from '../../sim/api/types/core-v1.ts';
import { SECOND } from '../nodes/observation.ts';

/** Whoever has waited for five minutes is tried, every half a minute. */
export const FLUSHES_WITHIN = 330 * SECOND;
/** After a pause of ten seconds at the most. */
const TRIED_WITHIN = FLUSHES_WITHIN + 15 * SECOND;

export class PassedOver {
  #now = 0;
  /** When a place was free that was not told of, by uid of who waits; undefined: there was none. */
  readonly #waiting = new Map<string, number | undefined>();

  store(at: number, before: ApiObject | undefined, after: ApiObject | undefined): void {
    this.#now = at;
    const { kind, metadata } = (after ?? before) as ApiObject;
    if (kind !== 'Pod') return;
    const { uid = '' } = metadata;
    const [was, is] = [before as Pod | undefined, after as Pod | undefined];
    if (is && is.spec?.nodeName === undefined) this.#waiting.set(uid, this.#waiting.get(uid));
    else this.#waiting.delete(uid);
    const isTakenBack = isPromised(was) && !isPromised(is) && is?.spec?.nodeName === undefined;
    if (isTakenBack)
      for (const other of this.#waiting.keys()) if (other !== uid) this.#waiting.set(other, at);
  }

  isPassedOver({ metadata: { uid = '' } }: ApiObject): boolean {
    const since = this.#waiting.get(uid);
    return since !== undefined && this.#now - since <= TRIED_WITHIN;
  }
}

const isPromised = (pod: Pod | undefined): boolean => Boolean(pod?.status?.nominatedNodeName);
