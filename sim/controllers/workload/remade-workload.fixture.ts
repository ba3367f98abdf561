/**
 * For properties of workload controllers: workloads of one kind on two machines that are made, changed, deleted and made anew
 * in any order, also while their controllers hear of nothing, hear late or come to grief. Soon after the last of that, and
 * some time after all troubles, each has the pods that it wants, of its newest template, and nothing is held for nobody.
 */
import fc from 'fast-check';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { ResourceHandle } from '../../client/resource-handle.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, TroubledManager, unseen } from '../../cluster/troubled-manager.fixture.ts';
import { type Act, actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { milliseconds, seconds } from '../../engine/time.ts';

const RULES = [
  'pods-rest',
  'deletions-rest',
  'replica-sets-rest',
  'deployments-rest',
  'stateful-sets-rest',
  'daemon-sets-rest',
  'jobs-rest',
  'owners-rest',
  'finalizers-rest',
] as const;
const POLICIES = ['Background', 'Background', 'Foreground', 'Orphan'] as const;
type Policy = (typeof POLICIES)[number];
type Kind = 'deployments' | 'daemonSets' | 'statefulSets' | 'jobs';

/** What a workload is to be; what `size` and `isOther` mean is its kind's affair. */
export interface Wish {
  readonly size: number;
  readonly isOther: boolean;
  readonly template: object;
}

/** A kind of workloads, and what can be asked of it. */
export interface Workload {
  readonly kind: Kind;
  readonly controllers: readonly string[];
  readonly specOf: (wish: Wish) => object;
  /** Merged into the spec. */
  readonly changeOf: (wish: Wish) => object;
  /** Of the only container; else it takes its time to stop. */
  readonly behaviour?: string;
  readonly restartPolicy?: string;
}

const LABELS = { app: 'w' };
export const SELECTOR = { matchLabels: LABELS };

export class RemadeWorkload extends TroubledManager {
  readonly #workload: Workload;

  constructor(workload: Workload) {
    super([...workload.controllers, 'garbage-collector-controller', 'node-lifecycle-controller'], {
      nodes: 2,
      scheduler: true,
    });
    this.#workload = workload;
    this.cluster.advance(seconds(8));
    this.make({ size: 1, isOther: true, template: templateOf(workload, { version: '1', graceSeconds: 3 }) });
    this.cluster.advance(seconds(4));
  }

  make(wish: Wish): void {
    const object = { metadata: { name: 'w' }, spec: this.#workload.specOf(wish) };
    tryTo(() => this.#workloads.create(object));
  }

  change(wish: Wish): void {
    const body = { spec: this.#workload.changeOf(wish) };
    tryTo(() => this.#workloads.patch('w', { type: 'merge', body }));
  }

  remove(propagationPolicy: Policy): void {
    tryTo(() => this.#workloads.delete('w', { propagationPolicy }));
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

  expectRight(): void {
    this.expectRest(RULES);
  }

  get #workloads() {
    return this.cluster.client.resource(BUILTIN_HANDLES[this.#workload.kind] as ResourceHandle);
  }
}

const act = actsOn<RemadeWorkload>();

const STOPS_SLOWLY = '{"stopsAfterSeconds":2}';

function templateOf(
  { behaviour = STOPS_SLOWLY, restartPolicy }: Workload,
  { version, graceSeconds }: { readonly version: string; readonly graceSeconds: number },
): object {
  return {
    metadata: {
      labels: { ...LABELS, version },
      annotations: { 'behaviour.kubesim.dev/main': behaviour },
    },
    spec: {
      terminationGracePeriodSeconds: graceSeconds,
      containers: [{ name: 'main', image: `app:${version}` }],
      ...(restartPolicy !== undefined && { restartPolicy }),
    },
  };
}

const wishFor = (workload: Workload): fc.Arbitrary<Wish> =>
  fc
    .record({
      size: fc.constantFrom(0, 1, 1, 2),
      isOther: fc.boolean(),
      version: fc.constantFrom('1', '2'),
      graceSeconds: fc.constantFrom(0, 3, 3),
    })
    .map(({ size, isOther, ...facts }) => ({ size, isOther, template: templateOf(workload, facts) }));

function doings(workload: Workload): readonly fc.Arbitrary<Act<RemadeWorkload>>[] {
  const wish = wishFor(workload);
  const make = act('make', wish, (world, drawn) => world.make(drawn));
  const change = act('change', wish, (world, drawn) => world.change(drawn));
  const remove = act('remove', fc.constantFrom(...POLICIES), (world, drawn) => world.remove(drawn));
  const remake = act('remake', fc.tuple(wish, fc.constantFrom(1, 20, 1_500)), (world, drawn) =>
    world.remake(...drawn),
  );
  const removePod = act('remove a pod', fc.nat(7), (world, index) => world.removePod(index));
  return [
    make,
    change,
    change,
    change,
    remove,
    remake,
    removePod,
    unseen([change, remove, remake, removePod]),
  ];
}

export function comesToRestSoon(workload: Workload, runs: number): void {
  const some = fc.oneof(...doings(workload));
  holdsInAnyOrder({
    begin: () => new RemadeWorkload(workload),
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
      world.expectRight();
    },
    most: 8,
    runs,
    isDear: true,
  });
}

export function comesToRestAfterTroubles(workload: Workload, runs: number): void {
  holdsInAnyOrder({
    begin: () => new RemadeWorkload(workload),
    acts: amidTroubles<RemadeWorkload>(doings(workload)),
    compare: () => undefined,
    end: (world) => {
      world.calm();
      world.expectRight();
    },
    most: 12,
    runs,
    isDear: true,
  });
}
