import { expect, it } from 'vitest';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { seconds } from '../../engine/time.ts';

const { configMaps } = BUILTIN_HANDLES;
const NAME = 'kube-root-ca.crt';
const MANAGER = 'controller-manager/0';

it('the root certificate comes back, also when it went or was changed while nobody looked', () => {
  const cluster = createCluster();
  cluster.advance(seconds(1));
  const maps = cluster.client.resource(configMaps);
  const { data } = maps.get(NAME);
  expect(data?.['ca.crt']).toContain('BEGIN CERTIFICATE');
  cluster.faults.crash(MANAGER);
  maps.delete(NAME);
  cluster.faults.restart(MANAGER);
  cluster.advance(seconds(5));
  expect(maps.get(NAME).data).toEqual(data);
  cluster.faults.crash(MANAGER);
  maps.patch(NAME, { type: 'merge', body: { data: { 'ca.crt': 'other', more: 'x' } } });
  cluster.faults.restart(MANAGER);
  cluster.advance(seconds(5));
  expect(maps.get(NAME).data).toEqual(data);
});
