/** The annotations by which a Deployment and its ReplicaSets remember revisions and sizes. Pure. */
import { ROLLBACK_TO } from '../../api/former-members.ts';
import type { Deployment, ReplicaSet } from '../../api/types/apps-v1.ts';
import { replicasOf, slackOf } from './rollout-size.ts';

type Annotations = Readonly<Record<string, string>>;

export const REVISION = 'deployment.kubernetes.io/revision';
const HISTORY = 'deployment.kubernetes.io/revision-history';
const DESIRED = 'deployment.kubernetes.io/desired-replicas';
const MAX = 'deployment.kubernetes.io/max-replicas';
/** Not copied from a Deployment to its ReplicaSets. */
const OWN: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  HISTORY,
  DESIRED,
  MAX,
  ROLLBACK_TO,
]);
/** Characters of former revisions that are kept. */
const HISTORY_LIMIT = 2_000;

export const annotationsOf = ({ metadata }: Deployment | ReplicaSet): Annotations =>
  metadata.annotations ?? {};

/** 0: none, or no number. */
export function revisionOf(set: ReplicaSet | undefined): bigint {
  const text = (set && annotationsOf(set)[REVISION]) ?? '';
  return /^\d+$/.test(text) ? BigInt(text) : 0n;
}

export const desiredOf = (set: ReplicaSet): number | undefined => numberIn(set, DESIRED);
export const maxReplicasOf = (set: ReplicaSet): number | undefined => numberIn(set, MAX);

function numberIn(set: ReplicaSet, name: string): number | undefined {
  const text = annotationsOf(set)[name];
  return text !== undefined && /^-?\d+$/.test(text) ? Number(text) : undefined;
}

/** What the sizes of a ReplicaSet's Deployment are noted as. */
export const sizeNotes = (deployment: Deployment): Annotations => ({
  [DESIRED]: String(replicasOf(deployment)),
  [MAX]: String(replicasOf(deployment) + slackOf(deployment).surge),
});

export const hasNotes = (annotations: Annotations, notes: Annotations): boolean =>
  Object.entries(notes).every(([name, value]) => annotations[name] === value);

/** Those of the new ReplicaSet as they should be; the same object if they are. Sizes are noted when it is made. */
export function newSetAnnotations(deployment: Deployment, set: ReplicaSet, newRevision: bigint): Annotations {
  const present = annotationsOf(set);
  const copied = Object.entries(annotationsOf(deployment)).filter(([name]) => !OWN.has(name));
  const revised = revisedAnnotations(present, newRevision);
  const wanted = { ...present, ...Object.fromEntries(copied), ...revised };
  return hasNotes(present, wanted) ? present : wanted;
}

/** The Deployment with the annotations that its ReplicaSet was given by it. */
export function withAnnotationsOf(deployment: Deployment, set: ReplicaSet): Deployment {
  const kept = Object.entries(annotationsOf(deployment)).filter(([name]) => OWN.has(name));
  const former = Object.entries(annotationsOf(set)).filter(([name]) => !OWN.has(name));
  const annotations = Object.fromEntries([...kept, ...former]);
  return { ...deployment, metadata: { ...deployment.metadata, annotations } };
}

function revisedAnnotations(present: Annotations, newRevision: bigint): Annotations {
  const oldText = present[REVISION];
  if (oldText !== undefined && oldText !== '' && !/^-?\d+$/.test(oldText)) return {};
  if (BigInt(oldText || '0') >= newRevision) return {};
  const revision = { [REVISION]: String(newRevision) };
  if (oldText === undefined) return revision;
  const history = historyWith(present[HISTORY] ?? '', oldText);
  return history === undefined ? revision : { ...revision, [HISTORY]: history };
}

/** The oldest are left out where it would be too long. */
function historyWith(history: string, revision: string): string | undefined {
  if (history === '') return revision;
  const former = history.split(',');
  let length = history.length + revision.length + 1;
  let start = 0;
  while (length > HISTORY_LIMIT && start < former.length) length -= (former[start++] ?? '').length + 1;
  return length <= HISTORY_LIMIT ? [...former.slice(start), revision].join(',') : undefined;
}
