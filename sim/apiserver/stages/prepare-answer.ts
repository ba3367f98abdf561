/** Settles how the answer will be represented, so that a wish that cannot be met has no effect. */
import type { Exchange } from '../request/exchange.ts';
import { patcherOf } from '../verbs/patch.ts';
import { checkNamed } from '../verbs/update.ts';
import { negotiateParameters } from '../representation/negotiate.ts';
import { choosesForm, offerOf } from './find-way.ts';

export function prepareAnswer(exchange: Exchange): void {
  if (!choosesForm(exchange)) return;
  const { request, info, routed } = exchange;
  const { isCustom } = routed.resource;
  // A patch of no known type is refused before anybody looks at how the answer should be.
  if (info.verb === 'patch' && isCustom) patcherOf(exchange);
  if (info.verb === 'patch' || info.verb === 'update') checkNamed(exchange);
  const offer = offerOf(exchange);
  // Custom resources have no protobuf, except as metadata.
  const offered = isCustom ? ({ ...offer, viewsOnly: 'protobuf' } as const) : offer;
  exchange.accepted = negotiateParameters(request.headers['accept'], offered);
}
