/** Which objects a policy is about is said by the labels of what a request shows. As a real 1.31 server has it. */
import { expect, test } from 'vitest';
import { askedServer } from '../../../cli/golden/asked-server.ts';

const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

const ask = askedServer();
ask('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
ask('POST', DEPLOYMENTS, {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd', labels: { team: 'b' } },
  spec: {
    selector: { matchLabels: { app: 'd' } },
    template: { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
});

function put(name: string, operator: 'In' | 'NotIn'): void {
  ask('POST', `${ADMISSION}/validatingadmissionpolicies`, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: {
      matchConstraints: {
        objectSelector: { matchExpressions: [{ key: 'team', operator, values: ['b'] }] },
        resourceRules: [
          { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['deployments/*'] },
        ],
      },
      validations: [{ expression: 'false', message: name }],
    },
  });
  ask('POST', `${ADMISSION}/validatingadmissionpolicybindings`, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name, validationActions: ['Warn'] },
  });
}

test('a Scale has none of the labels of what it is a part of, a status has them', () => {
  put('with', 'In');
  put('without', 'NotIn');
  ask.sleep(3000);
  const warned = (part: string, body: object): unknown => {
    const { warnings } = ask('PATCH', `${DEPLOYMENTS}/d/${part}`, body);
    return warnings.map((text) => text.replace(/.*: /, ''));
  };
  expect(warned('scale', { spec: { replicas: 3 } })).toEqual(['without']);
  expect(warned('status', { status: { replicas: 3 } })).toEqual(['with']);
});
