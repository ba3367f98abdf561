/** Settles how the answer will be represented, so that a wish that cannot be met has no effect. */
import type { Exchange } from '../request/exchange.ts';
import { COLLECTION_OFFER, negotiate, OBJECT_OFFER } from '../representation/negotiate.ts';

const CONNECTS: ReadonlySet<string> = new Set(['proxy', 'exec', 'attach', 'portforward']);

export function prepareAnswer(exchange: Exchange): void {
  const { request, info } = exchange;
  // Whoever is connected to answers in a representation of its own.
  if (!request.wire || CONNECTS.has(info.subresource)) return;
  const accept = request.headers['accept'];
  const isCollection = info.name === '' && (request.method === 'GET' || request.method === 'HEAD');
  const offer = isCollection ? COLLECTION_OFFER : OBJECT_OFFER;
  // Custom resources have no protobuf, except as metadata.
  const isCustom = exchange.routed.resource.isCustom;
  exchange.accepted = negotiate(accept, isCustom ? { ...offer, viewsOnly: 'protobuf' } : offer);
}
