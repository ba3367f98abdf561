/**
 * May the user do this? The question is asked of every request, before its body, options or object
 * are looked at. Specification: "Authentication" 3 to 6.
 */
import { goQuote } from '../../api/go-text.ts';
import { ApiError } from '../../api/status.ts';
import { parseFieldSelector } from '../../api/selector/field-selector.ts';
import type { Process } from '../../engine/process.ts';
import type { AccessAttributes, AccessDecision } from '../authorization/authorizer.ts';
import { answered } from '../authorization/awaited-answer.ts';
import { internalText } from '../representation/internal-text.ts';
import type { Exchange } from '../request/exchange.ts';

export function authorize(exchange: Exchange): Process<void> | void {
  if (exchange.server.allowsEverything) return undefined;
  const attributes = accessAttributesOf(exchange);
  return answered(() => act(exchange, attributes, exchange.authorizer.authorize(attributes)));
}

function act(exchange: Exchange, attributes: AccessAttributes, decision: AccessDecision): void {
  if (!decision.isAllowed && decision.problem !== undefined) {
    exchange.annotate('authorization.k8s.io/reason', 'internal error');
    exchange.respondText(500, internalText(exchange.request, decision.problem));
    return;
  }
  exchange.decision = decision;
  if (decision.isAllowed) return;
  exchange.addHeader('x-content-type-options', 'nosniff');
  throw accessDenied(attributes, decision.reason);
}

export function accessAttributesOf({ info, user, request }: Exchange): AccessAttributes {
  return {
    user,
    verb: info.verb,
    isResourceRequest: info.isResourceRequest,
    path: info.path,
    group: info.group,
    version: info.version,
    resource: info.resource,
    subresource: info.subresource,
    namespace: info.namespace,
    name: info.name || nameFromSelector(info.verb, request.query.first('fieldSelector')),
  };
}

/** list and watch of one name by field selector are asked with that name, so that resourceNames apply. */
function nameFromSelector(verb: string, selector: string | undefined): string {
  if (!selector || (verb !== 'list' && verb !== 'watch')) return '';
  try {
    return parseFieldSelector(selector).requiredValue('metadata.name') ?? '';
  } catch {
    return '';
  }
}

/** The 403 of an authorizer. */
export function accessDenied(attributes: AccessAttributes, reason: string): ApiError {
  const { user, verb, group, resource, subresource, namespace, name, path } = attributes;
  const because = reason ? `: ${reason}` : '';
  if (!attributes.isResourceRequest) {
    return new ApiError({
      reason: 'Forbidden',
      message: `forbidden: User "${user.name}" cannot ${verb} path "${path}"${because}`,
      details: {},
    });
  }
  const what = subresource ? `${resource}/${subresource}` : resource;
  const where = namespace ? ` in the namespace "${namespace}"` : ' at the cluster scope';
  const qualified = group ? `${resource}.${group}` : resource;
  // Of what has no name of its own nothing is said.
  const head = qualified && `${qualified}${name ? ` ${goQuote(name)}` : ''} is `;
  return new ApiError({
    reason: 'Forbidden',
    message: `${head}forbidden: User "${user.name}" cannot ${verb} resource "${what}" in API group "${group}"${where}${because}`,
    details: { ...(name && { name }), ...(group && { group }), ...(resource && { kind: resource }) },
  });
}
