/**
 * What comes of writes, by their documentation: creations, replacements, patches, deletions. Each rule looks at one request
 * with its answer and at what was stored, and says what is wrong, or nothing. Parts of objects that defaults, quantities
 * or other versions may change are left alone: what is compared is what nobody may touch.
 */
import type { ApiObject } from '../../sim/api/object.ts';
import { type Exchange, isDryRun, isSuccess, isWrite, objectIn } from './exchange.ts';
import { at, textAt, isAlike, isEqual, isMapping, merged, patched, type PatchOperation } from './json.ts';
import type { Past, Version } from './past.ts';

export type ApiRule = (exchange: Exchange, past: Past) => string | undefined;

/** Parts that a request says as a whole, and that nothing defaults. */
const VERBATIM: readonly (readonly string[])[] = [
  ['metadata', 'labels'],
  ['metadata', 'annotations'],
  ['data'],
  ['binaryData'],
];
/** Answers of these are not the object. */
const OTHER_ANSWERS: ReadonlySet<string> = new Set(['scale', 'eviction', 'binding', 'token', 'approval']);

export const versionIn = (object: ApiObject): number => Number(object.metadata.resourceVersion);
const versionOf = (value: unknown): string => {
  const version = at(value, 'metadata', 'resourceVersion');
  return typeof version === 'string' ? version : '';
};

/** The change that a request has made, by its answer; undefined: none, or it does not say. */
export function changeBy(exchange: Exchange, past: Past): Version | undefined {
  const object = objectIn(exchange);
  if (!object || exchange.key === undefined || !isSuccess(exchange) || isDryRun(exchange)) return undefined;
  // What somebody else wrote meanwhile may be what this one has found and left as it was.
  if (!isWrite(exchange) || !exchange.isAlone) return undefined;
  const revision = versionIn(object);
  return revision > exchange.revisionBefore ? past.changeAt(exchange.key, revision) : undefined;
}

/** Whatever a write answers, was stored just so, or is what there was when it changed nothing. */
export const answersAreTrue: ApiRule = (exchange, past) => {
  const object = objectIn(exchange);
  const { key, method, place, revisionBefore, revisionAfter } = exchange;
  if (!object || key === undefined || !isSuccess(exchange) || isDryRun(exchange)) return undefined;
  if (OTHER_ANSWERS.has(place.subresource) || method === 'DELETE' || method === 'GET') return undefined;
  const revision = versionIn(object);
  if (revision > revisionAfter) return `answered version ${revision}, and the newest is ${revisionAfter}`;
  const stored =
    revision > revisionBefore
      ? past.changeAt(key, revision)?.after
      : past
          .between(key, revisionBefore, revisionAfter)
          .find((each) => each?.metadata.resourceVersion === object.metadata.resourceVersion);
  if (isLast(exchange, past, object)) return undefined;
  if (!stored) return `answered version ${revision}, which it never had`;
  return isSame(stored, object) ? undefined : `answered something else than was stored at ${revision}`;
};

/** A write that takes the last finalizer ends the object. */
const isLast = (
  { key = '', revisionBefore, revisionAfter }: Exchange,
  past: Past,
  { metadata }: ApiObject,
): boolean =>
  metadata.deletionTimestamp !== undefined &&
  past.between(key, revisionBefore, revisionAfter).includes(undefined);

const isSame = (stored: ApiObject, answered: ApiObject): boolean =>
  stored.apiVersion !== answered.apiVersion
    ? stored.metadata.uid === answered.metadata.uid
    : isEqual({ ...stored, kind: '' }, { ...answered, kind: '' });

/** What is created was not there, is new in every respect, and is as it was asked for. */
export const createsWhatIsNew: ApiRule = (exchange, past) => {
  const { method, place, sent, status } = exchange;
  if (method !== 'POST' || place.subresource !== '' || status !== 201) return undefined;
  const object = objectIn(exchange);
  const change = changeBy(exchange, past);
  if (!object || isDryRun(exchange)) return undefined;
  if (!change) return undefined;
  if (change.before) return `created what was there at ${change.revision}`;
  const [present] = past.between(exchange.key ?? '', exchange.revisionBefore, exchange.revisionAfter);
  if (present) return `created it in the place of ${present.metadata.uid ?? ''}, which was there`;
  const { uid = '', deletionTimestamp, generation = 1 } = object.metadata;
  if (past.hasTwice(uid) || uid === at(sent, 'metadata', 'uid'))
    return `gave the uid ${uid}, which is not new`;
  if (deletionTimestamp !== undefined) return 'created something that is already going';
  // Kinds without a spec have no use for it, and keep what they are sent.
  if (generation !== 1 && 'spec' in object) return `created something with generation ${generation}`;
  return missingFrom(change.after, sent);
};

