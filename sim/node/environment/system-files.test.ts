/** Files and variables that the system gives to containers, as kubelets of Kubernetes 1.31 write them. */
import { expect, it } from 'vitest';
import type { Pod } from '../../api/types/core-v1.ts';
import { subPathProblem } from '../volumes/sub-path.ts';
import { hostsFileOf } from './hosts-file.ts';
import { resolverFileOf } from './resolver-file.ts';
import { looksAtVariables, variablesOf } from './service-variables.ts';

const pod = (spec: Partial<NonNullable<Pod['spec']>>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'team' },
  spec: { containers: [], ...spec },
});

it('names the pod and those that it knows by other names', () => {
  const aliases = [{ ip: '1.2.3.4', hostnames: ['foo', 'bar'] }];
  expect(hostsFileOf(pod({ hostname: 'h', subdomain: 'sub', hostAliases: aliases }), '10.0.0.1')).toBe(
    [
      '# Kubernetes-managed hosts file.',
      '127.0.0.1\tlocalhost',
      '::1\tlocalhost ip6-localhost ip6-loopback',
      'fe00::0\tip6-localnet',
      'fe00::0\tip6-mcastprefix',
      'fe00::1\tip6-allnodes',
      'fe00::2\tip6-allrouters',
      '10.0.0.1\th.sub.team.svc.cluster.local\th',
      '',
      '# Entries added by HostAliases.',
      '1.2.3.4\tfoo\tbar',
      '',
    ].join('\n'),
  );
  expect(hostsFileOf(pod({}), '10.0.0.1')).toMatch(/\n10\.0\.0\.1\tweb\n$/);
  expect(hostsFileOf(pod({ hostNetwork: true }), '10.0.0.1')).toMatch(/^# .*\(host network\)\.\n/);
});

it.each([
  [
    {},
    'search team.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n',
  ],
  [{ hostNetwork: true }, ''],
  [
    { dnsPolicy: 'None', dnsConfig: { nameservers: ['1.1.1.1'], searches: ['a.b'] } },
    'search a.b\nnameserver 1.1.1.1\n',
  ],
  [
    { dnsConfig: { options: [{ name: 'ndots', value: '2' }, { name: 'edns0' }] } },
    'search team.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.96.0.10\noptions ndots:2 edns0\n',
  ],
] as const)('asks for names as %j wants', (spec, text) => {
  expect(resolverFileOf(pod(spec as Partial<NonNullable<Pod['spec']>>))).toBe(text);
});

it('speaks of a Service by its name, and of each port', () => {
  const ports = [
    { name: 'http', port: 80, protocol: 'TCP' as const },
    { port: 53, protocol: 'UDP' as const },
  ];
  const service = (clusterIP: string) => ({ metadata: { name: 'my-web' }, spec: { clusterIP, ports } });
  expect(Object.fromEntries(variablesOf(service('10.96.0.7') as never))).toEqual({
    MY_WEB_SERVICE_HOST: '10.96.0.7',
    MY_WEB_SERVICE_PORT: '80',
    MY_WEB_SERVICE_PORT_HTTP: '80',
    MY_WEB_PORT: 'tcp://10.96.0.7:80',
    MY_WEB_PORT_80_TCP: 'tcp://10.96.0.7:80',
    MY_WEB_PORT_80_TCP_PROTO: 'tcp',
    MY_WEB_PORT_80_TCP_PORT: '80',
    MY_WEB_PORT_80_TCP_ADDR: '10.96.0.7',
    MY_WEB_PORT_53_UDP: 'udp://10.96.0.7:53',
    MY_WEB_PORT_53_UDP_PROTO: 'udp',
    MY_WEB_PORT_53_UDP_PORT: '53',
    MY_WEB_PORT_53_UDP_ADDR: '10.96.0.7',
  });
  expect(variablesOf(service('None') as never)).toEqual([]);
  expect(looksAtVariables({ command: ['sh', '-c', 'env | sort'] })).toBe(true);
  expect(looksAtVariables({ env: [{ name: 'A', value: '$(WEB_SERVICE_HOST)' }] })).toBe(true);
  expect(looksAtVariables({ command: ['sleep', '1'], env: [{ name: 'ENV', value: 'x' }] })).toBe(false);
});

it.each([
  [{ subPathExpr: '$(A)/$(NONE)' }, 'missing value for NONE'],
  [{ subPathExpr: '$(ABS)' }, 'error SubPath `/tmp` must not be an absolute path'],
  [{ subPathExpr: '$(EMPTY)/x' }, 'error SubPath `/x` must not be an absolute path'],
  [{ subPathExpr: '$(UP)/x' }, "unable to provision SubPath `../x`: must not contain '..'"],
  [{ subPathExpr: '$$(NONE)' }, undefined],
  [{ subPath: 'a/b' }, undefined],
])('of a volume %j has the problem %s', (mount, problem) => {
  const variables = new Map(Object.entries({ A: 'a', ABS: '/tmp', EMPTY: '', UP: '..' }));
  const volumeMounts = [{ name: 'v', mountPath: '/v', ...mount }];
  expect(subPathProblem({ volumeMounts }, variables)).toBe(problem);
});
