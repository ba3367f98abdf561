/**
 * Jobs that end, whose time to live is set, changed and taken back in any order: none goes before its time is over, and
 * none stays after it, whatever comes between.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Job } from '../../api/types/batch-v1.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, TroubledManager, unseen } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const NAMES = ['a', 'b', 'c'] as const;
/** `null`: it stays. */
const TIMES = [null, 0, 5, 40, 300] as const;
type Time = (typeof TIMES)[number];
/** A manager of 12 minutes of peace has tried everything again. */
const LONGEST_S = 300;

class World extends TroubledManager {
  readonly #removed = new Set<string>();
  /** When somebody last changed the time to live of a job: what is under way goes by what it was. */
  readonly #changedMs = new Map<string, number>();
  /** Who went before his time. */
  readonly #early: string[] = [];

  constructor() {
    super(['job-controller', 'ttl-after-finished-controller', 'garbage-collector-controller']);
    this.cluster.storage.watch({
      prefix: '/registry/jobs/',
      onEvents: (events) => {
        for (const event of events)
          // Its deletion begins: what is written of it later says nothing of that.
          if (event.kind === 'put' && !event.previous?.value.metadata.deletionTimestamp)
            this.#look(event.entry.value);
      },
    });
  }

  get jobs(): readonly Job[] {
    return this.objects.filter(({ kind }) => kind === 'Job');
  }

  get #nowMs(): number {
    return this.cluster.userClient.context.wallMs();
  }

  /** It ends as soon as somebody looks at it, unless it is suspended. */
  make(name: string, time: Time, suspend: boolean): void {
    tryTo(() =>
      this.cluster.client.jobs.create({
        metadata: { name },
        spec: {
          completions: 0,
          suspend,
          ...(time !== null && { ttlSecondsAfterFinished: time }),
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
        },
      }),
    );
  }

  change(name: string, time: Time): void {
    const body = { spec: { ttlSecondsAfterFinished: time } };
    tryTo(() => {
      const { metadata } = this.cluster.client.jobs.patch(name, { type: 'merge', body });
      this.#changedMs.set(metadata.uid ?? '', this.#nowMs);
    });
  }

  resume(name: string): void {
    tryTo(() => this.cluster.client.jobs.patch(name, { type: 'merge', body: { spec: { suspend: false } } }));
  }

  remove(name: string, options: { readonly propagationPolicy?: 'Background' } = {}): void {
    tryTo(() => {
      this.#removed.add(this.cluster.client.jobs.get(name).metadata.uid ?? '');
      this.cluster.client.jobs.delete(name, options);
    });
  }

  /** Another of the name, which ends at once; perhaps nobody hears of that before the former's time would be over. */
  remake(name: string, time: Time, unheardSeconds: number): void {
    this.cluster.lagWatchCaches(seconds(unheardSeconds));
    this.remove(name, { propagationPolicy: 'Background' });
    this.make(name, time, false);
  }

  #look({ metadata, spec, status }: Job): void {
    const { uid = '', name = '', deletionTimestamp } = metadata;
    if (deletionTimestamp === undefined || this.#removed.has(uid)) return;
    if (this.#nowMs - (this.#changedMs.get(uid) ?? -Infinity) < SLACK_MS) return;
    const dueMs = (endOf(status) ?? Infinity) + (spec?.ttlSecondsAfterFinished ?? Infinity) * 1_000;
    if (Date.parse(deletionTimestamp) < dueMs - SLACK_MS) this.#early.push(`${name} at ${deletionTimestamp}`);
  }

  compare(): void {
    expect(this.#early, 'who goes before his time').toEqual([]);
  }

  expectGone(): void {
    for (const { metadata, spec, status } of this.jobs) {
      const { name = '', uid = '', deletionTimestamp } = metadata;
      if (spec?.suspend !== true) expect(status?.conditions, `${name} has ended`).toBeDefined();
      const ttl = spec?.ttlSecondsAfterFinished;
      const endMs = endOf(status);
      const isOver = ttl !== undefined && endMs !== undefined && endMs + ttl * 1_000 < this.#nowMs - SLACK_MS;
      const isToGo = isOver || this.#removed.has(uid);
      expect(deletionTimestamp === undefined && isToGo, `${name}, whose time is over, is there`).toBe(false);
    }
  }
}

/** Times are written in whole seconds. */
const SLACK_MS = 2_000;

const endOf = (status: Job['status']): number | undefined => {
  const end = status?.conditions?.find(({ type, status: is }) => type === 'Complete' && is === 'True');
  return end && Date.parse(end.lastTransitionTime ?? '');
};

const name = fc.constantFrom(...NAMES);
const time = fc.constantFrom(...TIMES);
const act = actsOn<World>();

it('goes when its time is over, and not before', () => {
  const make = act('make', fc.tuple(name, time, fc.boolean()), (world, drawn) => world.make(...drawn));
  const change = act('change', fc.tuple(name, time), (world, drawn) => world.change(...drawn));
  holdsInAnyOrderAsBefore<World>({
    begin: () => new World(),
    acts: amidTroubles<World>([
      ...[make, make, change, change, change],
      unseen<World>([change]),
      unseen<World>([change]),
      act('remake', fc.tuple(name, time, fc.constantFrom(0, 8, 60)), (world, drawn) =>
        world.remake(...drawn),
      ),
      act('resume', name, (world, of) => world.resume(of)),
      act('remove', name, (world, of) => world.remove(of)),
    ]),
    compare: (world) => world.compare(),
    end: (world) => {
      world.calm();
      world.compare();
      world.expectGone();
      // What is changed in peace is kept to as well, the second time too.
      for (const each of NAMES) world.make(each, 40, false);
      world.cluster.advance(seconds(10));
      for (const each of NAMES) world.change(each, LONGEST_S);
      world.cluster.advance(seconds(LONGEST_S - 30));
      world.compare();
      world.cluster.advance(seconds(60));
      world.expectGone();
    },
    most: 20,
    runs: 8,
  });
});
