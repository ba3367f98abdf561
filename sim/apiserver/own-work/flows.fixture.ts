/** Flow schemas whose priority levels come and go: what is said of that, and which one a request belongs to. */
import { expect } from 'vitest';
import type { FlowSchema } from '../../api/types/flowcontrol-apiserver-k8s-io-v1.ts';
import type { OwnServers } from './own-servers.fixture.ts';

export const LEVELS = ['low', 'high'] as const;
export const SCHEMAS = ['first', 'second'] as const;
type Level = (typeof LEVELS)[number];
type Schema = (typeof SCHEMAS)[number];

const PATH = '/apis/flowcontrol.apiserver.k8s.io/v1';
const BOB = { name: 'bob', groups: ['system:authenticated'] };
const PRECEDENCE: Readonly<Record<Schema, number>> = { first: 10, second: 20 };

const LEVEL_PATH = `${PATH}/prioritylevelconfigurations`;
const levelOf = (name: Level): object => ({
  metadata: { name },
  spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
});

export class Flows {
  readonly #servers: OwnServers;

  constructor(servers: OwnServers) {
    this.#servers = servers;
  }

  setLevel(name: Level, isThere: boolean): void {
    if (!isThere) this.#servers.ask('DELETE', `${LEVEL_PATH}/${name}`);
    else this.#servers.ask('POST', LEVEL_PATH, { body: levelOf(name) });
  }

  /** Before anybody says that it is missing. */
  levelAnew(name: Level): void {
    this.#servers.askAll([
      ['DELETE', `${LEVEL_PATH}/${name}`],
      ['POST', LEVEL_PATH, levelOf(name)],
    ]);
  }

  setSchema(name: Schema, level: Level | undefined): void {
    const path = `${PATH}/flowschemas`;
    if (level === undefined) {
      this.#servers.ask('DELETE', `${path}/${name}`);
      return;
    }
    const rules = [
      {
        subjects: [{ kind: 'User', user: { name: BOB.name } }],
        nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      },
    ];
    const spec = { priorityLevelConfiguration: { name: level }, matchingPrecedence: PRECEDENCE[name], rules };
    const made = this.#servers.ask('POST', path, { body: { metadata: { name }, spec } });
    if (made?.status === 409) this.#servers.ask('PATCH', `${path}/${name}`, { body: { spec } });
  }

  check(): void {
    const uids = new Map(
      this.#servers
        .stored('/registry/prioritylevelconfigurations/')
        .map(({ metadata }) => [metadata.name ?? '', metadata.uid]),
    );
    const schemas = SCHEMAS.flatMap(
      (name) => this.#servers.stored(`/registry/flowschemas/${name}`) as readonly FlowSchema[],
    );
    for (const { metadata, spec, status } of schemas) {
      const isDangling = !uids.has(spec?.priorityLevelConfiguration.name ?? '');
      const told = status?.conditions?.find(({ type }) => type === 'Dangling')?.status;
      expect([metadata.name, told]).toEqual([metadata.name, isDangling ? 'True' : 'False']);
    }
    const own = schemas.find(({ spec }) => uids.has(spec?.priorityLevelConfiguration.name ?? ''));
    if (!own) return;
    const wanted = [own.metadata.uid, uids.get(own.spec?.priorityLevelConfiguration.name ?? '')];
    for (const server of this.#servers.up) {
      const { headers = {} } = this.#servers.ask('GET', '/version', { server, user: BOB }) ?? {};
      const shown = ['flowschema', 'prioritylevel'].map((word) => headers[`x-kubernetes-pf-${word}-uid`]);
      expect([server, ...shown]).toEqual([server, ...wanted]);
    }
  }
}
