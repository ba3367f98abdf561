/**
 * Owners of kinds that come and go, owners in circles, owners that are made anew: in the end nothing is left whose owners
 * are gone, nothing waits for ever to be let go, and what nobody deleted and nobody owned is there.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ApiObject, OwnerReference } from '../../api/object.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { ResourceHandle } from '../../client/resource-handle.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, TroubledManager } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const { configMaps, customResourceDefinitions } = BUILTIN_HANDLES;
const WEBSITES: ResourceHandle = {
  group: 'example.com',
  version: 'v1',
  resource: 'websites',
  kind: 'Website',
  isNamespaced: true,
};
const HANDLES = { ConfigMap: configMaps as ResourceHandle, Website: WEBSITES } as const;
const API_VERSIONS = { ConfigMap: 'v1', Website: 'example.com/v1' } as const;
type Kind = keyof typeof HANDLES;
const POLICIES = ['Background', 'Foreground', 'Orphan'] as const;
type Policy = (typeof POLICIES)[number];

interface Place {
  readonly kind: Kind;
  readonly name: string;
}

class World extends TroubledManager {
  /** Made without owners, and never deleted. */
  readonly #free = new Set<string>();

  constructor() {
    super(['garbage-collector-controller']);
    this.define();
  }

  define(): void {
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    tryTo(() =>
      this.cluster.client.resource(customResourceDefinitions).create({
        metadata: { name: 'websites.example.com' },
        spec: {
          group: 'example.com',
          scope: 'Namespaced',
          names: { plural: 'websites', kind: 'Website' },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      }),
    );
    this.cluster.advance(seconds(2));
  }

  undefine(): void {
    tryTo(() => {
      this.cluster.client.resource(customResourceDefinitions).delete('websites.example.com');
      for (const { kind, metadata } of this.belongings)
        if (kind === 'Website') this.#free.delete(metadata.uid ?? '');
    });
    this.cluster.advance(seconds(2));
  }

  make({ kind, name }: Place, owner: Place | undefined): void {
    const found = owner && this.#find(owner);
    tryTo(() => {
      const { metadata } = this.#of(kind).create({
        apiVersion: API_VERSIONS[kind],
        kind,
        metadata: { name, ...(owner && { ownerReferences: [referenceTo(owner, found)] }) },
      });
      if (!owner) this.#free.add(metadata.uid ?? '');
    });
  }

  /** It belongs to that one, too. */
  tie({ kind, name }: Place, owner: Place): void {
    const [own, found] = [this.#find({ kind, name }), this.#find(owner)];
    if (!own || !found || own === found) return;
    const { ownerReferences = [], uid = '' } = own.metadata;
    if (ownerReferences.some((each) => each.uid === found.metadata.uid)) return;
    const body = { metadata: { ownerReferences: [...ownerReferences, referenceTo(owner, found)] } };
    tryTo(() => {
      this.#of(kind).patch(name, { type: 'merge', body });
      this.#free.delete(uid);
    });
  }

  /** Each belongs to the other. */
  knot(one: Place, other: Place): void {
    this.make(one, undefined);
    this.make(other, undefined);
    this.tie(one, other);
    this.tie(other, one);
  }

  remove({ kind, name }: Place, propagationPolicy: Policy): void {
    const uid = this.#find({ kind, name })?.metadata.uid ?? '';
    tryTo(() => {
      this.#of(kind).delete(name, { propagationPolicy });
      this.#free.delete(uid);
    });
  }

  get belongings(): readonly ApiObject[] {
    return this.objects.filter(
      ({ kind = '', metadata: { name = '', namespace } }) =>
        kind in HANDLES && NAMES.includes(name) && namespace === 'default',
    );
  }

  expectRight(): void {
    const all = this.belongings;
    const uids = new Set(all.map(({ metadata }) => metadata.uid ?? ''));
    for (const { kind, metadata } of all) {
      const owners = metadata.ownerReferences ?? [];
      const what = `${kind ?? ''} ${metadata.name ?? ''}`;
      if (owners.length > 0)
        expect(
          owners.some(({ uid }) => uids.has(uid)),
          `an owner of ${what} is there`,
        ).toBe(true);
      expect(metadata.deletionTimestamp, `${what}, which goes`).toBeUndefined();
    }
    for (const uid of this.#free) expect(uids, 'what nobody deleted').toContain(uid);
  }

  #find({ kind, name }: Place): ApiObject | undefined {
    return this.belongings.find((each) => each.kind === kind && each.metadata.name === name);
  }

  #of(kind: Kind) {
    return this.cluster.client.resource(HANDLES[kind]);
  }
}

/** Of one that is not there: to somebody who went long ago. */
const referenceTo = ({ kind, name }: Place, found: ApiObject | undefined): OwnerReference => ({
  apiVersion: API_VERSIONS[kind],
  kind,
  name,
  uid: found?.metadata.uid ?? '00000000-0000-4000-8000-00000000dead',
  blockOwnerDeletion: true,
});

const NAMES: readonly string[] = ['p', 'q'];
const place: fc.Arbitrary<Place> = fc.record({
  kind: fc.constantFrom<Kind[]>('ConfigMap', 'ConfigMap', 'Website'),
  name: fc.constantFrom(...NAMES),
});
const act = actsOn<World>();
const make = act('make', fc.tuple(place, fc.option(place, { nil: undefined })), (world, drawn) =>
  world.make(...drawn),
);
const tie = act('tie', fc.tuple(place, place), (world, drawn) => world.tie(...drawn));
const remove = act('remove', fc.tuple(place, fc.constantFrom(...POLICIES)), (world, drawn) =>
  world.remove(...drawn),
);
const doings = [
  make,
  make,
  make,
  tie,
  act('knot', fc.tuple(place, place), (world, drawn) => world.knot(...drawn)),
  remove,
  remove,
  act('define', NOTHING, (world) => world.define()),
  act('undefine', NOTHING, (world) => world.undefine()),
];

it.each([
  ['in peace', doings],
  ['amid troubles', amidTroubles<World>(doings)],
])('leaves nothing whose owners are gone, and nothing that waits: %s', (_how, acts) => {
  holdsInAnyOrder({
    begin: () => new World(),
    acts,
    compare: () => undefined,
    end: (world) => {
      world.endAllTroubles();
      world.define();
      world.calm();
      world.expectRight();
    },
    most: 20,
    runs: 6,
  });
});
