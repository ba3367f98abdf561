import { describe, expect, test } from 'vitest';
import { generateValue, seededDraw } from '../../../api/codec/generated-value.fixture.ts';
import { storedForm } from '../../../api/codec/canonical.ts';
import type { ApiObject } from '../../../api/object.ts';
import { lifeCycles } from '../../../api/life-cycle/life-cycles.ts';
import { releaseNumber } from '../../../api/life-cycle/release-name.ts';
import { findRelease, RELEASE_NAMES } from '../../../api/release/releases.ts';
import type { Release } from '../../../api/release/release.ts';
import type { StructSchema } from '../../../api/schema.ts';
import { builtinRows } from '../builtin.ts';
import { parseRuntimeConfig } from '../runtime-config.ts';
import type { Resource } from '../resource.ts';
import { fieldsOf, itemsOf, ownFieldsOf, type OwnFields } from './parts.ts';

const OBJECTS = 12;

/**
 * What generated objects are not allowed to be, as no server takes it: a port that is a number and a name at once, a
 * metric that says less or more than its type, shares of nothing, endpoints that are called by two names.
 */
const MENDED: Readonly<Record<string, (object: OwnFields) => void>> = {
  Ingress: (object) => {
    const spec = fieldsOf(object['spec']);
    const backends = [spec['defaultBackend'], spec['backend']];
    for (const rule of itemsOf(spec['rules']))
      for (const path of itemsOf(fieldsOf(rule['http'])['paths'])) backends.push(path['backend']);
    for (const backend of backends.map(ownFieldsOf)) mendBackend(backend);
  },
  HorizontalPodAutoscaler: (object) => {
    const annotations = object['metadata'] as OwnFields;
    delete annotations['annotations'];
    for (const part of [fieldsOf(object['spec'])['metrics'], fieldsOf(object['status'])['currentMetrics']])
      if (Array.isArray(part)) part.length = 0;
    const spec = ownFieldsOf(object['spec']);
    const status = ownFieldsOf(object['status']);
    delete status['currentCPUUtilizationPercentage'];
    if (status['conditions'] !== undefined) status['conditions'] = CONDITIONS;
    if (spec['behavior'] !== undefined) spec['behavior'] = BEHAVIOR;
    spec['metrics'] = METRICS[String(object['apiVersion'])];
    if (spec['metrics'] === undefined) delete spec['metrics'];
  },
  PriorityLevelConfiguration: (object) => {
    const limited = ownFieldsOf(fieldsOf(object['spec'])['limited']);
    const isOld = /v1(alpha1|beta[12])$/.test(String(object['apiVersion']));
    limited[isOld ? 'assuredConcurrencyShares' : 'nominalConcurrencyShares'] = 7;
  },
  CertificateSigningRequest: (object) => {
    ownFieldsOf(object['spec'])['signerName'] = 'example.com/signer';
  },
  StatefulSet: (object) => {
    delete ownFieldsOf(object['status'])['observedGeneration'];
  },
  ClusterRoleBinding: mendSubjects,
  RoleBinding: mendSubjects,
  EndpointSlice: (object) => {
    for (const endpoint of itemsOf(object['endpoints']).map(ownFieldsOf)) {
      delete endpoint['topology'];
      if (endpoint['zone'] === '') delete endpoint['zone'];
      const { nodeName } = endpoint;
      if (!String(object['apiVersion']).endsWith('/v1') && typeof nodeName === 'string')
        endpoint['topology'] = { 'kubernetes.io/hostname': nodeName, rack: 'r1' };
    }
  },
  CustomResourceDefinition: (object) => {
    const spec = ownFieldsOf(object['spec']);
    spec['versions'] = [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
      { name: 'v2', served: true, storage: false },
    ];
    for (const name of [
      'validation',
      'subresources',
      'additionalPrinterColumns',
      'selectableFields',
      'conversion',
    ])
      delete spec[name];
    if ('version' in spec || String(object['apiVersion']).endsWith('v1beta1')) spec['version'] = 'v1';
    if (String(object['apiVersion']).endsWith('v1beta1')) spec['preserveUnknownFields'] = false;
    else delete spec['preserveUnknownFields'];
  },
  DaemonSet: (object) => {
    const metadata = ownFieldsOf(object['metadata']);
    const isV1 = !String(object['apiVersion']).startsWith('extensions');
    metadata['annotations'] = isV1 ? { 'deprecated.daemonset.template.generation': '3' } : { a: 'b' };
    if (!isV1) ownFieldsOf(object['spec'])['templateGeneration'] = 3;
  },
};

