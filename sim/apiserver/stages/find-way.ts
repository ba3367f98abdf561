/**
 * What is looked at before a handler of a kind hears of a request: that there is one for what is sent and for what is
 * wanted. Refusals count nowhere, and nobody is warned with them. Custom resources have no such ways.
 */
import { CONNECTING } from '../request/request-info.ts';
import type { Exchange, Target } from '../request/exchange.ts';
import { checkOffered, COLLECTION_OFFER, OBJECT_OFFER, type Offer } from '../representation/negotiate.ts';
import { checkPatchRoute } from '../verbs/patch.ts';
import { noteDeprecatedUse } from './note-deprecated-use.ts';

/** What is asked and never kept (reviews, bindings, tokens) has no table. */
const ASKED_OFFER: Offer = {
  ...OBJECT_OFFER,
  allowsView: (view, encoding) => view.kind !== 'Table' && OBJECT_OFFER.allowsView(view, encoding),
};
const LOG_OFFER: Offer = { ...ASKED_OFFER, isText: true };

/** Of what is kept, this has none either. */
const TABLELESS = 'ephemeralcontainers';

const isAskedOnly = ({ version, subresource }: Target): boolean => {
  const verbs = subresource ? subresource.verbs : [...version.verbs];
  return verbs.every((verb) => verb === 'create');
};

export function findWay(exchange: Exchange): void {
  const { request, info, routed } = exchange;
  if (routed.resource.isCustom) return;
  if (choosesForm(exchange)) {
    if (info.verb === 'patch') checkPatchRoute(exchange);
    checkOffered(request.headers['accept'], offerOf(exchange));
  }
  const { deprecation } = routed.version;
  if (deprecation) noteDeprecatedUse(exchange, deprecation);
}

/** Whoever is connected to answers in a representation of its own; logs come by way of the server. */
export const choosesForm = ({ request, info: { subresource } }: Exchange): boolean =>
  request.wire && (subresource === 'log' || !CONNECTING.has(subresource));

/** In which forms the answer may be. */
export function offerOf({ request, info, routed }: Exchange): Offer {
  if (info.subresource === 'log') return LOG_OFFER;
  if (info.subresource === TABLELESS || isAskedOnly(routed)) return ASKED_OFFER;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return isRead && (info.name === '' || info.isLegacyWatch) ? COLLECTION_OFFER : OBJECT_OFFER;
}
