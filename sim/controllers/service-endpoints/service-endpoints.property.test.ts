/**
 * What Endpoints and slices say of services, beside what the documentation says of their pods: whatever becomes of pods
 * and services, whoever meddles with what was written, and whatever comes between.
 *
 * @holds sim/controllers/endpoints sim/controllers/endpointslice
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Endpoints, Pod, Service } from '../../api/types/core-v1.ts';
import type { EndpointSlice } from '../../api/types/discovery-k8s-io-v1.ts';
import type { AdmissionPlugin } from '../../apiserver/admission/admission.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, TroubledManager } from '../../cluster/troubled-manager.fixture.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { minutes, seconds } from '../../engine/time.ts';

const PODS = ['p', 'q', 'r'] as const;
const SERVICES = ['web', 'api'] as const;
const APPS = ['a', 'b'] as const;
const NODE_ADDRESS = '192.0.2.7';
const OF_SERVICE = 'kubernetes.io/service-name';
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const CONTROLLER = 'endpointslice-controller.k8s.io';
const HEADLESS = 'service.kubernetes.io/headless';

type PodState = 'ready' | 'unready' | 'failed' | 'going' | 'gone';
interface Wish {
  readonly app: (typeof APPS)[number];
  readonly targetPort: number | string;
  readonly isHeadless: boolean;
  readonly showsUnready: boolean;
  readonly label: string;
}

/** Whatever is written of Endpoints, they get a label that services know nothing of. */
const LABELLER: AdmissionPlugin = {
  name: 'labeller',
  handles: (_, { resource }) => resource === 'endpoints',
  admit: ({ object }) => {
    if (object) object.metadata.labels = { ...object.metadata.labels, owner: 'somebody' };
  },
};

class World extends TroubledManager {
  #count = 0;

  constructor(admission: readonly AdmissionPlugin[] = []) {
    super(['endpoints-controller', 'endpointslice-controller', 'endpointslice-mirroring-controller'], {
      admission,
    });
    this.cluster.client.nodes.create({ metadata: { name: 'n' } });
  }

  /** Pods in the network of their node all have its address. */
  run(name: string, app: string, port: number, hostNetwork = false): void {
    tryTo(() =>
      this.cluster.client.pods.create({
        metadata: { name, namespace: 'default', labels: { app } },
        spec: {
          nodeName: 'n',
          ...(hostNetwork && { hostNetwork }),
          containers: [{ name: 'c', image: 'i', ports: [{ name: 'http', containerPort: port }] }],
        },
      }),
    );
    this.become(name, 'ready');
  }

  become(name: string, state: PodState): void {
    const { pods } = this.cluster.client;
    if (state === 'gone') tryTo(() => pods.delete(name, { gracePeriodSeconds: 0 }));
    else if (state === 'going') tryTo(() => pods.delete(name, { gracePeriodSeconds: 9_000 }));
    else
      tryTo(() => {
        const { metadata, spec, status } = pods.get(name);
        // An address is given once, and an end is the end.
        const given = spec?.hostNetwork ? NODE_ADDRESS : `10.1.0.${(this.#count++ % 250) + 1}`;
        const podIP = status?.podIP ?? given;
        const conditions = [{ type: 'Ready', status: state === 'ready' ? 'True' : 'False' }] as const;
        const phase = status?.phase === 'Failed' || state === 'failed' ? 'Failed' : 'Running';
        const body = { status: { phase, podIP, podIPs: [{ ip: podIP }], conditions } };
        pods.patch(metadata.name ?? '', { type: 'merge', body }, { subresource: 'status' });
      });
  }

  label(name: string, app: string): void {
    tryTo(() =>
      this.cluster.client.pods.patch(name, { type: 'merge', body: { metadata: { labels: { app } } } }),
    );
  }

  serve(name: string, { app, targetPort, isHeadless, showsUnready, label }: Wish): void {
    const { services } = this.cluster.client;
    const spec = {
      selector: { app },
      ports: [{ name: 'main', port: 80, targetPort }],
      publishNotReadyAddresses: showsUnready,
    };
    const metadata = { name, namespace: 'default', labels: { tier: label } };
    tryTo(() => services.create({ metadata, spec: { ...spec, ...(isHeadless && { clusterIP: 'None' }) } }));
    tryTo(() => services.patch(name, { type: 'merge', body: { metadata, spec } }));
  }

  drop(name: string): void {
    tryTo(() => this.cluster.client.services.delete(name));
    // As the garbage collector would.
    for (const { metadata } of this.slicesOf(name))
      tryTo(() => this.cluster.client.endpointSlices.delete(metadata.name ?? ''));
  }

