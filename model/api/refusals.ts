/** Whoever is refused, is refused for a reason that there was, and nothing has changed by it. */
import { type Exchange, isDryRun, isWrite } from './exchange.ts';
import type { ApiObject } from '../../sim/api/object.ts';
import { at, isMapping, textAt } from './json.ts';
import type { ApiRule } from './writes.ts';

const reasonIn = ({ answer }: Exchange): string => textAt(answer, 'reason');

/** Said to be missing, or to be there already: so it was, at some moment between question and answer. */
export const refusalsAreJust: ApiRule = (exchange, past) => {
  const { key, method, place, query, sent, status, revisionBefore, revisionAfter } = exchange;
  if (key === undefined || isInvented(exchange)) return undefined;
  const isOld = method === 'GET' && query['resourceVersion'] !== undefined;
  if (isOld) return undefined;
  const states = past.between(key, revisionBefore, revisionAfter);
  const reason = reasonIn(exchange);
  if (status === 404 && reason === 'NotFound' && at(exchange.answer, 'details', 'name') === place.name)
    return states.includes(undefined) ? undefined : 'says that there is no such object, and there always was';
  if (status !== 409) return undefined;
  if (reason === 'AlreadyExists' && method === 'POST')
    return states.some((state) => state !== undefined) ? undefined : 'says that it exists, and it never did';
  const version = at(sent, 'metadata', 'resourceVersion');
  if (reason === 'Conflict' && method === 'PATCH' && place.subresource !== 'scale')
    return unjustPatchConflict(exchange, states);
  if (
    reason === 'Conflict' &&
    method === 'PUT' &&
    place.subresource !== 'scale' &&
    typeof version === 'string'
  ) {
    const uid = at(sent, 'metadata', 'uid');
    const isCurrent = states.every(
      (state) =>
        state?.metadata.resourceVersion === version &&
        (typeof uid !== 'string' || uid === '' || uid === state.metadata.uid),
    );
    return isCurrent && version !== '' ? `says that ${version} is old, and it was the newest` : undefined;
  }
  return undefined;
};

/** So often a server tries a patch anew when somebody was faster. */
const PATCH_TRIES = 5;

/** Whoever names neither version nor uid has no opinion of the present state that could be wrong. */
function unjustPatchConflict(
  { sent, contentType }: Exchange,
  states: readonly (ApiObject | undefined)[],
): string | undefined {
  if (contentType.startsWith('application/apply-patch') || !isMapping(sent)) return undefined;
  const { resourceVersion, uid } = (sent['metadata'] ?? {}) as {
    readonly resourceVersion?: unknown;
    readonly uid?: unknown;
  };
  if (resourceVersion !== undefined || uid !== undefined || states.length > PATCH_TRIES) return undefined;
  return 'says that it meets a newer version, and names none';
}

/** Nothing changes by what is refused, or only tried. */
export const refusalsChangeNothing: ApiRule = (exchange, past) => {
  const { key, status, isAlone, revisionBefore, revisionAfter } = exchange;
  if (key === undefined || !isAlone || !isWrite(exchange)) return undefined;
  const isRefused = status >= 400 && status < 500;
  if (!isRefused && !(isDryRun(exchange) && status < 300)) return undefined;
  const changed = past.of(key).find(({ revision }) => revision > revisionBefore && revision <= revisionAfter);
  return (
    changed &&
    `was ${isRefused ? `refused (${status})` : 'only tried'}, and changed it at ${changed.revision}`
  );
};

/** Nobody sends a write a second time without knowing what became of the first. */
export const writesAreSentOnce: ApiRule = (exchange) =>
  exchange.isRepeated === true && isWrite(exchange)
    ? 'was sent a second time as it was, though the first may have been done'
    : undefined;

/** A server has no mishaps of its own. */
export const serversDoNotFail: ApiRule = (exchange) => {
  const { status, answer, place } = exchange;
  if (status !== 500 || isInvented(exchange) || OF_WEBHOOKS.test(textAt(answer, 'message'))) return undefined;
  if (place.subresource === 'eviction' && textAt(answer, 'message') === OF_TWO_BUDGETS) return undefined;
  return `ended with ${textAt(answer, 'message') || status}`;
};

/** Of a webhook whose failures count. */
const OF_WEBHOOKS = /^Internal error occurred: failed calling webhook /;

/** A pod that several budgets select cannot be evicted: a server calls that its own failure. */
const OF_TWO_BUDGETS =
  'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';

const INVENTED =
  /etcdserver: |^the object has been modified|^the server could not find the requested resource$|^the server rejected/;

/** Made up by a fault. */
const isInvented = ({ answer }: Exchange): boolean => INVENTED.test(textAt(answer, 'message'));

/** What is read without a version, was so at some moment between question and answer. */
export const readsAreTrue: ApiRule = (exchange, past) => {
  const { key, method, place, query, status, answer, revisionBefore, revisionAfter } = exchange;
  if (key === undefined || method !== 'GET' || status !== 200 || place.subresource !== '') return undefined;
  const version = at(answer, 'metadata', 'resourceVersion');
  if (typeof version !== 'string' || query['resourceVersion'] !== undefined) return undefined;
  const isThere = past
    .between(key, revisionBefore, revisionAfter)
    .some((state) => state?.metadata.resourceVersion === version);
  return isThere ? undefined : `shows version ${version}, which it did not have by then`;
};

/** Versions of the API that are deprecated, as the release notes say. */
const DEPRECATED: ReadonlySet<string> = new Set([
  'flowcontrol.apiserver.k8s.io/v1beta3',
  'v1 componentstatuses',
]);

/** Whoever uses what is deprecated, is told so. */
export const deprecatedWarns: ApiRule = ({ place, status, warnings }) => {
  const version = place.group === '' ? place.version : `${place.group}/${place.version}`;
  const isDeprecated = DEPRECATED.has(version) || DEPRECATED.has(`${version} ${place.resource}`);
  if (!isDeprecated || status >= 400 || status === 0) return undefined;
  return warnings.some((warning) => warning.includes('deprecated'))
    ? undefined
    : `does not warn of ${version}`;
};
