/**
 * From the path to the resource: 404 for what is not served, 405 for verbs that it does not have.
 * Unknown groups get a plain-text 404, as nothing of the API answers there.
 * Specification: "Path shapes", "Errors".
 */
import { ApiError, notFound } from '../../api/status.ts';
import type { Exchange, Target } from '../request/exchange.ts';
import { type Resource, resourceText } from '../registry/resource.ts';
import type { RequestInfo } from '../request/request-info.ts';
import { noteDeprecatedUse } from './note-deprecated-use.ts';

export function pageNotFound(exchange: Exchange): void {
  exchange.addHeader('x-content-type-options', 'nosniff');
  exchange.respondText(404, '404 page not found\n');
}

export const resourceNotFound = (): ApiError =>
  new ApiError({
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  });

export const methodNotAllowed = (): ApiError =>
  new ApiError({
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: {},
  });

const watchNotSupported = ({ resource, group }: Resource): ApiError =>
  new ApiError({
    reason: 'MethodNotAllowed',
    message: `watch is not supported on resources of kind ${JSON.stringify(resource)}`,
    details: { ...(group && { group }), kind: resource },
  });

export function route(exchange: Exchange): void {
  const { info, server, request } = exchange;
  if (!server.registry.hasGroup(info.group)) {
    pageNotFound(exchange);
    return;
  }
  if (info.verb === 'proxy') throw resourceNotFound();
  if (info.isMalformed || info.parts.length > 3) {
    const isCustom = server.registry.find(info.group, info.version, info.resource)?.resource.isCustom;
    // Of custom resources nobody looks at what follows a subresource.
    const isTaken = info.isMalformed ? isConnectPath(info) : isCustom === true || isConnectPath(info);
    if (!isTaken) throw resourceNotFound();
  }
  const found =
    server.registry.find(info.group, info.version, info.resource) ??
    // Components of the simulation speak one version of a kind, whatever their release spoke.
    (request.wire ? undefined : server.registry.findWorkedOn(info.group, info.version, info.resource));
  if (!found) {
    if (!server.registry.isCustomGroup(info.group)) throw resourceNotFound();
    pageNotFound(exchange);
    return;
  }
  if (found.resource.isCustom) {
    routeCustom(exchange, found);
    return;
  }
  const subresource = info.subresource ? found.version.subresources.get(info.subresource) : undefined;
  if (info.subresource && !subresource) throw resourceNotFound();
  const target: Target = subresource
    ? { resource: found.resource, version: found.version, subresource }
    : found;
  checkScope(info, target);
  const isUnwatchable =
    info.verb === 'watch' && found.version.verbs.has('list') && !found.version.verbs.has('watch');
  if (!isUnwatchable) checkMethod(request.method, info, target);
  exchange.target = target;
  if (!isUnwatchable) return;
  if (found.version.deprecation) noteDeprecatedUse(exchange, found.version.deprecation);
  throw watchNotSupported(found.resource);
}

/** Custom resources answer in their own words: plain text for paths of the wrong scope, their resource for verbs they lack. */
function routeCustom(exchange: Exchange, found: Target): void {
  const { info } = exchange;
  const { resource, version } = found;
  const hasNamespace = info.namespace !== '';
  const isAllNamespaces = resource.isNamespaced && !hasNamespace;
  const isRead = info.verb === 'list' || info.verb === 'watch';
  if ((hasNamespace && !resource.isNamespaced) || (isAllNamespaces && !isRead)) {
    pageNotFound(exchange);
    return;
  }
  // Also of what cannot be done; only what is done is counted.
  if (version.deprecation) exchange.warn(version.deprecation.warning);
  const subresource = info.subresource ? version.subresources.get(info.subresource) : undefined;
  if (info.subresource && !subresource) throw notFound(resource, info.name);
  const verbs = subresource ? new Set(subresource.verbs) : version.verbs;
  if (info.verb === '' || !verbs.has(info.verb)) throw unsupportedVerb(resource, info.verb);
  if (info.verb === 'create' && resource.isTerminating) throw refusedCreation(resource);
  exchange.target = subresource ? { resource: found.resource, version: found.version, subresource } : found;
  if (version.deprecation) noteDeprecatedUse(exchange, version.deprecation);
}

const unsupportedVerb = (resource: Resource, verb: string): ApiError =>
  new ApiError({
    reason: 'MethodNotAllowed',
    message: `${verb} is not supported on resources of kind ${JSON.stringify(resourceText(resource))}`,
    details: { group: resource.group, kind: resource.resource },
  });

const refusedCreation = ({ group, resource }: Resource): ApiError =>
  new ApiError({
    reason: 'MethodNotAllowed',
    message: 'create not allowed while custom resource definition is terminating',
    details: { group, kind: resource },
  });

/** `…/pods/x/proxy/any/path` has as many segments as the caller likes. */
const isConnectPath = ({ subresource, parts }: RequestInfo): boolean =>
  subresource === 'proxy' && parts.length > 3;

function checkScope(info: RequestInfo, { resource }: Target): void {
  const hasNamespace = info.namespace !== '' && info.resource !== 'namespaces';
  if (!resource.isNamespaced) {
    if (hasNamespace) throw resourceNotFound();
    return;
  }
  if (!hasNamespace && info.name !== '' && !info.isLegacyWatch) throw resourceNotFound();
}

/** Of a proxy also those that nothing else has. */
const PASSED_ON: ReadonlySet<string> = new Set(['HEAD', 'OPTIONS']);

/** Verbs a path may carry; without the verb in the resource's list it is 405, or 404 for items that can never be named. */
function checkMethod(method: string, info: RequestInfo, { resource, version, subresource }: Target): void {
  if (subresource && info.subresource === 'proxy' && PASSED_ON.has(method)) return;
  if (method === 'HEAD' || (info.isLegacyWatch && method !== 'GET')) throw methodNotAllowed();
  const verbs = subresource ? new Set(subresource.verbs) : version.verbs;
  const isItem = info.name !== '';
  if (isItem && !subresource && !hasItems(verbs)) throw resourceNotFound();
  const isAllNamespaces = resource.isNamespaced && info.namespace === '' && !isItem;
  if (isAllNamespaces && !verbs.has('list')) throw resourceNotFound();
  if (isAllNamespaces && info.verb !== 'list' && info.verb !== 'watch') throw methodNotAllowed();
  if (info.verb === '' || !verbs.has(info.verb) || (isItem && info.verb === 'create' && !subresource)) {
    throw methodNotAllowed();
  }
  if (!isItem && (info.verb === 'update' || info.verb === 'patch')) throw methodNotAllowed();
}

const ITEM_VERBS = ['get', 'update', 'patch', 'delete'];
const hasItems = (verbs: ReadonlySet<string>): boolean => ITEM_VERBS.some((verb) => verbs.has(verb));
