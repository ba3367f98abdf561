import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { askedServer } from '../../cli/golden/asked-server.ts';
import { lifeCycleOf, lifeCycles, stageAt, successorAt } from './life-cycles.ts';
import { migrated } from './migrate.ts';
import { type Parts, childOf } from './migrations/migration.ts';
import { parseReleaseName, releaseNumber } from './release-name.ts';

describe('releases', () => {
  test('are ordered by their number, not by their text', () => {
    expect(['1.9', '1.31', '1.10'].toSorted((a, b) => releaseNumber(a) - releaseNumber(b))).toEqual([
      '1.9',
      '1.10',
      '1.31',
    ]);
    expect(['v1.31.4', '1.9', '2.0', '1.x', '1', ''].map(parseReleaseName)).toEqual([
      ...['1.31', '1.9'],
      ...[undefined, undefined, undefined, undefined],
    ]);
  });
});

/** The specification's table of removed versions: what goes when, and what takes its place. */
const REMOVED: readonly (readonly [
  release: string,
  old: string,
  kinds: readonly string[],
  by: string | undefined,
])[] = [
  [
    '1.32',
    'flowcontrol.apiserver.k8s.io/v1beta3',
    ['FlowSchema', 'PriorityLevelConfiguration'],
    'flowcontrol.apiserver.k8s.io/v1',
  ],
  [
    '1.29',
    'flowcontrol.apiserver.k8s.io/v1beta2',
    ['FlowSchema', 'PriorityLevelConfiguration'],
    'flowcontrol.apiserver.k8s.io/v1',
  ],
  ['1.27', 'storage.k8s.io/v1beta1', ['CSIStorageCapacity'], 'storage.k8s.io/v1'],
  [
    '1.26',
    'flowcontrol.apiserver.k8s.io/v1beta1',
    ['FlowSchema', 'PriorityLevelConfiguration'],
    'flowcontrol.apiserver.k8s.io/v1beta3',
  ],
  ['1.26', 'autoscaling/v2beta2', ['HorizontalPodAutoscaler'], 'autoscaling/v2'],
  ['1.25', 'batch/v1beta1', ['CronJob'], 'batch/v1'],
  ['1.25', 'discovery.k8s.io/v1beta1', ['EndpointSlice'], 'discovery.k8s.io/v1'],
  ['1.25', 'events.k8s.io/v1beta1', ['Event'], 'events.k8s.io/v1'],
  ['1.25', 'autoscaling/v2beta1', ['HorizontalPodAutoscaler'], 'autoscaling/v2'],
  ['1.25', 'policy/v1beta1', ['PodDisruptionBudget'], 'policy/v1'],
  ['1.25', 'policy/v1beta1', ['PodSecurityPolicy'], undefined],
  ['1.25', 'node.k8s.io/v1beta1', ['RuntimeClass'], 'node.k8s.io/v1'],
  [
    '1.22',
    'admissionregistration.k8s.io/v1beta1',
    ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'],
    'admissionregistration.k8s.io/v1',
  ],
  ['1.22', 'apiextensions.k8s.io/v1beta1', ['CustomResourceDefinition'], 'apiextensions.k8s.io/v1'],
  ['1.22', 'apiregistration.k8s.io/v1beta1', ['APIService'], 'apiregistration.k8s.io/v1'],
  ['1.22', 'authentication.k8s.io/v1beta1', ['TokenReview'], 'authentication.k8s.io/v1'],
  [
    '1.22',
    'authorization.k8s.io/v1beta1',
    ['LocalSubjectAccessReview', 'SelfSubjectAccessReview', 'SelfSubjectRulesReview', 'SubjectAccessReview'],
    'authorization.k8s.io/v1',
  ],
  ['1.22', 'certificates.k8s.io/v1beta1', ['CertificateSigningRequest'], 'certificates.k8s.io/v1'],
  ['1.22', 'coordination.k8s.io/v1beta1', ['Lease'], 'coordination.k8s.io/v1'],
  ['1.22', 'extensions/v1beta1', ['Ingress'], 'networking.k8s.io/v1'],
  ['1.22', 'networking.k8s.io/v1beta1', ['Ingress', 'IngressClass'], 'networking.k8s.io/v1'],
  [
    '1.22',
    'rbac.authorization.k8s.io/v1beta1',
    ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
    'rbac.authorization.k8s.io/v1',
  ],
  ['1.22', 'scheduling.k8s.io/v1beta1', ['PriorityClass'], 'scheduling.k8s.io/v1'],
  [
    '1.22',
    'storage.k8s.io/v1beta1',
    ['CSIDriver', 'CSINode', 'StorageClass', 'VolumeAttachment'],
    'storage.k8s.io/v1',
  ],
  ['1.16', 'extensions/v1beta1', ['NetworkPolicy'], 'networking.k8s.io/v1'],
  ['1.16', 'extensions/v1beta1', ['DaemonSet', 'Deployment', 'ReplicaSet'], 'apps/v1'],
  ['1.16', 'apps/v1beta1', ['Deployment', 'StatefulSet'], 'apps/v1'],
  ['1.16', 'apps/v1beta2', ['DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'], 'apps/v1'],
  ['1.16', 'extensions/v1beta1', ['PodSecurityPolicy'], 'policy/v1beta1'],
];

