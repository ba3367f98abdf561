/**
 * A Deployment on real machines whose pods take their time to stop, made, changed, deleted and made anew in any order, also
 * while its controllers hear late or of nothing: soon after the last of that, and some time after all troubles, it has the
 * pods that it wants, of its newest template, and nothing is held for nobody.
 */
import fc from 'fast-check';
import { it } from 'vitest';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { ResourceHandle } from '../../client/resource-handle.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, TroubledManager, unseen } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { milliseconds, seconds } from '../../engine/time.ts';

const deployments = BUILTIN_HANDLES.deployments as ResourceHandle;
const CONTROLLERS = [
  'deployment-controller',
  'replicaset-controller',
  'garbage-collector-controller',
  'node-lifecycle-controller',
];
const RULES = [
  'pods-rest',
  'deletions-rest',
  'replica-sets-rest',
  'deployments-rest',
  'owners-rest',
  'finalizers-rest',
] as const;
const POLICIES = ['Background', 'Background', 'Foreground', 'Orphan'] as const;
type Policy = (typeof POLICIES)[number];

/** What a Deployment is to be. */
interface Wish {
  readonly size: number;
  /** Its old pods go before there are new ones. */
  readonly isSudden: boolean;
  readonly template: object;
}

const LABELS = { app: 'w' };

const specOf = ({ size, isSudden, template }: Wish): object => ({
  replicas: size,
  selector: { matchLabels: LABELS },
  template,
  strategy: { type: isSudden ? 'Recreate' : 'RollingUpdate' },
});

class World extends TroubledManager {
  constructor() {
    super(CONTROLLERS, { nodes: 2, scheduler: true });
    this.cluster.advance(seconds(8));
    this.make({ size: 1, isSudden: true, template: templateOf({ version: '1', graceSeconds: 3 }) });
    this.cluster.advance(seconds(4));
  }

  make(wish: Wish): void {
    tryTo(() =>
      this.cluster.client.resource(deployments).create({ metadata: { name: 'w' }, spec: specOf(wish) }),
    );
  }

  change({ size, template }: Wish): void {
    const body = { spec: { replicas: size, template } };
    tryTo(() => this.cluster.client.resource(deployments).patch('w', { type: 'merge', body }));
  }

  remove(propagationPolicy: Policy): void {
    tryTo(() => this.cluster.client.resource(deployments).delete('w', { propagationPolicy }));
  }

  /** Its name is another's soon after. */
  remake(wish: Wish, ms: number): void {
    this.remove('Background');
    this.cluster.advance(milliseconds(ms));
    this.make(wish);
  }

  removePod(index: number): void {
    const pods = this.of('Pod');
    const { name } = pods[index % Math.max(1, pods.length)]?.metadata ?? {};
    if (name !== undefined) tryTo(() => this.cluster.client.pods.delete(name));
  }
}

const act = actsOn<World>();

const STOPS_SLOWLY = '{"stopsAfterSeconds":2}';

interface TemplateFacts {
  readonly version: string;
  readonly graceSeconds: number;
}

const templateOf = ({ version, graceSeconds }: TemplateFacts): object => ({
  metadata: {
    labels: { ...LABELS, version },
    annotations: { 'behaviour.kubesim.dev/main': STOPS_SLOWLY },
  },
  spec: {
    terminationGracePeriodSeconds: graceSeconds,
    containers: [{ name: 'main', image: `app:${version}` }],
  },
});

const wish: fc.Arbitrary<Wish> = fc
  .record({
    size: fc.constantFrom(0, 1, 1, 2),
    isSudden: fc.boolean(),
    version: fc.constantFrom('1', '2'),
    graceSeconds: fc.constantFrom(0, 3, 3),
  })
  .map(({ size, isSudden, ...facts }) => ({ size, isSudden, template: templateOf(facts) }));

const make = act('make', wish, (world, drawn) => world.make(drawn));
const change = act('change', wish, (world, drawn) => world.change(drawn));
const remove = act('remove', fc.constantFrom(...POLICIES), (world, drawn) => world.remove(drawn));
const remake = act('remake', fc.tuple(wish, fc.constantFrom(1, 20, 1_500)), (world, drawn) =>
  world.remake(...drawn),
);
const removePod = act('remove a pod', fc.nat(7), (world, index) => world.removePod(index));
const doings = [
  make,
  change,
  change,
  change,
  remove,
  remake,
  removePod,
  unseen([change, remove, remake, removePod]),
];

it('have the pods that they want soon after anything', () => {
  const some = fc.oneof(...doings);
  holdsInAnyOrder({
    begin: () => new World(),
    acts: [
      some,
      some,
      act('pass', fc.constantFrom(0.02, 0.5, 2, 8), ({ cluster }, span) =>
        cluster.advance(milliseconds(span * 1_000)),
      ),
      act('lag', fc.constantFrom(0, 2), ({ cluster }, span) => cluster.lagWatchCaches(seconds(span))),
    ],
    compare: () => undefined,
    end: (world) => {
      world.cluster.lagWatchCaches(seconds(0));
      world.cluster.advance(seconds(60));
      world.expectRest(RULES);
    },
    most: 8,
    runs: 6,
    isDear: true,
  });
});

it('have the pods that they want some time after all troubles', () => {
  holdsInAnyOrder({
    begin: () => new World(),
    acts: amidTroubles<World>(doings),
    compare: () => undefined,
    end: (world) => {
      world.calm();
      world.expectRest(RULES);
    },
    most: 12,
    runs: 4,
    isDear: true,
  });
});
