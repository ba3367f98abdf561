import { expect, it } from 'vitest';
import { askedServer } from '../../cli/golden/asked-server.ts';

it('of groups of definitions only the resources are described, not where they are listed', () => {
  const ask = askedServer();
  const schema = { openAPIV3Schema: { type: 'object' } };
  ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'cards.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'cards', kind: 'Card' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  ask.sleep(10_000);
  const own = (document: unknown): readonly string[] =>
    Object.keys((document as { readonly paths: object }).paths).filter((path) =>
      path.includes('example.com'),
    );
  expect(own(ask('GET', '/openapi/v3').body)).toEqual(['apis/example.com/v1']);
  const paths = ['/apis/example.com/v1/cards', '/apis/example.com/v1/cards/{name}'];
  expect(own(ask('GET', '/openapi/v3/apis/example.com/v1').body)).toEqual(paths);
  expect(own(ask('GET', '/openapi/v2').body)).toEqual(paths);
  expect(Object.keys(ask('GET', '/openapi/v3').body['paths'] as object)).toContain('apis/apps');
});