function mendSubjects(object: OwnFields): void {
  const isAlpha = String(object['apiVersion']).endsWith('alpha1');
  for (const subject of itemsOf(object['subjects']).map(ownFieldsOf)) {
    for (const name of ['apiVersion', 'apiGroup']) delete subject[name];
    subject[isAlpha ? 'apiVersion' : 'apiGroup'] = `rbac.authorization.k8s.io${isAlpha ? '/v1alpha1' : ''}`;
  }
}

function mendBackend(backend: OwnFields): void {
  const service = ownFieldsOf(backend['service']);
  if (backend['service'] !== undefined) {
    service['name'] ||= 's';
    service['port'] = { number: 80 };
  }
  if ('serviceName' in backend || 'servicePort' in backend) {
    backend['serviceName'] = 's';
    backend['servicePort'] = 'http';
  }
}

/** Annotations of v1 say them, as a server writes them. */
const BEHAVIOR = {
  scaleUp: {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }],
  },
  scaleDown: {
    stabilizationWindowSeconds: 60,
    selectPolicy: 'Min',
    policies: [{ type: 'Percent', value: 10, periodSeconds: 60 }],
  },
};
const CONDITIONS = [
  {
    type: 'AbleToScale',
    status: 'True',
    lastTransitionTime: '2024-01-02T03:04:05Z',
    reason: 'ReadyForNewScale',
    message: 'recommended size matches current size',
  },
];

/** One of each type, in the words of the version; in v1 they are annotations. */
const NEW_METRICS = [
  { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '100Mi' } } },
  { type: 'Pods', pods: { metric: { name: 'qps' }, target: { type: 'AverageValue', averageValue: '1k' } } },
  {
    type: 'Object',
    object: {
      describedObject: { kind: 'Service', name: 's' },
      target: { type: 'Value', value: '2' },
      metric: { name: 'rate', selector: { matchLabels: { a: 'b' } } },
    },
  },
  { type: 'External', external: { metric: { name: 'queue' }, target: { type: 'Value', value: '30' } } },
  { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } },
];
const METRICS: Readonly<Record<string, readonly unknown[]>> = {
  'autoscaling/v2': NEW_METRICS,
  'autoscaling/v2beta2': NEW_METRICS,
  'autoscaling/v2beta1': [
    { type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 60 } },
    { type: 'Pods', pods: { metricName: 'qps', targetAverageValue: '1k' } },
    {
      type: 'Object',
      object: { target: { kind: 'Service', name: 's' }, metricName: 'rate', targetValue: '2' },
    },
    { type: 'External', external: { metricName: 'queue', metricSelector: {}, targetAverageValue: '30' } },
  ],
};

/** A stored object that some server may hold, of that version. */
function objectOf(schema: StructSchema, apiVersion: string, kind: string, seed: number): ApiObject {
  const draw = seededDraw(seed);
  const value = generateValue(schema, draw) as OwnFields;
  value['kind'] = kind;
  value['apiVersion'] = apiVersion;
  value['metadata'] = { ...fieldsOf(value['metadata']), name: 'n', managedFields: [] };
  MENDED[kind]?.(value);
  return storedForm(schema, value) as ApiObject;
}

interface Pair {
  readonly release: Release;
  readonly row: Resource;
  readonly apiVersion: string;
}

/** Each version of each kind once, in the last release that has it. */
function pairs(): ReadonlyMap<string, Pair> {
  const found = new Map<string, Pair>();
  for (const name of RELEASE_NAMES) {
    const release = findRelease(name);
    if (!release) continue;
    for (const row of builtinRows(release, parseRuntimeConfig('api/all=true')))
      for (const { apiVersion } of [...row.versions.values(), { apiVersion: row.encodedApiVersion ?? '' }])
        if (apiVersion !== '' && apiVersion !== row.storageApiVersion)
          found.set(`${apiVersion} ${row.kind}`, { release, row, apiVersion });
  }
  return found;
}

