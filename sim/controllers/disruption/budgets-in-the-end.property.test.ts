/**
 * Budgets for pods that come, go, fall ill and are announced to be disrupted, in any order, whatever comes between: in the end
 * each says how many of its pods are well and how many it has to spare, and nobody is called disrupted who was not.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PodDisruptionBudget } from '../../api/types/policy-v1.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, struck, TroubledManager, unseen } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const PODS = ['p', 'q', 'r'] as const;
const BUDGETS = ['b', 'c'] as const;
const ANNOUNCED = 'DisruptionTarget';
type PodState = 'well' | 'ill' | 'announced' | 'going' | 'gone';

/** Where several are for one pod, only the first of them is told of it. */
const APPS: Readonly<Record<string, string>> = { b: 'a', c: 'z' };

interface Wish {
  readonly minAvailable: number | string | null;
  readonly maxUnavailable: number | string | null;
}

class World extends TroubledManager {
  readonly #apps = new Map<string, string>();
  #hasMoved = false;

  constructor() {
    super(['disruption-controller']);
    const selector = { matchLabels: { app: 'a' } };
    const template = {
      metadata: { labels: { app: 'a' } },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    };
    this.cluster.client.replicaSets.create({
      metadata: { name: 'set' },
      spec: { replicas: 3, selector, template },
    });
  }

  /** Of the set, whose size says how many there are to be. */
  run(name: string, app: string): void {
    this.#hasMoved ||= (this.#apps.get(name) ?? app) !== app;
    this.#apps.set(name, app);
    tryTo(() => {
      const { uid = '' } = this.cluster.client.replicaSets.get('set').metadata;
      const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'set', uid, controller: true };
      this.cluster.client.pods.create({
        metadata: { name, labels: { app }, ownerReferences: [owner] },
        spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
      });
    });
    this.become(name, 'well');
  }

  /** A pod that no budget is for gets the labels that one selects. */
  adopt(name: string, app: string): void {
    this.become(name, 'gone');
    this.run(name, 'nobody');
    this.cluster.advance(seconds(1));
    const body = { metadata: { labels: { app } } };
    tryTo(() => this.cluster.client.pods.patch(name, { type: 'merge', body }));
  }

  become(name: string, state: PodState): void {
    const { pods } = this.cluster.client;
    if (state === 'gone') tryTo(() => pods.delete(name, { gracePeriodSeconds: 0 }));
    else if (state === 'going') tryTo(() => pods.delete(name, { gracePeriodSeconds: 90_000 }));
    else
      tryTo(() => {
        const lastTransitionTime = new Date(this.cluster.userClient.context.wallMs()).toISOString();
        const ready = { type: 'Ready', status: state === 'ill' ? 'False' : 'True', lastTransitionTime };
        const others = (pods.get(name).status?.conditions ?? []).filter(({ type }) => type !== 'Ready');
        const announced = { type: ANNOUNCED, status: 'True', reason: 'Mine', lastTransitionTime };
        const conditions =
          state === 'announced'
            ? [ready, ...others.filter(({ type }) => type !== ANNOUNCED), announced]
            : [ready, ...others];
        const body = { status: { phase: 'Running', conditions } };
        pods.patch(name, { type: 'merge', body }, { subresource: 'status' });
      });
  }

  budget(name: string, { minAvailable, maxUnavailable }: Wish): void {
    const { podDisruptionBudgets } = this.cluster.client;
    const bounds = minAvailable === null ? { maxUnavailable: maxUnavailable ?? 1 } : { minAvailable };
    const spec = { selector: { matchLabels: { app: APPS[name] ?? '' } }, ...bounds };
    const body = { spec: { minAvailable: null, maxUnavailable: null, ...spec } };
    tryTo(() => podDisruptionBudgets.create({ metadata: { name }, spec }));
    tryTo(() => podDisruptionBudgets.patch(name, { type: 'merge', body }));
  }

  drop(name: string): void {
    tryTo(() => this.cluster.client.podDisruptionBudgets.delete(name));
  }

  evict(name: string): void {
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'default' } };
    const path = `/api/v1/namespaces/default/pods/${name}/eviction`;
    tryTo(() => this.cluster.finish(this.cluster.userClient.raw('POST', path, { body })));
  }

  /** How large a set is to be is no news by itself. */
  scale(replicas: number): void {
    const { replicaSets } = this.cluster.client;
    tryTo(() => replicaSets.patch('set', { type: 'merge', body: { spec: { replicas } } }));
    this.#touchBudgets(String(replicas));
  }

  /** That a pod went over to another budget is no news for its former one, where nobody has seen it go. */
  comeToRest(): void {
    this.calm();
    if (!this.#hasMoved) return;
    this.#touchBudgets('moved');
    this.cluster.advance(seconds(5));
  }

  #touchBudgets(why: string): void {
    const body = { metadata: { annotations: { why } } };
    for (const name of BUDGETS)
      tryTo(() => this.cluster.client.podDisruptionBudgets.patch(name, { type: 'merge', body }));
  }

  expectRight(): void {
    this.expectRest(['budgets-rest', 'disruptions-rest']);
    const sizes = this.objects.filter(({ kind }) => kind === 'ReplicaSet') as readonly {
      readonly spec?: { readonly replicas?: number };
    }[];
    for (const budget of this.#budgets) {
      const { app } = budget.spec?.selector?.matchLabels ?? {};
      const own = this.of('Pod').filter(({ metadata }) => metadata.labels?.['app'] === app);
      const healthy = own.filter((pod) => isWell(pod) && !pod.metadata.deletionTimestamp).length;
      const { minAvailable, maxUnavailable } = budget.spec ?? {};
      const isByCount = typeof minAvailable === 'number';
      const expected = isByCount ? own.length : own.length === 0 ? 0 : (sizes[0]?.spec?.replicas ?? 0);
      const least =
        minAvailable === undefined
          ? Math.max(0, expected - amountOf(maxUnavailable ?? 0, expected))
          : amountOf(minAvailable, expected);
      const { status } = budget;
      const what = `${budget.metadata.name ?? ''} of ${JSON.stringify(budget.spec)}`;
      expect(status?.currentHealthy ?? 0, `well, by ${what}`).toBe(healthy);
      expect(status?.expectedPods ?? 0, `expected, by ${what}`).toBe(expected);
      const spare = expected > 0 ? Math.max(0, healthy - least) : 0;
      expect(status?.disruptionsAllowed ?? 0, `to spare, by ${what}`).toBe(spare);
      expect(status?.observedGeneration).toBe(budget.metadata.generation);
    }
  }

  get #budgets(): readonly PodDisruptionBudget[] {
    return this.objects.filter(({ kind }) => kind === 'PodDisruptionBudget');
  }
}

