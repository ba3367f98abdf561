import { expect, test } from 'vitest';
import { askedServer } from '../../cli/golden/asked-server.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

const unregistered = (kind: string, version: string): string =>
  `${kind} in version "${version}" cannot be handled as a ${kind}: no kind "${kind}" is registered for version "${version}" in scheme "pkg/runtime/scheme.go:100"`;
const missing = (kind: string, sent: object): string =>
  `${kind} in version "" cannot be handled as a ${kind}: Object 'apiVersion' is missing in '${JSON.stringify(sent)}'`;
const sent = (kind: string, apiVersion: string): object => ({ kind, apiVersion, metadata: { name: 'a' } });

test.each(['v1', '/v1', '/', ''])('a config map of version %j is one of v1', (apiVersion) => {
  const { status, body } = askedServer()('POST', CONFIG_MAPS, sent('ConfigMap', apiVersion));
  expect([status, body['apiVersion']]).toEqual([201, 'v1']);
});

test.each(['/', 'apps/', 'apps/v1'])('a deployment of version %j is one of apps/v1', (apiVersion) => {
  const { status, body } = askedServer()('POST', DEPLOYMENTS, sent('Deployment', apiVersion));
  expect([status, body.message]).toEqual([422, expect.stringContaining('spec.selector: Required value')]);
});

test.each([
  [CONFIG_MAPS, 'ConfigMap', '/name', unregistered('ConfigMap', 'name')],
  [CONFIG_MAPS, 'ConfigMap', 'apps/', missing('ConfigMap', sent('ConfigMap', 'apps/'))],
  [DEPLOYMENTS, 'Deployment', '/v1', unregistered('Deployment', 'v1')],
  [DEPLOYMENTS, 'Deployment', 'v1/', missing('Deployment', sent('Deployment', 'v1/'))],
])('%s takes no %s of version %j', (path, kind, apiVersion, message) => {
  const { status, body } = askedServer()('POST', path, sent(kind, apiVersion));
  expect([status, body.message]).toEqual([400, message]);
});
