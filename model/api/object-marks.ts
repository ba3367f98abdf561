/**
 * What no write may do to an object, whoever writes: rules over single changes, from the documentation of object metadata.
 * Each says what is wrong, or nothing.
 */
import type { ApiObject } from '../../sim/api/object.ts';
import { at, isAlike, isEqual, isMapping } from './json.ts';

export interface StoredChange {
  readonly revision: number;
  readonly before: ApiObject | undefined;
  readonly after: ApiObject | undefined;
  /** It changes what was stored by its creation. */
  readonly isFirst?: boolean;
  /** Whoever asked for it has asked again since, and was heard: it brings back what he had said before. */
  readonly isOvertaken?: boolean;
}

export type MarkRule = (change: StoredChange) => string | undefined;

/** What tells an object from all others never changes while it lives. */
export const identityStays: MarkRule = ({ before, after }) => {
  if (!before || !after) return undefined;
  const changed = ['uid', 'name', 'namespace', 'creationTimestamp'].find(
    (name) => at(before, 'metadata', name) !== at(after, 'metadata', name),
  );
  return changed && `its ${changed} became ${String(at(after, 'metadata', changed))}`;
};

/** The version of an object is that of its last change. */
export const versionsAreOfTheirChange: MarkRule = ({ revision, after }) => {
  const version = after?.metadata.resourceVersion;
  return version === undefined || version === String(revision)
    ? undefined
    : `it was written at ${revision} and says ${version}`;
};

/** What goes, goes on going: its time is not put off, and nothing new holds it. */
export const goingGoesOn: MarkRule = ({ before, after }) => {
  const since = before?.metadata.deletionTimestamp;
  if (since === undefined || !after) return undefined;
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers = [] } = after.metadata;
  if (deletionTimestamp === undefined) return 'it does not go any more';
  if (Date.parse(deletionTimestamp) > Date.parse(since))
    return `its end was put off from ${since} to ${deletionTimestamp}`;
  const grace = before?.metadata.deletionGracePeriodSeconds;
  if (grace !== undefined && (deletionGracePeriodSeconds ?? 0) > grace)
    return `its grace has grown from ${grace} to ${deletionGracePeriodSeconds ?? 0} s`;
  const held = before?.metadata.finalizers ?? [];
  const added = finalizers.find((name) => !held.includes(name) && !OF_COLLECTION.has(name));
  return added && `the finalizer ${added} was added to what is going`;
};

/** Whoever deletes a second time may ask for another order. */
const OF_COLLECTION: ReadonlySet<string> = new Set(['foregroundDeletion', 'orphan']);

const OTHER_PARTS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/** Is marked by a way of deletion of its own, which leaves the generation as it is. */
const DEFINITION = 'CustomResourceDefinition';

/** The generation moves by one when what is wanted changes, or when the object begins to go, and never else. */
export const generationMovesWithSpec: MarkRule = ({ before, after }) => {
  if (!before || !after || !isBuiltIn(after)) return undefined;
  const [was, is] = [before.metadata.generation, after.metadata.generation];
  if ((was === undefined && is === undefined) || !('spec' in after)) return undefined;
  const moved = (is ?? 0) - (was ?? 0);
  if (moved < 0) return `its generation went back from ${was ?? 0} to ${is ?? 0}`;
  if (before.apiVersion !== after.apiVersion) return undefined;
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].find(
    (name) => !OTHER_PARTS.has(name) && !isAlike(before[name], after[name]),
  );
  const goes =
    before.metadata.deletionTimestamp === undefined && after.metadata.deletionTimestamp !== undefined;
  if (changed !== undefined && moved === 0) return `its ${changed} changed, and its generation did not`;
  if (moved > 0 && changed === undefined && !goes)
    return 'its generation moved, and what is wanted did not change';
  if (goes && moved === 0 && (was ?? 0) > 0 && after.kind !== DEFINITION)
    return 'it began to go, and its generation did not move';
  return moved > 1 && !goes ? `its generation moved by ${moved}` : undefined;
};

/** Custom kinds have rules of their own. */
const isBuiltIn = ({ apiVersion = '' }: ApiObject): boolean =>
  !apiVersion.includes('/') || !apiVersion.includes('.') || /\.k8s\.io\//.test(apiVersion);

/** A pod is bound once and ends once. */
export const podsGoForward: MarkRule = ({ before, after }) => {
  if (!before || !after || after.kind !== 'Pod') return undefined;
  const [node, later] = [at(before, 'spec', 'nodeName'), at(after, 'spec', 'nodeName')];
  if (typeof node === 'string' && node !== '' && node !== later)
    return `it went from ${node} to ${String(later)}`;
  const [phase, next] = [at(before, 'status', 'phase'), at(after, 'status', 'phase')].map(String);
  if (ENDED.has(phase ?? '') && next !== phase) return `it was ${phase ?? ''} and became ${next ?? ''}`;
  return undefined;
};

