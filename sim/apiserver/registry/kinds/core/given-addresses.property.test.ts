/**
 * Services that are made, at once by several servers, too, change their types and ports, are put back as they were and
 * go, while almost all node ports are taken: each has what its type needs, nobody has what another has, what was given
 * stays as long as the type needs it, what is free is given to whoever asks for it, and what is not is refused.
 *
 * @holds sim/apiserver/verbs
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bodyObject, type HttpAnswer, type HttpCall, objectBody } from '../../../../api/http-call.ts';
import type { Service, ServiceSpec } from '../../../../api/types/core-v1.ts';
import { actsOn, holdsInAnyOrder } from '../../../../engine/any-order.arbitrary.ts';
import { createCluster, milliseconds, WireUser } from '../../../../index.ts';
import type { WireRequest } from '../../../../cluster/wire-user.ts';
import type { Method } from '../../../../client/protocol.ts';
import { serveHttp } from '../../../../client/http-port.ts';
import type { Process } from '../../../../engine/process.ts';
import type { StoredObject } from '../../../stores/stored-object.ts';

const PATH = '/api/v1/namespaces/default/services';
const STORED = '/registry/services/specs/';
const NAMES = ['a', 'b', 'c', 'd'] as const;
const SERVERS = [0, 1] as const;
const TYPES = ['ClusterIP', 'NodePort', 'LoadBalancer', 'local', 'headless', 'ExternalName'] as const;
const FIRST_PORT = 30_000;
const LAST_PORT = 32_767;
/** All others are taken. */
const FREE = [30_001, 30_500, 30_501, 31_000, 31_001, 32_000, 32_766, 32_767] as const;
const ADDRESSES = ['10.96.0.77', '10.96.3.1', '10.96.255.254'] as const;
const user = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

type Name = (typeof NAMES)[number];
type Type = (typeof TYPES)[number];
type Draft = { -readonly [Member in keyof ServiceSpec]: ServiceSpec[Member] | null };

interface Wish {
  readonly type: Type;
  readonly ports: number;
  readonly nodePort: number | undefined;
  readonly address: string | undefined;
}

const portsOf = (count: number, nodePort?: number): NonNullable<ServiceSpec['ports']> =>
  Array.from({ length: count }, (_, at) => ({
    ...{ name: `p${at}`, port: 80 + at },
    ...(at === 0 && nodePort !== undefined && { nodePort }),
  }));

function specOf({ type, ports, nodePort, address }: Wish): Draft {
  const hasPorts = type === 'NodePort' || type === 'LoadBalancer' || type === 'local';
  const hasAddress = type !== 'headless' && type !== 'ExternalName';
  return {
    type: type === 'local' ? 'LoadBalancer' : type === 'headless' ? 'ClusterIP' : type,
    ports: portsOf(ports, hasPorts ? nodePort : undefined),
    ...(type === 'local' && { externalTrafficPolicy: 'Local' }),
    ...(type === 'headless' && { clusterIP: 'None' }),
    ...(type === 'ExternalName' && { externalName: 'x.example.com' }),
    ...(hasAddress && address !== undefined && { clusterIP: address }),
  };
}

/** How many node ports a spec needs beside those that it has. */
const missingPorts = ({ ports = [], healthCheckNodePort, ...spec }: ServiceSpec): number =>
  spec.type === 'NodePort' || spec.type === 'LoadBalancer'
    ? ports.filter(({ nodePort }) => !nodePort).length + (isLocal(spec) && !healthCheckNodePort ? 1 : 0)
    : 0;

const isLocal = ({ type, externalTrafficPolicy }: ServiceSpec): boolean =>
  type === 'LoadBalancer' && externalTrafficPolicy === 'Local';

function retyped(wish: Wish): object {
  const { type } = wish;
  const { ports: _ports, ...spec } = specOf(wish);
  const isInside = type === 'ExternalName' || type === 'ClusterIP' || type === 'headless';
  return { ...spec, externalTrafficPolicy: type === 'local' ? 'Local' : isInside ? null : 'Cluster' };
}

