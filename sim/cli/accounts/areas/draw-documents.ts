/**
 * What discovery and the OpenAPI documents say while definitions come, change, go and come again otherwise, and what they
 * say of built-in kinds, in each form.
 */
import type { GoldenCase, Step } from '../../../../model/golden/replay/golden-case.ts';
import type { JsonObject } from '../../../api/object.ts';
import type { Random } from '../../verify/generate/random.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const DEFINITION = `${DEFINITIONS}/widgets.\${unique}.example.com`;
const GROUP = '${unique}.example.com';
const UNTIL_TOLD_MS = 3_000;
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const FORMER = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';
const PROTOBUF_2 = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
const PROTOBUF_3 = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf';
const GROUPS = [
  ...[
    'apps',
    'batch',
    'autoscaling',
    'policy',
    'networking.k8s.io',
    'rbac.authorization.k8s.io',
    'storage.k8s.io',
  ],
  ...['coordination.k8s.io', 'admissionregistration.k8s.io', 'apiextensions.k8s.io', 'certificates.k8s.io'],
];

export function drawDocuments(random: Random, index: number): GoldenCase {
  const name = `documents/${index}`;
  const cleanup = [{ request: { method: 'DELETE', path: DEFINITION } }];
  if (index % 4 === 3) return { name, area: 'documents', steps: ofBuiltins(random, index) };
  const steps = [
    ...written(random),
    ...asked(random),
    changed(random),
    { sleep: UNTIL_TOLD_MS },
    ...asked(random),
    { request: { method: 'DELETE', path: DEFINITION } },
    { sleep: UNTIL_TOLD_MS },
    ...asked(random),
    ...written(random),
    ...asked(random),
  ];
  return { name, area: 'documents', steps, cleanup };
}

function written(random: Random): readonly Step[] {
  const names = random.pick([['v1'], ['v1', 'v2'], ['v1', 'v2beta1', 'v2']]);
  const body = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${GROUP}` },
    spec: {
      group: GROUP,
      scope: random.pick(['Namespaced', 'Cluster']),
      names: {
        plural: 'widgets',
        singular: 'widget',
        kind: 'Widget',
        ...(random.chance(40) && { listKind: 'WidgetList', shortNames: ['wd'], categories: ['all', 'own'] }),
      },
      versions: names.map((name) => ({
        name,
        served: name === 'v1' || random.chance(80),
        storage: name === 'v1',
        schema: { openAPIV3Schema: schemaOf(random, 3) },
        ...(random.chance(40) && { subresources: { status: {} } }),
        ...(random.chance(30) && { additionalPrinterColumns: [COLUMN] }),
      })),
    },
  };
  return [{ request: { method: 'POST', path: DEFINITIONS, body } }, { sleep: UNTIL_TOLD_MS }];
}

const COLUMN = { name: 'A', type: 'string', jsonPath: '.spec.a', description: 'what it is' };
const SCALARS: readonly JsonObject[] = [
  { type: 'string', maxLength: 5, pattern: '^a' },
  { type: 'string', format: 'date-time', nullable: true },
  { type: 'string', enum: ['a', 'b'], default: 'a' },
  { type: 'integer', format: 'int64', minimum: 1, maximum: 9, exclusiveMaximum: true, multipleOf: 2 },
  { type: 'number', description: 'how much' },
  { type: 'boolean', title: 'whether' },
  { 'x-kubernetes-int-or-string': true },
  { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
];

/** One that is taken. */
function schemaOf(random: Random, depth: number): JsonObject {
  if (depth < 3 && (depth === 0 || random.chance(40))) return random.pick(SCALARS);
  if (depth < 3 && random.chance(30))
    return { type: 'object', additionalProperties: schemaOf(random, 0), minProperties: 1 };
  if (depth < 3 && random.chance(40)) return listOf(random);
  const names = ['spec', 'status', 'a', 'b'].slice(depth === 3 ? 0 : 2);
  const inner = names.filter(() => random.chance(75));
  return {
    type: 'object',
    properties: Object.fromEntries(inner.map((name) => [name, schemaOf(random, depth - 1)])),
    ...(inner.length > 0 && random.chance(30) && { required: [inner[0] ?? ''] }),
    ...(depth < 3 && random.chance(20) && { 'x-kubernetes-map-type': 'atomic' }),
  };
}

const listOf = (random: Random): JsonObject =>
  random.pick<JsonObject>([
    { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set', maxItems: 4 },
    {
      type: 'array',
      items: { type: 'object', properties: { k: { type: 'string' } }, required: ['k'] },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    },
    {
      type: 'array',
      items: { type: 'array', items: { type: 'number' } },
      'x-kubernetes-list-type': 'atomic',
    },
  ]);

function changed(random: Random): Step {
  const path = '/spec/versions/0';
  const patch = random.pick([
    [{ op: 'replace', path: `${path}/schema/openAPIV3Schema`, value: schemaOf(random, 3) }],
    [{ op: 'add', path: `${path}/deprecated`, value: true }],
    [{ op: 'add', path: `${path}/subresources`, value: { status: {} } }],
    [{ op: 'add', path: '/spec/names/shortNames', value: ['wg'] }],
    [{ op: 'add', path: '/spec/names/categories', value: ['all'] }],
    [{ op: 'replace', path: `${path}/served`, value: false }],
  ]);
  const contentType = 'application/json-patch+json';
  return { request: { method: 'PATCH', path: DEFINITION, contentType, body: patch } };
}

function asked(random: Random): readonly Step[] {
  const places = [
    [`/openapi/v3/apis/${GROUP}/v1`],
    [`/openapi/v3/apis/${GROUP}/v1`, PROTOBUF_3],
    [`/openapi/v3/apis/${GROUP}/v2`],
    [`/apis/${GROUP}/v1`],
    [`/apis/${GROUP}`],
    ['/apis'],
    ['/apis', AGGREGATED],
    ['/apis', FORMER],
    [`/apis/apiregistration.k8s.io/v1/apiservices/v1.${GROUP}`],
  ] as const;
  const first = places.filter(() => random.chance(60));
  return first.map(([path, accept]) => read(path, accept));
}

const read = (path: string, accept?: string): Step => ({
  request: { method: 'GET', path, ...(accept !== undefined && { headers: { accept } }) },
});

function ofBuiltins(random: Random, index: number): readonly Step[] {
  const group = GROUPS[Math.floor(index / 4) % GROUPS.length] ?? 'apps';
  const version = group === 'autoscaling' ? 'v2' : 'v1';
  return [
    read(`/openapi/v3/apis/${group}/${version}`),
    read(`/openapi/v3/apis/${group}/${version}`, random.pick([PROTOBUF_3, 'text/plain', '*/*'])),
    read(random.pick(['/openapi/v3', '/openapi/v3/api/v1', '/openapi/v3/version', '/openapi/v3/none'])),
    ...(index % 16 === 3 ? [read('/openapi/v2'), read('/openapi/v2', PROTOBUF_2)] : []),
    read(random.pick(['/', '/api', '/api/v1', '/version', '/healthz?verbose', '/readyz?verbose', '/livez'])),
    read('/api', random.pick([AGGREGATED, FORMER])),
  ];
}