const ALL = pairs();
/** Whose versions have shapes of their own, without conversions: they are only ever worked on as they are stored. */
const WITHOUT = /^(resource|storagemigration)\.k8s\.io\/| PodCertificateRequest$/;

const names = [...ALL.keys()].filter((name) => !WITHOUT.test(name));

/** What is asked and answered at once, or is a part of something else; and the policy, which is worked on as it is. */
const NEVER_STORED: readonly string[] = [
  'admission.k8s.io/v1beta1 AdmissionReview',
  'apiextensions.k8s.io/v1beta1 ConversionReview',
  'apps/v1beta1 DeploymentRollback',
  'apps/v1beta1 Scale',
  'apps/v1beta2 Scale',
  'batch/v1beta1 JobTemplate',
  'extensions/v1beta1 DeploymentRollback',
  'extensions/v1beta1 Scale',
  'policy/v1beta1 Eviction',
  'policy/v1beta1 PodSecurityPolicy',
];

describe('a version that is not the one which is worked on', () => {
  test('is there for every version that went', () => {
    const gone = [...lifeCycles().values()].filter(
      ({ apiVersion, kind, removed }) =>
        removed !== undefined &&
        releaseNumber(removed) <= releaseNumber('1.32') &&
        !apiVersion.includes('alpha') &&
        !kind.endsWith('List'),
    );
    const missing = gone
      .map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)
      .filter((name) => !ALL.has(name));
    expect(missing.toSorted()).toEqual(NEVER_STORED);
  });

  test.each(names)('%s loses nothing on its way to it and back', (name) => {
    const { release, row, apiVersion } = ALL.get(name) as Pair;
    const { types } = release.catalog;
    const schema = types.structOf(`${apiVersion}.${row.kind}`);
    for (let seed = 1; seed <= OBJECTS; seed += 1) {
      const worked = dropLater(name, objectOf(row.storageSchema, row.storageApiVersion, row.kind, seed));
      const shown = storedForm(schema, row.convert(worked, apiVersion)) as ApiObject;
      expect(shown.apiVersion).toBe(apiVersion);
      const back = storedForm(row.storageSchema, row.convert(shown, row.storageApiVersion));
      expect({ seed, object: back }).toEqual({ seed, object: worked });
      const old = objectOf(schema, apiVersion, row.kind, seed);
      const heir = storedForm(row.storageSchema, row.convert(old, row.storageApiVersion)) as ApiObject;
      expect({ seed, object: storedForm(schema, row.convert(heir, apiVersion)) }).toEqual({
        seed,
        object: old,
      });
    }
  });
});

/** Members that the heir had after the old version was gone, so that no server ever had to keep them in it. */
const LATER: Readonly<Record<string, readonly (readonly [part: string, member: string])[]>> = {
  'batch/v2alpha1 CronJob': [['status', 'lastSuccessfulTime']],
  ...Object.fromEntries(
    ['v1alpha1', 'v1beta1', 'v1beta2', 'v1beta3'].map((version) => [
      `flowcontrol.apiserver.k8s.io/${version} PriorityLevelConfiguration`,
      [
        ['spec', 'exempt'],
        ['spec.limited', 'lendablePercent'],
        ['spec.limited', 'borrowingLimitPercent'],
      ],
    ]),
  ),
};

function dropLater(name: string, object: ApiObject): ApiObject {
  const copy = structuredClone(object);
  for (const [part, member] of LATER[name] ?? []) {
    const holder = part.split('.').reduce<unknown>((value, step) => fieldsOf(value)[step], copy);
    delete ownFieldsOf(holder)[member];
  }
  if (name === 'discovery.k8s.io/v1alpha1 EndpointSlice')
    for (const endpoint of itemsOf(copy['endpoints']).map(ownFieldsOf)) delete endpoint['hints'];
  return copy;
}
