/**
 * Who acts on what he has seen may be late: another may have the name by then. Whoever names the uid that he means is
 * heeded, and those of the cluster's own who act on old views name it.
 */
import { type Exchange, isDryRun, isSuccess } from './exchange.ts';
import { at } from './json.ts';
import type { ApiRule } from './writes.ts';

/** Where a request may name a uid. */
function uidMeantBy({ method, place, sent }: Exchange): string | undefined {
  const path =
    place.subresource === 'eviction'
      ? ['deleteOptions', 'preconditions', 'uid']
      : method === 'DELETE'
        ? ['preconditions', 'uid']
        : ['metadata', 'uid'];
  const uid = at(sent, ...path);
  return typeof uid === 'string' && uid !== '' ? uid : undefined;
}

/** What succeeds has met the object that was meant. */
export const uidsAreHeeded: ApiRule = (exchange, past) => {
  const { key, method, place, revisionBefore, revisionAfter } = exchange;
  const isCreation = method === 'POST' && place.subresource === '';
  if (key === undefined || isCreation || method === 'GET' || !isSuccess(exchange)) return undefined;
  const meant = uidMeantBy(exchange);
  if (meant === undefined || isDryRun(exchange)) return undefined;
  const states = past.between(key, revisionBefore, revisionAfter);
  return states.some((state) => state?.metadata.uid === meant)
    ? undefined
    : `was done to ${states[0]?.metadata.uid ?? 'nobody'}, and meant ${meant}`;
};

/** They delete by what an informer told them a while ago. */
const LATE_DELETERS: ReadonlySet<string> = new Set([
  'system:serviceaccount:kube-system:generic-garbage-collector',
  'system:serviceaccount:kube-system:node-controller',
  'system:serviceaccount:kube-system:pod-garbage-collector',
  'system:serviceaccount:kube-system:ttl-after-finished-controller',
]);
const OF_NODE = 'system:node:';
const OF_CONTROLLERS = 'system:serviceaccount:kube-system:';

export const lateWritersSayWhomTheyMean: ApiRule = (exchange) => {
  const { method, place, sent, user = '' } = exchange;
  if (place.name === '' || uidMeantBy(exchange) !== undefined) return undefined;
  if (method === 'DELETE' && (LATE_DELETERS.has(user) || user.startsWith(OF_NODE)))
    return 'names no uid: another may have the name by then';
  const isAdoption =
    method === 'PATCH' &&
    user.startsWith(OF_CONTROLLERS) &&
    Array.isArray(at(sent, 'metadata', 'ownerReferences'));
  return isAdoption ? 'changes owners and names no uid: another may have the name by then' : undefined;
};
