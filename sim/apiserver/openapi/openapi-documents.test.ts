import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/object.ts';
import { RELEASE_1_31 } from '../../api/release/release-1-31.ts';
import { builtinServed, withCustomResources, type ServedResource } from '../discovery/served.ts';
import { customKindSchema } from './custom-kind.ts';
import { swaggerOf } from './swagger.ts';
import { OpenApiDocuments } from './openapi-documents.ts';

const widget: ServedResource = {
  group: 'shop.example.com',
  version: 'v1',
  resource: 'widgets',
  singular: 'widget',
  kind: 'Widget',
  namespaced: true,
  verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
  shortNames: [],
  categories: [],
  subresources: [],
};

const declared = {
  type: 'object',
  description: 'A widget.',
  properties: { spec: { type: 'object', properties: { size: { type: 'integer', nullable: true } } } },
};

const documents = new OpenApiDocuments({
  release: RELEASE_1_31,
  served: withCustomResources(builtinServed(RELEASE_1_31.catalog.resources, 'default'), [widget]),
  declaredSchema: ({ kind }) => (kind === 'Widget' ? declared : undefined),
});

type Deep = { readonly [member: string]: Deep };
/** A part of a document, by its path. */
const at = (document: JsonObject | undefined, ...path: readonly string[]): unknown =>
  path.reduce<Deep | undefined>((part, member) => part?.[member], document as Deep | undefined);

const operationsOf = (document: JsonObject | undefined): readonly (readonly [string, JsonObject])[] =>
  Object.entries(at(document, 'paths') as Record<string, Record<string, JsonObject>>).flatMap(
    ([path, item]) =>
      Object.entries(item)
        .filter(([method]) => method !== 'parameters')
        .map(([method, operation]) => [`${method} ${path}`, operation] as const),
  );

const refsIn = (value: unknown): readonly string[] =>
  [...JSON.stringify(value).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref ?? '');

describe('the index of OpenAPI documents', () => {
  test('names every group, every group version and what the server says about itself', () => {
    const paths = Object.keys(at(documents.index(), 'paths') as JsonObject);
    expect(paths).toEqual([...paths].sort());
    for (const name of [
      'api',
      'api/v1',
      'apis',
      'apis/apps',
      'apis/apps/v1',
      'apis/shop.example.com/v1',
      'version',
    ]) {
      expect(paths).toContain(name);
    }
    expect(paths.filter((name) => documents.document(name) === undefined)).toEqual([]);
  });

  test('gives a hash that changes with the schema of a custom kind, and only with it', () => {
    const changed = new OpenApiDocuments({
      release: RELEASE_1_31,
      served: withCustomResources(builtinServed(RELEASE_1_31.catalog.resources, 'default'), [widget]),
      declaredSchema: () => ({ type: 'object' }),
    });
    expect(changed.hashOf('apis/shop.example.com/v1')).not.toBe(documents.hashOf('apis/shop.example.com/v1'));
    expect(changed.hashOf('apis/batch/v1')).toMatch(/^[0-9A-F]{32}$/);
    expect(at(documents.index(), 'paths', 'apis/batch/v1', 'serverRelativeURL')).toBe(
      `/openapi/v3/apis/batch/v1?hash=${documents.hashOf('apis/batch/v1')}`,
    );
  });

  test('knows no other documents', () => {
    expect(documents.document('apis/apps/v9')).toBeUndefined();
  });
});

describe('the document of a group version', () => {
  const apps = documents.document('apis/apps/v1');
  const core = documents.document('api/v1');
  const schemas = (document: JsonObject | undefined, name: string) =>
    at(document, 'components', 'schemas', name);

  test('is closed: every reference has its schema', () => {
    for (const name of Object.keys(at(documents.index(), 'paths') as JsonObject)) {
      const document = documents.document(name);
      const known = Object.keys(at(document, 'components', 'schemas') as JsonObject);
      const missing = refsIn(document).filter(
        (ref) => !known.includes(ref.slice('#/components/schemas/'.length)),
      );
      expect([name, missing]).toEqual([name, []]);
    }
  });

  test('names every operation once', () => {
    const ids = [...operationsOf(apps), ...operationsOf(core)].map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of [
      'listAppsV1NamespacedDeployment',
      'listAppsV1DeploymentForAllNamespaces',
      'deleteAppsV1CollectionNamespacedDeployment',
      'readAppsV1NamespacedDeploymentScale',
      'watchAppsV1NamespacedDeploymentList',
      'connectCoreV1PostNamespacedPodExec',
      'connectCoreV1GetNodeProxyWithPath',
    ]) {
      expect(ids).toContain(id);
    }
  });

  test('says by which operation a client may patch a kind, and that fields are validated', () => {
    const patch = at(
      apps,
      'paths',
      '/apis/apps/v1/namespaces/{namespace}/deployments/{name}',
      'patch',
    ) as JsonObject;
    expect(patch['x-kubernetes-group-version-kind']).toEqual({
      group: 'apps',
      kind: 'Deployment',
      version: 'v1',
    });
    const names = (patch['parameters'] as readonly JsonObject[]).map(({ name }) => name);
    expect(names).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
  });

  test('names the kind of a subresource where it is another one', () => {
    const scale = at(apps, 'paths', '/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale', 'put');
    expect(scale).toMatchObject({
      'x-kubernetes-group-version-kind': { group: 'autoscaling', kind: 'Scale', version: 'v1' },
      requestBody: {
        content: { '*/*': { schema: { $ref: '#/components/schemas/io.k8s.api.autoscaling.v1.Scale' } } },
      },
    });
  });

  test('gives the options of a streaming subresource as parameters', () => {
    const exec = at(core, 'paths', '/api/v1/namespaces/{namespace}/pods/{name}/exec', 'get') as JsonObject;
    const types = (exec['parameters'] as readonly JsonObject[]).map(({ name, schema }) => [
      name,
      at(schema as JsonObject, 'type'),
    ]);
    expect(types).toContainEqual(['tty', 'boolean']);
    expect(types).toContainEqual(['command', 'string']);
  });

  test('carries merge rules, defaults and enums of members', () => {
    const container = schemas(core, 'io.k8s.api.core.v1.Container');
    expect(at(container as JsonObject, 'properties', 'ports')).toEqual({
      type: 'array',
      items: { allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.ContainerPort' }], default: {} },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
      'x-kubernetes-patch-merge-key': 'containerPort',
      'x-kubernetes-patch-strategy': 'merge',
    });
    expect(schemas(core, 'io.k8s.api.core.v1.ContainerPort')).toMatchObject({
      required: ['containerPort'],
      properties: { protocol: { default: 'TCP', enum: ['SCTP', 'TCP', 'UDP'] } },
    });
    expect(schemas(core, 'io.k8s.api.core.v1.Pod')).toMatchObject({
      'x-kubernetes-group-version-kind': [{ group: '', kind: 'Pod', version: 'v1' }],
    });
  });
});

