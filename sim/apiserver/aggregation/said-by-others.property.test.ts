/**
 * Groups that others serve, in any order of registrations, services that come and go, others that answer, fail, say
 * something else or never answer, and restarts: each server shows of each registered group what the one that serves it
 * now says, or what it said last while it does not answer, and nothing of a group that is not registered.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type HttpCall, type HttpAnswer, objectBody } from '../../api/http-call.ts';
import type { ApiObject } from '../../api/object.ts';
import type { APIService } from '../../api/types/apiregistration-k8s-io-v1.ts';
import { serveHttp } from '../../client/http-port.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import type { Process } from '../../engine/process.ts';
import { hours, type Micros, seconds } from '../../index.ts';
import { OwnServers } from '../own-work/own-servers.fixture.ts';

const GROUPS = ['tides.io', 'floods.io'] as const;
const ACTORS = ['moon', 'rain'] as const;
const SERVERS = [0, 1] as const;
type Group = (typeof GROUPS)[number];
type ActorName = (typeof ACTORS)[number];
type Manner = 'well' | 'badly' | 'never';

const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const NAMESPACE = '/api/v1/namespaces/default/services';
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
/** What is changed is looked at at once, and who does not answer the checks of two groups is waited for. */
const SOON = seconds(15);
/** The next round, and as long as somebody is waited for who is asked what he serves. */
const LONG = seconds(220);

interface Version {
  readonly version: string;
  readonly freshness: string;
  readonly resources?: readonly { readonly resource: string }[];
}

/** Somebody who serves groups, whichever he is asked for. */
class Other {
  readonly name: ActorName;
  manner: Manner = 'well';
  hasService = true;
  speaksOfAll = false;
  #nth = 0;

  constructor(name: ActorName) {
    this.name = name;
  }

  get said(): string {
    return `${this.name}${this.#nth}`;
  }

  sayAnother(): void {
    this.#nth += 1;
  }

  get answers(): boolean {
    return this.hasService && this.manner === 'well';
  }

  answer({ path, headers = {} }: HttpCall): HttpAnswer {
    if (this.manner === 'badly') return { status: 503, body: objectBody({}) };
    const [, group] = /^\/apis\/([^/]+)\/v1$/.exec(path) ?? [];
    const verbs = ['get'];
    if (path === '/apis' && this.speaksOfAll && String(headers['accept']).includes('as=')) {
      const versions = [{ version: 'v1', resources: [{ resource: this.said, scope: 'Cluster', verbs }] }];
      const items = GROUPS.map((name) => ({ metadata: { name }, versions }));
      return { status: 200, headers: { 'content-type': AGGREGATED }, body: objectBody({ items }) };
    }
    if (group !== undefined) {
      const resources = [{ name: this.said, kind: 'Drop', namespaced: false, verbs }];
      return { status: 200, body: objectBody({ kind: 'APIResourceList', resources }) };
    }
    if (path !== '/openapi/v3') return { status: 404, body: objectBody({}) };
    const paths = { [this.said]: { serverRelativeURL: `/openapi/v3/${this.said}` } };
    return { status: 200, body: objectBody({ paths }) };
  }
}

interface Registered {
  readonly by: Other;
  /** What may be known of it: all that was said since it was registered. */
  readonly said: Set<string>;
}

class World {
  readonly #servers = new OwnServers(SERVERS.length);
  readonly #others = ACTORS.map((name) => new Other(name));
  readonly #registered = new Map<Group, Registered>();
  /** By server and group: what it showed when it was last looked at; it still knows of it. */
  readonly #known = new Map<string, string>();
  #changedAt = 0 as Micros;
  #saidAt = 0 as Micros;

