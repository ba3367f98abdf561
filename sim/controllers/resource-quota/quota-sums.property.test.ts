/**
 * What quotas say is used, beside the plain sum of what is there, whatever comes, changes its size or its type, ends or goes,
 * and whoever counts: the server at each write, the controller afterwards, or the controller alone.
 *
 * @holds sim/api/quota sim/apiserver/admission/quota
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type {
  Container,
  PersistentVolumeClaim,
  Pod,
  ResourceQuota,
  ResourceQuotaSpec,
  Service,
} from '../../api/types/core-v1.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, TroubledManager } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const NAMES = ['a', 'b', 'c'] as const;
const OF_GOLD = 'gold.storageclass.storage.k8s.io/';
/** Far beyond what there will be. */
const MUCH = '100000';
const HARD: Readonly<Record<string, readonly string[]>> = {
  all: [
    'persistentvolumeclaims',
    'requests.storage',
    'count/persistentvolumeclaims',
    `${OF_GOLD}persistentvolumeclaims`,
    `${OF_GOLD}requests.storage`,
    'services',
    'services.nodeports',
    'services.loadbalancers',
    'pods',
    'count/pods',
    'requests.ephemeral-storage',
    'configmaps',
    'count/configmaps',
  ],
  brief: ['pods', 'ephemeral-storage'],
  cheap: ['pods'],
};
const SCOPES: Readonly<Record<string, ResourceQuotaSpec['scopes']>> = {
  brief: ['Terminating'],
  cheap: ['BestEffort'],
};

const UNITS: Readonly<Record<string, number>> = { m: 1 / 1000, Mi: 2 ** 20, Gi: 2 ** 30, k: 1000 };

function numberOf(text: string): number {
  const [, digits = '', unit = ''] = /^(\d+)(\w*)$/.exec(text) ?? [];
  return Number(digits) * (unit === '' ? 1 : (UNITS[unit] ?? NaN));
}

type ServiceType = 'ClusterIP' | 'NodePort' | 'LoadBalancer';
type Sum = Map<string, number>;
const add = (sum: Sum, name: string, amount: number): void =>
  void sum.set(name, (sum.get(name) ?? 0) + amount);

function sumClaim(sum: Sum, { spec }: PersistentVolumeClaim): void {
  const size = numberOf(spec?.resources?.requests?.['storage'] ?? '0');
  for (const prefix of spec?.storageClassName === 'gold' ? ['', OF_GOLD] : ['']) {
    add(sum, `${prefix}persistentvolumeclaims`, 1);
    add(sum, `${prefix}requests.storage`, size);
  }
  add(sum, 'count/persistentvolumeclaims', 1);
}

function sumService(sum: Sum, { spec }: Service): void {
  const hasPorts = spec?.type === 'NodePort' || spec?.type === 'LoadBalancer';
  add(sum, 'services', 1);
  add(sum, 'services.nodeports', hasPorts ? (spec.ports ?? []).length : 0);
  add(sum, 'services.loadbalancers', spec?.type === 'LoadBalancer' ? 1 : 0);
  add(sum, `of type ${spec?.type ?? ''}`, 1);
}

/** What runs needs, or what an init container needs before that. */
function needOf({ spec }: Pod, name: string): number {
  const needs = (list: readonly Container[] = []): readonly number[] =>
    list.map(({ resources }) => numberOf(resources?.requests?.[name] ?? '0'));
  const running = needs(spec?.containers).reduce((one, other) => one + other, 0);
  return Math.max(running, ...needs(spec?.initContainers));
}

function sumPod(sum: Sum, pod: Pod): void {
  add(sum, 'count/pods', 1);
  if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return;
  add(sum, 'pods', 1);
  // Memory and processors would have to be asked for by everybody as soon as they are limited.
  for (const name of ['ephemeral-storage', 'requests.ephemeral-storage'])
    add(sum, name, needOf(pod, 'ephemeral-storage'));
}

const SCOPED: Readonly<Record<string, (pod: Pod) => boolean>> = {
  all: () => true,
  brief: ({ spec }) => spec?.activeDeadlineSeconds !== undefined,
  cheap: (pod) => needOf(pod, 'memory') === 0,
};

interface PodFacts {
  readonly disk: string;
  readonly memory: string;
  readonly before: string;
  readonly deadline: number | undefined;
}