describe('a custom kind', () => {
  const custom = documents.document('apis/shop.example.com/v1');
  const name = 'com.example.shop.v1.Widget';

  test('is published as it was declared, with what every object has', () => {
    expect(at(custom, 'components', 'schemas', name)).toEqual({
      ...declared,
      properties: {
        ...declared.properties,
        apiVersion: { type: 'string', description: expect.stringContaining('APIVersion defines') as string },
        kind: { type: 'string', description: expect.any(String) as string },
        metadata: {
          description: expect.any(String) as string,
          allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }],
        },
      },
      'x-kubernetes-group-version-kind': [{ group: 'shop.example.com', kind: 'Widget', version: 'v1' }],
    });
    expect(at(custom, 'components', 'schemas', `${name}List`)).toMatchObject({ required: ['items'] });
  });

  test('says more of numbers or texts, and of objects that are embedded, and does not show examples', () => {
    const schema = customKindSchema(
      { group: 'a.b', version: 'v1', kind: 'A' },
      {
        type: 'object',
        properties: {
          port: { 'x-kubernetes-int-or-string': true, example: 80 },
          inner: { type: 'object', 'x-kubernetes-embedded-resource': true, required: ['kind'] },
        },
      },
    );
    expect(schema['properties']).toMatchObject({
      port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      inner: { required: ['kind', 'apiVersion'], properties: { kind: { type: 'string' } } },
    });
    expect(at(schema, 'properties', 'port', 'example')).toBeUndefined();
  });

  test('says nothing of the shape of what may be anything, in version 2', () => {
    const schema = { nullable: true, type: 'object', properties: { a: { type: 'string' } } };
    const free = { 'x-kubernetes-preserve-unknown-fields': true, type: 'object', properties: {} };
    const kind = { ...free, 'x-kubernetes-group-version-kind': [] };
    const { definitions } = swaggerOf({
      info: {},
      paths: {},
      components: { schemas: { nullable: schema, free, kind }, securitySchemes: {} },
    }) as { readonly definitions: JsonObject };
    expect(definitions).toEqual({
      nullable: {},
      free: { 'x-kubernetes-preserve-unknown-fields': true },
      kind: { type: 'object', 'x-kubernetes-group-version-kind': [] },
    });
  });

  test('has no strategic merge and no watch paths', () => {
    const paths = Object.keys(at(custom, 'paths') as JsonObject);
    expect(paths.filter((path) => path.includes('/watch/'))).toEqual([]);
    const item = '/apis/shop.example.com/v1/namespaces/{namespace}/widgets/{name}';
    const content = at(custom, 'paths', item, 'patch', 'requestBody', 'content') as JsonObject;
    expect(Object.keys(content)).toEqual([
      'application/apply-patch+yaml',
      'application/json-patch+json',
      'application/merge-patch+json',
    ]);
  });
});

describe('the version 2 document', () => {
  const swagger = documents.swagger();

  test('holds all paths and definitions, and nothing that version 2 cannot say', () => {
    expect(operationsOf(swagger).length).toBeGreaterThan(700);
    const known = new Set(Object.keys(at(swagger, 'definitions') as JsonObject));
    const missing = refsIn(swagger).filter((ref) => !known.has(ref.slice('#/definitions/'.length)));
    expect(missing).toEqual([]);
    // The type of schemas has members of these names itself.
    const text = JSON.stringify(swagger, (name, value: unknown) =>
      name.endsWith('apiextensions.v1.JSONSchemaProps') ? undefined : value,
    );
    for (const word of ['"oneOf":', '"allOf":', '"requestBody":', '#/components/', '"nullable":']) {
      expect(text.includes(word)).toBe(false);
    }
  });

  test('writes bodies as parameters and parameters without schemas', () => {
    const create = at(swagger, 'paths', '/api/v1/namespaces/{namespace}/pods', 'post') as JsonObject;
    expect((create['parameters'] as readonly JsonObject[])[0]).toEqual({
      name: 'body',
      in: 'body',
      required: true,
      schema: { $ref: '#/definitions/io.k8s.api.core.v1.Pod' },
    });
    expect((create['parameters'] as readonly JsonObject[])[1]).toMatchObject({
      name: 'dryRun',
      type: 'string',
    });
    expect(at(swagger, 'definitions', 'io.k8s.apimachinery.pkg.api.resource.Quantity')).toEqual({
      type: 'string',
    });
    expect(at(swagger, 'definitions', 'io.k8s.apimachinery.pkg.util.intstr.IntOrString')).toEqual({
      type: 'string',
      format: 'int-or-string',
    });
  });
});
