import { describe, expect, it } from 'vitest';
import type { Job, PodFailurePolicy, PodFailurePolicyRule } from '../../api/types/batch-v1.ts';
import { RELEASE_1_31 } from '../../api/release/release-1-31.ts';
import { FeatureGates } from '../../apiserver/feature-gates.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { microseconds, milliseconds, minutes, seconds } from '../../engine/time.ts';
import type { WorkloadBehaviour } from '../../node/runtime/workload-behaviour.ts';
import {
  active,
  createdPods,
  eventTexts,
  podsOf,
  template,
  world,
  worldOf,
} from '../workload/workload-world.fixture.ts';
import { jobController } from './job-controller.ts';
import { isTracked } from './job-pods.ts';

const MANAGER = 'controller-manager/0';
const WITHIN = { within: minutes(5) };
const DONE: WorkloadBehaviour = { runsForSeconds: 2 };
const FAILS: WorkloadBehaviour = { runsForSeconds: 2, exitCode: 3 };

function job(
  cluster: Cluster,
  spec: Partial<NonNullable<Job['spec']>> = {},
  behaviour = DONE,
  node = 'worker-1',
): Job {
  return cluster.client.jobs.create({
    metadata: { name: 'work' },
    spec: { template: template({ node, restartPolicy: 'Never', behaviour }), ...spec },
  });
}

const statusOf = (cluster: Cluster) => cluster.client.jobs.get('work').status;
const endsWith = (cluster: Cluster, type: string): boolean =>
  (statusOf(cluster)?.conditions ?? []).some((one) => one.type === type && one.status === 'True');
const reasonOf = (cluster: Cluster, type: string) =>
  statusOf(cluster)?.conditions?.find((one) => one.type === type)?.reason;

