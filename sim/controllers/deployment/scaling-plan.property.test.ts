/**
 * A Deployment whose template and size change in any order while its pods come up and fail, beside what the documentation
 * promises: never more pods than with the surge, never fewer available than may be missing, and in the end all of them new.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Deployment, DeploymentStrategy, ReplicaSet } from '../../api/types/apps-v1.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { countedStatus, isComplete, type RolloutView } from './deployment-status.ts';
import { isScaling, planNewSet, planOldSets, planScaling, type Resize } from './scaling-plan.ts';

const DESIRED = 'deployment.kubernetes.io/desired-replicas';
const MAX = 'deployment.kubernetes.io/max-replicas';

interface Kept {
  readonly name: string;
  wanted: number;
  available: number;
  notes: Readonly<Record<string, string>>;
}

class World {
  readonly strategy: DeploymentStrategy;
  #desired = 4;
  #made = 0;
  sets: Kept[] = [];
  isPaused = false;

  constructor(strategy: DeploymentStrategy) {
    this.strategy = strategy;
    this.revise();
  }

  /** The newest is the last. */
  revise(): void {
    this.sets.push({ name: `s${this.#made++}`, wanted: 0, available: 0, notes: this.#notes });
  }

  /** A template that there was before. */
  goBack(): void {
    const former = this.sets[0];
    if (former) this.sets = [...this.sets.slice(1), former];
  }

  scale(to: number): void {
    this.#desired = to;
  }

  become(index: number, by: number): void {
    const set = this.sets[index % this.sets.length];
    if (set) set.available = Math.min(set.wanted, Math.max(0, set.available + by));
  }

  /** One round of the controller; `most`: so many of its writes are heard. */
  sync(most = Infinity): void {
    const { view } = this;
    if (this.isPaused || isScaling(view)) this.#scaled(planScaling(view), most);
    else this.#roll(view, most);
  }

  #roll(view: RolloutView, most: number): void {
    const [total, available] = [this.total, this.available];
    const growth = view.newSet && planNewSet(view, view.newSet);
    if (growth && growth.replicas !== view.newSet?.spec?.replicas) this.#resize([growth], most);
    else this.#resize(planOldSets(view), most);
    expect(this.total, 'pods').toBeLessThanOrEqual(Math.max(total, this.#desired + this.#surge));
    const enough = Math.min(available, this.#desired - this.#mayMiss);
    expect(this.available, 'available pods').toBeGreaterThanOrEqual(enough);
  }

  #scaled(steps: readonly Resize[], most: number): void {
    const before = new Map(this.sets.map(({ name, wanted }) => [name, wanted]));
    const withPods = this.sets.filter(({ wanted }) => wanted > 0);
    const active = withPods.length;
    // Where some were sized for another number, or are not as many as they may be, each is brought to its own share.
    const areWhole = withPods.every(({ notes }) => notes[MAX] === String(this.total));
    const isNewWhole = active > 1 && this.#isWhole(this.sets.at(-1));
    this.#resize(steps, most);
    if (most < Infinity) return;
    // Who has all that is wanted needs no help of others.
    if (isNewWhole) expect(this.total, 'beside a whole new one').toBe(this.#desired);
    const changes = this.sets.map(({ name, wanted }) => wanted - (before.get(name) ?? 0));
    const isMixed = changes.some((by) => by > 0) && changes.some((by) => by < 0);
    expect(areWhole && isMixed, 'some grow and some shrink').toBe(false);
    if (active <= 1) expect(this.total).toBe(this.#desired);
    // What several share is all that may be there, unless the new one has what it wants and the old ones go.
    else if (steps.some(({ renewsNotes }) => renewsNotes))
      expect(this.total).toBe(this.#desired === 0 ? 0 : this.#desired + this.#surge);
  }

  /** It was sized for what is wanted now, and all of it is available. */
  #isWhole(set: Kept | undefined): boolean {
    const isSized = set?.wanted === this.#desired && set.notes[DESIRED] === String(this.#desired);
    return isSized && set.available === this.#desired;
  }

  #resize(steps: readonly Resize[], most: number): void {
    for (const { set, replicas } of steps.slice(0, most)) {
      const kept = this.sets.find(({ name }) => name === set.metadata.name);
      if (!kept) throw new Error('a set that there is');
      expect(replicas).toBeGreaterThanOrEqual(0);
      // Those that are not available go first.
      Object.assign(kept, {
        wanted: replicas,
        available: Math.min(kept.available, replicas),
        notes: this.#notes,
      });
    }
  }

  get total(): number {
    return this.sets.reduce((sum, { wanted }) => sum + wanted, 0);
  }

  get available(): number {
    return this.sets.reduce((sum, { available }) => sum + available, 0);
  }

  /**
   * The only one with pods has as many as are wanted, and was sized for another number: every look at it is taken for a
   * scaling, in which nothing is left to do. So it is in Kubernetes (kubernetes#138036).
   */
  get standsStill(): boolean {
    const [only, ...others] = this.sets.filter(({ wanted }) => wanted > 0);
    return (
      others.length === 0 && only?.wanted === this.#desired && only.notes[DESIRED] !== String(this.#desired)
    );
  }

  get desired(): number {
    return this.#desired;
  }

  get #surge(): number {
    return share(this.strategy.rollingUpdate?.maxSurge ?? 0, this.#desired, Math.ceil);
  }

  get #mayMiss(): number {
    const missing = share(this.strategy.rollingUpdate?.maxUnavailable ?? 0, this.#desired, Math.floor);
    return Math.min(this.#desired, this.#surge === 0 ? Math.max(1, missing) : missing);
  }

  get #notes(): Readonly<Record<string, string>> {
    return { [DESIRED]: String(this.#desired), [MAX]: String(this.#desired + this.#surge) };
  }

  get view(): RolloutView {
    const sets = this.sets.map(setOf);
    const deployment: Deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd', namespace: 'default', generation: 1 },
      spec: { replicas: this.#desired, selector: {}, template: {}, strategy: this.strategy },
      status: { replicas: this.total },
    };
    return { deployment, newSet: sets.at(-1), oldSets: sets.slice(0, -1) };
  }
}

const share = (value: number | string, of: number, round: (exact: number) => number): number =>
  typeof value === 'number' ? value : round((Number.parseInt(value, 10) * of) / 100);

const setOf = ({ name, wanted, available, notes }: Kept, index: number): ReplicaSet => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: {
    name,
    namespace: 'default',
    uid: name,
    annotations: notes,
    creationTimestamp: `2025-01-01T00:${String(Number(name.slice(1))).padStart(2, '0')}:0${index % 10}Z`,
  },
  spec: { replicas: wanted, selector: {} },
  status: { replicas: wanted, readyReplicas: available, availableReplicas: available },
});

function checkCounts(world: World): void {
  const status = countedStatus(world.view, 0);
  expect(status.replicas ?? 0).toBe(world.total);
  expect(status.updatedReplicas ?? 0).toBe(world.sets.at(-1)?.wanted);
  expect(status.availableReplicas ?? 0).toBe(world.available);
  expect(status.unavailableReplicas ?? 0).toBe(world.total - world.available);
}

function comesToRest(world: World): void {
  world.isPaused = false;
  for (let round = 0; round < 60; round++) {
    for (const index of world.sets.keys()) world.become(index, 9);
    world.sync();
  }
  if (world.standsStill) return;
  for (const [index, { wanted }] of world.sets.entries())
    expect(wanted, `size of set ${index}`).toBe(index === world.sets.length - 1 ? world.desired : 0);
  for (const index of world.sets.keys()) world.become(index, 9);
  const { view } = world;
  const status = { ...countedStatus(view, 0), observedGeneration: 1 };
  expect(isComplete(view.deployment, status)).toBe(true);
}

const STRATEGIES: readonly DeploymentStrategy[] = [
  { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
  { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
  { type: 'RollingUpdate', rollingUpdate: { maxSurge: '50%', maxUnavailable: '50%' } },
  { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
  { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } },
];
const act = actsOn<World>();

it.each(STRATEGIES)('rolls out and scales within its bounds, whatever comes between: %j', (strategy) => {
  holdsInAnyOrder({
    begin: () => new World(strategy),
    acts: [
      act('sync', fc.constantFrom(1, Infinity, Infinity), (world, most) => world.sync(most)),
      act('sync', NOTHING, (world) => world.sync()),
      act('become', fc.tuple(fc.nat(5), fc.constantFrom(-1, 1, 1, 3)), (world, [index, by]) =>
        world.become(index, by),
      ),
      act('become', fc.nat(5), (world, index) => world.become(index, 9)),
      act('revise', NOTHING, (world) => world.revise()),
      act('goBack', NOTHING, (world) => world.goBack()),
      act('scale', fc.integer({ min: 0, max: 9 }), (world, to) => world.scale(to)),
      act('pause', fc.boolean(), (world, isPaused) => (world.isPaused = isPaused)),
    ],
    compare: checkCounts,
    end: comesToRest,
    most: 24,
    runs: 300,
  });
});