  /** What was made for it comes and goes while nobody hears of it; then there is another of its name. */
  serveBriefly(
    name: string,
    { wish, lagSeconds }: { readonly wish: Wish; readonly lagSeconds: number },
  ): void {
    const { cluster } = this;
    this.drop(name);
    cluster.advance(seconds(5));
    cluster.lagWatchCaches(seconds(lagSeconds));
    this.serve(name, wish);
    cluster.advance(seconds(lagSeconds + 1));
    cluster.lagWatchCaches(minutes(1));
    this.drop(name);
    cluster.advance(seconds(1));
    cluster.faults.endWatches({ expired: true, resource: 'endpointslices' });
    cluster.lagWatchCaches(seconds(0));
    cluster.advance(seconds(5));
    this.serve(name, wish);
  }

  meddle(name: string, how: 'remove' | 'empty'): void {
    const { endpoints, endpointSlices } = this.cluster.client;
    for (const { metadata } of this.slicesOf(name)) {
      const slice = metadata.name ?? '';
      if (how === 'remove') tryTo(() => endpointSlices.delete(slice));
      else tryTo(() => endpointSlices.patch(slice, { type: 'merge', body: { endpoints: [] } }));
    }
    // Who else writes Endpoints is not corrected before something about their pods changes.
    if (how === 'remove') tryTo(() => endpoints.delete(name));
  }

  /** Whoever is listed in two slices of one service at a time. */
  readonly twins: string[] = [];

  lookForTwins(): void {
    this.eachWrite<EndpointSlice>('/registry/endpointslices/', () => {
      for (const service of SERVICES) {
        const lines = this.slicesOf(service).flatMap(linesOfSlice);
        if (new Set(lines).size < lines.length) this.twins.push(`${service}: ${lines.join('; ')}`);
      }
    });
  }

  get pods(): readonly Pod[] {
    return this.of('Pod');
  }

  slicesOf(service: string): readonly EndpointSlice[] {
    return this.of('EndpointSlice').filter(({ metadata }) => metadata.labels?.[OF_SERVICE] === service);
  }

  expectRight(): void {
    for (const service of this.of('Service').filter(({ metadata }) => metadata.name !== 'kubernetes')) {
      const { name = '' } = service.metadata;
      expect(this.slicesOf(name).flatMap(linesOfSlice).sort(), `slices of ${name}`).toEqual(
        this.#linesOf(service, true),
      );
      for (const slice of this.slicesOf(name)) this.#expectOwned(slice, service);
      const endpoints = this.of('Endpoints').find(({ metadata }) => metadata.name === name);
      expect(endpoints && linesOfEndpoints(endpoints).sort(), `Endpoints of ${name}`).toEqual(
        this.#linesOf(service, false),
      );
    }
  }

  expectNothingLeft(): void {
    const services = new Set(this.#named('Service'));
    for (const name of this.#named('Endpoints')) expect(services, 'the service of Endpoints').toContain(name);
  }

  #named(kind: 'Service' | 'Endpoints'): readonly string[] {
    return this.of(kind).map(({ metadata: { namespace = '', name = '' } }) => `${namespace}/${name}`);
  }

  #expectOwned(slice: EndpointSlice, service: Service): void {
    const { metadata, addressType } = slice;
    const { name, uid, labels } = service.metadata;
    // One of a former service that lists nothing stays until it is collected as garbage.
    if (metadata.ownerReferences?.[0]?.uid !== uid && linesOfSlice(slice).length === 0) return;
    const isHeadless = service.spec?.clusterIP === 'None';
    expect(addressType).toBe('IPv4');
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'Service', name, uid, controller: true }]);
    expect(metadata.labels).toEqual({
      ...labels,
      [OF_SERVICE]: name,
      [MANAGED_BY]: CONTROLLER,
      ...(isHeadless && { [HEADLESS]: '' }),
    });
  }

  #linesOf({ spec }: Service, isOfSlices: boolean): readonly string[] {
    const { targetPort } = spec?.ports?.[0] ?? {};
    return this.pods
      .filter(({ metadata, status }) => metadata.labels?.['app'] === spec?.selector?.['app'] && status?.podIP)
      .filter(({ status }) => status?.phase !== 'Failed')
      .flatMap(({ metadata, status, spec: { containers = [] } = {} }) => {
        const isGoing = metadata.deletionTimestamp !== undefined;
        const isReady =
          status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true;
        const shows = spec?.publishNotReadyAddresses === true;
        const port = typeof targetPort === 'number' ? targetPort : containers[0]?.ports?.[0]?.containerPort;
        const place = `${status?.podIP}:${port} ${metadata.uid}`;
        if (isOfSlices) return [`${place} ${(isReady && !isGoing) || shows} ${isReady} ${isGoing}`];
        return isGoing && !shows ? [] : [`${place} ${isReady || shows}`];
      })
      .sort();
  }
}

const linesOfSlice = ({ endpoints = [], ports = [] }: EndpointSlice): readonly string[] =>
  (endpoints ?? []).map(
    ({ addresses, targetRef, conditions }) =>
      `${addresses.join()}:${ports?.map(({ port }) => port).join()} ${targetRef?.uid} ${conditions?.ready} ${conditions?.serving} ${conditions?.terminating}`,
  );