/** What a finalizer holds, stays: only the write that takes the last one ends the object. */
export const finalizersHold: ApiRule = (exchange, past) => {
  const { key, method, revisionBefore, revisionAfter, isAlone } = exchange;
  if (key === undefined || !isAlone || !isSuccess(exchange) || !isWrite(exchange) || isDryRun(exchange))
    return undefined;
  const states = past.between(key, revisionBefore, revisionAfter);
  if (method === 'DELETE' || method === 'POST' || !states[0] || states.at(-1)) return undefined;
  const { finalizers = [] } = objectIn(exchange)?.metadata ?? {};
  return finalizers.length > 0 ? `ended it although ${finalizers.join(', ')} holds it` : undefined;
};

/** Members of what was sent that are not there as they were sent. */
function missingFrom(stored: unknown, sent: unknown): string | undefined {
  for (const path of VERBATIM) {
    const wanted = at(sent, ...path);
    if (!isMapping(wanted)) continue;
    const found = at(stored, ...path);
    const lost = Object.keys(wanted).find(
      (name) => wanted[name] !== null && !isEqual(at(found, name), wanted[name]),
    );
    if (lost !== undefined) return `has lost ${path.join('.')}.${lost}`;
  }
  return undefined;
}

/** A replacement is of the version that it names, and leaves nothing else behind. */
export const updatesReplace: ApiRule = (exchange, past) => {
  const { method, place, sent } = exchange;
  if (method !== 'PUT' || OTHER_ANSWERS.has(place.subresource)) return undefined;
  const change = changeBy(exchange, past);
  if (!change?.before) return undefined;
  const wanted = versionOf(sent);
  if (wanted !== '' && wanted !== '0' && wanted !== change.before.metadata.resourceVersion)
    return `replaced version ${change.before.metadata.resourceVersion ?? ''} in the belief that it was ${wanted}`;
  const uid = at(sent, 'metadata', 'uid');
  if (typeof uid === 'string' && uid !== '' && uid !== change.before.metadata.uid)
    return `replaced ${change.before.metadata.uid ?? ''} in the belief that it was ${uid}`;
  // Servers themselves note the generation of a DaemonSet's template in an annotation.
  if (place.subresource !== '' || place.resource === 'daemonsets' || !isSameVersion(sent, change.after))
    return undefined;
  const differing = VERBATIM.find((path) => !isAlike(at(change.after, ...path), at(sent, ...path)));
  return differing && `has stored another ${differing.join('.')} than it was sent`;
};

const isSameVersion = (sent: unknown, stored: ApiObject | undefined): boolean =>
  at(sent, 'apiVersion') === stored?.apiVersion;

/** A patch changes what it names and nothing else. */
export const patchesChangeWhatTheyName: ApiRule = (exchange, past) => {
  const { method, contentType, sent, place } = exchange;
  if (method !== 'PATCH' || OTHER_ANSWERS.has(place.subresource) || place.resource === 'daemonsets')
    return undefined;
  const change = changeBy(exchange, past);
  if (!change?.before || !change.after) return undefined;
  const expected = expectedOf(change.before, contentType, sent);
  if (expected === undefined) return undefined;
  const wanted = versionOf(sent);
  if (wanted !== '' && wanted !== change.before.metadata.resourceVersion)
    return `patched version ${change.before.metadata.resourceVersion ?? ''} in the belief that it was ${wanted}`;
  const differing = VERBATIM.find(
    (path) =>
      !isAlike(at(change.after, ...path), at(expected, ...path)) && !isOfStatus(place.subresource, path),
  );
  if (differing) return `made ${differing.join('.')} something else than the patch says`;
  const spec = unpatched(change, sent, contentType);
  return spec && `changed ${spec}, which the patch does not name`;
};

