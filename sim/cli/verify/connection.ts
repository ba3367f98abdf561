/** How to reach a cluster: from its address, or from a kubeconfig. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { systemReason } from '../start-problem.ts';
import type { TlsSettings } from './http-messages.ts';

export interface Connection {
  /** Without a slash at its end. */
  readonly server: string;
  readonly authorization?: string;
  readonly tls: TlsSettings;
}

export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

export interface Address {
  readonly token?: string;
  readonly insecure?: boolean;
}

export const connectionTo = (url: string, { token, insecure = false }: Address): Connection => ({
  server: url.replace(/\/+$/, ''),
  ...(token !== undefined && { authorization: `Bearer ${token}` }),
  tls: insecure ? { rejectUnauthorized: false } : {},
});

interface Named<Name extends string, T> {
  readonly name: string;
  readonly [member: string]: T | string;
  readonly _name?: Name;
}

interface Kubeconfig {
  readonly 'current-context'?: string;
  readonly contexts?: readonly Named<'context', Members>[];
  readonly clusters?: readonly Named<'cluster', Members>[];
  readonly users?: readonly Named<'user', Members>[];
}

type Members = Readonly<Record<string, unknown>>;

/** Of the current context, or the one named. @throws ConnectionError */
export function connectionOfKubeconfig(file: string, context?: string): Connection {
  const config = readConfig(file);
  const chosen = context ?? config['current-context'] ?? '';
  const { cluster: clusterName, user: userName } = memberOf(config.contexts, chosen, 'context', file);
  const cluster = memberOf(config.clusters, String(clusterName), 'cluster', file);
  const user = memberOf(config.users, String(userName), 'user', file);
  const text = (members: Members, name: string): string | undefined => {
    const value = members[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const material = (members: Members, name: string): string | undefined => {
    const data = text(members, `${name}-data`);
    if (data !== undefined) return Buffer.from(data, 'base64').toString('utf8');
    const path = text(members, name);
    return path === undefined ? undefined : readFileSync(resolve(dirname(file), path), 'utf8');
  };
  const server = text(cluster, 'server');
  if (!server) throw new ConnectionError(`${file}: cluster ${String(clusterName)} has no server`);
  const tokenFile = text(user, 'tokenFile');
  const token = text(user, 'token') ?? (tokenFile && readFileSync(tokenFile, 'utf8').trim());
  const [ca, cert, key] = [
    material(cluster, 'certificate-authority'),
    material(user, 'client-certificate'),
    material(user, 'client-key'),
  ];
  return {
    server: server.replace(/\/+$/, ''),
    ...(token && { authorization: `Bearer ${token}` }),
    tls: {
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
      ...(cluster['insecure-skip-tls-verify'] === true && { rejectUnauthorized: false }),
    },
  };
}

function readConfig(file: string): Kubeconfig {
  try {
    return parse(readFileSync(file, 'utf8')) as Kubeconfig;
  } catch (error) {
    throw new ConnectionError(`${file}: ${systemReason(error)}`);
  }
}

function memberOf(
  list: readonly Named<string, Members>[] | undefined,
  name: string,
  kind: string,
  file: string,
): Members {
  const found = list?.find((each) => each.name === name)?.[kind];
  if (typeof found !== 'object')
    throw new ConnectionError(`${file}: there is no ${kind} ${JSON.stringify(name)}`);
  return found;
}