const linesOfEndpoints = ({ subsets = [] }: Endpoints): string[] =>
  subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }) =>
    [...addresses, ...notReadyAddresses].map(
      ({ ip, targetRef }, at) =>
        `${ip}:${ports.map(({ port }) => port).join()} ${targetRef?.uid} ${at < addresses.length}`,
    ),
  );

const pod = fc.constantFrom(...PODS);
const service = fc.constantFrom(...SERVICES);
const app = fc.constantFrom(...APPS);
const wish: fc.Arbitrary<Wish> = fc.record({
  app,
  targetPort: fc.constantFrom<number | string>(8_080, 'http'),
  isHeadless: fc.boolean(),
  showsUnready: fc.constantFrom(false, false, true),
  label: fc.constantFrom('x', 'y'),
});
const state = fc.constantFrom<PodState>('ready', 'unready', 'failed', 'going', 'gone', 'gone');
const act = actsOn<World>();
const PLAIN: Wish = { app: 'a', targetPort: 80, isHeadless: false, showsUnready: false, label: 'x' };
const running = fc.tuple(pod, app, fc.constantFrom(80, 81), fc.boolean());
const run = act('run', running, (world, drawn) => world.run(...drawn));
/** By one that may be of the network of its node, as others are. */
const replace = act('replace', running, (world, drawn) => {
  world.become(drawn[0], 'gone');
  world.run(...drawn);
});
const serve = act('serve', fc.tuple(service, wish), (world, drawn) => world.serve(...drawn));

const beginWith = (world: World): World => {
  for (const name of PODS) world.run(name, 'a', 80, name !== 'p');
  world.serve('web', PLAIN);
  return world;
};
const order = {
  acts: amidTroubles<World>([
    run,
    replace,
    serve,
    act('become', fc.tuple(pod, state), (world, drawn) => world.become(...drawn)),
    act('become', fc.tuple(pod, state), (world, drawn) => world.become(...drawn)),
    act('label', fc.tuple(pod, app), (world, drawn) => world.label(...drawn)),
    act('drop', service, (world, name) => world.drop(name)),
    act(
      'serve briefly',
      fc.tuple(service, fc.record({ wish, lagSeconds: fc.constantFrom(2, 5) })),
      (world, drawn) => world.serveBriefly(...drawn),
    ),
    act('meddle', fc.tuple(service, fc.constantFrom('remove', 'empty')), (world, drawn) =>
      world.meddle(...drawn),
    ),
  ]),
  compare: () => undefined,
  most: 20,
  isDear: true,
  hasSomeOnly: true,
};

function expectAllRight(world: World): void {
  world.calm();
  world.expectRight();
  world.expectNothingLeft();
}

it('names the pods of each service, as they are, whatever has come between', () => {
  holdsInAnyOrderAsBefore({
    ...order,
    begin: () => beginWith(new World()),
    end: (world) => {
      expectAllRight(world);
      world.expectStill();
    },
    runs: 15,
  });
});

it('names them in Endpoints that never become as they were asked for, too', () => {
  holdsInAnyOrder({ ...order, begin: () => beginWith(new World([LABELLER])), end: expectAllRight, runs: 8 });
});

it('takes back what it has made for a service that was gone before it was seen', () => {
  const world = new World();
  world.serve('api', PLAIN);
  world.cluster.faults.partition(world.actor.name);
  world.serve('web', PLAIN);
  world.drop('web');
  world.calm();
  world.expectNothingLeft();
});

/** Of pods with so many different ports, each of which has a slice of its own. */
const PORTS = [80, 81, 82] as const;

it('lists nothing twice that it has not seen yet as it wrote it', () => {
  fc.assert(
    fc.property(
      fc.record({
        verb: fc.constantFrom('create' as const, 'update' as const),
        status: fc.constantFrom(409 as const, 500 as const),
        after: fc.integer({ min: 0, max: 3 }),
        lagSeconds: fc.constantFrom(0, 3, 10, 20),
        unready: pod,
      }),
      ({ verb, status, after, lagSeconds, unready }) => {
        const world = new World();
        PODS.forEach((name, at) => world.run(name, 'a', PORTS[at] ?? 80));
        world.cluster.advance(seconds(1));
        world.lookForTwins();
        world.cluster.lagWatchCaches(seconds(lagSeconds));
        const refused = { actor: world.actor.name, resource: 'endpointslices', verb, status, after };
        world.cluster.faults.failRequests({ ...refused, count: 1 });
        world.serve('web', { ...PLAIN, targetPort: 'http' });
        world.cluster.advance(seconds(30));
        world.become(unready, 'unready');
        world.cluster.advance(seconds(60));
        expect(world.twins).toEqual([]);
        world.calm();
        world.expectRight();
        expect(world.twins).toEqual([]);
      },
    ),
    { seed: 1, numRuns: fc.readConfigureGlobal()?.numRuns ?? 12 },
  );
});