  constructor() {
    for (const other of this.#others) this.#enlist(other);
    for (const other of this.#others) this.setService(other.name, true);
    this.register('tides.io', 'moon');
    this.pass(SOON);
  }

  #enlist(other: Other): void {
    const { cluster } = this.#servers;
    const answer = function* (call: HttpCall): Process<HttpAnswer> {
      if (other.manner === 'never') yield* cluster.user.context.sleep(hours(1_000));
      return other.answer(call);
    };
    cluster.simulation.actor(`${other.name}.default.svc`, {
      *start(context) {
        serveHttp(context, 443, answer);
      },
    });
  }

  /** Or, if it is, by another. */
  register(group: Group, name: ActorName): void {
    const spec = {
      ...{ group, version: 'v1', groupPriorityMinimum: 100, versionPriority: 100 },
      insecureSkipTLSVerify: true,
      service: { namespace: 'default', name },
    };
    const by = this.#other(name);
    const before = this.#registered.get(group);
    const answer = before
      ? this.#servers.ask('PATCH', `${SERVICES}/v1.${group}`, { body: { spec } })
      : this.#servers.ask('POST', SERVICES, { body: { metadata: { name: `v1.${group}` }, spec } });
    if (!answer) return;
    expect(answer.status, `registration of ${group}`).toBe(before ? 200 : 201);
    this.#registered.set(group, { by, said: new Set([...(before?.said ?? []), by.said]) });
    this.#change();
  }

  unregister(group: Group): void {
    const status = this.#servers.ask('DELETE', `${SERVICES}/v1.${group}`)?.status;
    if (status !== 200) return;
    this.#registered.delete(group);
    for (const server of SERVERS) this.#known.delete(`${server} ${group}`);
    this.#change();
  }

  registerAnew(group: Group, name: ActorName): void {
    this.unregister(group);
    this.register(group, name);
  }

  setService(name: ActorName, is: boolean): void {
    if (is) {
      const spec = { ports: [{ port: 443 }] };
      this.#servers.ask('POST', NAMESPACE, { body: { metadata: { name }, spec } });
    } else this.#servers.ask('DELETE', `${NAMESPACE}/${name}`);
    this.#other(name).hasService = this.#servers.ask('GET', `${NAMESPACE}/${name}`)?.status === 200;
    this.#change();
  }

  follow(name: ActorName, manner: Manner): void {
    this.#other(name).manner = manner;
    this.#saidAt = this.#servers.cluster.now;
  }

  say(name: ActorName, speaksOfAll: boolean): void {
    const other = this.#other(name);
    other.speaksOfAll = speaksOfAll;
    other.sayAnother();
    for (const { by, said } of this.#registered.values()) if (by === other) said.add(by.said);
    this.#saidAt = this.#servers.cluster.now;
  }

  restart(index: number): void {
    this.#servers.crash(index);
    this.#servers.restart(index);
    for (const group of GROUPS) this.#known.delete(`${index} ${group}`);
    this.#change();
    this.#saidAt = this.#servers.cluster.now;
  }

  pass(span: Micros): void {
    this.#servers.advance(span);
    const { now } = this.#servers.cluster;
    if (now - this.#changedAt < SOON) return;
    const isSettled = now - this.#saidAt >= LONG;
    for (const index of SERVERS) this.#check(index, isSettled);
    if (isSettled) for (const group of GROUPS) this.#checkCondition(group);
  }

  #change(): void {
    this.#changedAt = this.#servers.cluster.now;
  }

  #other(name: ActorName): Other {
    return this.#others[ACTORS.indexOf(name)] as Other;
  }

  #check(index: number, isSettled: boolean): void {
    const server = `apiserver/${index}`;
    const all = this.#servers.ask('GET', '/apis', { server, accept: AGGREGATED })?.body.items ?? [];
    const documents = this.#documentsOf(server);
    for (const group of GROUPS) {
      const found = all.find(({ metadata }) => metadata.name === group);
      const [version] =
        (found as (ApiObject & { readonly versions: readonly Version[] }) | undefined)?.versions ?? [];
      const registered = this.#registered.get(group);
      expect(version !== undefined, `whether ${server} shows ${group}`).toBe(registered !== undefined);
      if (!registered || !version) continue;
      this.#checkVersion(`${index} ${group}`, version, registered, isSettled);
      if (isSettled && registered.by.answers)
        expect(documents, `what ${server} has of ${group}`).toContain(registered.by.said);
    }
  }

  #documentsOf(server: string): readonly string[] {
    const index = this.#servers.ask('GET', '/openapi/v3', { server })?.body as { paths?: object } | undefined;
    return Object.keys(index?.paths ?? {});
  }

  #checkVersion(key: string, version: Version, { by, said }: Registered, isSettled: boolean): void {
    const shown = version.resources?.map(({ resource }) => resource).join(' ');
    if (isSettled)
      expect([version.freshness, by.answers ? shown : ''], `what is shown of ${key}`).toEqual(
        by.answers ? ['Current', by.said] : ['Stale', ''],
      );
    if (shown !== undefined) expect([...said], `what is shown of ${key}`).toContain(shown);
    const known = this.#known.get(key);
    if (known !== undefined) expect(shown, `what is still known of ${key}`).toBeDefined();
    if (shown !== undefined) this.#known.set(key, shown);
  }

  #checkCondition(group: Group): void {
    const [service] = this.#servers.stored(
      `/registry/apiregistration.k8s.io/apiservices/v1.${group}`,
    ) as readonly APIService[];
    const { status } = service?.status?.conditions?.find(({ type }) => type === 'Available') ?? {};
    const answers = this.#registered.get(group)?.by.answers;
    const expected = answers === undefined ? undefined : answers ? 'True' : 'False';
    expect(status, `whether ${group} is available`).toBe(expected);
  }
}

const one = <const T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const group = one(...GROUPS);
const name = one(...ACTORS);
const act = actsOn<World>();
const pass = act('pass', one(seconds(0.01), seconds(3), SOON, SOON, LONG), (world, span) => world.pass(span));

it('servers show of the groups of others what those say, and what they said last', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[pass, pass, pass],
      act('register', fc.tuple(group, name), (world, drawn) => world.register(...drawn)),
      act('register anew', fc.tuple(group, name), (world, drawn) => world.registerAnew(...drawn)),
      act('unregister', group, (world, which) => world.unregister(which)),
      act('service', fc.tuple(name, fc.boolean()), (world, drawn) => world.setService(...drawn)),
      act('follow', fc.tuple(name, one<Manner>('well', 'well', 'badly', 'never')), (world, drawn) =>
        world.follow(...drawn),
      ),
      act('say', fc.tuple(name, fc.boolean()), (world, drawn) => world.say(...drawn)),
      act('restart', one(...SERVERS), (world, index) => world.restart(index)),
    ],
    compare: () => undefined,
    end: (world) => world.pass(LONG),
    most: 25,
    runs: 20,
    isDear: true,
    hasSomeOnly: true,
  });
});
