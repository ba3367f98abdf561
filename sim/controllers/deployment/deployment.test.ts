import { describe, expect, it } from 'vitest';
import type { ReplicaSet } from '../../api/types/apps-v1.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';
import {
  active,
  createdPods,
  deployment,
  eventTexts,
  podsOf,
  ready,
  world,
} from '../workload/workload-world.fixture.ts';

const MANAGER = 'controller-manager/0';
const WITHIN = { within: minutes(3) };

const sets = (cluster: Cluster): readonly ReplicaSet[] =>
  cluster.client.replicaSets.list({ namespace: 'default' }).items;
/** The smallest first. */
const sizes = (cluster: Cluster): readonly number[] =>
  sets(cluster)
    .map(({ spec }) => spec?.replicas ?? 0)
    .toSorted((a, b) => a - b);
const statusOf = (cluster: Cluster) => cluster.client.deployments.get('web').status;
const progress = (cluster: Cluster) =>
  statusOf(cluster)?.conditions?.find(({ type }) => type === 'Progressing');
const complete = (cluster: Cluster): boolean => {
  const { metadata, spec, status } = cluster.client.deployments.get('web');
  return (
    status?.observedGeneration === metadata.generation &&
    status?.updatedReplicas === spec?.replicas &&
    status?.availableReplicas === spec?.replicas &&
    status?.replicas === spec?.replicas
  );
};
const setImage = (cluster: Cluster, image: string) =>
  cluster.client.deployments.patch('web', {
    type: 'strategic',
    body: { spec: { template: { spec: { containers: [{ name: 'main', image }] } } } },
  });