/** Something has gone, or is of another size or type. */
function isFreed(before: Sum, now: Sum): boolean {
  const change = (name: string): number => (now.get(name) ?? 0) - (before.get(name) ?? 0);
  const types = ['ClusterIP', 'NodePort', 'LoadBalancer'].map((type) => `of type ${type}`);
  const gone = ['persistentvolumeclaims', 'pods', 'configmaps', ...types];
  return (
    gone.some((name) => change(name) < 0) ||
    (change('persistentvolumeclaims') === 0 && change('requests.storage') !== 0)
  );
}

class World extends TroubledManager {
  readonly #isAlone: boolean;
  #last: Sum | undefined;

  constructor(isAlone: boolean) {
    super(['resourcequota-controller'], {
      disabledAdmissionPlugins: ['ServiceAccount', ...(isAlone ? ['ResourceQuota'] : [])],
    });
    this.#isAlone = isAlone;
    const { client } = this.cluster;
    client.storageClasses.create({
      metadata: { name: 'gold' },
      provisioner: 'example.com/gold',
      allowVolumeExpansion: true,
    });
    for (const name of Object.keys(HARD)) this.limit(name);
    this.cluster.advance(seconds(2));
  }

  limit(name: string): void {
    const hard = Object.fromEntries(
      (HARD[name] ?? []).map((each) => [each, MUCH + (/storage$/.test(each) ? 'Gi' : '')]),
    );
    const scopes = SCOPES[name];
    tryTo(() =>
      this.cluster.client.resourceQuotas.create({
        metadata: { name },
        spec: { hard, ...(scopes && { scopes }) },
      }),
    );
  }

  lift(name: string): void {
    tryTo(() => this.cluster.client.resourceQuotas.delete(name));
  }

