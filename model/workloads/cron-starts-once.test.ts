import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../sim/api/object.ts';
import { SECOND } from '../nodes/observation.ts';
import { CronStartsOnce } from './cron-starts-once.ts';

const START = '2025-01-01T00:02:00Z';
const cronJob = (revision: number, lastScheduleTime?: string): ApiObject => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'often', namespace: 'd', uid: 'c', generation: 1, resourceVersion: String(revision) },
  spec: { schedule: '0 * * * *' },
  status: { ...(lastScheduleTime !== undefined && { lastScheduleTime }) },
});
const job = (revision: number): ApiObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {
    name: 'often-2',
    namespace: 'd',
    uid: `j${revision}`,
    resourceVersion: String(revision),
    annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': START },
    ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'often', uid: 'c', controller: true }],
  },
});

/** What is said of a second start by a manager that had heard of these before, after the first was noted and its Job gone. */
function toldOf(...heard: readonly ApiObject[]): readonly string[] {
  const told: string[] = [];
  const rule = new CronStartsOnce({
    slack: 0,
    report: (_, message) => void told.push(message),
  });
  let revision = 0;
  const stored = (before: ApiObject | undefined, after: ApiObject | undefined): void => {
    revision++;
    rule.observe({ kind: 'stored', at: revision * SECOND, revision, before, after });
  };
  stored(undefined, cronJob(1));
  stored(undefined, job(2));
  stored(cronJob(1), cronJob(3, START));
  stored(job(2), undefined);
  rule.observe({ kind: 'objects-heard', at: 5 * SECOND, by: 'm', clock: 0, objects: heard });
  const request = { method: 'POST', path: '/apis/batch/v1/namespaces/d/jobs', body: job(9) };
  rule.observe({ kind: 'request-sent', at: 6 * SECOND, by: 'm', clock: 0, ...request });
  rule.observe({ kind: 'request-heard', at: 6 * SECOND, user: 'system:m', ...request });
  stored(undefined, request.body);
  return told;
}

const AGAIN = `CronJob d/often has started a second time at ${START}`;

describe('a second start of a CronJob', () => {
  it('is told of whoever has heard what was noted of the first', () => {
    expect(toldOf(cronJob(3, START), job(4))).toEqual([AGAIN]);
  });

  it('is that of somebody who knew no better, where he has heard of nothing, or of the Job alone', () => {
    expect(toldOf(cronJob(1))).toEqual([]);
    expect(toldOf(cronJob(1), job(4))).toEqual([]);
  });
});
