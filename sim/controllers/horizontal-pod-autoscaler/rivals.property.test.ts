/**
 * Autoscalers that come, go and are aimed at other targets, some of which take the same pods for their own, under managers
 * that begin anew: two rounds later each says that it is ambiguous exactly while another one that is there means one of its
 * pods, and else asks for its metrics. Documentation: "HorizontalPodAutoscaler", ambiguous selectors.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { createCluster, seconds } from '../../index.ts';

const MANAGER = 'controller-manager/0';
const ROUNDS = seconds(40);
const NAMES = ['x', 'y', 'z'] as const;
type Labels = Readonly<Record<string, string>>;
const PODS: Readonly<Record<string, Labels>> = {
  p: { app: 'a' },
  q: { app: 'a', tier: 'b' },
  r: { app: 'c' },
};
/** Which pods each means. */
const TARGETS = {
  one: { labels: { app: 'a' }, pods: ['p', 'q'] },
  two: { labels: { tier: 'b' }, pods: ['q'] },
  three: { labels: { app: 'c' }, pods: ['r'] },
} as const;
type Target = keyof typeof TARGETS;

class World {
  readonly #cluster = createCluster({
    controllers: ['horizontal-pod-autoscaler-controller'],
    disabledAdmissionPlugins: ['ServiceAccount'],
  });
  readonly #aims = new Map<string, Target>();

  constructor() {
    const { pods, replicaSets } = this.#cluster.client;
    for (const [name, labels] of Object.entries(PODS))
      pods.create({ metadata: { name, labels }, spec: { containers: [{ name: 'c', image: 'i' }] } });
    for (const [name, { labels }] of Object.entries(TARGETS)) {
      const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
      replicaSets.create({
        metadata: { name },
        spec: { replicas: 1, selector: { matchLabels: labels }, template },
      });
    }
  }

  aim(name: string, at: Target): void {
    const { horizontalPodAutoscalers } = this.#cluster.client;
    const target = { type: 'Utilization', averageUtilization: 50 } as const;
    const spec = {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: at },
      maxReplicas: 5,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
    };
    tryTo(() => horizontalPodAutoscalers.create({ metadata: { name }, spec }));
    horizontalPodAutoscalers.patch(name, { type: 'merge', body: { spec } });
    this.#aims.set(name, at);
  }

  forget(name: string): void {
    tryTo(() => this.#cluster.client.horizontalPodAutoscalers.delete(name));
    this.#aims.delete(name);
  }

  restart(): void {
    this.#cluster.faults.crash(MANAGER);
    this.pass(1);
    this.#cluster.faults.restart(MANAGER);
    // Who led before has the lease for a while.
    this.pass(20);
  }

  pass(span: number): void {
    this.#cluster.advance(seconds(span));
  }

  look(): void {
    this.#cluster.advance(ROUNDS);
    for (const [name, at] of this.#aims) {
      const { status } = this.#cluster.client.horizontalPodAutoscalers.get(name);
      const said = status?.conditions?.find(({ type }) => type === 'ScalingActive')?.reason;
      const means = (other: Target): boolean =>
        TARGETS[at].pods.some((pod) => (TARGETS[other].pods as readonly string[]).includes(pod));
      const rivals = [...this.#aims.values()].filter(means);
      // Nobody serves metrics, which is found out after that.
      expect(said, `what ${name} says, at ${at}`).toBe(
        rivals.length > 1 ? 'AmbiguousSelector' : 'FailedGetResourceMetric',
      );
    }
  }
}

const name = fc.constantFrom(...NAMES);
const target = fc.constantFrom<Target[]>('one', 'two', 'three');
const act = actsOn<World>();
const aim = act('aim', fc.tuple(name, target), (world, drawn) => world.aim(...drawn));
const forget = act('forget', name, (world, of) => world.forget(of));

it('are ambiguous while there are others of the same pods, and no longer', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[aim, aim, forget],
      act('pass', fc.constantFrom(1, 16), (world, span) => world.pass(span)),
      act('restart', NOTHING, (world) => world.restart()),
      act('look', NOTHING, (world) => world.look()),
    ],
    compare: () => undefined,
    end: (world) => world.look(),
    most: 10,
    runs: 12,
  });
});
