/**
 * Starts of a schedule that is suspended, resumed and changed, whose Jobs end or go on, and whose controller is away or hears
 * late, in any order: no Job starts while its schedule is suspended, later than is allowed, for another time than the last
 * one that has come, or beside others that it may not be beside; and in peace there is one whenever it is time.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CronJob, Job } from '../../api/types/batch-v1.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { refusedWritesOf, TroubledManager } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const CONTROLLERS = ['cronjob-controller', 'job-controller', 'garbage-collector-controller'];
const NAME = 'c';
const PATH = `/registry/cronjobs/default/${NAME}`;
const SCHEDULED_AT = 'batch.kubernetes.io/cronjob-scheduled-timestamp';
/** In minutes: how far apart their starts are. */
const SCHEDULES = { '* * * * *': 1, '*/2 * * * *': 2, '*/5 * * * *': 5 } as const;
type Schedule = keyof typeof SCHEDULES;
const POLICIES = ['Allow', 'Forbid', 'Replace'] as const;
/** Longer than anybody hears late. */
const LATE_MS = 45_000;
/** What a decision and its writing take. */
const SLACK_MS = 15_000;
const MINUTE_MS = 60_000;

type Spec = NonNullable<CronJob['spec']>;

class World extends TroubledManager {
  readonly #wrong: string[] = [];
  /** When the wish last changed: whoever decides may know of the former one. */
  #wishedMs = 0;

