/**
 * Writing by delta: a request of a first-party component is made out of the object that it read, and so shares
 * frozen parts with the one that it replaces. What is the same at the same place is neither decoded nor copied,
 * brought into form or validated again. `ServerView.writesByDelta` turns this off; results are the same.
 */
import type { ApiObject } from '../../api/object.ts';
import type { Exchange } from '../request/exchange.ts';

export interface Baseline {
  /** The present object: canonical, frozen, in the version of the request. */
  readonly object: ApiObject;
  /** Drafts may share its parts: whoever works on them changes nothing in place that was there before. */
  readonly isShared: boolean;
}

/** Undefined: the request's object has to be looked at as a whole. */
export function baselineOf(exchange: Exchange, live: ApiObject | undefined): Baseline | undefined {
  const { server, info } = exchange;
  const { resource, version } = exchange.routed;
  if (!live || !server.writesByDelta || resource.isCustom) return undefined;
  if (live.apiVersion !== version.apiVersion || version.apiVersion !== resource.storageApiVersion)
    return undefined;
  const isShared =
    resource.strategy.sharesUnchanged === true &&
    !server.admission.changes('UPDATE', resource, info.subresource);
  return { object: live, isShared };
}
