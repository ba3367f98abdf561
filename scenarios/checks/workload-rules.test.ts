/** Each rule about workloads, in whole runs: of a cluster that keeps it, and of one that breaks it on purpose. */
import { describe, expect, it } from 'vitest';
import { WORKLOAD_RULES } from '../../model/workloads/workload-rules.ts';
import { NodeRules } from '../../model/nodes/node-rules.ts';
import type { Pod } from '../../sim/api/types/core-v1.ts';
import type { ApiClient } from '../../sim/client/api-client.ts';
import { BUILTIN_HANDLES } from '../../sim/client/builtin-handles.ts';
import { EVERY_CONTROLLER } from '../../sim/cluster/create-cluster.ts';
import { TRACKING_FINALIZER } from '../../sim/controllers/job/job-pods.ts';
import type { Process } from '../../sim/engine/process.ts';
import { createCluster, milliseconds, minutes, seconds, type Cluster } from '../../sim/index.ts';
import { observeNodes } from './observe-nodes.ts';

const { cronJobs, jobs, pods, replicaSets, statefulSets, deployments } = BUILTIN_HANDLES;

type Mutation = (client: ApiClient) => Process<void>;

interface Watched {
  readonly cluster: Cluster;
  readonly broken: () => readonly string[];
}

/** Without a controller, and with something else that writes in its place. */
function watched(lacks?: string, mutation?: Mutation): Watched {
  const rules = new NodeRules(WORKLOAD_RULES);
  const cluster = createCluster({
    nodes: 2,
    controllers: EVERY_CONTROLLER.filter((name) => name !== lacks),
    onAssembled: (made) => observeNodes(made, (observation) => rules.observe(observation)),
  });
  cluster.advance(seconds(20));
  if (mutation) cluster.finish(mutation(cluster.userClient));
  const broken = (): readonly string[] => {
    rules.look(cluster.now);
    return [...new Set(rules.violations.map(({ rule }) => rule))];
  };
  return { cluster, broken };
}

const containers = [{ name: 'main', image: 'app:1' }];
const labels = { app: 'web' };
const selector = { matchLabels: labels };
const template = (more: object = {}) => ({
  metadata: { labels },
  spec: { nodeName: 'worker-1', containers, ...more },
});
const metadata = { name: 'web', namespace: 'default' };

function ownedPod(
  owner: { readonly kind: string; readonly apiVersion: string; readonly uid: string },
  more: object = {},
) {
  const reference = { ...owner, name: 'web', controller: true };
  const made = { namespace: 'default', generateName: 'web-', labels, ownerReferences: [reference], ...more };
  return { metadata: made, spec: { containers } };
}

describe('the controllers keep every rule', () => {
  const twoManagers = () => {
    const rules = new NodeRules(WORKLOAD_RULES);
    const cluster = createCluster({
      controllerManagers: 2,
      onAssembled: (made) => observeNodes(made, (observation) => rules.observe(observation)),
    });
    return { rules, cluster };
  };

  it('though a former leader, who was stopped, rolls out what it knew', () => {
    const { rules, cluster } = twoManagers();
    const { client, faults } = cluster;
    const image = (to: string) =>
      client.deployments.patch('web', {
        type: 'strategic',
        body: { spec: { template: { spec: { containers: [{ name: 'main', image: to }] } } } },
      });
    cluster.advance(seconds(20));
    const deployment = { metadata, spec: { replicas: 1, selector, template: template() } };
    const told = client.replicaSets.watch();
    client.deployments.create(deployment);
    cluster.advance(seconds(2));
    faults.pause('controller-manager/leader');
    image('app:2');
    cluster.advance(seconds(1));
    image('app:3');
    cluster.advance(minutes(1));
    faults.resume('controller-manager/*');
    cluster.advance(minutes(1));
    const images = told.events.flatMap(({ type, object }) =>
      type === 'ADDED' ? [object.spec?.template?.spec?.containers[0]?.image] : [],
    );
    expect(images).toEqual(['app:1', 'app:3', 'app:2']);
    rules.look(cluster.now);
    expect(rules.violations).toEqual([]);
  });

  it('though a former leader, who was stopped, starts what has started and is gone again', () => {
    const { rules, cluster } = twoManagers();
    const { client, faults } = cluster;
    cluster.advance(seconds(59));
    const jobTemplate = { spec: { template: template({ restartPolicy: 'Never' }) } };
    client.cronJobs.create({ metadata, spec: { schedule: '* * * * *', jobTemplate } });
    cluster.advance(milliseconds(980));
    faults.pause('controller-manager/leader');
    const told = client.jobs.watch();
    cluster.advance(seconds(40));
    for (const { metadata: job } of client.jobs.list().items)
      client.jobs.delete(job.name ?? '', { propagationPolicy: 'Background' });
    cluster.advance(seconds(2));
    faults.resume('controller-manager/*');
    cluster.advance(seconds(10));
    const starts = told.events.flatMap(({ type, object }) =>
      type === 'ADDED' ? [object.metadata.name] : [],
    );
    expect(starts).toHaveLength(2);
    expect(new Set(starts).size).toBe(1);
    rules.look(cluster.now);
    expect(rules.violations).toEqual([]);
  });

  it.each([1, 2, 3])('through rollouts, scaling and a crash (seed %i)', (seed) => {
    const rules = new NodeRules(WORKLOAD_RULES);
    const cluster = createCluster({
      seed,
      nodes: 2,
      onAssembled: (made) => observeNodes(made, (observation) => rules.observe(observation)),
    });
    cluster.advance(seconds(20));
    const { client } = cluster;
    client.deployments.create({ metadata, spec: { replicas: 4, selector, template: template() } });
    const stateful = { matchLabels: { app: 'db' } };
    client.statefulSets.create({
      metadata: { name: 'db' },
      spec: {
        replicas: 3,
        serviceName: 'db',
        selector: stateful,
        template: { ...template(), metadata: { labels: stateful.matchLabels } },
      },
    });
    const work = { runsForSeconds: 3 };
    const annotations = { 'behaviour.kubesim.dev/main': JSON.stringify(work) };
    const pod = {
      metadata: { annotations },
      spec: { nodeName: 'worker-2', restartPolicy: 'Never', containers },
    } as const;
    client.jobs.create({
      metadata: { name: 'work' },
      spec: { completions: 4, parallelism: 2, completionMode: 'Indexed', template: pod },
    });
    client.cronJobs.create({
      metadata: { name: 'tick' },
      spec: { schedule: '* * * * *', jobTemplate: { spec: { template: pod } } },
    });
    cluster.advance(seconds(30));
    const image = (to: string) => ({
      spec: { template: { spec: { containers: [{ name: 'main', image: to }] } } },
    });
    client.deployments.patch('web', { type: 'strategic', body: image('app:2') });
    cluster.advance(seconds(2));
    cluster.faults.crash('controller-manager/0');
    cluster.advance(seconds(5));
    cluster.faults.restart('controller-manager/0');
    client.deployments.patch('web', { type: 'merge', body: { spec: { replicas: 6 } } });
    cluster.advance(minutes(6));
    expect(rules.violations).toEqual([]);
    expect(client.jobs.get('work').status?.succeeded).toBe(4);
  });
});

