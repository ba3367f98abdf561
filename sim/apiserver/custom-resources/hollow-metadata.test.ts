/** Empty annotations are owned like others, as a real 1.31 server does it, in whatever version somebody else applied. */
import { expect, test } from 'vitest';
import { askedServer } from '../../cli/golden/asked-server.ts';

const APPLY = 'application/apply-patch+yaml';

function server() {
  const ask = askedServer();
  const schema = { openAPIV3Schema: { type: 'object' } };
  ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1', schema })),
    },
  });
  ask.sleep(10_000);
  return (version: string, manager: string, query = '') =>
    ask(
      'PATCH',
      `/apis/example.com/${version}/widgets/w?fieldManager=${manager}${query}`,
      { apiVersion: `example.com/${version}`, kind: 'Widget', metadata: { name: 'w', annotations: {} } },
      APPLY,
    );
}

test.each([
  ['v1', 'v1'],
  ['v1', 'v2'],
  ['v2', 'v1'],
])('applied in %s, they are in conflict with what is applied in %s', (first, second) => {
  const apply = server();
  expect(apply(first, 'm1').status).toBe(201);
  const refused = apply(second, 'm2');
  expect([refused.status, refused.body['details']]).toMatchObject([
    409,
    { causes: [{ field: '.metadata.annotations' }] },
  ]);
  const { metadata } = apply(second, 'm2', '&force=true').body as unknown as {
    readonly metadata: { readonly managedFields: readonly { readonly manager: string }[] };
  };
  expect(metadata.managedFields.map(({ manager }) => manager)).toEqual(['m2']);
});