  constructor() {
    super(CONTROLLERS);
    this.eachWrite<CronJob>(PATH, (now, before) => {
      if (now?.metadata.generation !== before?.metadata.generation) this.#wishedMs = this.nowMs;
    });
    this.eachWrite<Job>('/registry/jobs/', (now, before) => {
      if (now && !before) this.#lookAtStart(now);
    });
    this.cluster.client.cronJobs.create({
      metadata: { name: NAME },
      spec: {
        schedule: '* * * * *',
        jobTemplate: {
          spec: {
            backoffLimit: 0,
            template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'a' }] } },
          },
        },
      },
    });
  }

  get #cron(): CronJob {
    return this.stored(PATH)[0] as CronJob;
  }

  get #jobs(): readonly Job[] {
    return this.stored('/registry/jobs/') as readonly Job[];
  }

  #lookAtStart({ metadata }: Job): void {
    const at = Date.parse(metadata.annotations?.[SCHEDULED_AT] ?? '');
    const late = this.nowMs - at;
    if (this.nowMs - this.#wishedMs < LATE_MS) return;
    const { spec, status } = this.#cron;
    const what = `a start ${late / 1_000} s late`;
    if (spec?.suspend) this.#wrong.push(`${what}, while it is suspended`);
    const { startingDeadlineSeconds: most, concurrencyPolicy } = spec ?? {};
    if (most !== undefined && late > most * 1_000 + SLACK_MS) this.#wrong.push(`${what}, of at most ${most}`);
    const apart = SCHEDULES[spec?.schedule as Schedule] * MINUTE_MS;
    if (at % apart !== 0) this.#wrong.push(`${what}, at another time than the schedule says`);
    if (late > apart + SLACK_MS) this.#wrong.push(`${what}, although there was another since`);
    const listed = new Set((status?.active ?? []).map(({ uid }) => uid));
    const others = this.#jobs.filter(
      (job) =>
        listed.has(job.metadata.uid) &&
        !isOver(job) &&
        job.metadata.deletionTimestamp === undefined &&
        this.nowMs - Date.parse(job.metadata.creationTimestamp ?? '') > LATE_MS,
    );
    if (concurrencyPolicy !== 'Allow' && others.length > 0)
      this.#wrong.push(`${what}, beside ${others.length} others: ${concurrencyPolicy}`);
  }

  change(spec: Partial<Spec> | { readonly startingDeadlineSeconds: null }): void {
    tryTo(() => this.cluster.client.cronJobs.patch(NAME, { type: 'merge', body: { spec } }));
  }

  /** Some end, and some go on. */
  finish(most: number, phase: 'Succeeded' | 'Failed'): void {
    const pods = (this.stored('/registry/pods/') as readonly Pod[]).filter(
      ({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed',
    );
    for (const { metadata } of pods.slice(0, most))
      tryTo(() =>
        this.cluster.client.pods.patch(
          metadata.name ?? '',
          { type: 'merge', body: { status: { phase } } },
          { subresource: 'status' },
        ),
      );
  }

  pass(minutes: number): void {
    this.cluster.advance(seconds(60 * minutes));
  }

  /** The manager is away for a while. */
  miss(minutes: number): void {
    if (!this.isDown()) this.cluster.faults.crash(this.actor.name);
    this.pass(minutes);
    this.cluster.faults.restart(this.actor.name);
    this.cluster.advance(seconds(40));
  }

  die(isDone: boolean, verb: 'create' | 'update'): void {
    this.cluster.faults[isDone ? 'crashAfter' : 'crashBefore']({ actor: this.actor.name, verb, count: 1 });
    this.pass(1);
    if (this.isDown()) this.cluster.faults.restart(this.actor.name);
  }

  end(): void {
    this.endAllTroubles();
    this.cluster.advance(seconds(5));
    this.change({ suspend: false, concurrencyPolicy: 'Allow', schedule: '*/5 * * * *' });
    this.change({ startingDeadlineSeconds: null });
    this.finish(50, 'Succeeded');
    this.pass(12);
    this.#expectStarted('*/5 * * * *');
    this.finish(50, 'Succeeded');
    this.change({ schedule: '* * * * *' });
    this.pass(2);
    this.#expectStarted('* * * * *');
    this.finish(50, 'Succeeded');
    this.cluster.advance(seconds(30));
    this.#expectSuccess();
    expect(this.#wrong).toEqual([]);
  }

  #expectStarted(schedule: Schedule): void {
    const last = Date.parse(this.#cron.status?.lastScheduleTime ?? '');
    const apart = SCHEDULES[schedule] * MINUTE_MS;
    expect(last, `the last start of ${schedule}`).toBe(Math.floor(this.nowMs / apart) * apart);
  }

  #expectSuccess(): void {
    const times = this.#jobs.flatMap(({ status }) => status?.completionTime ?? []);
    const last = times.toSorted((one, other) => Date.parse(other) - Date.parse(one))[0];
    if (last !== undefined) expect(this.#cron.status?.lastSuccessfulTime, 'the last success').toBe(last);
  }
}

const isOver = ({ status }: Job): boolean =>
  (status?.conditions ?? []).some(
    ({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True',
  );

const act = actsOn<World>();
const minutes = act('minutes', fc.constantFrom(1, 1, 2, 3), (world, drawn) => world.pass(drawn));

/** Whoever is cut off has his starts on their way: when they arrive says nothing of when he decided. */
const hindrances = [
  refusedWritesOf<World>(),
  act('bounce', NOTHING, (world) => world.bounce()),
  act('die', fc.tuple(fc.boolean(), fc.constantFrom('create', 'update')), (world, drawn) =>
    world.die(...drawn),
  ),
  act('lose an answer', fc.boolean(), ({ cluster, actor }, resets) =>
    cluster.faults.loseAnswers({ actor: actor.name, count: 1, resets }),
  ),
  act('lag', fc.constantFrom(0, 0, 2, 20), ({ cluster }, span) => cluster.lagWatchCaches(seconds(span))),
];

it('come when it is time, and at no other', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...hindrances,
      ...[minutes, minutes, minutes],
      act('finish', fc.tuple(fc.constantFrom(1, 9), fc.constantFrom('Succeeded', 'Failed')), (world, drawn) =>
        world.finish(...drawn),
      ),
      act('suspend', fc.boolean(), (world, suspend) => world.change({ suspend })),
      act('schedule', fc.constantFrom(...(Object.keys(SCHEDULES) as Schedule[])), (world, schedule) =>
        world.change({ schedule }),
      ),
      act('policy', fc.constantFrom(...POLICIES), (world, concurrencyPolicy) =>
        world.change({ concurrencyPolicy }),
      ),
      act('deadline', fc.constantFrom(15, 40, 100, null), (world, startingDeadlineSeconds) =>
        world.change({ startingDeadlineSeconds }),
      ),
      act('miss', fc.constantFrom(2, 7), (world, drawn) => world.miss(drawn)),
      act('miss amid', NOTHING, (world) => {
        world.change({ startingDeadlineSeconds: 15, suspend: false });
        world.pass(1);
        world.miss(3);
      }),
    ],
    compare: () => undefined,
    end: (world) => world.end(),
    most: 16,
    runs: 10,
  });
});
