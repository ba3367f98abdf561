/** Settles how the answer will be represented, so that a wish that cannot be met has no effect. */
import type { Exchange, Target } from '../request/exchange.ts';
import { checkPatchRoute } from '../verbs/patch.ts';
import { checkNamed } from '../verbs/update.ts';
import {
  COLLECTION_OFFER,
  negotiate,
  negotiateParameters,
  OBJECT_OFFER,
  type Offer,
} from '../representation/negotiate.ts';

const CONNECTS: ReadonlySet<string> = new Set(['proxy', 'exec', 'attach', 'portforward']);

/** What is asked and never kept (reviews, bindings, tokens) has no table. */
const ASKED_OFFER: Offer = {
  ...OBJECT_OFFER,
  allowsView: (view, encoding) => view.kind !== 'Table' && OBJECT_OFFER.allowsView(view, encoding),
};

const isAskedOnly = ({ version, subresource }: Target): boolean => {
  const verbs = subresource ? subresource.verbs : [...version.verbs];
  return verbs.every((verb) => verb === 'create');
};

/** Of what is kept, these have none either. */
const TABLELESS: ReadonlySet<string> = new Set(['log', 'ephemeralcontainers']);

export function prepareAnswer(exchange: Exchange): void {
  const { request, info } = exchange;
  // Whoever is connected to answers in a representation of its own.
  if (!request.wire || CONNECTS.has(info.subresource)) return;
  // A patch of no known type is refused before anybody looks at how the answer should be.
  if (info.verb === 'patch') checkPatchRoute(exchange);
  if (info.verb === 'patch' || info.verb === 'update') checkNamed(exchange);
  const accept = request.headers['accept'];
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const isCollection = isRead && (info.name === '' || info.isLegacyWatch);
  const isText = info.subresource === 'log';
  const hasNoTable = TABLELESS.has(info.subresource) || isAskedOnly(exchange.routed);
  const offer = hasNoTable ? ASKED_OFFER : isCollection ? COLLECTION_OFFER : OBJECT_OFFER;
  // Custom resources have no protobuf, except as metadata, and no routes that would look at media types.
  const isCustom = exchange.routed.resource.isCustom;
  exchange.accepted = isCustom
    ? negotiateParameters(accept, { ...offer, viewsOnly: 'protobuf' })
    : negotiate(accept, { ...offer, ...(isText && { isText }) });
}
