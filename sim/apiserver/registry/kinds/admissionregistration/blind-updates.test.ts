import { describe, expect, it } from 'vitest';
import { createCluster, WireUser } from '../../../../index.ts';

const user = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';

/** What whoever overwrites would not have seen decides who may do what: they have to say which version they mean. */
describe('updates that name no version are refused', () => {
  const wire = new WireUser(createCluster({ controllers: [], scheduler: false, nodes: 0 }));
  const send = (method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown) =>
    wire.request({ method, path, user, query: {}, body });
  const policy = {
    matchConstraints: {
      resourceRules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }],
    },
    validations: [{ expression: 'true' }],
  };
  it.each([
    [`${ADMISSION}/validatingwebhookconfigurations`, { webhooks: [] }],
    [`${ADMISSION}/mutatingwebhookconfigurations`, { webhooks: [] }],
    [`${ADMISSION}/validatingadmissionpolicies`, { spec: policy }],
    [
      `${ADMISSION}/validatingadmissionpolicybindings`,
      { spec: { policyName: 'x', validationActions: ['Deny'] } },
    ],
    [
      '/apis/apiregistration.k8s.io/v1/apiservices',
      { spec: { group: 'example.com', version: 'v1', groupPriorityMinimum: 10, versionPriority: 10 } },
    ],
  ])('of %s', (path, members) => {
    const name = 'v1.example.com';
    expect(send('POST', path, { metadata: { name }, ...members })?.status).toBe(201);
    const blind = send('PUT', `${path}/${name}`, { metadata: { name }, ...members });
    expect(blind?.status).toBe(422);
    expect(String(blind?.body)).toContain('metadata.resourceVersion: Invalid value: 0x0: must be specified');
    const seen: unknown = JSON.parse(String(send('GET', `${path}/${name}`)?.body));
    expect(send('PUT', `${path}/${name}`, seen)?.status).toBe(200);
  });
});