const ROWS = REMOVED.flatMap(([release, old, kinds, by]) =>
  kinds.map((kind) => [release, old, kind, by] as const),
);

/** What goes with a row of another kind, or is no object of a storage: no row names them. */
const WITHOUT_A_ROW: ReadonlySet<string> = new Set([
  'admission.k8s.io/v1beta1.AdmissionReview',
  'apiextensions.k8s.io/v1beta1.ConversionReview',
  'apps/v1beta1.ControllerRevision',
  'apps/v1beta2.ControllerRevision',
  'apps/v1beta1.DeploymentRollback',
  'extensions/v1beta1.DeploymentRollback',
  'apps/v1beta1.Scale',
  'apps/v1beta2.Scale',
  'extensions/v1beta1.Scale',
  'batch/v1beta1.JobTemplate',
  'policy/v1beta1.Eviction',
]);

const LAST_ROW = 32;

/** Versions that went, alpha ones aside, which may go at any time. */
const removedKinds = (): readonly string[] =>
  [...lifeCycles()].flatMap(([name, { removed, kind }]) =>
    removed !== undefined &&
    releaseNumber(removed) <= releaseNumber(`1.${LAST_ROW}`) &&
    !name.includes('alpha') &&
    !kind.endsWith('List') &&
    !WITHOUT_A_ROW.has(name)
      ? [name]
      : [],
  );

const LIBRARY = join(import.meta.dirname, '../../../scenarios/versions');

/** What the scenarios of removed versions create: `apps/v1beta1.Deployment`. */
function rehearsedKinds(): ReadonlySet<string> {
  const created = new Set<string>();
  for (const file of readdirSync(LIBRARY).filter((name) => name.startsWith('removed-'))) {
    const { spec } = parse(readFileSync(join(LIBRARY, file), 'utf8')) as {
      readonly spec: {
        readonly steps: readonly { readonly create?: { apiVersion: string; kind: string } }[];
      };
    };
    for (const { create } of spec.steps) if (create) created.add(`${create.apiVersion}.${create.kind}`);
  }
  return created;
}

describe('the life of a version', () => {
  test.each(ROWS)('in %s %s %s is gone', (release, apiVersion, kind, by) => {
    const life = lifeCycleOf({ apiVersion, kind });
    if (!life) throw new Error('unknown');
    const before = `1.${releaseNumber(release) - 1}`;
    expect([stageAt(life, before), stageAt(life, release)]).toEqual(['deprecated', 'removed']);
    expect(successorAt(life, release)?.apiVersion).toBe(by);
  });

  test('has a row for every one that went, and no row for another', () => {
    expect(ROWS.map(([, old, kind]) => `${old}.${kind}`).toSorted()).toEqual(removedKinds().toSorted());
  });

  test('has a scenario for every row', () => {
    const rehearsed = rehearsedKinds();
    expect(ROWS.map(([, old, kind]) => `${old}.${kind}`).filter((name) => !rehearsed.has(name))).toEqual([]);
  });

  test('has its stages in order, and ends in something that is served then, or in nothing', () => {
    for (const life of lifeCycles().values()) {
      const stages = Array.from({ length: 40 }, (_, minor) => stageAt(life, `1.${minor}`));
      const order = ['not yet', 'served', 'deprecated', 'removed'];
      expect(stages).toEqual(stages.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)));
      const successor = life.removed === undefined ? undefined : successorAt(life, life.removed);
      if (life.removed !== undefined && successor)
        expect(['served', 'deprecated']).toContain(stageAt(successor, life.removed));
    }
  });
});

