/**
 * The kubeconfig of a webhook: its cluster says where the webhook is, its user what the server shows of itself. Files that
 * it names are looked for beside it.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { yamlToJson } from '../api/codec/yaml.ts';
import type { WebhookConnection } from '../apiserver/authorization/webhook-connection.ts';

/** It does not say whom to ask; the message is for whoever starts the server. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
}

type Members = Readonly<Record<string, unknown>>;

/** @throws KubeconfigError, and errors of the system where a file cannot be read */
export function readConnection(file: string): WebhookConnection {
  const config = membersOf(yamlToJson(readFileSync(file, 'utf8')).value);
  const present = textOf(config, 'current-context');
  const context = membersOf(named(config, 'contexts', present)['context']);
  if (present === '' || Object.keys(context).length === 0) throw new KubeconfigError(NOTHING);
  const cluster = membersOf(named(config, 'clusters', textOf(context, 'cluster'))['cluster']);
  const user = membersOf(named(config, 'users', textOf(context, 'user'))['user']);
  const url = textOf(cluster, 'server');
  if (url === '') throw new KubeconfigError(NOTHING);
  const contents = (members: Members, name: string): string => fileOrData(members, name, dirname(file));
  const authority = contents(cluster, 'certificate-authority');
  const cert = contents(user, 'client-certificate');
  const key = contents(user, 'client-key');
  const authorization = authorizationOf(user, dirname(file));
  const serverName = textOf(cluster, 'tls-server-name');
  return {
    url,
    ...(authority !== '' && { certificateAuthority: authority }),
    ...(cert !== '' && key !== '' && { certificate: { cert, key } }),
    ...(serverName !== '' && { serverName }),
    ...(cluster['insecure-skip-tls-verify'] === true && { isUnverified: true }),
    ...(authorization !== undefined && { authorization }),
  };
}

const NOTHING =
  'invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable';

const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};

function textOf(members: Members, name: string): string {
  const value = members[name];
  return typeof value === 'string' ? value : '';
}

function named(config: Members, list: string, name: string): Members {
  const all = config[list];
  return membersOf(Array.isArray(all) ? all.find((each) => membersOf(each)['name'] === name) : undefined);
}

/** What is in the text itself counts more than what is in a file. */
function fileOrData(members: Members, name: string, folder: string): string {
  const data = textOf(members, `${name}-data`);
  if (data !== '') return Buffer.from(data, 'base64').toString('utf8');
  const file = textOf(members, name);
  return file === '' ? '' : readFileSync(resolve(folder, file), 'utf8');
}

function authorizationOf(user: Members, folder: string): string | undefined {
  const file = textOf(user, 'tokenFile');
  const token = file === '' ? textOf(user, 'token') : readFileSync(resolve(folder, file), 'utf8').trim();
  if (token !== '') return `Bearer ${token}`;
  const name = textOf(user, 'username');
  if (name === '') return undefined;
  return `Basic ${Buffer.from(`${name}:${textOf(user, 'password')}`).toString('base64')}`;
}
