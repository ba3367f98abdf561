import { expect, it } from 'vitest';
import type { Service } from '../../api/types/core-v1.ts';
import type { EndpointSlice } from '../../api/types/discovery-k8s-io-v1.ts';
import { recordsOf } from './name-records.ts';
import { ServiceRoutes } from './service-routes.ts';

const service = (name: string, spec: NonNullable<Service['spec']>): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'team' },
  spec,
});
const slice: EndpointSlice = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { namespace: 'team', labels: { 'kubernetes.io/service-name': 'heads' } },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 80 }],
  endpoints: [
    { addresses: ['10.0.0.1'], hostname: 'a', conditions: { ready: true } },
    { addresses: ['10.0.0.2'], conditions: { ready: true } },
  ],
};
const ports = [{ name: 'http', port: 80, protocol: 'TCP' as const }];
const routes = new ServiceRoutes(
  [
    service('web', { clusterIP: '10.96.0.7', ports }),
    service('heads', { clusterIP: 'None', ports }),
    service('out', { type: 'ExternalName', externalName: 'example.com' }),
    service('back', { type: 'ClusterIP', externalName: 'example.com', clusterIP: '10.96.0.8', ports }),
  ],
  [slice],
);
const WEB = 'web.team.svc.cluster.local';
const HEADS = 'heads.team.svc.cluster.local';

it.each([
  ['web', 'A', [{ owner: WEB, data: '10.96.0.7' }]],
  [WEB, 'A', [{ owner: WEB, data: '10.96.0.7' }]],
  [
    'heads.team',
    'A',
    [
      { owner: HEADS, data: '10.0.0.1' },
      { owner: HEADS, data: '10.0.0.2' },
    ],
  ],
  ['a.heads', 'A', [{ owner: `a.${HEADS}`, data: '10.0.0.1' }]],
  ['out', 'A', [{ owner: 'out.team.svc.cluster.local', data: 'example.com.' }]],
  ['out', 'CNAME', [{ owner: 'out.team.svc.cluster.local', data: 'example.com.' }]],
  ['web', 'CNAME', []],
  ['back', 'CNAME', []],
  ['back', 'A', [{ owner: 'back.team.svc.cluster.local', data: '10.96.0.8' }]],
  ['web', 'AAAA', []],
  ['nobody', 'A', []],
  ['10-0-0-9.team.pod.cluster.local', 'A', [{ owner: '10-0-0-9.team.pod.cluster.local', data: '10.0.0.9' }]],
  [`_http._tcp.${WEB}`, 'SRV', [{ owner: `_http._tcp.${WEB}`, data: `0 100 80 ${WEB}.` }]],
  [
    '_http._tcp.heads',
    'SRV',
    [
      { owner: `_http._tcp.${HEADS}`, data: `0 50 80 a.${HEADS}.` },
      { owner: `_http._tcp.${HEADS}`, data: `0 50 80 10-0-0-2.${HEADS}.` },
    ],
  ],
  ['_http._udp.web', 'SRV', []],
  ['7.0.96.10.in-addr.arpa', 'PTR', [{ owner: '7.0.96.10.in-addr.arpa', data: `${WEB}.` }]],
  ['1.0.0.10.in-addr.arpa', 'PTR', [{ owner: '1.0.0.10.in-addr.arpa', data: `a.${HEADS}.` }]],
  ['9.9.9.9.in-addr.arpa', 'PTR', []],
] as const)('%s %s', (name, type, records) => {
  // An alias is shown to whoever asks for addresses.
  const own = name === 'out' ? 'CNAME' : type;
  const wanted = records.map((record) => ({ ...record, type: own }));
  expect(recordsOf(routes, { name, type, namespace: 'team' })).toEqual(wanted);
});
