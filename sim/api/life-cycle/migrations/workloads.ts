/**
 * Workloads from `extensions/v1beta1`, `apps/v1beta1` and `apps/v1beta2` to `apps/v1`. What the old version meant where
 * nothing was said is written down where the new one means something else.
 */
import { childOf, type Migration, missing, type Parts } from './migration.ts';

/** Replicas, revisions and deadlines that nothing bounds. */
const ALL = 2_147_483_647;

/** A selector was that of the template's labels, unless it said something else. */
function keepSelector(spec: Parts): void {
  const labels = childOf(childOf(spec['template'])['metadata'])['labels'];
  if (missing(spec, 'selector') && labels !== undefined) spec['selector'] = { matchLabels: labels };
}

function drop(spec: Parts, name: string, why: string): readonly string[] {
  if (missing(spec, name)) return [];
  delete spec[name];
  return [`spec.${name} is gone: ${why}`];
}

const deployment =
  ({ history, deadline, batch }: { history?: number; deadline?: number; batch?: number }): Migration =>
  (object) => {
    const spec = childOf(object['spec']);
    keepSelector(spec);
    const notes = drop(spec, 'rollbackTo', 'roll back by writing the template of the older ReplicaSet');
    if (history !== undefined) spec['revisionHistoryLimit'] ??= history;
    if (deadline !== undefined) spec['progressDeadlineSeconds'] ??= deadline;
    const strategy = childOf(spec['strategy']);
    if (batch !== undefined && strategy['type'] !== 'Recreate') {
      const rolling = childOf(strategy['rollingUpdate']);
      rolling['maxSurge'] ??= batch;
      rolling['maxUnavailable'] ??= batch;
      spec['strategy'] = { ...strategy, type: 'RollingUpdate', rollingUpdate: rolling };
    }
    return notes;
  };

const daemonSet =
  (updatesOnDelete: boolean): Migration =>
  (object) => {
    const spec = childOf(object['spec']);
    keepSelector(spec);
    if (updatesOnDelete) spec['updateStrategy'] ??= { type: 'OnDelete' };
    return drop(
      spec,
      'templateGeneration',
      'it is kept in the annotation deprecated.daemonset.template.generation',
    );
  };

const statefulSet =
  (updatesOnDelete: boolean): Migration =>
  (object) => {
    const spec = childOf(object['spec']);
    keepSelector(spec);
    if (updatesOnDelete) spec['updateStrategy'] ??= { type: 'OnDelete' };
    return [];
  };

const replicaSet: Migration = (object) => {
  keepSelector(childOf(object['spec']));
  return [];
};

export const WORKLOADS: Readonly<Record<string, Migration>> = {
  'extensions/v1beta1.Deployment': deployment({ history: ALL, deadline: ALL, batch: 1 }),
  'apps/v1beta1.Deployment': deployment({ history: 2 }),
  'apps/v1beta2.Deployment': deployment({}),
  'extensions/v1beta1.DaemonSet': daemonSet(true),
  'apps/v1beta2.DaemonSet': daemonSet(false),
  'apps/v1beta1.StatefulSet': statefulSet(true),
  'apps/v1beta2.StatefulSet': statefulSet(false),
  'extensions/v1beta1.ReplicaSet': replicaSet,
  'apps/v1beta2.ReplicaSet': replicaSet,
};
