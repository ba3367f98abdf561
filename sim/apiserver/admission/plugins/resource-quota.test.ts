import { expect, test } from 'vitest';
import { type Ask, askedServer } from '../../../cli/golden/asked-server.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const QUOTAS = '/api/v1/namespaces/default/resourcequotas';

function serverWith(hard: Record<string, string>, used: Record<string, string>): Ask {
  const ask = askedServer();
  ask('POST', QUOTAS, { metadata: { name: 'q' }, spec: { hard } });
  ask('PATCH', `${QUOTAS}/q/status`, { status: { hard, used } });
  return ask;
}

const configMap = (name: string): object => ({ metadata: { name } });
const usedOf = (ask: Ask): unknown => ask('GET', `${QUOTAS}/q`).body['status'];

test('what is created is counted by the server itself, and refused beyond the limit', () => {
  const ask = serverWith({ configmaps: '1' }, { configmaps: '0' });
  expect(ask('POST', CONFIG_MAPS, configMap('a')).status).toBe(201);
  const { body } = ask('GET', `${QUOTAS}/q`);
  expect(body).toMatchObject({ status: { hard: { configmaps: '1' }, used: { configmaps: '1' } } });
  expect((body['metadata'] as { managedFields: unknown[] }).managedFields).toContainEqual(
    expect.objectContaining({
      manager: 'kube-apiserver',
      operation: 'Update',
      subresource: 'status',
      fieldsV1: { 'f:status': { 'f:used': { 'f:configmaps': {} } } },
    }),
  );
  const refused = ask('POST', CONFIG_MAPS, configMap('b'));
  expect([refused.status, refused.body.message]).toEqual([
    403,
    'configmaps "b" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=1, limited: configmaps=1',
  ]);
});

test('dry runs are checked and not counted', () => {
  const ask = serverWith({ configmaps: '1' }, { configmaps: '0' });
  expect(ask('POST', `${CONFIG_MAPS}?dryRun=All`, configMap('a')).status).toBe(201);
  expect(usedOf(ask)).toMatchObject({ used: { configmaps: '0' } });
});

test('deletions and objects elsewhere leave the count alone', () => {
  const ask = serverWith({ configmaps: '1' }, { configmaps: '0' });
  ask('POST', '/api/v1/namespaces/kube-public/configmaps', configMap('a'));
  ask('POST', CONFIG_MAPS, configMap('a'));
  ask('DELETE', `${CONFIG_MAPS}/a`);
  expect(usedOf(ask)).toMatchObject({ used: { configmaps: '1' } });
});

test('a quota nobody has given a status limits nothing', () => {
  const ask = askedServer();
  ask('POST', QUOTAS, { metadata: { name: 'q' }, spec: { hard: { configmaps: '0' } } });
  expect(ask('POST', CONFIG_MAPS, configMap('a')).status).toBe(201);
  expect(usedOf(ask)).toEqual({});
});

test('a service that becomes reachable from outside is checked when it is updated', () => {
  const ask = serverWith({ 'services.nodeports': '0' }, { 'services.nodeports': '0' });
  const services = '/api/v1/namespaces/default/services';
  const spec = { ports: [{ port: 80 }] };
  expect(ask('POST', services, { metadata: { name: 's' }, spec }).status).toBe(201);
  expect(ask('PATCH', `${services}/s`, { spec: { type: 'NodePort' } }).body.message).toBe(
    'services "s" is forbidden: exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=0, limited: services.nodeports=0',
  );
});