interface Asked {
  readonly server: number;
  readonly body?: object;
}

class World {
  readonly #cluster = createCluster({ controllers: [], scheduler: false, apiServers: SERVERS.length });
  readonly #wire = new WireUser(this.#cluster);
  #before = new Map<string, Service>();
  readonly #kept = new Map<Name, Service>();

  constructor() {
    this.#askSomebody();
    const ports = [];
    for (let port = FIRST_PORT; port <= LAST_PORT; port++)
      if (!(FREE as readonly number[]).includes(port))
        ports.push({ name: `p${port}`, port, protocol: 'TCP', targetPort: port, nodePort: port });
    const full = {
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'full', namespace: 'other', uid: 'full' } },
      spec: { type: 'NodePort', clusterIP: '10.96.9.9', clusterIPs: ['10.96.9.9'], ports },
    } as StoredObject;
    this.#cluster.storage.transact({
      compare: [],
      success: [{ kind: 'put', key: `${STORED}other/full`, value: () => full }],
    });
    this.#cluster.advance(milliseconds(100));
    this.#remember();
    const plain = { ports: 1, nodePort: undefined, address: undefined };
    this.create('a', { ...plain, type: 'local' }, 0);
    this.create('b', { ...plain, type: 'NodePort', ports: 2, address: ADDRESSES[0] }, 1);
    this.create('c', { ...plain, type: 'ExternalName' }, 0);
  }

  /** Somebody outside has to admit each, which takes long enough for others to come in between. */
  #askSomebody(): void {
    const { simulation } = this.#cluster;
    simulation.actor('gate.example.com', {
      *start(context) {
        serveHttp(context, 443, function* ({ body }: HttpCall): Process<HttpAnswer> {
          const { apiVersion, request } = bodyObject(body) as {
            readonly apiVersion: string;
            readonly request: { readonly uid: string };
          };
          yield* context.sleep(milliseconds(5));
          const response = { uid: request.uid, allowed: true };
          return { status: 200, body: objectBody({ apiVersion, kind: 'AdmissionReview', response }) };
        });
      },
    });
    this.#cluster.advance(milliseconds(500));
    const webhook = {
      ...{ name: 'gate.example.com', admissionReviewVersions: ['v1'], sideEffects: 'None' },
      clientConfig: { url: 'https://gate.example.com/' },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['services'], operations: ['*'] }],
    };
    const body = { metadata: { name: 'gate' }, webhooks: [webhook] };
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    expect(this.#ask('POST', path, { server: 0, body })).toBe(201);
    this.#cluster.advance(milliseconds(500));
  }

  create(name: Name, wish: Wish, server: number): void {
    const isFree = this.#canHave(wish);
    const isThere = this.#stored(name) !== undefined;
    const status = this.#ask('POST', PATH, { server, body: { metadata: { name }, spec: specOf(wish) } });
    const { type, nodePort, address } = wish;
    const wants = `${name} of ${type} with ${address ?? ''} ${nodePort ?? ''}`;
    if (isThere) expect(status, wants).not.toBe(201);
    else expect(status === 201, `${wants}, which can be had: ${status}`).toBe(isFree);
    this.#compare();
    if (status !== 201) return;
    const { spec } = this.#stored(name) ?? {};
    const asked = specOf(wish);
    if (typeof asked.clusterIP === 'string') expect(spec?.clusterIP, wants).toBe(asked.clusterIP);
    const [first] = asked.ports ?? [];
    if (first?.nodePort !== undefined) expect(spec?.ports?.[0]?.nodePort, wants).toBe(first.nodePort);
  }

  /** The same is asked for under several names, of both servers, at the same instant. */
  createAtOnce(wish: Wish, isAnew: boolean): void {
    if (isAnew) for (const name of NAMES) if (this.#stored(name)) this.remove(name, 0);
    const absent = NAMES.filter((name) => !this.#stored(name));
    const needed = absent.length * missingPorts(specOf(wish) as ServiceSpec);
    const isEnough = needed <= this.#free().size && wish.address === undefined && wish.nodePort === undefined;
    const requests = absent.map((name, index) =>
      this.#request('POST', PATH, { server: index % 2, body: { metadata: { name }, spec: specOf(wish) } }),
    );
    const statuses = this.#cluster.finish(this.#wire.askingAll(requests)).map((answer) => answer?.status);
    if (isEnough) expect(statuses, 'all of whom can have what they need').toEqual(absent.map(() => 201));
    this.#compare();
  }

  /** It is of another type from now on, with an address of its choice if it had none. */
  retype(name: Name, type: Type, { address, server }: { address: string | undefined; server: number }): void {
    const before = this.#stored(name)?.spec;
    const hadNone = before?.type === 'ExternalName';
    const wish = { type, ports: 1, nodePort: undefined, address: hadNone ? address : undefined };
    const canHave = before && this.#canBecome(before, wish);
    const status = this.#ask('PATCH', `${PATH}/${name}`, { server, body: { spec: retyped(wish) } });
    if (canHave !== undefined) expect(status === 200, `${name} becomes ${type}: ${status}`).toBe(canHave);
    this.#compare();
  }

  /** Who had no address asks for that of another. */
  covet(name: Name, other: Name, { type, server }: { type: Type; server: number }): void {
    const address = this.#stored(name)?.spec?.clusterIP;
    if (name === other || address === undefined || address === 'None') return;
    if (this.#stored(other)) this.retype(other, 'ExternalName', { address: undefined, server });
    else
      this.create(other, { type: 'ExternalName', ports: 1, nodePort: undefined, address: undefined }, server);
    this.retype(other, type, { address, server });
  }

  /** Undefined: where the address may not change, it is refused for other reasons. */
  #canBecome(before: ServiceSpec, { type, address }: Wish): boolean | undefined {
    if (type === 'headless' || before.clusterIP === 'None') return undefined;
    const asked = this.#all().some(({ spec }) => spec?.clusterIPs?.includes(address ?? ''));
    if (address !== undefined && type !== 'ExternalName' && asked) return false;
    const hasPorts = before.type === 'NodePort' || before.type === 'LoadBalancer';
    const needsPorts = type === 'NodePort' || type === 'LoadBalancer' || type === 'local';
    const missing = needsPorts && !hasPorts ? (before.ports?.length ?? 0) : 0;
    const health = type === 'local' && !isLocal(before) ? 1 : 0;
    return missing + health <= this.#free().size;
  }

  /** All of them are of another type from now on, at the same instant. */
  retypeAtOnce(type: Type): void {
    const present = NAMES.filter((name) => this.#stored(name));
    const body = { spec: retyped({ type, ports: 1, nodePort: undefined, address: undefined }) };
    const requests = present.map((name, index) =>
      this.#request('PATCH', `${PATH}/${name}`, { server: index % 2, body }),
    );
    this.#cluster.finish(this.#wire.askingAll(requests));
    this.#compare();
  }

  setPorts(name: Name, count: number, server: number): void {
    this.#ask('PATCH', `${PATH}/${name}`, { server, body: { spec: { ports: portsOf(count) } } });
    this.#compare();
  }

  /** Somebody keeps what there is, and puts it back later, whatever has happened to it. */
  keep(name: Name): void {
    const service = this.#stored(name);
    if (service) this.#kept.set(name, service);
  }

  /** Or what there is now. */
  putBack(
    name: Name,
    { isOld, isSilent, server }: { isOld: boolean; isSilent: boolean; server: number },
  ): void {
    const kept = isOld ? this.#kept.get(name) : this.#stored(name);
    if (!kept) return;
    const { name: _, ...asked } = kept.metadata;
    const { clusterIP, clusterIPs, ports = [], healthCheckNodePort, ...spec } = kept.spec ?? {};
    const silent = { ...spec, ports: ports.map(({ nodePort: _given, ...port }) => port) };
    const whole = { ...spec, clusterIP, clusterIPs, ports, healthCheckNodePort };
    const { resourceVersion: _at, uid: _uid, ...metadata } = { ...asked, name };
    const status = this.#ask('PUT', `${PATH}/${name}`, {
      server,
      body: { metadata, spec: isSilent ? silent : whole },
    });
    if (!isOld) expect(status, `${name} as it is`).toBe(200);
    this.#compare();
  }

  remove(name: Name, server: number): void {
    const isThere = this.#stored(name) !== undefined;
    expect(this.#ask('DELETE', `${PATH}/${name}`, { server })).toBe(isThere ? 200 : 404);
    this.#compare();
  }

  tryOut(name: Name, wish: Wish, server: number): void {
    const { revision } = this.#cluster.storage;
    this.#ask('POST', `${PATH}?dryRun=All`, { server, body: { metadata: { name }, spec: specOf(wish) } });
    expect(this.#cluster.storage.get(`${STORED}default/${name}`, revision)).toEqual(
      this.#cluster.storage.get(`${STORED}default/${name}`),
    );
  }

  restart(server: number): void {
    this.#cluster.faults.crash(`apiserver/${server}`);
    this.#cluster.faults.restart(`apiserver/${server}`);
    this.#cluster.advance(milliseconds(200));
  }

  pass(ms: number): void {
    this.#cluster.advance(milliseconds(ms));
  }

  #request(method: Method, path: string, { server, body }: Asked): WireRequest {
    const [route = '', search = ''] = path.split('?', 2);
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    return {
      ...{ method, path: route, user, server: `apiserver/${server}` },
      query: Object.fromEntries(new URLSearchParams(search)),
      headers: { accept: 'application/json', 'content-type': type },
      ...(body && { body }),
    };
  }

  #ask(method: Method, path: string, asked: Asked): number | undefined {
    return this.#wire.request(this.#request(method, path, asked))?.status;
  }

  #all(): readonly Service[] {
    return this.#cluster.storage.range({ prefix: STORED }).entries.map(({ value }) => value as Service);
  }

  #stored(name: Name): Service | undefined {
    return this.#cluster.storage.get(`${STORED}default/${name}`)?.value;
  }

  #free(): ReadonlySet<number> {
    const free = new Set<number>(FREE);
    for (const { spec = {} } of this.#all()) for (const port of givenPorts(spec)) free.delete(port);
    return free;
  }

  #canHave(wish: Wish): boolean {
    const { clusterIP, ports = [], ...spec } = specOf(wish) as ServiceSpec;
    const free = this.#free();
    const isTaken = this.#all().some(({ spec: other }) => other?.clusterIPs?.includes(clusterIP ?? ''));
    if (clusterIP !== undefined && clusterIP !== 'None' && isTaken) return false;
    const asked = ports.flatMap(({ nodePort }) => nodePort ?? []);
    if (asked.some((port) => !free.has(port))) return false;
    return missingPorts({ ...spec, ports }) <= free.size - asked.length;
  }

  #remember(): void {
    this.#before = new Map(this.#all().map((service) => [service.metadata.uid ?? '', service]));
  }

  #compare(): void {
    const all = this.#all();
    const addresses = all.flatMap(({ spec }) => (spec?.clusterIPs ?? []).filter((ip) => ip !== 'None'));
    expect(addresses.toSorted(), 'addresses').toEqual([...new Set(addresses)].toSorted());
    const ports = all.flatMap(({ spec = {} }) => givenPorts(spec));
    expect(ports.length, 'node ports, each given once').toBe(new Set(ports).size);
    for (const service of all) this.#checkOne(service);
    this.#remember();
  }

  #checkOne({ metadata, spec = {} }: Service): void {
    const { name = '', uid = '' } = metadata;
    const { type, clusterIP, clusterIPs, ports = [], healthCheckNodePort } = spec;
    if (name === 'full') return;
    if (type === 'ExternalName') expect([name, clusterIPs]).toEqual([name, undefined]);
    else expect([name, clusterIPs]).toEqual([name, [clusterIP]]);
    const needsPorts = type === 'NodePort' || type === 'LoadBalancer';
    const given = ports.map(({ nodePort }) => nodePort !== undefined);
    expect([name, type, given], 'who has node ports').toEqual([name, type, ports.map(() => needsPorts)]);
    expect([name, healthCheckNodePort !== undefined], 'who has a port for health checks').toEqual([
      name,
      isLocal(spec),
    ]);
    const before = this.#before.get(uid)?.spec;
    if (!before) return;
    if (before.type !== 'ExternalName' && type !== 'ExternalName')
      expect([name, clusterIP], 'the address it had').toEqual([name, before.clusterIP]);
    if (isLocal(before) && isLocal(spec))
      expect([name, healthCheckNodePort], 'the port for health checks it had').toEqual([
        name,
        before.healthCheckNodePort,
      ]);
    if (!needsPorts || (before.type !== 'NodePort' && before.type !== 'LoadBalancer')) return;
    for (const { name: of, nodePort } of before.ports ?? []) {
      const now = ports.find((port) => port.name === of);
      if (now) expect([name, of, now.nodePort], 'the node port it had').toEqual([name, of, nodePort]);
    }
  }
}

