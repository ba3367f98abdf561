import { describe, expect, it } from 'vitest';
import type { CronJob } from '../../api/types/batch-v1.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { ClusterOptions } from '../../cluster/cluster-options.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { hours, microseconds, minutes, seconds } from '../../engine/time.ts';
import { eventTexts, template } from '../workload/workload-world.fixture.ts';

const SCHEDULED_AT = 'batch.kubernetes.io/cronjob-scheduled-timestamp';
const MANAGER = 'controller-manager/0';

function cluster(options: ClusterOptions = {}): Cluster {
  const made = createCluster({ nodes: 1, ...options });
  made.advance(seconds(10));
  return made;
}

function cronJob(
  world: Cluster,
  spec: Partial<NonNullable<CronJob['spec']>> = {},
  runsForSeconds = 5,
): CronJob {
  const pods = template({ restartPolicy: 'Never', behaviour: { runsForSeconds } });
  return world.client.cronJobs.create({
    metadata: { name: 'tick' },
    spec: { schedule: '* * * * *', jobTemplate: { spec: { template: pods } }, ...spec },
  });
}

/** The starts of all Jobs that there ever were, in minutes since the first. */
function startsOf(world: Cluster): () => readonly string[] {
  const watch = world.client.jobs.watch({ resourceVersion: '0' });
  return () =>
    watch.events.flatMap(({ type, object }) =>
      type === 'ADDED' ? [object.metadata.annotations?.[SCHEDULED_AT] ?? ''] : [],
    );
}

describe('a CronJob', () => {
  it('starts a Job every minute, never two for one, through crashes of its controller', () => {
    const world = cluster();
    const starts = startsOf(world);
    cronJob(world);
    for (let minute = 0; minute < 5; minute++) {
      const before = starts().length;
      while (starts().length === before) world.advance(microseconds(500));
      // It has made the Job and not yet noted it.
      world.faults.crash(MANAGER);
      world.advance(seconds(2));
      world.faults.restart(MANAGER);
      world.advance(seconds(20));
    }
    expect(starts()).toHaveLength(5);
    expect(new Set(starts()).size).toBe(5);
    expect(world.client.cronJobs.get('tick').status?.lastScheduleTime).toBe(starts().at(-1));
  });

  it('makes up for the last of several missed starts alone', () => {
    const world = cluster();
    const starts = startsOf(world);
    cronJob(world);
    world.faults.pause('controller/cronjob-controller');
    world.advance(minutes(7));
    world.faults.resume('controller/cronjob-controller');
    world.advance(seconds(5));
    expect(starts()).toHaveLength(1);
  });

  it('does not make up for a start whose deadline has passed', () => {
    const world = cluster();
    const starts = startsOf(world);
    cronJob(world, { schedule: '0 * * * *', startingDeadlineSeconds: 20 });
    world.faults.crash(MANAGER);
    world.advance(hours(1));
    world.advance(seconds(50));
    world.faults.restart(MANAGER);
    world.advance(minutes(5));
    expect(starts()).toEqual([]);
  });

  it('that forbids two at a time waits for the first to end', () => {
    const world = cluster();
    const starts = startsOf(world);
    cronJob(world, { concurrencyPolicy: 'Forbid' }, 150);
    world.advance(minutes(6));
    const gaps = starts().map((start) => Date.parse(start) / 60_000);
    expect(gaps.length).toBeGreaterThan(1);
    expect(gaps.slice(1).every((at, index) => at - (gaps[index] ?? 0) >= 2)).toBe(true);
    expect(eventTexts(world, 'tick')).toContainEqual(expect.stringMatching(/^JobAlreadyActive: /));
  });

  it('that replaces deletes the one that runs', () => {
    const world = cluster();
    cronJob(world, { concurrencyPolicy: 'Replace' }, 1_000);
    world.advance(minutes(3));
    expect(world.client.jobs.list().items).toHaveLength(1);
    expect(eventTexts(world, 'tick')).toContainEqual(
      expect.stringMatching(/^SuccessfulDelete: Deleted job tick-/),
    );
  });

  it('keeps so many Jobs as its limits say', () => {
    const world = cluster();
    cronJob(world, { successfulJobsHistoryLimit: 2 });
    world.advance(minutes(6));
    expect(world.client.jobs.list().items.length).toBeLessThanOrEqual(3);
  });

  it('follows the clock on the wall of its zone over a change to summer time', () => {
    // Two days of nodes would take long.
    const alone: ClusterOptions = { nodes: 0, controllers: ['cronjob-controller'] };
    const world = cluster({ ...alone, epochMs: Date.parse('2025-03-29T12:00:00Z') });
    cronJob(world, { schedule: '30 3 * * *', timeZone: 'Europe/Berlin' });
    world.advance(hours(48));
    const starts = world.client.jobs.list().items.map(({ metadata }) => metadata.annotations?.[SCHEDULED_AT]);
    expect(starts).toEqual(['2025-03-30T03:30:00+02:00', '2025-03-31T03:30:00+02:00']);
  });

  it('starts no Job twice when the clock of its controller goes back', () => {
    const world = cluster();
    const starts = startsOf(world);
    cronJob(world);
    world.advance(minutes(3));
    world.faults.jumpClock(MANAGER, (-1 * minutes(2)) as ReturnType<typeof minutes>);
    world.advance(minutes(5));
    expect(new Set(starts()).size).toBe(starts().length);
  });

  it('cannot be in a zone that there is not', () => {
    const world = cluster();
    expect(() => cronJob(world, { timeZone: 'Mars/Olympus' })).toThrow('unknown time zone Mars/Olympus');
  });
});

describe('a Job with a time to live', () => {
  it('goes with its pods when it is over for so long', () => {
    const world = cluster();
    const pods = template({ restartPolicy: 'Never', behaviour: { runsForSeconds: 2 } });
    world.client.jobs.create({
      metadata: { name: 'once' },
      spec: { template: pods, ttlSecondsAfterFinished: 30 },
    });
    world.advance(seconds(25));
    expect(world.client.jobs.list().items[0]?.status?.completionTime).toBeDefined();
    world.advance(seconds(40));
    expect([world.client.jobs.list().items, world.client.pods.list().items]).toEqual([[], []]);
  });
});