const META = { name: 'x' };
const TEMPLATE = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const BACKEND = { serviceName: 's', servicePort: 80 };
const SAMPLES: readonly Parts[] = [
  {
    apiVersion: 'extensions/v1beta1',
    kind: 'Deployment',
    metadata: META,
    spec: { template: TEMPLATE, rollbackTo: { revision: 1 } },
  },
  { apiVersion: 'apps/v1beta1', kind: 'Deployment', metadata: META, spec: { template: TEMPLATE } },
  {
    apiVersion: 'extensions/v1beta1',
    kind: 'DaemonSet',
    metadata: META,
    spec: { template: TEMPLATE, templateGeneration: 3 },
  },
  {
    apiVersion: 'apps/v1beta1',
    kind: 'StatefulSet',
    metadata: META,
    spec: { serviceName: 's', template: TEMPLATE },
  },
  {
    apiVersion: 'apps/v1beta2',
    kind: 'ReplicaSet',
    metadata: META,
    spec: { template: TEMPLATE, selector: { matchLabels: { app: 'x' } } },
  },
  {
    apiVersion: 'extensions/v1beta1',
    kind: 'Ingress',
    metadata: META,
    spec: {
      backend: BACKEND,
      rules: [{ http: { paths: [{ path: '/', backend: { ...BACKEND, servicePort: 'web' } }] } }],
    },
  },
  { apiVersion: 'networking.k8s.io/v1beta1', kind: 'Ingress', metadata: META, spec: { backend: BACKEND } },
  { apiVersion: 'extensions/v1beta1', kind: 'NetworkPolicy', metadata: META, spec: { podSelector: {} } },
  {
    apiVersion: 'discovery.k8s.io/v1beta1',
    kind: 'EndpointSlice',
    metadata: META,
    addressType: 'IPv4',
    ports: [],
    endpoints: [
      {
        addresses: ['10.0.0.1'],
        topology: { 'kubernetes.io/hostname': 'n', 'topology.kubernetes.io/zone': 'z', other: 'o' },
      },
    ],
  },
  {
    apiVersion: 'batch/v1beta1',
    kind: 'CronJob',
    metadata: META,
    spec: {
      schedule: '* * * * *',
      jobTemplate: { spec: { template: { spec: { ...TEMPLATE.spec, restartPolicy: 'Never' } } } },
    },
  },
  {
    apiVersion: 'policy/v1beta1',
    kind: 'PodDisruptionBudget',
    metadata: META,
    spec: { minAvailable: 1, selector: {} },
  },
  {
    apiVersion: 'autoscaling/v2beta1',
    kind: 'HorizontalPodAutoscaler',
    metadata: META,
    spec: {
      maxReplicas: 3,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' },
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 80 } },
        { type: 'Pods', pods: { metricName: 'rps', targetAverageValue: '1k' } },
        {
          type: 'Object',
          object: {
            metricName: 'hits',
            target: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'm' },
            targetValue: '10',
          },
        },
        {
          type: 'External',
          external: {
            metricName: 'queue',
            metricSelector: { matchLabels: { q: 'a' } },
            targetAverageValue: '30',
          },
        },
      ],
    },
  },
  {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1beta1',
    kind: 'PriorityLevelConfiguration',
    metadata: META,
    spec: { type: 'Limited', limited: { assuredConcurrencyShares: 5, limitResponse: { type: 'Reject' } } },
  },
  { apiVersion: 'rbac.authorization.k8s.io/v1beta1', kind: 'ClusterRole', metadata: META, rules: [] },
  { apiVersion: 'storage.k8s.io/v1beta1', kind: 'StorageClass', metadata: META, provisioner: 'p' },
  { apiVersion: 'node.k8s.io/v1beta1', kind: 'RuntimeClass', metadata: META, handler: 'h' },
  {
    apiVersion: 'coordination.k8s.io/v1beta1',
    kind: 'Lease',
    metadata: META,
    spec: { leaseDurationSeconds: 5 },
  },
  {
    apiVersion: 'authorization.k8s.io/v1beta1',
    kind: 'SubjectAccessReview',
    metadata: {},
    spec: { user: 'u', group: ['g'], nonResourceAttributes: { path: '/', verb: 'get' } },
  },
  {
    apiVersion: 'apiextensions.k8s.io/v1beta1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      version: 'v1',
      names: { plural: 'widgets', kind: 'Widget' },
      subresources: { status: {} },
      additionalPrinterColumns: [{ name: 'Size', type: 'integer', JSONPath: '.spec.size' }],
    },
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1beta1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: META,
    webhooks: [{ name: 'a.b.c', sideEffects: 'None', clientConfig: { url: 'https://a/' }, rules: [] }],
  },
];
const PLURALS: Readonly<Record<string, string>> = {
  Ingress: 'ingresses',
  NetworkPolicy: 'networkpolicies',
  StorageClass: 'storageclasses',
  RuntimeClass: 'runtimeclasses',
};
const CLUSTER_WIDE = /Class$|^Cluster|Review$|Definition$|Configuration$/;

