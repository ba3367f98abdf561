/** Definitions whose names, versions and conversion may not be as they have to be; they are made for dry runs alone. */
import type { Json, JsonObject } from '../../../api/object.ts';
import type { Random } from './random.ts';

type Draft = Record<string, Json>;

const some = (random: Random, percent: number, name: string, items: readonly Json[]): JsonObject =>
  random.chance(percent) ? { [name]: random.pick(items) } : {};

const NAMES: Readonly<Record<string, readonly Json[]>> = {
  singular: ['widget', 'widgets', 'Widget', '', 'a.b', 'x'.repeat(64)],
  kind: ['Widget', 'widget', 'WidgetList', '', 'Wid get', '1W'],
  listKind: ['WidgetList', 'Widget', 'widgetlist', '', 'Bad_'],
  shortNames: [['wd'], ['wd', 'wd'], ['WD'], [''], ['a.b'], []],
  categories: [['all'], ['All'], [''], ['a b'], ['all', 'all']],
};

const SERVICE = { namespace: 'default', name: 'hook', path: '/convert' };
const CONVERSIONS: readonly Json[] = [
  { strategy: 'None' },
  { strategy: 'Webhook' },
  { strategy: 'Other' },
  {},
  { strategy: 'None', webhook: { conversionReviewVersions: ['v1'] } },
  { strategy: 'Webhook', webhook: { clientConfig: { service: SERVICE }, conversionReviewVersions: ['v1'] } },
  {
    strategy: 'Webhook',
    webhook: {
      clientConfig: { url: 'https://a.example.com/x' },
      conversionReviewVersions: ['v1beta1', 'v9'],
    },
  },
  {
    strategy: 'Webhook',
    webhook: { clientConfig: { url: 'http://a.example.com' }, conversionReviewVersions: ['v9'] },
  },
  {
    strategy: 'Webhook',
    webhook: { clientConfig: { url: 'https://u:p@a/x?y#z', service: SERVICE }, conversionReviewVersions: [] },
  },
  { strategy: 'Webhook', webhook: { clientConfig: {}, conversionReviewVersions: ['v1', 'v1'] } },
  {
    strategy: 'Webhook',
    webhook: {
      clientConfig: { service: { namespace: '', name: 'Bad_', path: 'x', port: 70_000 }, caBundle: 'bm8=' },
      conversionReviewVersions: [''],
    },
  },
];

const VERSION_NAMES = ['v1', 'v1', 'v2', 'v1alpha1', 'V1', '1v', '', 'v1-x'];

/** What is odd of a version beside its schema. */
const drawOddVersion = (version: JsonObject, random: Random): Draft => {
  const { schema, ...rest } = version;
  return {
    ...rest,
    ...(schema !== undefined && random.chance(94) && { schema }),
    ...some(random, 30, 'name', VERSION_NAMES),
    ...some(random, 20, 'served', [true, false]),
    ...some(random, 20, 'storage', [true, false]),
    ...some(random, 10, 'deprecationWarning', ['old', 'a\nb', 'x'.repeat(300), '']),
    ...some(random, 10, 'deprecated', [true, false]),
    ...some(random, 8, 'schema', [{}, { openAPIV3Schema: {} }, { openAPIV3Schema: null }]),
    ...some(random, 8, 'additionalPrinterColumns', [
      [
        { name: 'A', type: 'string', jsonPath: '.spec.a' },
        { name: 'A', type: 'date', jsonPath: '.a[' },
      ],
      [{ name: '', type: 'object', jsonPath: '' }],
      [{ name: 'A', type: 'integer', format: 'int32', priority: -1, jsonPath: '.spec' }],
      [],
    ]),
    ...some(random, 8, 'subresources', [
      { scale: {} },
      {
        scale: {
          specReplicasPath: 'spec.a',
          statusReplicasPath: '.spec.b',
          labelSelectorPath: '.metadata.x',
        },
      },
      { scale: { specReplicasPath: '.spec.a[0]', statusReplicasPath: '.status.a' } },
      {},
    ]),
    ...some(random, 8, 'selectableFields', [
      [{ jsonPath: '.spec.a' }, { jsonPath: '.spec.a' }],
      [{ jsonPath: '' }],
      [{ jsonPath: '.metadata.name' }],
      Array.from({ length: 9 }, (_none, at) => ({ jsonPath: `.spec.a${at}` })),
    ]),
  };
};

/** Of a definition that is as it should be. */
export function drawOddDefinition(definition: JsonObject, random: Random): Draft {
  const { names, versions, ...spec } = definition['spec'] as Draft;
  const drawnNames = Object.entries(NAMES).map(([name, items]) => some(random, 12, name, items));
  return {
    ...definition,
    spec: {
      ...spec,
      names: Object.assign({}, names, ...drawnNames) as Json,
      versions: (versions as readonly JsonObject[]).map((version) => drawOddVersion(version, random)),
      ...some(random, 30, 'conversion', CONVERSIONS),
      ...some(random, 15, 'scope', ['Cluster', 'Namespaced', 'Other', '']),
      ...some(random, 10, 'preserveUnknownFields', [true, false]),
      ...some(random, 6, 'group', ['example.com', 'apps', 'x.k8s.io', '', 'Bad_.com']),
    },
  };
}
