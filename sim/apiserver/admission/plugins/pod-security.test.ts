import { expect, test } from 'vitest';
import { type Ask, askedServer } from '../../../cli/golden/asked-server.ts';

const label = (name: string): string => `pod-security.kubernetes.io/${name}`;
const PODS = '/api/v1/namespaces/n/pods';

function serverWith(labels: Record<string, string>): Ask {
  const ask = askedServer();
  ask('POST', '/api/v1/namespaces', {
    metadata: {
      name: 'n',
      labels: Object.fromEntries(Object.entries(labels).map(([name, value]) => [label(name), value])),
    },
  });
  ask('POST', '/api/v1/namespaces/n/serviceaccounts', { metadata: { name: 'default' } });
  return ask;
}

const pod = (name: string, spec: object = {}, annotations = {}): object => ({
  metadata: { name, annotations },
  spec: { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }], ...spec },
});

const HOST_PROCESSES = 'host namespaces (hostPID=true)';

test('a pod that violates what is enforced is refused and not warned of', () => {
  const ask = serverWith({ enforce: 'baseline' });
  expect(ask('POST', PODS, pod('fine')).status).toBe(201);
  const { status, body, warnings } = ask('POST', PODS, pod('p', { hostPID: true }));
  expect([status, warnings]).toEqual([403, []]);
  expect(body.message).toBe(
    `pods "p" is forbidden: violates PodSecurity "baseline:latest": ${HOST_PROCESSES}`,
  );
});

test('templates are only warned of, wherever a kind keeps them', () => {
  const ask = serverWith({ enforce: 'baseline', 'enforce-version': 'v1.30' });
  const template = {
    metadata: { labels: { a: 'b' } },
    spec: { hostPID: true, restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
  };
  const always = { ...template, spec: { ...template.spec, restartPolicy: 'Always' } };
  const selector = { matchLabels: { a: 'b' } };
  const kinds: [path: string, object: object][] = [
    ['/api/v1/namespaces/n/podtemplates', { template }],
    ['/api/v1/namespaces/n/replicationcontrollers', { spec: { template: always } }],
    ['/apis/apps/v1/namespaces/n/deployments', { spec: { selector, template: always } }],
    ['/apis/batch/v1/namespaces/n/jobs', { spec: { template } }],
    [
      '/apis/batch/v1/namespaces/n/cronjobs',
      { spec: { schedule: '* * * * *', jobTemplate: { spec: { template } } } },
    ],
  ];
  for (const [path, object] of kinds) {
    const { status, warnings } = ask('POST', path, { metadata: { name: 'w' }, ...object });
    expect([path, status, warnings]).toEqual([
      path,
      201,
      [`would violate PodSecurity "baseline:v1.30": ${HOST_PROCESSES}`],
    ]);
  }
});

test('only updates that concern security are looked at', () => {
  const ask = serverWith({});
  ask('POST', PODS, pod('p', { hostPID: true }));
  ask('PATCH', '/api/v1/namespaces/n', { metadata: { labels: { [label('enforce')]: 'baseline' } } });
  expect(ask('PATCH', `${PODS}/p`, { metadata: { labels: { a: 'b' } } }).status).toBe(200);
  expect(ask('PATCH', `${PODS}/p/status`, { status: { phase: 'Running' } }).status).toBe(200);
  const images = { spec: { containers: [{ name: 'c', image: 'other' }] } };
  const refused = ask('PATCH', `${PODS}/p`, images);
  expect(refused.body.message).toContain(`violates PodSecurity "baseline:latest": ${HOST_PROCESSES}`);
  const debugging = { spec: { ephemeralContainers: [{ name: 'd', image: 'i' }] } };
  expect(ask('PATCH', `${PODS}/p/ephemeralcontainers`, debugging).status).toBe(403);
});

test('labels that make no sense are refused when they come', () => {
  const ask = serverWith({});
  const { status, body } = ask('PATCH', '/api/v1/namespaces/n', {
    metadata: { labels: { [label('warn')]: 'strict' } },
  });
  expect([status, body.message]).toEqual([
    422,
    'Namespace "n" is invalid: metadata.labels[pod-security.kubernetes.io/warn]: Invalid value: "strict": must be one of privileged, baseline, restricted',
  ]);
});

test('a namespace that enforces more is warned of its pods, alike ones together', () => {
  const ask = serverWith({});
  for (const name of ['a', 'b', 'c']) ask('POST', PODS, pod(name, { hostPID: true }));
  ask('POST', PODS, pod('d', { hostPID: true, hostNetwork: true }));
  ask('POST', PODS, pod('e', { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } }));
  ask('POST', PODS, pod('f'));
  const enforce = (level: string) =>
    ask('PATCH', '/api/v1/namespaces/n', { metadata: { labels: { [label('enforce')]: level } } });
  expect(enforce('baseline').warnings).toEqual([
    'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"',
    'a (and 3 other pods): host namespaces',
    'e: forbidden sysctls',
  ]);
  expect(enforce('baseline').warnings).toEqual([]);
  expect(enforce('privileged').warnings).toEqual([]);
});
