/**
 * Autoscalers whose targets are scaled by others, go and come back, whose bounds change and whose metrics say this or that,
 * whatever comes between: an autoscaler never says that it wants what it has not brought about, and in the end each target has
 * as many replicas as its bounds and its metrics ask for, and the autoscaler says whether it can scale, and how many there are.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatTime } from '../../api/time-format.ts';
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerStatus,
} from '../../api/types/autoscaling-v2.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, struck, TroubledManager, unseen } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';
import { POD_METRICS, serveMetrics, usageNow } from './pod-metrics.fixture.ts';

/** Each autoscaler is looked at so often. */
const ROUND = seconds(15);
const LABELS = { app: 'a' };
const PODS = ['p', 'q'] as const;
/** Percent of what its pods ask for. */
const TARGET = 50;
type Use = 25 | 50 | 100;
type Bounds = readonly [min: number, max: number];

class World extends TroubledManager {
  #use: Use | undefined;
  readonly #wrong: string[] = [];

  constructor() {
    super(['horizontal-pod-autoscaler-controller']);
    serveMetrics(this.cluster);
    this.eachWrite<HorizontalPodAutoscaler>('/registry/horizontalpodautoscalers/', (now, before) =>
      this.#look(now?.status, before?.status),
    );
    const { pods } = this.cluster.client;
    const lastTransitionTime = formatTime(this.cluster.userClient.context.wallMs());
    const status = {
      phase: 'Running',
      startTime: lastTransitionTime,
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime }],
    };
    for (const name of PODS) {
      const resources = { requests: { cpu: '100m' } };
      const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i', resources }] };
      pods.create({ metadata: { name, labels: LABELS }, spec });
      pods.patch(name, { type: 'merge', body: { status } }, { subresource: 'status' });
    }
  }

  /** Another number is wanted only if it is the present one, or was written just now. */
  #look(now?: HorizontalPodAutoscalerStatus, before?: HorizontalPodAutoscalerStatus): void {
    const { currentReplicas = 0, desiredReplicas = 0, lastScaleTime } = now ?? {};
    if (desiredReplicas === (before?.desiredReplicas ?? 0) || desiredReplicas === currentReplicas) return;
    if (lastScaleTime === before?.lastScaleTime)
      this.#wrong.push(`${desiredReplicas} are wanted, of ${currentReplicas}, and nobody has scaled`);
  }

  compare(): void {
    expect(this.#wrong).toEqual([]);
  }

  /** A change that is refused does not count as one of those that are allowed in a time. */
  expectRefusedForgotten(): void {
    const { horizontalPodAutoscalers } = this.cluster.client;
    this.scale(2);
    this.#forgetForGood();
    this.use(100);
    const policies = [{ type: 'Pods', value: 1, periodSeconds: 1_800 }] as const;
    this.bound([1, 9]);
    const body = { spec: { behavior: { scaleUp: { policies, stabilizationWindowSeconds: 0 } } } };
    horizontalPodAutoscalers.patch('web', { type: 'merge', body });
    const refused = { actor: this.actor.name, verb: 'update', resource: 'replicasets' } as const;
    this.cluster.faults.failRequests({ ...refused, status: 500, count: 1 });
    for (let round = 0; round < 3; round++) this.cluster.advance(ROUND);
    expect(this.#replicas, 'after one more was refused').toBe(3);
    this.compare();
  }

  /** Only its own recommendations keep it from scaling: whoever is new under a name knows none of the former. */
  expectFormerForgotten(): void {
    this.scale(2);
    this.use(100);
    this.bound([1, 9]);
    for (let round = 0; round < 2; round++) this.cluster.advance(ROUND);
    expect(this.#replicas, 'what the former asks for').toBeGreaterThan(2);
    this.#forgetForGood();
    this.scale(2);
    this.use(25);
    this.bound([1, 9]);
    for (let round = 0; round < 2; round++) this.cluster.advance(ROUND);
    expect(this.#replicas, 'what the new one leaves').toBe(2);
    this.compare();
  }

  /** Whoever comes next is not taken for the former. */
  #forgetForGood(): void {
    this.forget();
    for (let round = 0; round < 2; round++) this.cluster.advance(ROUND);
  }

  get #replicas(): number | undefined {
    return this.cluster.client.replicaSets.get('web').spec?.replicas;
  }

  /** The target, with so many replicas; one that is there is scaled by somebody else. */
  scale(replicas: number): void {
    const { replicaSets } = this.cluster.client;
    const template = { metadata: { labels: LABELS }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const spec = { replicas, selector: { matchLabels: LABELS }, template };
    tryTo(() => replicaSets.create({ metadata: { name: 'web' }, spec }));
    tryTo(() => replicaSets.patch('web', { type: 'merge', body: { spec: { replicas } } }));
  }

  drop(): void {
    tryTo(() => this.cluster.client.replicaSets.delete('web', { propagationPolicy: 'Background' }));
  }

  bound([minReplicas, maxReplicas]: Bounds): void {
    const { horizontalPodAutoscalers } = this.cluster.client;
    const target = { type: 'Utilization', averageUtilization: TARGET } as const;
    const spec = {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web' },
      minReplicas,
      maxReplicas,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
    };
    tryTo(() => horizontalPodAutoscalers.create({ metadata: { name: 'web' }, spec }));
    tryTo(() => horizontalPodAutoscalers.patch('web', { type: 'merge', body: { spec } }));
  }

  forget(): void {
    tryTo(() => this.cluster.client.horizontalPodAutoscalers.delete('web'));
  }

  use(percent: Use | undefined): void {
    const metrics = this.cluster.client.resource(POD_METRICS);
    const facts = usageNow(this.cluster, 'c', `${percent ?? 0}m`);
    for (const name of PODS) {
      tryTo(() => metrics.delete(name));
      if (percent !== undefined)
        tryTo(() => metrics.create({ metadata: { name, labels: LABELS }, ...facts }));
    }
    const known = metrics.list({ namespace: 'default' }).items.length;
    this.#use = known === PODS.length ? percent : undefined;
  }

  expectRight(): void {
    const [autoscaler] = this.#autoscalers;
    if (!autoscaler) return;
    const target = this.objects.find(({ kind }) => kind === 'ReplicaSet') as
      { readonly spec?: { readonly replicas?: number } } | undefined;
    const able = autoscaler.status?.conditions?.find(({ type }) => type === 'AbleToScale')?.status;
    expect(able, 'AbleToScale').toBe(target ? 'True' : 'False');
    if (!target) return;
    const { replicas = 1 } = target.spec ?? {};
    const what = `${replicas}, by ${JSON.stringify(autoscaler.spec)} and ${this.#use ?? 'unknown'} percent`;
    const active = autoscaler.status?.conditions?.find(({ type }) => type === 'ScalingActive');
    expect(autoscaler.status?.currentReplicas ?? 0, 'currentReplicas').toBe(replicas);
    if (replicas === 0) {
      expect(active).toMatchObject({ status: 'False', reason: 'ScalingDisabled' });
      return;
    }
    const { minReplicas = 1, maxReplicas = 1 } = autoscaler.spec ?? {};
    const least = Math.min(Math.max(minReplicas, wishedBy(this.#use) ?? replicas), maxReplicas);
    expect(replicas, what).toBe(least);
    expect(active?.status, 'ScalingActive').toBe(this.#use === undefined ? 'False' : 'True');
  }

  get #autoscalers(): readonly HorizontalPodAutoscaler[] {
    return this.objects.filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
  }
}

/** Of as many pods as there are, not of as many as are wanted; undefined: as it is. */
const wishedBy = (use: Use | undefined): number | undefined =>
  use === undefined || use === TARGET ? undefined : Math.ceil((PODS.length * use) / TARGET);

const act = actsOn<World>();
const size = fc.constantFrom(0, 1, 2, 3, 6);
const bounds = fc.constantFrom<Bounds[]>([1, 2], [1, 5], [3, 5], [2, 2], [1, 9]);
const scale = act('scale', size, (world, drawn) => world.scale(drawn));
const bound = act('bound', bounds, (world, drawn) => world.bound(drawn));
const use = act('use', fc.constantFrom<(Use | undefined)[]>(undefined, 25, 50, 100, 100), (world, drawn) =>
  world.use(drawn),
);
const doings = [
  scale,
  scale,
  bound,
  use,
  act('drop', NOTHING, (world) => world.drop()),
  act('forget', NOTHING, (world) => world.forget()),
  act('begin anew', bounds, (world, drawn) => {
    world.forget();
    world.bound(drawn);
  }),
];

it('are within their bounds in the end, as many as are asked for, and say so', () => {
  holdsInAnyOrderAsBefore<World>({
    begin: () => {
      const world = new World();
      world.scale(2);
      world.bound([1, 5]);
      return world;
    },
    acts: amidTroubles<World>([...doings, struck<World>(doings), unseen<World>(doings)]),
    compare: (world) => world.compare(),
    end: (world) => {
      world.calm();
      world.compare();
      world.expectRight();
      world.expectFormerForgotten();
      world.expectRefusedForgotten();
    },
    most: 14,
    runs: 15,
  });
});
