/** Settles how the answer will be represented, so that a wish that cannot be met has no effect. */
import type { Exchange } from '../request/exchange.ts';
import { COLLECTION_OFFER, negotiate, OBJECT_OFFER, type Offer } from '../representation/negotiate.ts';

/** Custom resources have no protobuf, except as metadata. */
const CUSTOM_ENCODINGS: Offer['encodings'] = ['json', 'yaml'];

const CONNECTS: ReadonlySet<string> = new Set(['proxy', 'exec', 'attach', 'portforward']);

export function prepareAnswer(exchange: Exchange): void {
  const { request, info } = exchange;
  // Whoever is connected to answers in a representation of its own.
  if (!request.wire || CONNECTS.has(info.subresource)) return;
  const accept = request.headers['accept'];
  const isCollection = info.name === '' && (request.method === 'GET' || request.method === 'HEAD');
  const offer = isCollection ? COLLECTION_OFFER : OBJECT_OFFER;
  if (!exchange.routed.resource.isCustom) exchange.accepted = negotiate(accept, offer);
  else exchange.accepted = negotiateCustom(accept, offer);
}

function negotiateCustom(accept: string | undefined, offer: Offer) {
  const wide = negotiate(accept, offer);
  if (wide.encoding !== 'protobuf' || wide.view !== undefined) return wide;
  return negotiate(accept, { ...offer, encodings: CUSTOM_ENCODINGS });
}
