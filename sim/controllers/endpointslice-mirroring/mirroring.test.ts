/** Endpoints by hand of more addresses than can be said again. Kubernetes 1.31. */
import { expect, it } from 'vitest';
import { createCluster } from '../../cluster/create-cluster.ts';
import { seconds } from '../../engine/time.ts';

it('mirrors a thousand addresses of a subset by one slice, and tells of those that are too many', () => {
  const cluster = createCluster();
  const { endpoints, endpointSlices, events, services } = cluster.client;
  const metadata = { name: 'outside', namespace: 'default' };
  services.create({ metadata, spec: { ports: [{ port: 80 }] } });
  const addresses = Array.from({ length: 1_005 }, (_, at) => ({ ip: `10.9.${at >> 8}.${at & 255}` }));
  endpoints.create({ metadata, subsets: [{ addresses, ports: [{ port: 80 }] }] });
  cluster.advance(seconds(5));
  const slices = endpointSlices.list({
    namespace: 'default',
    labelSelector: 'kubernetes.io/service-name=outside',
  });
  expect(slices.items.map((slice) => slice.endpoints?.length)).toEqual([1_000]);
  const told = events
    .list({ namespace: 'default' })
    .items.find(({ involvedObject }) => involvedObject.kind === 'Endpoints');
  expect(told).toMatchObject({
    type: 'Warning',
    reason: 'TooManyAddressesToMirror',
    message:
      'A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. 5 addresses were skipped',
  });
});