describe('an object of an old version', () => {
  test.each(
    SAMPLES.map((sample) => [`${String(sample['apiVersion'])} ${String(sample['kind'])}`, sample] as const),
  )('%s is taken as one of the new version, and stays as it is itself', (_name, sample) => {
    const before = JSON.stringify(sample);
    const result = migrated(sample, '1.31');
    expect(JSON.stringify(sample)).toBe(before);
    const { apiVersion, kind } = result?.object ?? {};
    expect(lifeCycleOf({ apiVersion: String(apiVersion), kind: String(kind) })?.removed).toBeUndefined();
    const plural = PLURALS[String(kind)] ?? `${String(kind).toLowerCase()}s`;
    const scope = CLUSTER_WIDE.test(String(kind)) ? '' : 'namespaces/default/';
    const { status, body } = askedServer()(
      'POST',
      `/apis/${String(apiVersion)}/${scope}${plural}?fieldValidation=Strict`,
      result?.object,
    );
    expect([status, body.message]).toEqual([201, undefined]);
  });

  const specOf = (kind: string, apiVersion: string): Parts => {
    const sample = SAMPLES.find((each) => each['kind'] === kind && each['apiVersion'] === apiVersion);
    return childOf(migrated(sample ?? {}, '1.31')?.object['spec']);
  };

  test('means what it meant where the new version has other defaults', () => {
    expect(specOf('Deployment', 'extensions/v1beta1')).toMatchObject({
      selector: { matchLabels: { app: 'x' } },
      revisionHistoryLimit: 2_147_483_647,
      progressDeadlineSeconds: 2_147_483_647,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
    });
    expect(specOf('Deployment', 'apps/v1beta1')).toMatchObject({ revisionHistoryLimit: 2 });
    expect(specOf('DaemonSet', 'extensions/v1beta1')).toMatchObject({ updateStrategy: { type: 'OnDelete' } });
    expect(specOf('StatefulSet', 'apps/v1beta1')).toMatchObject({ updateStrategy: { type: 'OnDelete' } });
    expect(specOf('PodDisruptionBudget', 'policy/v1beta1')['selector']).toEqual({
      matchExpressions: [
        { key: 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match', operator: 'Exists' },
      ],
    });
    const level = {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1beta3',
      kind: 'PriorityLevelConfiguration',
      spec: { limited: { nominalConcurrencyShares: 0 } },
    };
    expect(migrated(level, '1.32')?.object['spec']).toEqual({ limited: {} });
  });

  test('says what its owner has to decide', () => {
    const notes = (sample: Parts): readonly string[] => migrated(sample, '1.31')?.notes ?? [];
    const [deployment = {}] = SAMPLES;
    expect(notes(deployment)).toEqual([expect.stringContaining('spec.rollbackTo is gone')]);
    expect(notes(SAMPLES.find(({ kind }) => kind === 'EndpointSlice') ?? {})).toHaveLength(1);
    expect(
      notes({ apiVersion: 'certificates.k8s.io/v1beta1', kind: 'CertificateSigningRequest', spec: {} }),
    ).toHaveLength(2);
    expect(
      notes({
        apiVersion: 'admissionregistration.k8s.io/v1beta1',
        kind: 'MutatingWebhookConfiguration',
        webhooks: [{ name: 'w' }],
      }),
    ).toEqual(['sideEffects of webhook w is Unknown: say None or NoneOnDryRun']);
    expect(migrated({ apiVersion: 'policy/v1beta1', kind: 'PodSecurityPolicy' }, '1.31')).toBeUndefined();
    expect(migrated({ apiVersion: 'example.com/v1', kind: 'Widget' }, '1.31')).toBeUndefined();
  });
});
