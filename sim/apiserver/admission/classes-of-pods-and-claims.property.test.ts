/**
 * What pods and claims may be by the runtime and storage classes that they name, which come, change and go in any order: a pod
 * takes its overhead, its nodes and its tolerations from its class as it is when the pod comes, and is let be ever after;
 * a claim grows as its class allows when it asks, and never shrinks.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Toleration } from '../../api/types/core-v1.ts';
import type { RuntimeClass } from '../../api/types/node-k8s-io-v1.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { ApiError } from '../../api/status.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';

const CLASSES = ['r', 's'] as const;
const RUNTIMES = BUILTIN_HANDLES.runtimeClasses;

type Amounts = Readonly<Record<string, string>>;
type Labels = Readonly<Record<string, string>>;

/** What a class says. */
interface Said {
  readonly overhead: Amounts | null;
  readonly nodes: Labels | null;
  readonly tolerates: boolean;
}

interface Wish {
  readonly of: (typeof CLASSES)[number] | null;
  readonly overhead: Amounts | null;
  readonly nodes: Labels | null;
  readonly tolerates: boolean;
}

const TOLERATION: Toleration = { key: 'dear', operator: 'Exists', effect: 'NoSchedule' };
const USUAL = 2;

class World {
  readonly cluster = createCluster({
    controllers: [],
    scheduler: false,
    disabledAdmissionPlugins: ['ServiceAccount'],
  });
  readonly #classes = new Map<string, Said>();
  #expands = true;
  #hasStorage = false;
  /** GiB that claims ask for, and whether they are bound. */
  readonly #claims = new Map<string, { readonly size: number; readonly isBound: boolean }>();

  constructor() {
    this.store(true);
  }

