import { expect, test } from 'vitest';
import { askedServer } from '../../cli/golden/asked-server.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const APPLY = 'application/apply-patch+yaml';
const service = (spec: object): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's' },
  spec,
});
const ports = [{ port: 80 }];

const WAYS: readonly (readonly [string, string])[] = [
  ['PUT', 'application/json'],
  ['PATCH', APPLY],
];

test.each(WAYS)(
  '%s of the status of a service that does not exist makes one that is given nothing',
  (method, type) => {
    const ask = askedServer();
    const { status, body } = ask(
      method,
      `${SERVICES}/s/status?fieldManager=m`,
      service({ type: 'NodePort', ports }),
      type,
    );
    expect(status).toBe(201);
    expect(body['spec']).toEqual({
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
      type: 'NodePort',
      sessionAffinity: 'None',
      externalTrafficPolicy: 'Cluster',
      internalTrafficPolicy: 'Cluster',
    });
    const refused = ask(
      method,
      `${SERVICES}/t/status?fieldManager=m`,
      {
        ...service({ clusterIP: 'None', ports }),
        metadata: { name: 't' },
      },
      type,
    );
    expect([refused.status, refused.body.message]).toEqual([
      422,
      'Service "t" is invalid: spec.clusterIPs: Required value',
    ]);
  },
);

test('a service that exists keeps what it was given', () => {
  const ask = askedServer();
  const { body } = ask('POST', SERVICES, service({ type: 'LoadBalancer', ports }));
  const status = { loadBalancer: { ingress: [{ ip: '1.1.1.1' }] } };
  const applied = ask(
    'PATCH',
    `${SERVICES}/s/status?fieldManager=m`,
    { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, status },
    APPLY,
  );
  expect([applied.status, applied.body['spec']]).toEqual([200, body['spec']]);
});

test('other kinds, and other patches, find nothing', () => {
  const ask = askedServer();
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } };
  expect(ask('PATCH', `${DEPLOYMENTS}/d/status?fieldManager=m`, deployment, APPLY).status).toBe(404);
  expect(ask('PATCH', `${SERVICES}/s/status`, { status: {} }).status).toBe(404);
});