/** Not every kind lets metadata change with the status. */
const isOfStatus = (subresource: string, [first]: readonly string[]): boolean =>
  subresource !== '' && (first === 'metadata' || first === 'data' || first === 'binaryData');

function expectedOf(before: ApiObject, contentType: string, sent: unknown): unknown {
  if (contentType.startsWith('application/json-patch+json'))
    return Array.isArray(sent) ? patched(before, sent as readonly PatchOperation[]) : undefined;
  const isMerge = contentType.startsWith('application/merge-patch+json');
  const isStrategic = contentType.startsWith('application/strategic-merge-patch+json');
  if (!isMerge && (!isStrategic || JSON.stringify(sent).includes('"$'))) return undefined;
  return merged(before, sent);
}

/** A member of the spec that has changed although the patch says nothing of any spec. */
function unpatched({ before, after }: Version, sent: unknown, contentType: string): string | undefined {
  if (contentType.startsWith('application/json-patch') || !isMapping(sent) || sent['spec'] !== undefined)
    return undefined;
  return isAlike(at(before, 'spec'), at(after, 'spec')) ? undefined : 'spec';
}

/** The status is changed by its own subresource alone, and that changes nothing else. */
export const statusStaysApart: ApiRule = (exchange, past) => {
  const { place } = exchange;
  if (!WITH_STATUS.has(place.resource) || (place.subresource !== '' && place.subresource !== 'status'))
    return undefined;
  const change = changeBy(exchange, past);
  if (!change?.before || !change.after) return undefined;
  const other = place.subresource === 'status' ? 'spec' : 'status';
  const isTouched = !isAlike(at(change.before, other), at(change.after, other));
  // Whoever changes the spec of a service or a node group, changes what the server itself notes in the status.
  return isTouched && !isNotedByServer(place.resource, other)
    ? `${place.subresource === '' ? 'without' : 'with'} the subresource status it changed the ${other}`
    : undefined;
};

const isNotedByServer = (resource: string, part: string): boolean =>
  part === 'status' && (resource === 'services' || resource === 'pods');

const WITH_STATUS: ReadonlySet<string> = new Set([
  'deployments',
  'replicasets',
  'statefulsets',
  'daemonsets',
  'replicationcontrollers',
  'jobs',
  'cronjobs',
  'pods',
  'nodes',
  'services',
  'persistentvolumeclaims',
  'persistentvolumes',
  'poddisruptionbudgets',
  'horizontalpodautoscalers',
]);

/** A deletion meets what was meant, and leaves it in the state that it must. */
export const deletesWhatWasMeant: ApiRule = (exchange, past) => {
  const { method, key, sent, revisionBefore, revisionAfter, place, answer } = exchange;
  if (
    method !== 'DELETE' ||
    key === undefined ||
    place.name === '' ||
    !isSuccess(exchange) ||
    isDryRun(exchange)
  )
    return undefined;
  const states = past.between(key, revisionBefore, revisionAfter);
  const uid = at(sent, 'preconditions', 'uid') as string | undefined;
  const version = at(sent, 'preconditions', 'resourceVersion') as string | undefined;
  const isMeant = (object: ApiObject | undefined): boolean =>
    object !== undefined &&
    (uid === undefined || object.metadata.uid === uid) &&
    (version === undefined || object.metadata.resourceVersion === version);
  const before = states.find(isMeant);
  if (!before)
    return (uid ?? version)
      ? 'deleted something else than its preconditions name'
      : 'deleted what was not there';
  if (!exchange.isAlone) return undefined;
  const after = states.at(-1);
  // Another deletion may ask for another order, and takes these two away.
  const finalizers = (before.metadata.finalizers ?? []).filter(
    (name) => name !== 'orphan' && name !== 'foregroundDeletion',
  );
  if (finalizers.length > 0 && !after) return `ended it although ${finalizers.join(', ')} holds it`;
  if (after && after.metadata.deletionTimestamp === undefined) return 'did nothing to it';
  const named = textAt(answer, 'details', 'uid') || textAt(answer, 'metadata', 'uid');
  return named === '' || named === before.metadata.uid ? undefined : `answered for ${named}`;
};