describe('a mutant is found out that', () => {
  it('takes what another controls', () => {
    const { broken } = watched('replicaset-controller', function* (client) {
      const sets = [];
      for (const name of ['a', 'b'])
        sets.push(
          yield* client.create(replicaSets, {
            metadata: { ...metadata, name },
            spec: { replicas: 1, selector, template: template() },
          }),
        );
      const [first, second] = sets;
      const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet' };
      const pod = yield* client.create(pods, ownedPod({ ...owner, uid: first?.metadata.uid ?? '' }));
      const ownerReferences = [{ ...owner, name: 'b', uid: second?.metadata.uid ?? '', controller: true }];
      yield* client.update(pods, { ...pod, metadata: { ...pod.metadata, ownerReferences } });
    });
    expect(broken()).toContain('one-controller-per-object');
  });

  it('makes no pods', () => {
    const { cluster, broken } = watched('replicaset-controller');
    cluster.client.replicaSets.create({ metadata, spec: { replicas: 2, selector, template: template() } });
    cluster.advance(minutes(2));
    expect(broken()).toEqual(['replicas-converge']);
  });

  it('makes a pod too many', () => {
    const { broken } = watched('replicaset-controller', function* (client) {
      const set = yield* client.create(replicaSets, {
        metadata,
        spec: { replicas: 2, selector, template: template() },
      });
      const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', uid: set.metadata.uid ?? '' };
      for (let count = 0; count < 3; count++) yield* client.create(pods, ownedPod(owner));
    });
    expect(broken()).toEqual(['replicas-converge']);
  });

  it.each([
    ['more than it may have too many', [3, 3]],
    ['fewer than must stay available', [0, 2]],
  ])('rolls over with %s', (_, [oldSize = 0, newSize = 0]) => {
    const { broken } = watched('deployment-controller', function* (client) {
      const deployment = yield* client.create(deployments, {
        metadata,
        spec: { replicas: 3, selector, template: template() },
      });
      const reference = {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        name: 'web',
        uid: deployment.metadata.uid ?? '',
        controller: true,
      };
      const made = [];
      for (const name of ['old', 'new']) {
        const meta = { namespace: 'default', name, labels, ownerReferences: [reference] };
        const own = { matchLabels: { ...labels, set: name } };
        const pod = { ...template(), metadata: { labels: own.matchLabels } };
        const replicas = name === 'old' ? 3 : 0;
        made.push(
          yield* client.create(replicaSets, {
            metadata: meta,
            spec: { replicas, selector: own, template: pod },
          }),
        );
      }
      yield* client.context.sleep(seconds(30));
      for (const [index, replicas] of [newSize, oldSize].entries()) {
        const name = index === 0 ? 'new' : 'old';
        yield* client.patch(
          replicaSets,
          { namespace: 'default', name },
          { type: 'merge', body: { spec: { replicas } } },
        );
      }
    });
    expect(broken()).toContain('rollouts-within-bounds');
  });

  describe('makes a ReplicaSet twice of one template', () => {
    /** `told`: pods of it that the status counts before the second is made; `pause`: how long that takes. */
    const madeTwice = (told: number, pause: number): readonly string[] =>
      watched('deployment-controller', function* (client) {
        const deployment = yield* client.create(deployments, {
          metadata,
          spec: { replicas: 2, selector, template: template() },
        });
        const uid = deployment.metadata.uid ?? '';
        const reference = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid, controller: true };
        for (const hash of ['a', 'b']) {
          const own = { ...labels, 'pod-template-hash': hash };
          const meta = {
            namespace: 'default',
            name: `web-${hash}`,
            labels: own,
            ownerReferences: [reference],
          };
          const spec = { ...template(), metadata: { labels: own } };
          yield* client.create(replicaSets, {
            metadata: meta,
            spec: { replicas: 2, selector: { matchLabels: own }, template: spec },
          });
          if (hash === 'b') return;
          const status = { replicas: told, updatedReplicas: told };
          yield* client.update(deployments, { ...deployment, status }, { subresource: 'status' });
          yield* client.context.sleep(seconds(pause));
        }
      }).broken();

    it('and has not heard of the first', () => {
      expect(madeTwice(0, 1)).not.toContain('rollouts-within-bounds');
    });

    it('and has told of the first', () => {
      expect(madeTwice(2, 1)).toContain('rollouts-within-bounds');
    });

    it('when it must have heard of the first long ago', () => {
      expect(madeTwice(0, 12)).toContain('rollouts-within-bounds');
    });
  });

  it('makes pods of a StatefulSet before those before them are ready', () => {
    const { broken } = watched('statefulset-controller', function* (client) {
      const set = yield* client.create(statefulSets, {
        metadata,
        spec: { replicas: 2, serviceName: 'web', selector, template: template() },
      });
      const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', uid: set.metadata.uid ?? '' };
      yield* client.create(pods, ownedPod(owner, { name: 'web-1' }));
    });
    expect(broken()).toContain('stateful-pods-in-order');
  });

  it('counts what has not been', () => {
    const { broken } = watched('job-controller', function* (client) {
      const job = yield* client.create(jobs, {
        metadata,
        spec: { completions: 2, template: template({ restartPolicy: 'Never' }) },
      });
      const startTime = job.metadata.creationTimestamp ?? '';
      const status = { startTime, succeeded: 1, ready: 0, terminating: 0, uncountedTerminatedPods: {} };
      yield* client.update(jobs, { ...job, status }, { subresource: 'status' });
    });
    expect(broken()).toEqual(['job-pods-counted-once']);
  });

  it.each([
    {
      name: 'makes a pod for an index that is done',
      finalizers: [TRACKING_FINALIZER],
      says: ['job-pods-counted-once'],
    },
    { name: 'makes a pod for one whose pod it let go of before the end', finalizers: [], says: [] },
  ])('$name', ({ finalizers, says }) => {
    const { broken } = watched('job-controller', function* (client) {
      const spec = {
        completions: 2,
        completionMode: 'Indexed',
        template: template({ restartPolicy: 'Never' }),
      } as const;
      const job = yield* client.create(jobs, { metadata, spec });
      const owner = { apiVersion: 'batch/v1', kind: 'Job', uid: job.metadata.uid ?? '' };
      const annotations = { 'batch.kubernetes.io/job-completion-index': '0' };
      const pod: Pod = yield* client.create(pods, ownedPod(owner, { annotations, finalizers }));
      yield* client.update(
        pods,
        { ...pod, status: { ...pod.status, phase: 'Succeeded' } },
        { subresource: 'status' },
      );
      yield* client.context.sleep(seconds(20));
      yield* client.create(pods, ownedPod(owner, { annotations }));
    });
    expect(broken()).toEqual(says);
  });

  it('misses starts', () => {
    const { cluster, broken } = watched('cronjob-controller');
    const jobTemplate = { spec: { template: template({ restartPolicy: 'Never' }) } };
    cluster.client.cronJobs.create({ metadata, spec: { schedule: '* * * * *', jobTemplate } });
    cluster.advance(minutes(2));
    expect(broken()).toEqual(['cron-starts-once']);
  });

  it('starts twice at one time', () => {
    const { broken } = watched('cronjob-controller', function* (client) {
      const jobTemplate = { spec: { template: template({ restartPolicy: 'Never' }) } };
      const cronJob = yield* client.create(cronJobs, {
        metadata,
        spec: { schedule: '0 0 1 1 *', jobTemplate },
      });
      const reference = {
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        name: 'web',
        uid: cronJob.metadata.uid ?? '',
        controller: true,
      };
      const annotations = { 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2025-01-01T00:00:00Z' };
      for (const name of ['one', 'two'])
        yield* client.create(jobs, {
          metadata: { namespace: 'default', name, annotations, ownerReferences: [reference] },
          spec: jobTemplate.spec,
        });
    });
    expect(broken()).toEqual(['cron-starts-once']);
  });
});