const givenPorts = ({ ports = [], healthCheckNodePort }: ServiceSpec): readonly number[] => [
  ...ports.flatMap(({ nodePort }) => nodePort ?? []),
  ...(healthCheckNodePort === undefined ? [] : [healthCheckNodePort]),
];

const one = <const T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const name = one(...NAMES);
const server = one(...SERVERS);
const wish: fc.Arbitrary<Wish> = fc.record({
  type: one(...TYPES, 'NodePort', 'local'),
  ports: one(1, 2),
  nodePort: one(undefined, undefined, ...FREE.slice(0, 3), 30_002),
  address: one(undefined, undefined, ...ADDRESSES),
});
const act = actsOn<World>();
const create = act('create', fc.tuple(name, wish, server), (world, drawn) => world.create(...drawn));

it('services have what they need, each for itself, and keep it', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[create, create, create],
      act('create at once', fc.tuple(wish, fc.boolean()), (world, drawn) => world.createAtOnce(...drawn)),
      act(
        'retype',
        fc.tuple(
          name,
          one(...TYPES, 'local', 'ExternalName'),
          fc.record({ address: one(undefined, ...ADDRESSES), server }),
        ),
        (world, drawn) => world.retype(...drawn),
      ),
      act('covet', fc.tuple(name, name, fc.record({ type: one(...TYPES), server })), (world, drawn) =>
        world.covet(...drawn),
      ),
      act('crowd', one('NodePort', 'LoadBalancer'), (world, type) =>
        world.createAtOnce({ type, ports: 2, nodePort: undefined, address: undefined }, true),
      ),
      act('retype at once', one(...TYPES), (world, type) => world.retypeAtOnce(type)),
      act('set ports', fc.tuple(name, one(1, 2, 3), server), (world, drawn) => world.setPorts(...drawn)),
      act('keep', name, (world, which) => world.keep(which)),
      act(
        'put back',
        fc.tuple(name, fc.record({ isOld: fc.boolean(), isSilent: fc.boolean(), server })),
        (world, drawn) => world.putBack(...drawn),
      ),
      ...[1, 2].map(() => act('remove', fc.tuple(name, server), (world, drawn) => world.remove(...drawn))),
      act('try out', fc.tuple(name, wish, server), (world, drawn) => world.tryOut(...drawn)),
      act('restart', server, (world, which) => world.restart(which)),
      act('pass', one(1, 100), (world, ms) => world.pass(ms)),
    ],
    compare: () => undefined,
    most: 25,
    runs: 30,
    isDear: true,
    hasSomeOnly: true,
  });
});