  #codeOf(write: () => unknown): number {
    try {
      write();
      return 200;
    } catch (error) {
      if (error instanceof ApiError) return error.status.code ?? 0;
      throw error;
    }
  }

  say(name: string, said: Said | null): void {
    const client = this.cluster.client.resource<RuntimeClass>(RUNTIMES);
    const present = this.#classes.get(name);
    if (said === null) {
      if (present) client.delete(name);
      this.#classes.delete(name);
      return;
    }
    const { overhead, nodes, tolerates } = said;
    const isScheduled = nodes !== null || tolerates;
    const body = {
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name },
      handler: 'h',
      ...(overhead && { overhead: { podFixed: overhead } }),
      ...(isScheduled && {
        scheduling: {
          ...(nodes && { nodeSelector: nodes }),
          ...(tolerates && { tolerations: [TOLERATION] }),
        },
      }),
    } as RuntimeClass;
    if (present) client.update({ ...body, metadata: client.get(name).metadata });
    else client.create(body);
    this.#classes.set(name, said);
  }

  pod({ of, overhead, nodes, tolerates }: Wish): void {
    const { pods } = this.cluster.client;
    tryTo(() => pods.delete('p', { gracePeriodSeconds: 0 }));
    let made: ReturnType<typeof pods.create> | undefined;
    const code = this.#codeOf(() => {
      made = pods.create({
        metadata: { name: 'p' },
        spec: {
          ...(of !== null && { runtimeClassName: of }),
          ...(overhead && { overhead }),
          ...(nodes && { nodeSelector: nodes }),
          ...(tolerates && { tolerations: [TOLERATION] }),
          containers: [{ name: 'c', image: 'i' }],
        },
      });
    });
    const said = of === null ? undefined : this.#classes.get(of);
    const isUnknown = of !== null && !said;
    const isOther = overhead !== null && JSON.stringify(said?.overhead) !== JSON.stringify(overhead);
    const conflicts = Object.entries(said?.nodes ?? {}).some(
      ([key, value]) => (nodes?.[key] ?? value) !== value,
    );
    const wrong = isUnknown || isOther || conflicts;
    expect(code, `a pod ${JSON.stringify({ of, overhead, nodes })} of ${JSON.stringify(said)}`).toBe(
      wrong ? 403 : 200,
    );
    if (!made) return;
    expect(made.spec?.overhead ?? null).toEqual(said?.overhead ?? null);
    expect(made.spec?.nodeSelector ?? {}).toEqual({ ...nodes, ...said?.nodes });
    const own = (made.spec?.tolerations ?? []).filter(({ key }) => key === TOLERATION.key);
    expect(own.length, 'tolerations').toBe(tolerates || said?.tolerates ? 1 : 0);
  }

  /** Whoever is there is let be, whatever has become of the class. */
  touch(label: string): void {
    const { pods } = this.cluster.client;
    const present = pods.list().items.find(({ metadata }) => metadata.name === 'p');
    if (!present) return;
    const made = pods.update({ ...present, metadata: { ...present.metadata, labels: { label } } });
    expect(made.spec).toEqual(present.spec);
  }

  store(expands: boolean | null): void {
    const { storageClasses } = this.cluster.client;
    if (this.#hasStorage && expands === null) storageClasses.delete('store');
    if (this.#hasStorage && expands !== null)
      storageClasses.patch('store', { type: 'merge', body: { allowVolumeExpansion: expands } });
    if (!this.#hasStorage && expands !== null)
      storageClasses.create({ metadata: { name: 'store' }, provisioner: 'x', allowVolumeExpansion: expands });
    this.#hasStorage = expands !== null;
    this.#expands = expands === true;
  }

  claim(name: string, isBound: boolean): void {
    const { persistentVolumeClaims } = this.cluster.client;
    if (this.#claims.has(name)) {
      persistentVolumeClaims.delete(name);
      tryTo(() =>
        persistentVolumeClaims.patch(name, { type: 'merge', body: { metadata: { finalizers: null } } }),
      );
    }
    persistentVolumeClaims.create({
      metadata: { name },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'store',
        resources: { requests: { storage: `${USUAL}Gi` } },
      },
    });
    this.#claims.set(name, { size: USUAL, isBound });
    if (isBound) this.#tell(name, { phase: 'Bound', capacity: { storage: `${USUAL}Gi` } });
  }

  #tell(name: string, status: object): void {
    this.cluster.client.persistentVolumeClaims.patch(
      name,
      { type: 'merge', body: { status } },
      { subresource: 'status' },
    );
  }

  /** Somebody has made the volume as large as was asked for, or could not. */
  follow(name: string, hasGrown: boolean): void {
    const claim = this.#claims.get(name);
    if (!claim?.isBound) return;
    const conditions = hasGrown ? [] : [{ type: 'FileSystemResizePending', status: 'True' }];
    this.#tell(name, { conditions, ...(hasGrown && { capacity: { storage: `${claim.size}Gi` } }) });
  }

  resize(name: string, size: number): void {
    const claim = this.#claims.get(name);
    if (!claim) return;
    const body = { spec: { resources: { requests: { storage: `${size}Gi` } } } };
    const { persistentVolumeClaims } = this.cluster.client;
    const code = this.#codeOf(() => persistentVolumeClaims.patch(name, { type: 'merge', body }));
    const expected = this.#mayBe(claim, size);
    expect(code, `from ${claim.size} to ${size}, ${claim.isBound ? '' : 'not '}bound`).toBe(expected);
    if (code === 200) this.#claims.set(name, { ...claim, size });
    expect(persistentVolumeClaims.get(name).spec?.resources?.requests?.['storage']).toBe(
      `${code === 200 ? size : claim.size}Gi`,
    );
  }

  #mayBe(
    { size: before, isBound }: { readonly size: number; readonly isBound: boolean },
    size: number,
  ): number {
    if (size === before) return 200;
    if (!isBound || size < before) return 422;
    return this.#hasStorage && this.#expands ? 200 : 403;
  }
}

const act = actsOn<World>();
const name = fc.constantFrom(...CLASSES);
const overhead = fc.constantFrom(null, null, { cpu: '1' }, { cpu: '2' });
const nodes = fc.constantFrom(null, null, { kind: 'x' }, { kind: 'y' }, { other: 'x' });
const said: fc.Arbitrary<Said> = fc.record({ overhead, nodes, tolerates: fc.boolean() });
const pod = act(
  'pod',
  fc.record({ of: fc.constantFrom('r', 's', 'r', null), overhead, nodes, tolerates: fc.boolean() }),
  (world, wish) => world.pod(wish),
);
const say = act('say', fc.tuple(name, fc.option(said)), (world, drawn) => world.say(...drawn));
const resize = act('resize', fc.tuple(name, fc.integer({ min: 1, max: 5 })), (world, drawn) =>
  world.resize(...drawn),
);

it('are what their classes say when they ask', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[pod, pod, say, say, resize, resize],
      act('touch', fc.constantFrom('x', 'y'), (world, label) => world.touch(label)),
      act('store', fc.option(fc.boolean()), (world, expands) => world.store(expands)),
      act('claim', fc.tuple(name, fc.boolean()), (world, drawn) => world.claim(...drawn)),
      act('follow', fc.tuple(name, fc.boolean()), (world, drawn) => world.follow(...drawn)),
    ],
    compare: () => undefined,
    most: 40,
    runs: 30,
    hasSomeOnly: true,
  });
});
