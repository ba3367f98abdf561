/** A policy that forbids a name, and its binding: what each server says of ConfigMaps. */
import { expect } from 'vitest';
import type { OwnServers } from './own-servers.fixture.ts';

const PATH = '/apis/admissionregistration.k8s.io/v1';
const MAPS = '/api/v1/namespaces/default/configmaps';
export const FORBIDDEN = ['a', 'b'] as const;

export class Policies {
  readonly #servers: OwnServers;
  #forbidden: string | undefined;
  #isBound = false;

  constructor(servers: OwnServers) {
    this.#servers = servers;
  }

  forbid(name: string): void {
    const path = `${PATH}/validatingadmissionpolicies`;
    const spec = {
      matchConstraints: {
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] },
        ],
      },
      validations: [{ expression: `object.metadata.name != '${name}'` }],
    };
    const patched = this.#servers.ask('PATCH', `${path}/own`, { body: { spec } });
    const made =
      patched?.status === 404
        ? this.#servers.ask('POST', path, { body: { metadata: { name: 'own' }, spec } })
        : patched;
    if (made && made.status < 300) this.#forbidden = name;
  }

  allow(): void {
    if (this.#servers.ask('DELETE', `${PATH}/validatingadmissionpolicies/own`)) this.#forbidden = undefined;
  }

  bind(does: boolean): void {
    const path = `${PATH}/validatingadmissionpolicybindings`;
    const spec = { policyName: 'own', validationActions: ['Deny'] };
    const done = does
      ? this.#servers.ask('POST', path, { body: { metadata: { name: 'own' }, spec } })
      : this.#servers.ask('DELETE', `${path}/own`);
    if (done) this.#isBound = does;
  }

  check(): void {
    for (const server of this.#servers.up)
      for (const name of FORBIDDEN) {
        const body = { metadata: { name } };
        const status = this.#servers.ask('POST', `${MAPS}?dryRun=All`, { server, body })?.status;
        const isForbidden = this.#isBound && this.#forbidden === name;
        expect([server, name, status]).toEqual([server, name, isForbidden ? 422 : 201]);
      }
  }
}
