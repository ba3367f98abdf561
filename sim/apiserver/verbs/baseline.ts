/**
 * Writing by delta: a request of a first-party component is made out of the object that it read, and so shares
 * frozen parts with the one that it replaces. What is the same at the same place is neither decoded nor copied,
 * brought into form or validated again. `ServerView.writesByDelta` turns this off; results are the same.
 */
import type { ApiObject, JsonObject } from '../../api/object.ts';
import { sharingCopy } from '../registry/shared-parts.ts';
import { copied } from '../registry/storage-form.ts';
import type { DraftObject, Sharing } from '../registry/strategy.ts';
import type { Exchange } from '../request/exchange.ts';

export interface Baseline {
  /** The present object: canonical, frozen, in the version of the request. */
  readonly object: ApiObject;
  /** What drafts may share with it: whoever works on them changes none of that in place. */
  readonly sharing: Sharing | undefined;
}

/** A copy that hooks may change in place, but for what it shares with the baseline. */
export const draftOf = (object: JsonObject, baseline: Baseline | undefined): DraftObject =>
  baseline?.sharing
    ? sharingCopy(object, baseline.object, baseline.sharing)
    : (copied(object) as DraftObject);

/** Undefined: the request's object has to be looked at as a whole. */
export function baselineOf(exchange: Exchange, live: ApiObject | undefined): Baseline | undefined {
  const { server, info } = exchange;
  const { resource, version } = exchange.routed;
  if (!live || !server.writesByDelta || resource.isCustom) return undefined;
  if (live.apiVersion !== version.apiVersion || version.apiVersion !== resource.storageApiVersion)
    return undefined;
  const { sharesUnchanged } = resource.strategy;
  const isChangeable = server.admission.changes('UPDATE', resource, info.subresource);
  return { object: live, sharing: isChangeable ? undefined : sharesUnchanged };
}
