/**
 * Where the proxy of a node leads to, beside Services and slices as they are: whatever happened to it and its server
 * meanwhile, in the end a name stands for the endpoints that it has, and for nothing once it is gone.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { calm, clientOf, troublesOf, tryTo, type Troubled } from '../../cluster/troubled-client.fixture.ts';
import type { EndpointConditions } from '../../api/types/discovery-k8s-io-v1.ts';
import type { Actor } from '../../engine/actor.ts';
import { actsOn, asOftenAs, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';
import { NodeNetwork } from './node-network.ts';
import { ServiceRoutes } from './service-routes.ts';

const NAMES = ['web', 'db'] as const;
const ADDRESSES = ['10.0.0.1', '10.0.0.2', '10.0.0.3'] as const;

interface Said {
  readonly ip: string;
  /** Undefined: nobody knows, so it is taken for ready. Ending: it still serves, for whom nobody else does. */
  readonly isReady: boolean | undefined | 'ending';
}

const conditionsOf = ({ isReady }: Said): EndpointConditions =>
  isReady === undefined
    ? {}
    : isReady === 'ending'
      ? { ready: false, serving: true, terminating: true }
      : { ready: isReady };

class Proxied implements Troubled {
  readonly cluster: Cluster = createCluster({ controllers: [], scheduler: false });
  readonly actor: Actor = this.cluster.simulation.actor('proxy');
  readonly #network = new NodeNetwork(clientOf(this));
  readonly #found = new Map<string, readonly string[] | undefined>();

  constructor() {
    for (const name of NAMES) {
      this.serve(name);
      this.say(name, [{ ip: ADDRESSES[0], isReady: true }]);
    }
  }

  ask(name: string): void {
    const network = this.#network;
    const note = (addresses: readonly string[] | undefined): void => void this.#found.set(name, addresses);
    this.actor.context.spawn(
      'question',
      (function* () {
        note((yield* network.resolve(name, 'default'))?.addresses);
      })(),
    );
    this.cluster.advance(seconds(3));
  }

  serve(name: string): void {
    const spec = { clusterIP: 'None', ports: [{ port: 80 }] };
    tryTo(() => this.cluster.client.services.create({ metadata: { name }, spec }));
  }

  drop(name: string): void {
    tryTo(() => this.cluster.client.services.delete(name));
  }

  say(name: string, said: readonly Said[]): void {
    const { endpointSlices } = this.cluster.client;
    const endpoints = said.map((each) => ({ addresses: [each.ip], conditions: conditionsOf(each) }));
    const metadata = { name, labels: { 'kubernetes.io/service-name': name } };
    const rest = { addressType: 'IPv4' as const, endpoints, ports: [{ port: 80 }] };
    tryTo(() => endpointSlices.create({ metadata, ...rest }));
    tryTo(() => endpointSlices.patch(name, { type: 'merge', body: { endpoints } }));
  }

  take(name: string): void {
    tryTo(() => this.cluster.client.endpointSlices.delete(name));
  }

  end(): void {
    calm(this, 90);
    for (const name of NAMES) {
      this.#found.clear();
      this.ask(name);
      expect(this.#found.has(name), 'an answer').toBe(true);
      expect(this.#found.get(name), name).toEqual(this.#expected(name));
    }
  }

  #expected(name: string): readonly string[] | undefined {
    const { endpointSlices, services } = this.cluster.client;
    if (!services.list().items.some(({ metadata }) => metadata.name === name)) return undefined;
    const slice = endpointSlices.list().items.find(({ metadata }) => metadata.name === name);
    const ready = (slice?.endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false);
    return ready.length > 0 ? ready.flatMap(({ addresses }) => addresses) : undefined;
  }
}

const endpoint = fc.record<Said>({
  ip: fc.constantFrom(...ADDRESSES),
  isReady: fc.constantFrom<Said['isReady']>(true, undefined, false, 'ending'),
});
const onProxied = actsOn<Proxied>();
const name = fc.constantFrom(...NAMES);

it('leads to what is there in the end', () => {
  const said = fc.uniqueArray(endpoint, { selector: ({ ip }) => ip, maxLength: 3 });
  const say = onProxied('say', fc.tuple(name, said), (proxied, drawn) => proxied.say(...drawn));
  const serve = onProxied('serve', name, (proxied, of) => proxied.serve(of));
  const ask = onProxied('ask', name, (proxied, of) => proxied.ask(of));
  holdsInAnyOrder<Proxied>({
    begin: () => new Proxied(),
    acts: [
      ...[say, say, say, serve, serve],
      ...[ask, ask],
      onProxied('drop', name, (proxied, of) => proxied.drop(of)),
      onProxied('take', name, (proxied, of) => proxied.take(of)),
      ...troublesOf<Proxied>(),
    ],
    compare: () => undefined,
    end: (proxied) => proxied.end(),
    most: 16,
    runs: 40,
    hasSomeOnly: true,
  });
});

it('leads to those that are ready, or else to those that serve while they end', () => {
  const said = fc.array(endpoint, { maxLength: 4 });
  fc.assert(
    fc.property(fc.array(said, { maxLength: 3 }), (slices) => {
      const service = {
        metadata: { name: 'web', namespace: 'default', uid: 'u' },
        spec: { clusterIP: '10.96.0.9' },
      };
      const routes = new ServiceRoutes(
        [{ ...OF_SERVICE, ...service, spec: { ...service.spec, ports: [{ port: 80 }] } }],
        slices.map((each, at) => ({
          ...OF_SLICE,
          metadata: {
            name: `web-${at}`,
            namespace: 'default',
            labels: { 'kubernetes.io/service-name': 'web' },
          },
          addressType: 'IPv4' as const,
          endpoints: each.map((one) => ({ addresses: [one.ip], conditions: conditionsOf(one) })),
          ports: [{ port: 8080 }],
        })),
      );
      const all = slices.flat();
      const ready = all.filter(({ isReady }) => isReady === true || isReady === undefined);
      const wanted = ready.length > 0 ? ready : all.filter(({ isReady }) => isReady === 'ending');
      for (const host of ['10.96.0.9', 'web', 'web.default.svc.cluster.local'])
        expect(routes.to({ host, port: 80, protocol: 'TCP' }, 'default')).toEqual({
          kind: 'backends',
          backends: wanted.map(({ ip }) => ({ node: '', ip, port: 8080 })),
        });
    }),
    asOftenAs(200),
  );
});

const OF_SERVICE = { apiVersion: 'v1', kind: 'Service' };
const OF_SLICE = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' };