describe('a Job', () => {
  it('runs as many pods as it wants and counts each once, through crashes of its controller', () => {
    const cluster = world();
    const created = createdPods(cluster);
    job(cluster, { completions: 6, parallelism: 2 });
    for (let crash = 0; crash < 8; crash++) {
      cluster.advance(milliseconds(2_300));
      cluster.faults.crash(MANAGER);
      cluster.advance(milliseconds(200));
      cluster.faults.restart(MANAGER);
    }
    cluster.eventually(() => endsWith(cluster, 'Complete'), WITHIN);
    cluster.settle();
    expect([statusOf(cluster)?.succeeded, statusOf(cluster)?.failed, created()]).toEqual([6, undefined, 6]);
    expect(podsOf(cluster).some(isTracked)).toBe(false);
    expect(statusOf(cluster)?.uncountedTerminatedPods).toEqual({});
  });

  it('completes each index once', () => {
    const cluster = world();
    job(cluster, { completions: 5, parallelism: 3, completionMode: 'Indexed' });
    cluster.eventually(() => endsWith(cluster, 'Complete'), WITHIN);
    expect(statusOf(cluster)?.completedIndexes).toBe('0-4');
    const names = podsOf(cluster).map(({ spec }) => spec?.hostname ?? '');
    expect(new Set(names)).toEqual(new Set([0, 1, 2, 3, 4].map((index) => `work-${index}`)));
  });

  it('replaces pods that fail after 10, 20, 40 s, and fails beyond its limit', () => {
    const cluster = world();
    const watch = cluster.client.pods.watch({ resourceVersion: '0' });
    job(cluster, { backoffLimit: 2 }, FAILS);
    cluster.eventually(() => endsWith(cluster, 'Failed'), WITHIN);
    const made = watch.events.flatMap(({ type, object }) =>
      type === 'ADDED' ? [Date.parse(object.metadata.creationTimestamp ?? '') / 1000] : [],
    );
    const [first = 0, second = 0, third = 0] = made;
    expect(made).toHaveLength(3);
    // And a few seconds in which the pod is started, runs, and is gathered.
    expect(second - first).toBeGreaterThan(10);
    expect(second - first).toBeLessThan(18);
    expect(third - second).toBeGreaterThan(20);
    expect(third - second).toBeLessThan(28);
    expect(reasonOf(cluster, 'Failed')).toBe('BackoffLimitExceeded');
    expect(statusOf(cluster)?.failed).toBe(3);
    expect(eventTexts(cluster, 'work')).toContain(
      'BackoffLimitExceeded: Job has reached the specified backoff limit',
    );
  });

  it('whose indexes fail by themselves goes on with the others', () => {
    const cluster = world();
    job(
      cluster,
      { completions: 2, parallelism: 2, completionMode: 'Indexed', backoffLimitPerIndex: 0 },
      FAILS,
    );
    cluster.eventually(() => endsWith(cluster, 'Failed'), WITHIN);
    expect([reasonOf(cluster, 'Failed'), statusOf(cluster)?.failedIndexes]).toEqual(['FailedIndexes', '0,1']);
  });

  it('whose policy ignores a failure does not count it, and fails at once where the policy says so', () => {
    const cluster = world();
    const rule = (action: PodFailurePolicyRule['action']): PodFailurePolicy => ({
      rules: [{ action, onExitCodes: { operator: 'In', values: [3] } }],
    });
    job(cluster, { backoffLimit: 0, podFailurePolicy: rule('Ignore') }, FAILS);
    cluster.advance(minutes(1));
    expect([statusOf(cluster)?.failed, endsWith(cluster, 'Failed')]).toEqual([undefined, false]);
    cluster.client.jobs.delete('work', { propagationPolicy: 'Background' });
    cluster.advance(seconds(30));
    job(cluster, { podFailurePolicy: rule('FailJob') }, FAILS);
    cluster.eventually(() => endsWith(cluster, 'Failed'), WITHIN);
    expect(reasonOf(cluster, 'Failed')).toBe('PodFailurePolicy');
  });

  it('whose pod is lost with its node runs another', () => {
    const cluster = world({ nodes: 2, scheduler: false });
    job(cluster, {}, { runsForSeconds: 30 }, '');
    cluster.advance(seconds(2));
    const [pod] = podsOf(cluster);
    const binding = {
      metadata: { name: pod?.metadata.name ?? '' },
      target: { kind: 'Node', name: 'worker-1' },
    };
    cluster.client.pods.create(binding, { subresource: 'binding' });
    cluster.advance(seconds(5));
    cluster.faults.crash('worker-1');
    cluster.client.nodes.delete('worker-1');
    cluster.eventually(
      () => active(cluster).length === 1 && active(cluster)[0]?.metadata.uid !== pod?.metadata.uid,
      WITHIN,
    );
    expect(statusOf(cluster)?.failed).toBe(1);
  });

  it('that is suspended has no pods, and a new start when it is resumed', () => {
    const cluster = world();
    job(cluster, { suspend: true, parallelism: 2 }, { runsForSeconds: 1_000 });
    cluster.advance(seconds(5));
    expect([podsOf(cluster).length, statusOf(cluster)?.startTime]).toEqual([0, undefined]);
    const suspend = (value: boolean) =>
      cluster.client.jobs.patch('work', { type: 'merge', body: { spec: { suspend: value } } });
    suspend(false);
    cluster.advance(seconds(5));
    expect(active(cluster)).toHaveLength(2);
    suspend(true);
    cluster.eventually(() => podsOf(cluster).length === 0, WITHIN);
    expect(reasonOf(cluster, 'Suspended')).toBe('JobSuspended');
  });

  it('that somebody else manages is left alone', () => {
    // The field is alpha: without its gate nothing is kept of it.
    const featureGates = FeatureGates.parse(RELEASE_1_31.gates, 'JobManagedBy=true');
    const cluster = world({ featureGates });
    job(cluster, { managedBy: 'example.com/other' });
    cluster.advance(seconds(10));
    expect([podsOf(cluster).length, statusOf(cluster)]).toEqual([0, {}]);
  });

  it('lets its pods go when it is deleted', () => {
    const cluster = world();
    job(cluster, { parallelism: 2 }, { runsForSeconds: 1_000 });
    cluster.advance(seconds(5));
    cluster.client.jobs.delete('work', { propagationPolicy: 'Orphan' });
    cluster.advance(seconds(10));
    expect(podsOf(cluster).map((pod) => [isTracked(pod), pod.metadata.ownerReferences])).toEqual([
      [false, undefined],
      [false, undefined],
    ]);
  });
});

describe('expectations keep a Job from making pods twice', () => {
  const overshoots = (hasExpectations: boolean): number => {
    let count = 0;
    for (let seed = 1; seed <= 5; seed++) {
      const cluster = worldOf([jobController({ hasExpectations })], seed);
      const created = createdPods(cluster);
      cluster.lagWatchCaches(milliseconds(30));
      job(cluster, { parallelism: 4 }, DONE, '');
      for (let poke = 2; poke < 12; poke++) {
        // A new generation is looked at without delay.
        cluster.client.jobs.patch('work', { type: 'merge', body: { spec: { backoffLimit: poke } } });
        cluster.advance(microseconds(3_000));
      }
      cluster.advance(seconds(20));
      if (created() > 4) count++;
    }
    return count;
  };

  it('none with them, and some without', () => {
    expect(overshoots(true)).toBe(0);
    expect(overshoots(false)).toBeGreaterThan(0);
  });
});
