import { describe, expect, it } from 'vitest';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { type Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { seconds } from '../../engine/time.ts';

const { endpoints, endpointSlices, services } = BUILTIN_HANDLES;
const NAME = 'kubernetes';

const addressesIn = (cluster: Cluster): readonly string[] =>
  (cluster.client.resource(endpoints).get(NAME).subsets ?? []).flatMap(({ addresses = [] }) =>
    addresses.map(({ ip = '' }) => ip),
  );

const addressesOfSlice = (cluster: Cluster): readonly string[] =>
  (cluster.client.resource(endpointSlices).get(NAME).endpoints ?? []).flatMap(({ addresses }) => addresses);

describe('the service of the API servers', () => {
  it('is made anew when it is deleted, and keeps what somebody else has written', () => {
    const cluster = createCluster();
    cluster.advance(seconds(1));
    cluster.client.resource(services).delete(NAME);
    cluster.advance(seconds(11));
    expect(cluster.client.resource(services).get(NAME).spec?.clusterIP).toBe('10.96.0.1');
    const body = { metadata: { labels: { own: 'yes' } } };
    cluster.client.resource(services).patch(NAME, { type: 'merge', body });
    cluster.advance(seconds(11));
    expect(cluster.client.resource(services).get(NAME).metadata.labels).toMatchObject({ own: 'yes' });
  });

  it('leads to the servers that are alive: one that has died leaves, and comes back', () => {
    const cluster = createCluster({ apiServers: 2 });
    cluster.advance(seconds(11));
    const both = ['192.0.2.10', '192.0.2.11'];
    expect([addressesIn(cluster), addressesOfSlice(cluster)]).toEqual([both, both]);
    cluster.faults.crash('apiserver/1');
    cluster.advance(seconds(26));
    expect([addressesIn(cluster), addressesOfSlice(cluster)]).toEqual([['192.0.2.10'], ['192.0.2.10']]);
    cluster.faults.restart('apiserver/1');
    cluster.advance(seconds(11));
    expect([addressesIn(cluster), addressesOfSlice(cluster)]).toEqual([both, both]);
  });

  it('gets addresses back that somebody has changed, and its port when a server starts', () => {
    const cluster = createCluster();
    cluster.advance(seconds(1));
    const subsets = [
      { addresses: [{ ip: '1.2.3.4' }], ports: [{ name: 'https', port: 1, protocol: 'TCP' }] },
    ];
    cluster.client.resource(endpoints).patch(NAME, { type: 'merge', body: { subsets } });
    cluster.advance(seconds(11));
    const portOf = (): number | undefined =>
      cluster.client.resource(endpoints).get(NAME).subsets?.[0]?.ports?.[0]?.port;
    expect([addressesIn(cluster), portOf()]).toEqual([['192.0.2.10'], 1]);
    cluster.faults.crash('apiserver/0');
    cluster.faults.restart('apiserver/0');
    cluster.advance(seconds(2));
    expect(portOf()).toBe(6443);
  });
});
