/**
 * What of a job may still be changed: where its pods run only while it waits, as long as it never ran, how many completions
 * it has only if they are indexed and as many as run at once, and what decides over its end never. A write that is refused changes nothing.
 */
import { expect, it } from 'vitest';
import fc from 'fast-check';
import { ApiError } from '../../../../api/status.ts';
import { createCluster } from '../../../../cluster/create-cluster.ts';
import { actsOn, holdsInAnyOrder } from '../../../../engine/any-order.arbitrary.ts';

const NAME = 'j';

interface Wish {
  readonly suspend: boolean;
  readonly parallelism: number;
  readonly completions: number;
  readonly zone: 'a' | 'b' | null;
  readonly image: 'i' | 'k';
  readonly completionMode: 'Indexed' | 'NonIndexed';
  readonly backoffLimit: number;
}

class World {
  readonly cluster = createCluster({ nodes: 0, controllers: [], scheduler: false });
  #now: Wish;
  #hasStarted = false;

  constructor(wish: Wish) {
    this.#now = wish;
    this.cluster.client.jobs.create({ metadata: { name: NAME }, spec: { ...specOf(wish) } } as never);
  }

  start(isStarted: boolean): void {
    const startTime = isStarted ? '2026-01-01T00:00:00Z' : null;
    this.cluster.client.jobs.patch(
      NAME,
      { type: 'merge', body: { status: { startTime } } },
      { subresource: 'status' },
    );
    this.#hasStarted = isStarted;
  }

  ask(change: Partial<Wish>): void {
    const wish = { ...this.#now, ...change };
    const may = this.#mayBecome(wish);
    expect(this.#isTaken(wish), JSON.stringify([this.#now, change])).toBe(may);
    if (may) this.#now = wish;
    this.compare();
  }

  #mayBecome(wish: Wish): boolean {
    const before = this.#now;
    if (wish.image !== before.image || wish.completionMode !== before.completionMode) return false;
    if (wish.zone !== before.zone && !(before.suspend && !this.#hasStarted)) return false;
    if (wish.completions === before.completions) return true;
    return wish.completionMode === 'Indexed' && wish.completions === wish.parallelism;
  }

  #isTaken(wish: Wish): boolean {
    try {
      this.cluster.client.jobs.patch(NAME, { type: 'strategic', body: { spec: specOf(wish) } });
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.code === 422) return false;
      throw error;
    }
  }

  compare(): void {
    const { spec } = this.cluster.client.jobs.get(NAME);
    const { zone, image, ...own } = this.#now;
    expect(spec).toMatchObject(own);
    expect(spec?.template.spec?.nodeSelector?.['zone'] ?? null).toBe(zone);
    expect(spec?.template.spec?.containers?.[0]?.image).toBe(image);
  }
}

const specOf = ({ zone, image, ...own }: Wish): object => ({
  ...own,
  template: {
    spec: {
      restartPolicy: 'Never',
      nodeSelector: { zone },
      containers: [{ name: 'c', image }],
    },
  },
});

const parts = {
  suspend: fc.boolean(),
  parallelism: fc.integer({ min: 1, max: 3 }),
  completions: fc.integer({ min: 1, max: 3 }),
  backoffLimit: fc.nat(3),
};
const zone = fc.constantFrom('a', 'b', null);
const acts = actsOn<World>();
const ask = acts('ask', fc.record({ ...parts, zone }, { requiredKeys: [] }), (world, wish) =>
  world.ask(wish),
);
const askOfFixed = acts(
  'ask for what is fixed',
  fc.record(
    { image: fc.constantFrom('i', 'k'), completionMode: fc.constantFrom('Indexed', 'NonIndexed') },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Partial<Wish>>,
  (world, wish) => world.ask(wish),
);
const start = acts('start', fc.boolean(), (world, isStarted) => world.start(isStarted));
const move = acts('suspend or go on, and move', fc.record({ suspend: fc.boolean(), zone }), (world, wish) =>
  world.ask(wish),
);
const grow = acts('grow', fc.integer({ min: 1, max: 3 }), (world, count) =>
  world.ask({ parallelism: count, completions: count }),
);

it.each(['Indexed', 'NonIndexed'] as const)('a job that is %s changes only as it may', (completionMode) => {
  const first: Wish = {
    suspend: false,
    parallelism: 2,
    completions: 2,
    backoffLimit: 1,
    zone: 'a',
    image: 'i',
    completionMode,
  };
  holdsInAnyOrder({
    begin: () => new World(first),
    acts: [ask, askOfFixed, start, move, move, grow],
    compare: (world) => world.compare(),
    most: 12,
    runs: 10,
    isDear: true,
  });
});
