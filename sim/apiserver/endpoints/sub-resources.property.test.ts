/**
 * Pods that are evicted and bound and sets that are scaled through sub-resources, while pods come and go under the same names,
 * fall ill and end, and budgets change: what is asked is done, or refused for its reason and then not done at all; what is
 * meant for a former object never happens to the one that has its name now; and a dry run changes nothing.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ReplicaSet } from '../../api/types/apps-v1.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import type { PodDisruptionBudget } from '../../api/types/policy-v1.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const PODS = ['p', 'q'] as const;
const BUDGETS = ['b', 'c'] as const;
const FOREIGN = '00000000-0000-4000-8000-00000000dead';
type Phase = 'Pending' | 'Running' | 'Succeeded';
/** Which object of the name is meant. */
type Meant = 'this' | 'former' | 'any';

interface PodWish {
  readonly app: 'a' | 'z';
  readonly isGated: boolean;
  readonly nodeName: 'n1' | null;
  /** Somebody keeps it from going. */
  readonly isHeld: boolean;
}

interface BudgetWish {
  readonly app: 'a' | 'z';
  readonly allowed: number;
  readonly healthy: number;
  readonly desired: number;
  readonly isObserved: boolean;
  readonly always: boolean;
}

interface Ask {
  readonly meant: Meant;
  readonly isDryRun: boolean;
}

class World {
  readonly cluster = createCluster({
    controllers: [],
    scheduler: false,
    disabledAdmissionPlugins: ['ServiceAccount'],
  });
  /** By name: uids of those that are gone. */
  readonly #former = new Map<string, string>();

