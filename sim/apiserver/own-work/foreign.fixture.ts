/** Two groups that others serve: one by an actor that answers as it is told to, one by a service with addresses alone. */
import { expect } from 'vitest';
import type { APIService } from '../../api/types/apiregistration-k8s-io-v1.ts';
import { type HttpAnswer, objectBody } from '../../api/http-call.ts';
import { serveHttp } from '../../client/http-port.ts';
import type { Process } from '../../engine/process.ts';
import { hours, type Micros, seconds } from '../../index.ts';
import type { OwnServers } from './own-servers.fixture.ts';

export const FOREIGN = ['tides', 'stones'] as const;
export type ForeignName = (typeof FOREIGN)[number];
export type Ports = 'none' | 'right' | 'wrong' | 'node port' | 'headless';
export type Addresses = 'none' | 'empty' | 'some';

const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const NAMESPACE = '/api/v1/namespaces/default';
/** Of the round of a server, and what it waits for an answer. */
export const ROUND = seconds(36);

export class Foreign {
  readonly #servers: OwnServers;
  readonly #registered = new Set<ForeignName>();
  readonly #ports = new Map<ForeignName, Ports>();
  #addresses: Addresses = 'none';
  #answers: 'well' | 'badly' | 'never' = 'well';
  #told: Micros;

  constructor(servers: OwnServers) {
    this.#servers = servers;
    this.#told = servers.cluster.now;
    const answer = (): Process<HttpAnswer> => this.#answer();
    servers.cluster.simulation.actor('tides.default.svc', {
      *start(context) {
        serveHttp(context, 443, answer);
      },
    });
  }

  *#answer(): Process<HttpAnswer> {
    const { user } = this.#servers.cluster;
    if (this.#answers === 'never') yield* user.context.sleep(hours(1_000));
    return { status: this.#answers === 'well' ? 200 : 503, body: objectBody({}) };
  }

  follow(answers: 'well' | 'badly' | 'never'): void {
    this.#answers = answers;
    this.#told = this.#servers.cluster.now;
  }

  register(name: ForeignName): void {
    const group = `${name}.io`;
    const body = {
      metadata: { name: `v1.${group}` },
      spec: {
        ...{ group, version: 'v1', groupPriorityMinimum: 100, versionPriority: 100 },
        insecureSkipTLSVerify: true,
        service: { namespace: 'default', name },
      },
    };
    if (this.#servers.ask('POST', SERVICES, { body })?.status === 201) this.#registered.add(name);
  }

  unregister(name: ForeignName): void {
    if (this.#servers.ask('DELETE', `${SERVICES}/v1.${name}.io`)?.status === 200)
      this.#registered.delete(name);
  }

  listen(name: ForeignName, ports: Ports): void {
    if (this.#ports.get(name) === ports) return;
    const path = `${NAMESPACE}/services`;
    const gone = this.#servers.ask('DELETE', `${path}/${name}`);
    if (!gone) return;
    this.#ports.delete(name);
    if (ports === 'none') return;
    const port = ports === 'right' || ports === 'headless' ? 443 : 444;
    const manner =
      ports === 'node port' ? { type: 'NodePort' } : ports === 'headless' ? { clusterIP: 'None' } : {};
    const body = { metadata: { name }, spec: { ...manner, ports: [{ port }] } };
    if (this.#servers.ask('POST', path, { body })?.status === 201) this.#ports.set(name, ports);
  }

  /** Those of `stones`. */
  reach(addresses: Addresses): void {
    const path = `${NAMESPACE}/endpoints`;
    if (!this.#servers.ask('DELETE', `${path}/stones`)) return;
    this.#addresses = 'none';
    if (addresses === 'none') return;
    const subsets =
      addresses === 'empty' ? [] : [{ addresses: [{ ip: '10.9.9.9' }], ports: [{ port: 443 }] }];
    const body = { metadata: { name: 'stones' }, subsets };
    if (this.#servers.ask('POST', path, { body })?.status === 201) this.#addresses = addresses;
  }

  /** The addresses change, and again while somebody is asked who does not answer. */
  reachAgain(first: Addresses, then: Addresses): void {
    this.follow('never');
    for (const name of FOREIGN) {
      this.register(name);
      this.listen(name, 'right');
    }
    this.reach(first);
    this.#servers.advance(seconds(2));
    this.reach(then);
  }

  /** Undefined: nobody can know that without asking. */
  #knownReason(name: ForeignName): string | undefined {
    const ports = this.#ports.get(name);
    if (!ports) return 'ServiceNotFound';
    if (ports === 'wrong') return 'ServicePortError';
    // Of no other type it is asked what it leads to.
    if (ports === 'node port') return 'FailedDiscoveryCheck';
    if (name === 'tides') return ports === 'headless' ? 'FailedDiscoveryCheck' : undefined;
    if (this.#addresses === 'none') return 'EndpointsNotFound';
    return this.#addresses === 'empty' ? 'MissingEndpoints' : undefined;
  }

  /** Some seconds after the last change; a round of a server after it what was found by asking counts, too. */
  check(): void {
    const waited = this.#servers.cluster.now - this.#told;
    for (const name of FOREIGN) {
      const [service] = this.#servers.stored(
        `/registry/apiregistration.k8s.io/apiservices/v1.${name}.io`,
      ) as readonly APIService[];
      expect([name, service !== undefined]).toEqual([name, this.#registered.has(name)]);
      if (!service) continue;
      const { reason, status } = service.status?.conditions?.find(({ type }) => type === 'Available') ?? {};
      const isWell = name === 'tides' && this.#answers === 'well';
      const known = this.#knownReason(name);
      const asked =
        waited < ROUND ? ['Passed', 'FailedDiscoveryCheck'] : [isWell ? 'Passed' : 'FailedDiscoveryCheck'];
      expect(known === undefined ? asked : [known], `why ${name} is ${String(status)}`).toContain(reason);
      expect([name, status]).toEqual([name, reason === 'Passed' ? 'True' : 'False']);
    }
  }
}