describe('a Deployment', () => {
  it('comes to its pods over a ReplicaSet named after the hash of its template', () => {
    const cluster = world();
    deployment(cluster);
    cluster.eventually(() => complete(cluster), WITHIN);
    cluster.settle();
    const [set] = sets(cluster);
    const hash = set?.metadata.labels?.['pod-template-hash'] ?? '';
    expect(set?.metadata.name).toBe(`web-${hash}`);
    expect(set?.metadata.annotations).toEqual({
      'deployment.kubernetes.io/desired-replicas': '3',
      'deployment.kubernetes.io/max-replicas': '4',
      'deployment.kubernetes.io/revision': '1',
    });
    expect(progress(cluster)).toMatchObject({
      status: 'True',
      reason: 'NewReplicaSetAvailable',
      message: `ReplicaSet "web-${hash}" has successfully progressed.`,
    });
    expect(eventTexts(cluster, 'web')).toContain(`ScalingReplicaSet: Scaled up replica set web-${hash} to 3`);
  });

  it('rolls over to a new template within its bounds, through a crash of its controller in the middle', () => {
    const cluster = world({ nodes: 2 });
    deployment(cluster, {
      replicas: 4,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
    });
    cluster.eventually(() => complete(cluster), WITHIN);
    setImage(cluster, 'app:2');
    cluster.eventually(() => sets(cluster).length === 2, WITHIN);
    cluster.faults.crash(MANAGER);
    cluster.advance(seconds(5));
    cluster.faults.restart(MANAGER);
    cluster.eventually(() => {
      expect(active(cluster).length).toBeLessThanOrEqual(5);
      expect(ready(cluster).length).toBeGreaterThanOrEqual(3);
      return complete(cluster);
    }, WITHIN);
    cluster.settle();
    expect(sizes(cluster)).toEqual([0, 4]);
    expect(podsOf(cluster).every(({ spec }) => spec?.containers[0]?.image === 'app:2')).toBe(true);
    expect(
      cluster.client.deployments.get('web').metadata.annotations?.['deployment.kubernetes.io/revision'],
    ).toBe('2');
  });

  it('goes back to a former template by its former ReplicaSet, with a new revision', () => {
    const cluster = world();
    deployment(cluster, { replicas: 1 });
    cluster.eventually(() => complete(cluster), WITHIN);
    for (const image of ['app:2', 'app:1']) {
      setImage(cluster, image);
      cluster.eventually(() => complete(cluster), WITHIN);
    }
    cluster.settle();
    expect(sets(cluster)).toHaveLength(2);
    const current = sets(cluster).find(({ spec }) => spec?.replicas === 1);
    expect(current?.metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/revision': '3',
      'deployment.kubernetes.io/revision-history': '1',
    });
  });

  const askFor = (cluster: Cluster, revision: string) =>
    cluster.client.deployments.patch('web', {
      type: 'merge',
      body: { metadata: { annotations: { 'deprecated.deployment.rollback.to': revision } } },
    });
  const askedFor = (cluster: Cluster) =>
    cluster.client.deployments.get('web').metadata.annotations?.['deprecated.deployment.rollback.to'];
  const imageOf = (cluster: Cluster) =>
    cluster.client.deployments.get('web').spec?.template.spec?.containers[0]?.image;
  const rollbacks = (cluster: Cluster): readonly string[] =>
    eventTexts(cluster, 'web').filter((text) => text.includes('DeploymentRollback'));

  it.each([
    ['0', 'two', 'DeploymentRollback: Rolled back deployment "web" to revision 2'],
    ['1', 'one', 'DeploymentRollback: Rolled back deployment "web" to revision 1'],
    [
      '3',
      'three',
      'DeploymentRollbackTemplateUnchanged: The rollback revision contains the same template as current deployment "web"',
    ],
    ['7', 'three', 'DeploymentRollbackRevisionNotFound: Unable to find the revision to rollback to.'],
  ])('that is asked for revision %s by its annotation has image %s, once', (revision, image, text) => {
    const cluster = world();
    deployment(cluster, {}, { image: 'one' });
    for (const next of ['two', 'three']) {
      cluster.eventually(() => complete(cluster), WITHIN);
      setImage(cluster, next);
    }
    cluster.eventually(() => complete(cluster), WITHIN);
    cluster.faults.failRequests({ verb: 'update', resource: 'deployments', count: 2, status: 409 });
    askFor(cluster, revision);
    cluster.eventually(() => askedFor(cluster) === undefined && complete(cluster), WITHIN);
    cluster.settle();
    expect(imageOf(cluster)).toBe(image);
    expect(rollbacks(cluster).at(-1)).toContain(text);
    expect(new Set(rollbacks(cluster)).size).toBe(1);
  });

  it('that has but one revision cannot go back, and says so; no number is no request', () => {
    const cluster = world();
    deployment(cluster);
    cluster.eventually(() => complete(cluster), WITHIN);
    askFor(cluster, 'the last one');
    cluster.settle();
    expect(askedFor(cluster)).toBe('the last one');
    askFor(cluster, '0');
    cluster.eventually(() => askedFor(cluster) === undefined, WITHIN);
    expect(rollbacks(cluster)).toEqual([expect.stringContaining('Unable to find last revision.')]);
  });

  it('that is recreated waits for the old pods to be gone', () => {
    const cluster = world();
    deployment(cluster, { replicas: 2, strategy: { type: 'Recreate' } });
    cluster.eventually(() => complete(cluster), WITHIN);
    setImage(cluster, 'app:2');
    cluster.eventually(() => {
      const images = new Set(podsOf(cluster).map(({ spec }) => spec?.containers[0]?.image));
      expect(images.size).toBeLessThanOrEqual(1);
      return complete(cluster) && images.has('app:2');
    }, WITHIN);
  });

  it('that cannot progress says so at its deadline, and that it has progressed when it could after all', () => {
    const cluster = world({ scheduler: false });
    deployment(cluster, { replicas: 1, progressDeadlineSeconds: 20 }, { node: '' });
    cluster.advance(seconds(18));
    expect(progress(cluster)?.reason).toBe('ReplicaSetUpdated');
    cluster.advance(seconds(6));
    expect(progress(cluster)).toMatchObject({ status: 'False', reason: 'ProgressDeadlineExceeded' });
    cluster.client.deployments.patch('web', {
      type: 'strategic',
      body: { spec: { template: { spec: { nodeName: 'worker-1' } } } },
    });
    cluster.eventually(() => complete(cluster), WITHIN);
    cluster.settle();
    expect(progress(cluster)).toMatchObject({ status: 'True', reason: 'NewReplicaSetAvailable' });
  });

  it('that is paused makes nothing, can be scaled, and goes on when it is resumed', () => {
    const cluster = world();
    deployment(cluster, { replicas: 1 });
    cluster.eventually(() => complete(cluster), WITHIN);
    cluster.client.deployments.patch('web', { type: 'merge', body: { spec: { paused: true } } });
    setImage(cluster, 'app:2');
    cluster.advance(seconds(10));
    expect(sets(cluster)).toHaveLength(1);
    expect(progress(cluster)).toMatchObject({ status: 'Unknown', reason: 'DeploymentPaused' });
    cluster.client.deployments.patch('web', { type: 'merge', body: { spec: { replicas: 3 } } });
    cluster.advance(seconds(10));
    expect(sizes(cluster)).toEqual([3]);
    cluster.client.deployments.patch('web', { type: 'merge', body: { spec: { paused: false } } });
    cluster.eventually(() => complete(cluster), WITHIN);
    expect(sizes(cluster)).toEqual([0, 3]);
  });

  it('keeps no more old ReplicaSets than its limit', () => {
    const cluster = world();
    deployment(cluster, { replicas: 1, revisionHistoryLimit: 2 });
    for (const number of [2, 3, 4, 5]) {
      cluster.eventually(() => complete(cluster), WITHIN);
      setImage(cluster, `app:${number}`);
    }
    cluster.eventually(() => complete(cluster), WITHIN);
    cluster.settle();
    expect(sets(cluster)).toHaveLength(3);
  });

  it('takes over the ReplicaSet that it has made in a life before, whose answer was lost', () => {
    const cluster = world();
    const created = createdPods(cluster);
    cluster.faults.setLatency(MANAGER, { min: seconds(1), typical: seconds(1), max: seconds(1) });
    deployment(cluster, { replicas: 2 });
    cluster.eventually(() => sets(cluster).length === 1, WITHIN);
    cluster.faults.crash(MANAGER);
    cluster.faults.resetLatency(MANAGER);
    cluster.faults.restart(MANAGER);
    cluster.eventually(() => complete(cluster), WITHIN);
    expect([sets(cluster).length, created()]).toEqual([1, 2]);
    expect(statusOf(cluster)?.collisionCount).toBeUndefined();
  });

  it('whose pods nobody may make says so in its own conditions', () => {
    const cluster = world();
    cluster.faults.failWrites({ resource: 'pods', namespace: 'default' });
    deployment(cluster);
    cluster.advance(seconds(10));
    expect(statusOf(cluster)?.conditions).toContainEqual(
      expect.objectContaining({ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate' }),
    );
  });

  it('whose ReplicaSet nobody may make says so, and makes it when it may', () => {
    const cluster = world();
    cluster.faults.failWrites({ resource: 'replicasets', namespace: 'default' });
    deployment(cluster);
    cluster.advance(seconds(10));
    expect(progress(cluster)).toMatchObject({ status: 'False', reason: 'ReplicaSetCreateError' });
    cluster.faults.allowWrites({ resource: 'replicasets', namespace: 'default' });
    cluster.eventually(() => complete(cluster), WITHIN);
  });
});