  constructor() {
    this.cluster.client.replicaSets.create({
      metadata: { name: 's' },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: 'a' } },
        template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    });
  }

  #stored(prefix: string): readonly unknown[] {
    return this.cluster.storage.range({ prefix }).entries.map(({ value }) => value);
  }

  #pod(name: string): Pod | undefined {
    return this.#stored(`/registry/pods/default/${name}`)[0] as Pod | undefined;
  }

  get #budgets(): readonly PodDisruptionBudget[] {
    return this.#stored('/registry/poddisruptionbudgets/') as readonly PodDisruptionBudget[];
  }

  get #set(): ReplicaSet {
    return this.#stored('/registry/replicasets/default/s')[0] as ReplicaSet;
  }

  make(name: string, { app, isGated, nodeName, isHeld }: PodWish): void {
    this.remove(name, 0);
    tryTo(() =>
      this.cluster.client.pods.patch(name, { type: 'merge', body: { metadata: { finalizers: null } } }),
    );
    this.cluster.client.pods.create({
      metadata: { name, labels: { app }, ...(isHeld && { finalizers: ['example.com/held'] }) },
      spec: {
        containers: [{ name: 'c', image: 'i' }],
        ...(nodeName !== null && { nodeName }),
        ...(isGated && nodeName === null && { schedulingGates: [{ name: 'example.com/g' }] }),
      },
    });
  }

  become(name: string, phase: Phase, isReady: boolean): void {
    const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }];
    const body = { status: { phase, conditions } };
    tryTo(() => this.cluster.client.pods.patch(name, { type: 'merge', body }, { subresource: 'status' }));
  }

  remove(name: string, gracePeriodSeconds: number): void {
    const pod = this.#pod(name);
    if (!pod) return;
    this.#former.set(name, pod.metadata.uid ?? '');
    tryTo(() => this.cluster.client.pods.delete(name, { gracePeriodSeconds }));
  }

  /** As whoever keeps it has counted. */
  budget(name: string, wish: BudgetWish | null): void {
    const { podDisruptionBudgets } = this.cluster.client;
    tryTo(() => podDisruptionBudgets.delete(name));
    if (!wish) return;
    const { app, allowed, healthy, desired, isObserved, always } = wish;
    podDisruptionBudgets.create({
      metadata: { name },
      spec: {
        minAvailable: 1,
        selector: { matchLabels: { app } },
        ...(always && { unhealthyPodEvictionPolicy: 'AlwaysAllow' }),
      },
    });
    const counts = { disruptionsAllowed: allowed, currentHealthy: healthy, desiredHealthy: desired };
    const status = { ...counts, expectedPods: 2, observedGeneration: isObserved ? 1 : 0 };
    podDisruptionBudgets.patch(name, { type: 'merge', body: { status } }, { subresource: 'status' });
  }

  #post(path: string, body: object, isDryRun: boolean): number {
    return this.#send('POST', `/api/v1/namespaces/default/${path}`, body, isDryRun);
  }

  #send(method: 'POST' | 'PUT', path: string, body: object, isDryRun: boolean): number {
    const query = isDryRun ? { dryRun: 'All' } : {};
    return this.cluster.finish(this.cluster.userClient.raw(method, path, { body, query })).status;
  }

  #uidFor(name: string, meant: Meant, present: string | undefined): string | undefined {
    if (meant === 'any') return undefined;
    return meant === 'this' ? (present ?? FOREIGN) : (this.#former.get(name) ?? FOREIGN);
  }

  evict(name: string, { meant, isDryRun }: Ask): void {
    const pod = this.#pod(name);
    const uid = this.#uidFor(name, meant, pod?.metadata.uid);
    const before = this.#everything();
    const { code, charged } = this.#verdict(pod, uid);
    const budget =
      charged === undefined ? undefined : this.#budgets.find((each) => each.metadata.name === charged);
    const metadata = { name, namespace: 'default' };
    const deleteOptions = uid === undefined ? {} : { deleteOptions: { preconditions: { uid } } };
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata, ...deleteOptions };
    const what = `evicting ${meant} ${name}, ${pod?.status?.phase ?? 'which is not there'}`;
    expect(this.#post(`pods/${name}/eviction`, body, isDryRun), what).toBe(code);
    if (isDryRun || (code !== 201 && charged === undefined)) {
      expect(this.#everything(), `${what}: nothing happens`).toEqual(before);
      return;
    }
    if (charged !== undefined) this.#expectCharged(charged, budget, name);
    const now = this.#pod(name);
    if (code !== 201) {
      expect(now).toEqual(pod);
      return;
    }
    this.#former.set(name, pod?.metadata.uid ?? '');
    if (!now) return;
    expect(now.metadata.deletionTimestamp, what).toBeDefined();
    expect(now.status?.conditions, what).toContainEqual(
      expect.objectContaining({ type: 'DisruptionTarget', status: 'True' }),
    );
  }

  /** One after the other, of pods that run and for which there is one budget. */
  disrupt(isReady: boolean, isGoing: boolean, wish: BudgetWish): void {
    this.budget('b', { ...wish, app: 'a' });
    this.budget('c', null);
    for (const name of PODS) {
      this.make(name, { app: 'a', isGated: false, nodeName: 'n1', isHeld: false });
      this.become(name, 'Running', isReady);
    }
    if (isGoing) this.remove('p', 60);
    for (const name of PODS) this.evict(name, { meant: 'this', isDryRun: false });
  }

  #everything(): readonly string[] {
    return [...this.#stored('/registry/pods/'), ...this.#stored('/registry/poddisruptionbudgets/')].map(
      (each) => JSON.stringify(each),
    );
  }

  #expectCharged(name: string, before: PodDisruptionBudget | undefined, pod: string): void {
    const status = this.#budgets.find(({ metadata }) => metadata.name === name)?.status;
    expect(status?.disruptionsAllowed, 'what is left').toBe((before?.status?.disruptionsAllowed ?? 0) - 1);
    expect(status?.disruptedPods).toEqual({
      ...before?.status?.disruptedPods,
      [pod]: expect.any(String) as unknown,
    });
  }

  /** What is to be answered, and which budget pays. */
  #verdict(
    pod: Pod | undefined,
    uid: string | undefined,
  ): { readonly code: number; readonly charged?: string } {
    if (!pod) return { code: 404 };
    const isOther = uid !== undefined && uid !== pod.metadata.uid;
    const done = isOther ? 409 : 201;
    const phase = pod.status?.phase ?? 'Pending';
    if (phase !== 'Running' || pod.metadata.deletionTimestamp !== undefined) return { code: done };
    const own = this.#budgets.filter(
      ({ spec }) => spec?.selector?.matchLabels?.['app'] === pod.metadata.labels?.['app'],
    );
    const [budget] = own;
    if (own.length > 1) return { code: 500 };
    if (!budget) return { code: done };
    const {
      disruptionsAllowed = 0,
      currentHealthy = 0,
      desiredHealthy = 0,
      observedGeneration = 0,
    } = {
      ...budget.status,
    };
    const isReady = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
    const isSpare = desiredHealthy > 0 && currentHealthy >= desiredHealthy;
    // Who does not count is meant as he is: whoever means another one seems to have been overtaken.
    if (!isReady && (isSpare || budget.spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow'))
      return { code: isOther ? 429 : 201 };
    if (observedGeneration < (budget.metadata.generation ?? 0) || disruptionsAllowed <= 0)
      return { code: 429 };
    return { code: done, charged: budget.metadata.name ?? '' };
  }

  bind(name: string, node: string, { meant, isDryRun }: Ask): void {
    const pod = this.#pod(name);
    const uid = this.#uidFor(name, meant, pod?.metadata.uid);
    const { metadata, spec } = pod ?? { metadata: {} };
    const isRefused =
      (uid !== undefined && uid !== metadata.uid) ||
      metadata.deletionTimestamp !== undefined ||
      (spec?.nodeName ?? '') !== '' ||
      (spec?.schedulingGates ?? []).length > 0;
    const code = pod ? (isRefused ? 409 : 201) : 404;
    const target = { kind: 'Node', name: node };
    const body = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name, ...(uid !== undefined && { uid }) },
      target,
    };
    const what = `binding ${meant} ${name}, on ${JSON.stringify(spec?.nodeName ?? null)}`;
    expect(this.#post(`pods/${name}/binding`, body, isDryRun), what).toBe(code);
    const now = this.#pod(name);
    if (code !== 201 || isDryRun) {
      expect(now, `${what}: nothing happens`).toEqual(pod);
      return;
    }
    expect(now?.spec).toEqual({ ...spec, nodeName: node });
    expect(now?.metadata.uid).toBe(metadata.uid);
    expect(now?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'PodScheduled', status: 'True' }),
    );
  }

  open(name: string): void {
    const body = { spec: { schedulingGates: null } };
    if (this.#pod(name)?.spec?.schedulingGates)
      tryTo(() => this.cluster.client.pods.patch(name, { type: 'merge', body }));
  }

  /** `version`: that of now, one of before, or none. */
  scale(replicas: number, version: 'now' | 'before' | 'none', isDryRun: boolean): void {
    const before = this.#set;
    const { metadata, spec } = before;
    const { resourceVersion } = metadata;
    if (version === 'before')
      this.cluster.client.replicaSets.patch('s', {
        type: 'merge',
        body: { metadata: { labels: { touched: String(resourceVersion) } } },
      });
    const present = this.#set;
    const path = '/apis/apps/v1/namespaces/default/replicasets/s/scale';
    const body = {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 's', namespace: 'default', ...(version !== 'none' && { resourceVersion }) },
      spec: { replicas },
    };
    const code = this.#send('PUT', path, body, isDryRun);
    const expected = replicas < 0 ? 422 : version === 'before' ? 409 : 200;
    expect(code, `a scale of ${replicas}, of ${version}`).toBe(expected);
    if (expected !== 200 || isDryRun) {
      expect(this.#set).toEqual(present);
      return;
    }
    const isSame = spec?.replicas === replicas;
    expect(this.#set.spec).toEqual({ ...spec, replicas });
    expect(this.#set.metadata.generation).toBe((metadata.generation ?? 0) + (isSame ? 0 : 1));
  }
}

const act = actsOn<World>();
const name = fc.constantFrom(...PODS);
const ask = fc.record({
  meant: fc.constantFrom<Meant>('this', 'any', 'any', 'former'),
  isDryRun: fc.constantFrom(false, false, false, true),
});
const podWish: fc.Arbitrary<PodWish> = fc.record({
  app: fc.constantFrom('a', 'a', 'z'),
  isGated: fc.constantFrom(false, false, true),
  nodeName: fc.constantFrom(null, null, 'n1'),
  isHeld: fc.constantFrom(false, false, true),
});
const budgetWish: fc.Arbitrary<BudgetWish> = fc.record({
  app: fc.constantFrom('a', 'a', 'z'),
  allowed: fc.nat(2),
  healthy: fc.nat(2),
  desired: fc.nat(2),
  isObserved: fc.constantFrom(true, true, true, false),
  always: fc.constantFrom(false, false, true),
});
const make = act('make', fc.tuple(name, podWish), (world, drawn) => world.make(...drawn));
const become = act(
  'become',
  fc.tuple(
    name,
    fc.constantFrom<Phase>('Running', 'Running', 'Running', 'Pending', 'Succeeded'),
    fc.boolean(),
  ),
  (world, drawn) => world.become(...drawn),
);
const evict = act('evict', fc.tuple(name, ask), (world, drawn) => world.evict(...drawn));
const budget = act('budget', fc.tuple(fc.constantFrom(...BUDGETS), fc.option(budgetWish)), (world, drawn) =>
  world.budget(...drawn),
);

it('do what they are asked, to whom it is meant for, or nothing', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[make, make, become, become, become, evict, evict, evict, evict, budget, budget],
      act('remove', fc.tuple(name, fc.constantFrom(0, 60)), (world, drawn) => world.remove(...drawn)),
      act('bind', fc.tuple(name, fc.constantFrom('n1', 'n2'), ask), (world, drawn) => world.bind(...drawn)),
      act('bind', fc.tuple(name, fc.constantFrom('n1', 'n2'), ask), (world, drawn) => world.bind(...drawn)),
      act('disrupt', fc.tuple(fc.boolean(), fc.boolean(), budgetWish), (world, drawn) =>
        world.disrupt(...drawn),
      ),
      act('open', name, (world, of) => world.open(of)),
      act(
        'scale',
        fc.tuple(fc.integer({ min: -1, max: 3 }), fc.constantFrom('now', 'before', 'none'), fc.boolean()),
        (world, drawn) => world.scale(...drawn),
      ),
      act('pass', fc.constantFrom(1, 40), ({ cluster }, span) => cluster.advance(seconds(span))),
    ],
    compare: () => undefined,
    most: 50,
    runs: 30,
    hasSomeOnly: true,
  });
});
