import { expect, test } from 'vitest';
import { VirtualServer } from '../../cli/golden/virtual-server.ts';

const server = new VirtualServer();
const TEMPLATES = '/api/v1/namespaces/default/podtemplates';
const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const CLASSES = '/apis/storage.k8s.io/v1/storageclasses';
const RUNTIMES = '/apis/node.k8s.io/v1/runtimeclasses';

function post(path: string, body: object): { readonly status: number; readonly warnings: number } {
  const { status, headers } = server.request({
    method: 'POST',
    path: `${path}?dryRun=All`,
    headers: { authorization: 'Bearer admin-token', 'content-type': 'application/json' },
    body: new TextEncoder().encode(JSON.stringify(body)),
  });
  return { status, warnings: headers.filter(([name]) => name === 'warning').length };
}

const many = <T>(count: number, one: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => one(at));

const podWith = (spec: object, container: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'PodTemplate',
  metadata: { name: 'p' },
  template: { spec: { containers: [{ name: 'a', image: 'b', ...container }], ...spec } },
});
const policyOfNames = (resourceNames: readonly string[]): object => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'p' },
  spec: {
    matchConstraints: {
      resourceRules: [
        { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'], resourceNames },
      ],
    },
    validations: [{ expression: 'true' }],
  },
});

// With every element compared with every other these take from half a minute to hours: the limit of a test ends them.
test.each([
  [
    'terms of affinity that are all warned of',
    TEMPLATES,
    podWith({
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: many(49_000, (at) => ({ topologyKey: `a${at}` })),
        },
      },
    }),
  ],
  [
    'constraints of spread',
    TEMPLATES,
    podWith({
      topologySpreadConstraints: many(24_000, (at) => ({
        maxSkew: 1,
        topologyKey: `a${at}`,
        whenUnsatisfiable: 'DoNotSchedule',
      })),
    }),
  ],
  ['ports of one number', TEMPLATES, podWith({}, { ports: many(49_000, () => ({ containerPort: 1 })) })],
  ['names of a rule', POLICIES, policyOfNames(many(99_000, (at) => `a${at}`))],
  [
    'values of a topology',
    CLASSES,
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 's' },
      provisioner: 'a.b/c',
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'a', values: many(99_000, (at) => `a${at}`) }] }],
    },
  ],
  [
    'tolerations of a runtime class',
    RUNTIMES,
    {
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name: 'r' },
      handler: 'h',
      scheduling: { tolerations: many(32_000, (at) => ({ key: `a${at}`, operator: 'Exists' })) },
    },
  ],
])('%s are looked at once, however many there are', (_, path, body) => {
  const { status, warnings } = post(path, body);

  expect(status).toBe(201);
  expect(warnings).toBeLessThan(100);
});
