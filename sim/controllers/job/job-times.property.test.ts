/**
 * A Job of one pod at a time, beside a plain account of when things are due: the next pod after failures in a row, the end
 * by a deadline that is set, changed, and does not run while the Job is suspended. Pods end, writes are refused, the
 * controller dies, the Job is made anew under its name.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Job } from '../../api/types/batch-v1.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { TroubledManager } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const NAME = 'j';
/** Times are told in whole seconds. */
const ROUNDED_MS = 2_000;
/** What is due is done by then, whoever was refused twice. */
const SLACK_MS = 10_000;
const MANY = 100;

class World extends TroubledManager {
  /** How many failures in a row the controller knows of, at the least and at the most: its end forgets them. */
  #row = { least: 0, most: 0 };
  #nextPod = { earliestMs: 0, latestMs: 0 };
  #startedMs = 0;
  #deadline: number | undefined;
  #isSuspended = false;
  #limitedMs = 0;
  #suspensionMs = 0;
  #isOver = false;

  constructor() {
    super(['job-controller', 'garbage-collector-controller']);
    this.#make();
  }

  get #job(): Job | undefined {
    return this.stored(`/registry/jobs/default/${NAME}`)[0] as Job | undefined;
  }

  get #active(): readonly Pod[] {
    const pods = this.stored('/registry/pods/') as readonly Pod[];
    return pods.filter(
      ({ metadata, status }) =>
        metadata.deletionTimestamp === undefined && !['Succeeded', 'Failed'].includes(status?.phase ?? ''),
    );
  }

  get #dueMs(): number {
    return this.#deadline === undefined ? Infinity : this.#startedMs + this.#deadline * 1_000;
  }

  #make(): void {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'a' }] } };
    const spec = { completions: MANY, parallelism: 1, backoffLimit: MANY, template };
    this.cluster.client.jobs.create({ metadata: { name: NAME }, spec } as never);
    this.#row = { least: 0, most: 0 };
    this.#deadline = undefined;
    this.#isSuspended = false;
    this.#isOver = false;
    this.#startedMs = this.nowMs;
    this.#nextPod = { earliestMs: 0, latestMs: this.nowMs + SLACK_MS };
    this.pass(12);
  }

  anew(): void {
    tryTo(() => this.cluster.client.jobs.delete(NAME, { propagationPolicy: 'Background' }));
    this.cluster.advance(seconds(30));
    this.#make();
  }

  pass(span: number): void {
    for (let left = span; left > 0; left -= 3) {
      this.cluster.advance(seconds(Math.min(left, 3)));
      this.expectInTime();
    }
  }

  fail(times: number): void {
    for (let each = 0; each < times; each++) {
      if (!this.#end('Failed', 1)) return;
      const { least, most } = this.#row;
      this.#row = { least: least + 1, most: most + 1 };
      this.#nextPod = {
        earliestMs: this.nowMs + waitMs(least + 1) - ROUNDED_MS,
        latestMs: this.nowMs + waitMs(most + 1) + SLACK_MS,
      };
      if (each + 1 < times) this.pass(waitMs(most + 1) / 1_000 + 12);
      else this.pass(12);
    }
  }

  succeed(): void {
    if (!this.#end('Succeeded', 0)) return;
    this.#row = { least: 0, most: 0 };
    this.#nextPod = { earliestMs: 0, latestMs: this.nowMs + SLACK_MS };
    this.pass(12);
  }

  #end(phase: string, exitCode: number): boolean {
    const [pod] = this.#active;
    if (!pod || this.#isOver || this.#isSuspended) return false;
    const now = new Date(this.nowMs).toISOString().replace(/\.\d+Z/, 'Z');
    const terminated = { exitCode, startedAt: now, finishedAt: now };
    const main = {
      name: 'main',
      image: 'a',
      imageID: '',
      ready: false,
      restartCount: 0,
      state: { terminated },
    };
    const body = { status: { phase, containerStatuses: [main] } };
    const { name = '' } = pod.metadata;
    this.cluster.client.pods.patch(name, { type: 'merge', body }, { subresource: 'status' });
    return true;
  }

  /** Undefined: none. */
  limit(activeDeadlineSeconds: number | undefined): void {
    if (!this.#job) return;
    this.#change({ activeDeadlineSeconds: activeDeadlineSeconds ?? null });
    this.#deadline = activeDeadlineSeconds;
    this.#limitedMs = this.nowMs;
    this.pass(12);
  }

  suspend(isSuspended: boolean): void {
    if (this.#isOver || isSuspended === this.#isSuspended) return;
    // So close to its deadline nobody can say which comes first.
    while (Math.abs(this.nowMs - this.#dueMs) <= 2 * SLACK_MS && !this.#isOver) this.pass(3);
    if (this.#isOver) return;
    this.#change({ suspend: isSuspended });
    this.#isSuspended = isSuspended;
    this.#suspensionMs = this.nowMs;
    // Who is resumed is given its whole time, if by the time that it began it is not over already.
    if (!isSuspended && this.nowMs < this.#dueMs) this.#startedMs = this.nowMs;
    this.pass(12);
  }

  #change(spec: object): void {
    this.cluster.client.jobs.patch(NAME, { type: 'merge', body: { spec } });
  }

  restart(): void {
    this.bounce();
    this.#row = { ...this.#row, least: 0 };
    this.#nextPod = { ...this.#nextPod, earliestMs: 0 };
    this.pass(12);
  }

  /** Of the controller's next writes, about whatever. */
  refuse(count: number, status: 409 | 500): void {
    const verb = ['create', 'update', 'patch', 'delete'] as const;
    this.cluster.faults.failRequests({ actor: this.actor.name, verb, count, status });
  }

  /** Its pods cannot be deleted when its time is over. */
  expire(count: number): void {
    if (!this.#job || this.#isOver || this.#isSuspended) return;
    this.cluster.faults.failRequests({ actor: this.actor.name, verb: 'delete', resource: 'pods', count });
    this.limit(20);
    this.pass(60);
  }

  /** Is it over by its deadline when it has to be, and is there a pod when there has to be one? */
  expectInTime(): void {
    const { nowMs } = this;
    const conditions = this.#job?.status?.conditions ?? [];
    const failed = conditions.find(({ type, status }) => type === 'Failed' && status === 'True');
    const dueMs = this.#dueMs;
    const isRunning = !this.#isSuspended && !this.#isOver;
    if (failed && !this.#isOver) {
      expect(failed.reason).toBe('DeadlineExceeded');
      expect(isRunning && nowMs >= dueMs - ROUNDED_MS, 'is over by its deadline').toBe(true);
      expect(this.#active, 'pods that run when it is over').toEqual([]);
      this.#isOver = true;
    }
    const latestMs = Math.max(dueMs, this.#limitedMs, this.#suspensionMs) + 2 * SLACK_MS;
    if (isRunning && nowMs > latestMs) expect(failed, 'is over by its deadline').toBeDefined();
    this.#expectPods();
  }

  #expectPods(): void {
    const { nowMs } = this;
    const active = this.#active.length;
    expect(active).toBeLessThanOrEqual(1);
    const isUnsettled = nowMs - this.#suspensionMs <= SLACK_MS;
    if (this.#isSuspended && !isUnsettled) expect(active, 'pods of a suspended Job').toBe(0);
    if (this.#isSuspended || this.#isOver || isUnsettled) return;
    if (nowMs < this.#nextPod.earliestMs) expect(active, 'pods before it is time').toBe(0);
    if (nowMs > this.#nextPod.latestMs && nowMs < this.#dueMs - ROUNDED_MS)
      expect(active, 'pods when it is time').toBe(1);
  }
}

/** After so many failures in a row. */
const waitMs = (failures: number): number => Math.min(600, 10 * 2 ** (failures - 1)) * 1_000;

const act = actsOn<World>();
const pass = act('pass', fc.constantFrom(3, 15, 60, 300), (world, span) => world.pass(span));

it('does what is due when it is due', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      pass,
      pass,
      act('fail', fc.constantFrom(1, 1, 2, 3, 8), (world, times) => world.fail(times)),
      act('fail', fc.constantFrom(1, 1, 2, 3, 8), (world, times) => world.fail(times)),
      act('succeed', NOTHING, (world) => world.succeed()),
      act('limit', fc.constantFrom(20, 100, 1_000, undefined), (world, span) => world.limit(span)),
      act('suspend', NOTHING, (world) => world.suspend(true)),
      act('resume', NOTHING, (world) => world.suspend(false)),
      act('restart', NOTHING, (world) => world.restart()),
      act('refuse', fc.tuple(fc.integer({ min: 1, max: 2 }), fc.constantFrom(409, 500)), (world, drawn) =>
        world.refuse(drawn[0], drawn[1]),
      ),
      act('expire', fc.integer({ min: 1, max: 3 }), (world, count) => world.expire(count)),
      act('anew', NOTHING, (world) => world.anew()),
    ],
    compare: (world) => world.expectInTime(),
    end: (world) => {
      world.suspend(false);
      world.fail(2);
      world.pass(60);
    },
    most: 12,
    runs: 12,
  });
});
