/**
 * Endpoints that somebody keeps by hand, in any order, for services that have no selector, or have one for a while: in the end
 * slices of their own say the same, by family and ports, whoever has meddled with those, and nothing else does.
 *
 * @holds sim/controllers/service-endpoints sim/controllers/endpointslice
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Endpoints } from '../../api/types/core-v1.ts';
import type { EndpointSlice } from '../../api/types/discovery-k8s-io-v1.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import {
  amidTroubles,
  struck,
  struckBy,
  TroubledManager,
  unseen,
} from '../../cluster/troubled-manager.fixture.ts';
import { actsOn } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const NAMES = ['web', 'api'] as const;
const ADDRESSES = ['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2'] as const;
const PORTS = [80, 81] as const;
const OF_SERVICE = 'kubernetes.io/service-name';
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const MIRRORER = 'endpointslicemirroring-controller.k8s.io';
const SKIPPED = 'endpointslice.kubernetes.io/skip-mirror';

class World extends TroubledManager {
  constructor() {
    super(['endpoints-controller', 'endpointslice-controller', 'endpointslice-mirroring-controller']);
  }

  serve(name: string): void {
    tryTo(() => this.cluster.client.services.create({ metadata: { name }, spec: { ports: [{ port: 80 }] } }));
  }

  /** Of pods that there are none of. */
  select(name: string, selector: { readonly app: string } | null): void {
    tryTo(() => this.cluster.client.services.patch(name, { type: 'merge', body: { spec: { selector } } }));
  }

  drop(name: string): void {
    tryTo(() => this.cluster.client.services.delete(name));
  }

  /** At each port. */
  say(name: string, ips: readonly (readonly string[])[]): void {
    const { endpoints } = this.cluster.client;
    const said = PORTS.flatMap((port, at) => {
      const addresses = (ips[at] ?? []).map((ip) => ({ ip }));
      return addresses.length > 0 ? [{ addresses, ports: [{ port }] }] : [];
    });
    tryTo(() => endpoints.create({ metadata: { name }, subsets: said }));
    tryTo(() => endpoints.patch(name, { type: 'merge', body: { subsets: said } }));
  }

  skip(name: string, isSkipped: boolean): void {
    const body = { metadata: { labels: { [SKIPPED]: isSkipped ? 'true' : null } } };
    tryTo(() => this.cluster.client.endpoints.patch(name, { type: 'merge', body }));
  }

  remove(name: string): void {
    tryTo(() => this.cluster.client.endpoints.delete(name));
  }

  /** Endpoints for nobody stay until whoever keeps Endpoints begins anew. */
  removeStrays(): void {
    const services = new Set(this.of('Service').map(({ metadata }) => metadata.name));
    for (const { metadata } of this.of('Endpoints'))
      if (!services.has(metadata.name)) this.remove(metadata.name ?? '');
  }

  /** What goes before it was seen, whoever made it waits for, in a real cluster, too. */
  meddle(name: string, how: 'remove' | 'empty'): void {
    const { endpointSlices } = this.cluster.client;
    for (const { metadata } of this.#mirrors().filter(
      (each) => each.metadata.labels?.[OF_SERVICE] === name,
    )) {
      const slice = metadata.name ?? '';
      if (how === 'empty')
        tryTo(() => endpointSlices.patch(slice, { type: 'merge', body: { endpoints: [] } }));
      else if (this.#isSeen(slice)) tryTo(() => endpointSlices.delete(slice));
    }
  }

  #isSeen(slice: string): boolean {
    const copies = this.cluster.controllerManagers.flatMap(({ informers }) => informers);
    const copy = copies.find(({ handle }) => handle.resource === 'endpointslices');
    return copy?.store.list().some(({ metadata }) => metadata.name === slice) === true;
  }

  get versions(): readonly (string | undefined)[] {
    return this.#mirrors().map(({ metadata }) => metadata.resourceVersion);
  }

  expectRight(): void {
    const byHand = new Set(
      this.of('Service')
        .filter(({ spec }) => !spec?.selector)
        .map(({ metadata }) => metadata.name),
    );
    const should = this.of('Endpoints')
      .filter(({ metadata }) => byHand.has(metadata.name) && metadata.labels?.[SKIPPED] !== 'true')
      .flatMap(linesOfEndpoints);
    expect(this.#mirrors().flatMap(linesOfSlice).toSorted(), 'what is mirrored').toEqual(should.toSorted());
  }

  #mirrors(): readonly EndpointSlice[] {
    return this.of('EndpointSlice').filter(({ metadata }) => metadata.labels?.[MANAGED_BY] === MIRRORER);
  }
}

