import { describe, expect, it } from 'vitest';
import { createCluster } from '../../cluster/create-cluster.ts';
import { seconds } from '../../engine/time.ts';

describe('every namespace', () => {
  it('has a service account "default", and gets it back when it is deleted', () => {
    const cluster = createCluster({ controllers: ['service-account'] });
    cluster.client.namespaces.create({ metadata: { name: 'shop' } });
    const key = { namespace: 'shop', name: 'default' };
    const { uid } = cluster.eventually(() => cluster.client.serviceAccounts.get(key), {
      within: seconds(2),
    }).metadata;
    cluster.client.serviceAccounts.delete(key);
    const again = cluster.eventually(() => cluster.client.serviceAccounts.get(key), { within: seconds(2) });
    expect(again.metadata.uid).not.toBe(uid);
  });
});