const isWell = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;

/** Of a percentage always the greater one. */
const amountOf = (amount: number | string, of: number): number =>
  typeof amount === 'number' ? amount : Math.ceil((of * Number.parseInt(amount, 10)) / 100);

const pod = fc.constantFrom(...PODS);
const budget = fc.constantFrom(...BUDGETS);
const app = fc.constantFrom('a', 'a', 'z');
const bound = fc.constantFrom<Wish['minAvailable'][]>(null, 1, 2, '50%');
const wish: fc.Arbitrary<Wish> = fc.record({ minAvailable: bound, maxUnavailable: bound });
const act = actsOn<World>();
const run = act('run', fc.tuple(pod, app), (world, drawn) => world.run(...drawn));
const become = act(
  'become',
  fc.tuple(pod, fc.constantFrom<PodState[]>('well', 'ill', 'announced', 'going', 'gone', 'gone')),
  (world, drawn) => world.become(...drawn),
);
const make = act('budget', fc.tuple(budget, wish), (world, drawn) => world.budget(...drawn));
const makeAnew = act('make anew', fc.tuple(budget, wish), (world, [name, drawn]) => {
  world.drop(name);
  world.budget(name, drawn);
});
const announceAgain = act('announce again', fc.tuple(pod, fc.constantFrom(2, 90)), (world, [name, span]) => {
  world.become(name, 'announced');
  world.cluster.advance(seconds(span));
  world.become(name, 'announced');
});
const doings = [
  run,
  run,
  announceAgain,
  act('adopt', fc.tuple(pod, app), (world, drawn) => world.adopt(...drawn)),
  become,
  become,
  make,
  makeAnew,
  act('drop', budget, (world, name) => world.drop(name)),
  act('evict', pod, (world, name) => world.evict(name)),
  act('scale', fc.nat(4), (world, size) => world.scale(size)),
];

it('says of each budget what it has to spare', () => {
  holdsInAnyOrderAsBefore<World>({
    begin: () => {
      const world = new World();
      for (const name of PODS) world.run(name, 'a');
      world.budget('b', { minAvailable: 1, maxUnavailable: null });
      return world;
    },
    acts: amidTroubles<World>([...doings, struck<World>(doings), unseen<World>(doings)]),
    compare: () => undefined,
    end: (world) => {
      world.comeToRest();
      world.expectRight();
    },
    most: 16,
    runs: 20,
  });
});