const linesOfSlice = ({ metadata, addressType, endpoints, ports }: EndpointSlice): readonly string[] =>
  (endpoints ?? []).map(
    ({ addresses }) =>
      `${metadata.labels?.[OF_SERVICE]} ${addressType} ${addresses.join()} ${ports?.map(({ port }) => port).join()}`,
  );

const linesOfEndpoints = ({ metadata, subsets = [] }: Endpoints): readonly string[] =>
  subsets.flatMap(({ addresses = [], ports = [] }) =>
    addresses.map(
      ({ ip = '' }) =>
        `${metadata.name} ${ip.includes(':') ? 'IPv6' : 'IPv4'} ${ip} ${ports.map(({ port }) => port).join()}`,
    ),
  );

const name = fc.constantFrom(...NAMES);
const ips = fc.subarray([...ADDRESSES]);
const act = actsOn<World>();
const serve = act('serve', name, (world, of) => world.serve(of));
const say = act('say', fc.tuple(name, fc.array(ips, { maxLength: PORTS.length })), (world, drawn) =>
  world.say(...drawn),
);
const meddle = act('meddle', fc.tuple(name, fc.constantFrom('remove', 'empty')), (world, drawn) =>
  world.meddle(...drawn),
);
const keepAndMeddle = act(
  'keep and meddle',
  fc.tuple(name, fc.subarray([...ADDRESSES], { minLength: 1 }), fc.constantFrom('remove', 'empty')),
  (world, [of, kept, how]) => {
    world.serve(of);
    world.say(of, [kept]);
    world.cluster.advance(seconds(2));
    world.meddle(of, how);
  },
);
/** Endpoints that were written over while the service selected pods stay as they are when it selects none any more. */
const takeOver = act(
  'take over',
  fc.tuple(name, fc.subarray([...ADDRESSES], { minLength: 1 }), fc.constantFrom(0, 2)),
  (world, [of, kept, span]) => {
    world.serve(of);
    world.select(of, { app: 'a' });
    world.cluster.advance(seconds(2));
    world.say(of, [kept]);
    world.cluster.advance(seconds(span));
    world.select(of, null);
  },
);
const takeBackRefused = act(
  'take back, which is refused',
  fc.tuple(name, fc.subarray([...ADDRESSES], { minLength: 1 }), fc.constantFrom(409 as const, 500 as const)),
  (world, [of, kept, status]) => {
    world.serve(of);
    world.say(of, [kept]);
    world.cluster.advance(seconds(2));
    struckBy(world, { verb: 'delete', status, after: 0, count: 1 }, () => world.remove(of));
  },
);
const doings = [
  serve,
  say,
  say,
  say,
  act('select', fc.tuple(name, fc.constantFrom(null, { app: 'a' })), (world, drawn) =>
    world.select(...drawn),
  ),
  act('skip', fc.tuple(name, fc.boolean()), (world, drawn) => world.skip(...drawn)),
  act('remove', name, (world, of) => world.remove(of)),
  act('drop', name, (world, of) => world.drop(of)),
  meddle,
  keepAndMeddle,
];

it('says in slices what is kept by hand, and takes it back', () => {
  holdsInAnyOrderAsBefore<World>({
    begin: () => {
      const world = new World();
      world.serve('web');
      return world;
    },
    acts: amidTroubles<World>([
      ...doings,
      takeOver,
      takeBackRefused,
      struck<World>(doings),
      unseen<World>(doings),
    ]),
    compare: () => undefined,
    end: (world) => {
      world.endAllTroubles();
      // Connections to a server that was away break at the first call.
      for (const _ of NAMES) world.removeStrays();
      world.calm();
      world.expectRight();
      const versions = world.versions;
      world.bounce();
      world.cluster.advance(seconds(40));
      expect(world.versions, 'what begins anew writes nothing anew').toEqual(versions);
    },
    most: 16,
    runs: 20,
  });
});