const ENDED: ReadonlySet<string> = new Set(['Succeeded', 'Failed']);

/** A condition says when it last turned: that moves when it turns, and never else, unless an old word comes late. */
export const conditionsTurnHonestly: MarkRule = ({ before, after, isOvertaken }) => {
  if (!before || !after || !WITH_TURNS.has(after.kind) || isOvertaken) return undefined;
  const [old, now] = [conditionsOf(before), conditionsOf(after)];
  for (const [type, { status, lastTransitionTime: turned }] of now) {
    const was = old.get(type);
    if (typeof was?.lastTransitionTime !== 'string' || turned === undefined) continue;
    if (isSaidTwice(after.kind, type, was.lastTransitionTime, turned)) continue;
    if (after.kind === 'Pod' && isOfOthers(before, after, type)) continue;
    if (status === was.status && turned !== was.lastTransitionTime)
      return `its condition ${type} stayed ${status ?? ''} and says that it turned at ${turned}, no longer at ${was.lastTransitionTime}`;
  }
  return undefined;
};

/** So late may a write come that was given up, after a look at the pod. */
const RACE_MS = 60_000;

/**
 * Agents and controllers both say that a pod is not ready, each when it has found so: an agent that stood still finds it
 * long after a controller did. So does an agent that has not heard yet what somebody else has made of its word.
 */
function isOfOthers(before: ApiObject, after: ApiObject, type: string): boolean {
  const writer = writerOf(after, type, 'lastTransitionTime');
  const sayer = writerOf(before, type, 'status') ?? writer;
  return sayer !== writer || writerOf(before, type, 'lastTransitionTime') !== writer;
}

function writerOf(
  { metadata }: ApiObject,
  type: string,
  part: 'status' | 'lastTransitionTime',
): string | undefined {
  const place = ['f:status', 'f:conditions', `k:{"type":"${type}"}`, `f:${part}`];
  return metadata.managedFields?.find(({ fieldsV1 }) => at(fieldsV1, ...place) !== undefined)?.manager;
}

/**
 * What a scheduler has not heard of yet it may say again. So does a manager of replicas: after a conflict it puts the status that it had made over what it finds, and a server that
 * stood still takes at once what it was told minutes apart.
 */
function isSaidTwice(kind: string, type: string, before: unknown, now: unknown): boolean {
  if (kind !== 'Pod') return type === 'ReplicaFailure';
  if (type === 'PodScheduled') return true;
  return type.endsWith('Ready') && Math.abs(millisOf(now) - millisOf(before)) <= RACE_MS;
}

/** Whoever writes what is no time, writes another one. */
const millisOf = (time: unknown): number =>
  typeof time === 'string' && time.endsWith('Z') ? Date.parse(time) : Number.NaN;

const WITH_TURNS: ReadonlySet<string> = new Set([
  'Pod',
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'PodDisruptionBudget',
  'CustomResourceDefinition',
  'Namespace',
]);

interface Condition {
  readonly status?: string;
  readonly lastTransitionTime?: string;
}

function conditionsOf(object: ApiObject): ReadonlyMap<string, Condition> {
  const conditions = at(object, 'status', 'conditions');
  if (!Array.isArray(conditions)) return new Map();
  return new Map(
    conditions.flatMap((one: unknown) =>
      isMapping(one) ? [[String(one['type']), one as Condition] as const] : [],
    ),
  );
}

/** What others have put on a node or a pod stays there when its agent or a controller writes. */
export const foreignMarksStay: MarkRule = ({ before, after }) => {
  if (!before || !after || (after.kind !== 'Node' && after.kind !== 'Pod')) return undefined;
  const [old, now] = [conditionsOf(before), conditionsOf(after)];
  const lost = [...old.keys()].find(
    (type) => !now.has(type) && type !== 'DisruptionTarget' && type !== 'ContainersReady',
  );
  return lost !== undefined &&
    after.metadata.deletionTimestamp === undefined &&
    at(after, 'status', 'phase') !== 'Failed'
    ? `its condition ${lost} is gone`
    : undefined;
};

/**
 * The parts of a Node that its agent reports do not change back and forth without need: nothing is written that is not new.
 * Some kinds are stored by their creation in another form than by a change, and the first change, whatever it says, writes that.
 */
export const writesSaySomething: MarkRule = ({ before, after, isFirst }) =>
  before &&
  after &&
  !isFirst &&
  before.kind !== 'Lease' &&
  isEqual(
    { ...before, metadata: { ...before.metadata, resourceVersion: '' } },
    { ...after, metadata: { ...after.metadata, resourceVersion: '' } },
  )
    ? 'it was written again just as it was'
    : undefined;