  /** A create that finds its name taken is counted all the same, until everything is counted anew. */
  #has(kind: string, name: string): boolean {
    return this.objects.some((each) => each.kind === kind && each.metadata.name === name);
  }

  claim(name: string, size: string, isGold: boolean): void {
    const { persistentVolumeClaims } = this.cluster.client;
    if (this.#has('PersistentVolumeClaim', name)) return;
    tryTo(() => {
      persistentVolumeClaims.create({
        metadata: { name },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: size } },
          storageClassName: isGold ? 'gold' : '',
        },
      });
      // Only what is bound grows.
      const body = { status: { phase: 'Bound', capacity: { storage: size } } };
      persistentVolumeClaims.patch(name, { type: 'merge', body }, { subresource: 'status' });
    });
  }

  resize(name: string, size: string): void {
    const body = { spec: { resources: { requests: { storage: size } } } };
    tryTo(() => this.cluster.client.persistentVolumeClaims.patch(name, { type: 'merge', body }));
  }

  serve(name: string, type: ServiceType, ports: number): void {
    const spec = {
      type,
      ports: Array.from({ length: ports }, (_, at) => ({ name: `p${at}`, port: 80 + at })),
    };
    const { services } = this.cluster.client;
    tryTo(() =>
      this.#has('Service', name)
        ? services.patch(name, { type: 'merge', body: { spec } })
        : services.create({ metadata: { name }, spec }),
    );
  }

  run(name: string, { disk, memory, before, deadline }: PodFacts): void {
    if (this.#has('Pod', name)) return;
    const resources = { requests: { 'ephemeral-storage': disk, ...(memory !== '0' && { memory }) } };
    tryTo(() =>
      this.cluster.client.pods.create({
        metadata: { name },
        spec: {
          containers: ['c', 'd'].map((each) => ({ name: each, image: 'i', resources })),
          ...(before !== '0' && {
            initContainers: [
              { name: 'i', image: 'i', resources: { requests: { 'ephemeral-storage': before } } },
            ],
          }),
          ...(deadline !== undefined && { activeDeadlineSeconds: deadline }),
        },
      }),
    );
  }

  end(name: string, phase: string): void {
    const body = { status: { phase } };
    tryTo(() => this.cluster.client.pods.patch(name, { type: 'merge', body }, { subresource: 'status' }));
  }

  note(name: string, isThere: boolean): void {
    const { configMaps } = this.cluster.client;
    if (isThere && this.#has('ConfigMap', name)) return;
    tryTo(() => (isThere ? configMaps.create({ metadata: { name } }) : configMaps.delete(name)));
  }

  remove(kind: 'persistentVolumeClaims' | 'services' | 'pods', name: string): void {
    tryTo(() => this.cluster.client[kind].delete(name));
  }

  expectSums(counted: (quota: string) => boolean = () => true): void {
    for (const quota of this.of('ResourceQuota')) {
      const { name = '' } = quota.metadata;
      if (!counted(name)) continue;
      const sum = this.#sumFor(quota);
      const used = Object.entries(quota.status?.used ?? {});
      expect(used, `counted by ${name}`).toHaveLength(HARD[name]?.length ?? 0);
      for (const [each, amount] of used)
        expect(numberOf(amount), `${each} of ${name}`).toBe(sum.get(each) ?? 0);
    }
  }

  /**
   * What comes is counted by the server, what is freed by the controller: without the server only that, and only by quotas
   * that limit what was freed.
   */
  compare(): void {
    const before = this.#last;
    this.cluster.advance(SOON);
    const [quota] = this.of('ResourceQuota').filter(({ metadata }) => metadata.name === 'all');
    this.#last = quota && this.#sumFor(quota);
    if (!this.#isAlone) this.expectSums();
    else if (this.#last && before && isFreed(before, this.#last)) {
      const isOfPods = (this.#last.get('pods') ?? 0) < (before.get('pods') ?? 0);
      this.expectSums((quota) => quota === 'all' || isOfPods);
    }
  }

  #sumFor({ metadata: { name = '' } }: ResourceQuota): Sum {
    const sum: Sum = new Map();
    for (const pod of this.of('Pod')) if (SCOPED[name]?.(pod) === true) sumPod(sum, pod);
    if (name !== 'all') return sum;
    for (const object of this.objects.filter(({ metadata }) => metadata.namespace === 'default'))
      if (object.kind === 'PersistentVolumeClaim') sumClaim(sum, object);
      else if (object.kind === 'Service') sumService(sum, object);
      else if (object.kind === 'ConfigMap')
        for (const each of ['configmaps', 'count/configmaps']) add(sum, each, 1);
    return sum;
  }
}

const name = fc.constantFrom(...NAMES);
const size = fc.constantFrom('1Gi', '2Gi', '1536Mi', '5Gi');
const facts = fc.record<PodFacts>({
  disk: fc.constantFrom('0', '500Mi', '2Gi'),
  memory: fc.constantFrom('0', '64Mi'),
  before: fc.constantFrom('0', '3Gi', '250Mi'),
  deadline: fc.constantFrom(undefined, 100),
});
const act = actsOn<World>();
const remove = act(
  'remove',
  fc.tuple(fc.constantFrom('persistentVolumeClaims', 'services', 'pods'), name),
  (world, drawn) => world.remove(...drawn),
);
const acts = [
  act('claim', fc.tuple(name, size, fc.boolean()), (world, drawn) => world.claim(...drawn)),
  act('resize', fc.tuple(name, size), (world, drawn) => world.resize(...drawn)),
  act('resize', fc.tuple(name, size), (world, drawn) => world.resize(...drawn)),
  act(
    'serve',
    fc.tuple(
      name,
      fc.constantFrom<ServiceType[]>('ClusterIP', 'NodePort', 'LoadBalancer'),
      fc.integer({ min: 1, max: 3 }),
    ),
    (world, drawn) => world.serve(...drawn),
  ),
  act('run', fc.tuple(name, facts), (world, drawn) => world.run(...drawn)),
  act('end', fc.tuple(name, fc.constantFrom('Succeeded', 'Failed', 'Running')), (world, drawn) =>
    world.end(...drawn),
  ),
  act('note', fc.tuple(name, fc.boolean()), (world, drawn) => world.note(...drawn)),
  remove,
  remove,
  remove,
  act('lift', fc.constantFrom(...Object.keys(HARD)), (world, of) => world.lift(of)),
  act('limit', fc.constantFrom(...Object.keys(HARD)), (world, of) => world.limit(of)),
];
const SOON = seconds(3);

it.each([
  ['the server and the controller', false],
  ['the controller alone', true],
])('counts what is there soon after it has changed: %s', (_who, isAlone) => {
  holdsInAnyOrder({
    begin: () => new World(isAlone),
    acts,
    compare: (world) => world.compare(),
    most: 12,
    runs: 8,
  });
});

it('counts what is there in the end, whatever came between', () => {
  holdsInAnyOrder({
    begin: () => new World(false),
    acts: amidTroubles<World>(acts),
    compare: () => undefined,
    end: (world) => {
      world.calm();
      world.expectSums();
      world.expectStill();
    },
    most: 16,
    runs: 8,
  });
});
