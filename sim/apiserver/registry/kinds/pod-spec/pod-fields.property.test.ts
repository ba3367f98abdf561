/**
 * What a pod's spec may say of the pod as a whole, field by field, beside a plain reading of its documentation ("Pod v1"):
 * as a template that stands alone has it, of which all may change.
 */
import { it } from 'vitest';
import { type Field, type FieldRules, holdFieldByField, type Refused } from '../field-rules.fixture.ts';

const SPEC = 'template.spec.';
const or =
  (usual: unknown) =>
  (value: unknown): unknown =>
    value ?? usual;
const at = (place: string, more: Omit<Field, 'at'>): Field => ({ at: SPEC + place, ...more });
/** `places`: from the spec. */
const wrong = (value: unknown, ...places: readonly string[]): Refused => ({
  value,
  at: places.map((place) => SPEC + place),
});

const CONTAINER = {
  ...{ name: 'c', image: 'i:1', resources: {}, imagePullPolicy: 'IfNotPresent' },
  ...{ terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' },
};
const KIND = {
  apiVersion: 'v1',
  kind: 'PodTemplate',
  resource: 'podtemplates',
  isNamespaced: true,
  counts: ['template'],
};
const templateOf = (spec: object): NonNullable<FieldRules['base']> => ({
  template: { metadata: { labels: { a: 'b' } }, spec: { containers: [CONTAINER], ...spec } },
});

const LARGEST = 2_147_483_647;

const NAMES: FieldRules = {
  ...KIND,
  base: templateOf({}),
  fields: [
    at('restartPolicy', {
      may: [undefined, 'Always', 'OnFailure', 'Never'],
      mayNot: ['Once'],
      shows: or('Always'),
    }),
    at('dnsPolicy', {
      may: [undefined, 'ClusterFirst', 'ClusterFirstWithHostNet', 'Default'],
      mayNot: ['Cluster', wrong('None', 'dnsConfig')],
      shows: or('ClusterFirst'),
    }),
    at('activeDeadlineSeconds', { may: [undefined, 1, LARGEST], mayNot: [0, -1, LARGEST + 1] }),
    at('nodeSelector', {
      may: [undefined, { a: 'b' }, { 'a.b/c': '' }],
      mayNot: [{ value: { 'a b': 'c' } }, { value: { a: '-' } }],
    }),
    at('hostname', { may: [undefined, 'a', 'a'.repeat(63)], mayNot: ['A', 'a.b', 'a'.repeat(64)] }),
    at('subdomain', { may: [undefined, 'a'], mayNot: ['A', 'a.b'] }),
    at('priorityClassName', { may: [undefined, 'a.b'], mayNot: ['A'] }),
    at('runtimeClassName', { may: [undefined, 'a.b'], mayNot: ['A', ''] }),
    at('preemptionPolicy', { may: [undefined, 'Never', 'PreemptLowerPriority'], mayNot: ['Always', ''] }),
    at('terminationGracePeriodSeconds', { may: [undefined, 0, 1], shows: or(30) }),
    at('schedulerName', { may: [undefined, 'a b'], shows: or('default-scheduler') }),
    at('nodeName', { may: [undefined, 'a.b'], mayNot: ['A'] }),
  ],
};

const EXISTS = { key: 'a', operator: 'Exists' };
const EQUAL = { key: 'a', operator: 'Equal', value: 'b' };
const toleration = (more: object, place: string): Refused => wrong([EXISTS, more], `tolerations[1].${place}`);

const SPREAD = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} };
const spread = (more: object, ...places: readonly string[]): Refused =>
  wrong(
    [
      { ...SPREAD, topologyKey: 'rack' },
      { ...SPREAD, ...more },
    ],
    ...places.map((place) => `topologySpreadConstraints[1].${place}`),
  );

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const IN = { key: 'a', operator: 'In', values: ['b'] };
const nodes = (...matchExpressions: readonly object[]): object => ({
  nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [{}, { matchExpressions }] } },
});
const named = (...matchFields: readonly object[]): object => ({
  nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [{ matchFields }] } },
});
const NAME_IS = { key: 'metadata.name', operator: 'In', values: ['n'] };
const expression = (more: object, place: string): Refused =>
  wrong(
    nodes(IN, { ...IN, ...more }),
    `affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms[1].matchExpressions[1]${place}`,
  );
const nameField = (more: object, place: string): Refused =>
  wrong(
    named({ ...NAME_IS, ...more }),
    `affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms[0].matchFields[0].${place}`,
  );
const TERM = { topologyKey: 'zone', labelSelector: { matchLabels: { a: 'b' } } };
const SIDES = ['podAffinity', 'podAntiAffinity'] as const;
const podTerm = (more: object, ...places: readonly string[]): readonly Refused[] =>
  SIDES.flatMap((side) => [
    wrong(
      { [side]: { [REQUIRED]: [TERM, { ...TERM, ...more }] } },
      ...places.map((place) => `affinity.${side}.${REQUIRED}[1].${place}`),
    ),
    wrong(
      { [side]: { [PREFERRED]: [{ weight: 1, podAffinityTerm: { ...TERM, ...more } }] } },
      ...places.map((place) => `affinity.${side}.${PREFERRED}[0].podAffinityTerm.${place}`),
    ),
  ]);

const PLACES: FieldRules = {
  ...KIND,
  base: templateOf({}),
  fields: [
    at('tolerations', {
      may: [
        undefined,
        [EXISTS, { operator: 'Exists' }],
        [EQUAL, { key: 'a.b/c' }],
        [{ ...EXISTS, effect: 'NoExecute', tolerationSeconds: 0 }],
        [
          { ...EQUAL, effect: 'NoExecute', tolerationSeconds: -1 },
          { ...EQUAL, effect: 'PreferNoSchedule' },
        ],
      ],
      mayNot: [
        toleration({}, 'operator'),
        toleration({ operator: 'Equal' }, 'operator'),
        toleration({ ...EXISTS, value: 'b' }, 'operator'),
        toleration({ ...EQUAL, value: '-' }, 'operator'),
        toleration({ ...EXISTS, operator: 'Is' }, 'operator'),
        toleration({ ...EXISTS, key: 'a b' }, 'key'),
        toleration({ ...EXISTS, effect: 'Other' }, 'effect'),
        ...['', 'NoSchedule', 'PreferNoSchedule'].map((effect) =>
          toleration({ ...EXISTS, effect, tolerationSeconds: 1 }, 'effect'),
        ),
      ],
    }),
    at('topologySpreadConstraints', {
      may: [
        undefined,
        [SPREAD],
        [
          SPREAD,
          { ...SPREAD, whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 2 },
          { ...SPREAD, topologyKey: 'rack' },
        ],
        [
          {
            ...SPREAD,
            minDomains: 1,
            nodeAffinityPolicy: 'Ignore',
            nodeTaintsPolicy: 'Honor',
            matchLabelKeys: ['a'],
          },
        ],
      ],
      mayNot: [
        spread({ maxSkew: 0 }, 'maxSkew'),
        spread({ topologyKey: '' }, 'topologyKey'),
        spread({ whenUnsatisfiable: 'Wait' }, 'whenUnsatisfiable'),
        wrong(
          [SPREAD, { ...SPREAD, maxSkew: 2 }],
          'topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}',
        ),
        spread({ minDomains: 0 }, 'minDomains'),
        spread({ minDomains: 1, whenUnsatisfiable: 'ScheduleAnyway' }, 'minDomains'),
        spread({ nodeAffinityPolicy: 'ignore' }, 'nodeAffinityPolicy'),
        spread({ nodeTaintsPolicy: 'Keep' }, 'nodeTaintsPolicy'),
        spread({ matchLabelKeys: ['a'], labelSelector: undefined }, 'matchLabelKeys'),
        spread({ matchLabelKeys: ['a b'] }, 'matchLabelKeys[0]'),
        spread(
          { matchLabelKeys: ['b', 'a'], labelSelector: { matchLabels: { a: 'b' } } },
          'matchLabelKeys[1]',
        ),
        spread({ matchLabelKeys: ['a'], labelSelector: { matchExpressions: [EXISTS] } }, 'matchLabelKeys[0]'),
        spread(
          { labelSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
          'labelSelector.matchExpressions[0].values',
        ),
      ],
    }),
    at('affinity', {
      may: [
        undefined,
        {},
        nodes(IN, { ...IN, operator: 'NotIn' }, EXISTS, { ...EXISTS, operator: 'DoesNotExist' }),
        nodes({ ...IN, operator: 'Gt', values: ['1'] }, { ...IN, operator: 'Lt', values: ['3'] }),
        named(NAME_IS),
        named({ ...NAME_IS, operator: 'NotIn' }),
        {
          nodeAffinity: {
            [PREFERRED]: [1, 100].map((weight) => ({ weight, preference: { matchExpressions: [IN] } })),
          },
        },
        ...SIDES.map((side) => ({
          [side]: {
            [REQUIRED]: [TERM, { ...TERM, namespaces: ['n'], namespaceSelector: {} }],
            [PREFERRED]: [
              { weight: 1, podAffinityTerm: { ...TERM, matchLabelKeys: ['b'], mismatchLabelKeys: ['c'] } },
            ],
          },
        })),
      ],
      mayNot: [
        wrong({ nodeAffinity: { [REQUIRED]: {} } }, `affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms`),
        expression({ values: [] }, '.values'),
        expression({ operator: 'NotIn', values: [] }, '.values'),
        expression({ operator: 'Exists' }, '.values'),
        expression({ operator: 'DoesNotExist' }, '.values'),
        expression({ operator: 'Gt', values: ['1', '2'] }, '.values'),
        expression({ operator: 'Lt', values: [] }, '.values'),
        expression({ operator: 'in' }, '.operator'),
        expression({ key: 'a b' }, '.key'),
        nameField({ operator: 'Exists' }, 'operator'),
        nameField({ values: ['n', 'm'] }, 'values'),
        nameField({ values: [] }, 'values'),
        nameField({ key: 'metadata.uid' }, 'key'),
        nameField({ values: ['N'] }, 'values[0]'),
        ...[0, 101].map((weight) =>
          wrong(
            { nodeAffinity: { [PREFERRED]: [{ weight, preference: {} }] } },
            `affinity.nodeAffinity.${PREFERRED}[0].weight`,
          ),
        ),
        ...SIDES.flatMap((side) =>
          [0, 101].map((weight) =>
            wrong(
              { [side]: { [PREFERRED]: [{ weight, podAffinityTerm: TERM }] } },
              `affinity.${side}.${PREFERRED}[0].weight`,
            ),
          ),
        ),
        ...podTerm({ topologyKey: '' }, 'topologyKey'),
        ...podTerm({ topologyKey: 'a b' }, 'topologyKey'),
        ...podTerm({ namespaces: ['n', 'N'] }, 'namespace'),
        ...podTerm(
          { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
          'namespaceSelector.matchExpressions[0].values',
        ),
        ...podTerm({ matchLabelKeys: ['b', 'c'], mismatchLabelKeys: ['c'] }, 'matchLabelKeys[1]'),
        ...podTerm({ mismatchLabelKeys: ['a b'] }, 'mismatchLabelKeys[0]'),
        ...podTerm({ matchLabelKeys: ['b'], labelSelector: undefined }, 'matchLabelKeys'),
        ...podTerm({ mismatchLabelKeys: ['b'], labelSelector: undefined }, 'mismatchLabelKeys'),
      ],
    }),
    at('schedulingGates', {
      may: [undefined, [{ name: 'a' }, { name: 'b.c/d' }]],
      mayNot: [
        wrong([{ name: 'a b' }], 'schedulingGates[0]'),
        wrong([{ name: 'a' }, { name: 'b' }, { name: 'a' }], 'schedulingGates[2]'),
      ],
    }),
    at('readinessGates', {
      may: [undefined, [{ conditionType: 'a.b/c' }, { conditionType: 'a.b/c' }]],
      mayNot: [wrong([{ conditionType: 'a b' }], 'readinessGates[0].conditionType')],
    }),
  ],
};

const ALIAS = { ip: '10.1.2.3', hostnames: ['a', 'b.c'] };
const profile = (type: string, localhostProfile?: string): object =>
  localhostProfile === undefined ? { type } : { type, localhostProfile };
const context = (value: object, ...places: readonly string[]): Refused =>
  wrong(value, ...places.map((place) => `securityContext.${place}`));

const REST: FieldRules = {
  ...KIND,
  base: templateOf({}),
  fields: [
    at('hostAliases', {
      may: [undefined, [ALIAS], [{ ip: 'fd00::1', hostnames: ['a'] }, ALIAS]],
      mayNot: [
        wrong([{ ...ALIAS, ip: 'a' }], 'hostAliases[0].ip'),
        wrong([{ ...ALIAS, ip: '' }], 'hostAliases[0].ip'),
        wrong([ALIAS, { ...ALIAS, ip: '10.1.2.4', hostnames: ['a', 'A'] }], 'hostAliases[1].hostnames[1]'),
      ],
    }),
    at('dnsConfig', {
      may: [
        undefined,
        {
          nameservers: ['10.1.2.3', 'fd00::1', '10.1.2.4'],
          searches: ['a', 'b.c.'],
          options: [{ name: 'o' }, { name: 'p', value: 'q' }],
        },
        { searches: Array.from({ length: 32 }, (_, index) => `s${index}`) },
      ],
      mayNot: [
        wrong({ nameservers: ['10.1.2.3', 'a'] }, 'dnsConfig.nameservers[1]'),
        wrong({ nameservers: [1, 2, 3, 4].map((last) => `10.1.2.${last}`) }, 'dnsConfig.nameservers'),
        wrong({ searches: ['a', 'B'] }, 'dnsConfig.searches[1]'),
        wrong({ searches: Array.from({ length: 33 }, (_, index) => `s${index}`) }, 'dnsConfig.searches'),
        wrong(
          {
            searches: Array.from({ length: 11 }, () =>
              Array.from({ length: 4 }, () => 'a'.repeat(48)).join('.'),
            ),
          },
          'dnsConfig.searches',
        ),
        wrong({ options: [{ value: 'a' }] }, 'dnsConfig.options[0]'),
      ],
    }),
    at('securityContext', {
      may: [
        undefined,
        { runAsUser: 0, runAsGroup: LARGEST, fsGroup: 1, supplementalGroups: [0, 1], runAsNonRoot: true },
        { fsGroupChangePolicy: 'OnRootMismatch', seccompProfile: profile('RuntimeDefault') },
        { seccompProfile: profile('Localhost', 'a/b'), appArmorProfile: profile('Localhost', 'a') },
        { appArmorProfile: profile('Unconfined'), fsGroupChangePolicy: 'Always' },
        {
          sysctls: [
            { name: 'net.a', value: '1' },
            { name: 'kernel/shm_x.y', value: '2' },
          ],
        },
      ],
      mayNot: [
        ...['runAsUser', 'runAsGroup', 'fsGroup'].flatMap((name) =>
          [-1, LARGEST + 1].map((id) => context({ [name]: id }, name)),
        ),
        context({ supplementalGroups: [0, -1] }, 'supplementalGroups[1]'),
        context({ fsGroupChangePolicy: 'Never' }, 'fsGroupChangePolicy'),
        context({ seccompProfile: profile('Other') }, 'seccompProfile.type'),
        context({ seccompProfile: profile('') }, 'seccompProfile.type'),
        context({ seccompProfile: profile('Localhost') }, 'seccompProfile.localhostProfile'),
        context({ seccompProfile: profile('Localhost', '/a') }, 'seccompProfile.localhostProfile'),
        context({ seccompProfile: profile('Localhost', 'a/../b') }, 'seccompProfile.localhostProfile'),
        context({ seccompProfile: profile('Unconfined', 'a') }, 'seccompProfile.localhostProfile'),
        context({ appArmorProfile: profile('Other') }, 'appArmorProfile.type'),
        context({ appArmorProfile: profile('Localhost') }, 'appArmorProfile.localhostProfile'),
        context({ appArmorProfile: profile('Localhost', ' a') }, 'appArmorProfile.localhostProfile'),
        context({ appArmorProfile: profile('RuntimeDefault', 'a') }, 'appArmorProfile.localhostProfile'),
        context({ sysctls: [{ name: '', value: '1' }] }, 'sysctls[0].name'),
        context({ sysctls: [{ name: 'A', value: '1' }] }, 'sysctls[0].name'),
        context({ sysctls: ['a', 'b', 'a'].map((name) => ({ name, value: '1' })) }, 'sysctls[2].name'),
      ],
      shows: or({}),
    }),
    at('overhead', {
      may: [undefined, { cpu: '1' }, { cpu: '100m', memory: '1Gi' }],
      mayNot: [wrong({ cpu: '-1' }, 'overhead.limits[cpu]'), wrong({ gpu: '1' }, 'overhead.limits[gpu]')],
    }),
  ],
};

/** What a pod shares with its node it cannot say for itself. */
const PORTED = { ...CONTAINER, ports: [{ containerPort: 80, hostPort: 81, protocol: 'TCP' }] };
const HOST: FieldRules = {
  ...KIND,
  base: templateOf({ os: { name: 'linux' } }),
  fields: [
    at('shareProcessNamespace', { may: [undefined, true, false] }),
    at('containers', { may: [[PORTED]] }),
    at('securityContext', {
      may: [
        {
          sysctls: [
            { name: 'net.ipv4.a', value: '1' },
            { name: 'kernel.shmmax', value: '1' },
          ],
        },
      ],
      mayNot: [context({ windowsOptions: {} }, 'windowsOptions')],
    }),
  ],
};
const ON_HOST: FieldRules = {
  ...KIND,
  base: templateOf({ hostNetwork: true, hostPID: true, hostIPC: true }),
  fields: [
    at('shareProcessNamespace', {
      may: [undefined, false],
      mayNot: [wrong(true, 'securityContext.shareProcessNamespace')],
    }),
    at('containers', {
      may: [[CONTAINER], [{ ...CONTAINER, ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }] }]],
      mayNot: [wrong([PORTED], 'containers[0].ports[0].hostPort')],
    }),
    at('securityContext', {
      may: [
        {},
        {
          sysctls: [
            { name: 'net', value: '1' },
            { name: 'kernel.pid_max', value: '1' },
          ],
        },
      ],
      mayNot: ['net.ipv4.a', 'net/a', 'kernel.shmmax', 'kernel.sem', 'kernel/msgmax', 'fs.mqueue.a'].map(
        (name) =>
          context(
            {
              sysctls: [
                { name: 'a', value: '1' },
                { name, value: '1' },
              ],
            },
            'sysctls[1].name',
          ),
      ),
    }),
  ],
};

const MOUNT = { name: 'v', mountPath: '/v' };
const OF_IMAGE = { name: 'w', mountPath: '/w' };
const VOLUME = { name: 'v', emptyDir: {} };
const IMAGE = { name: 'w', image: { reference: 'r' } };
const mounting = (...volumeMounts: readonly object[]): object => ({ ...CONTAINER, volumeMounts });

/** What is said, and what of that is seen otherwise. */
const LEFT_OUT: readonly (readonly [said: object, shown: object])[] = [
  [{ containers: [mounting(MOUNT)], volumes: [VOLUME] }, {}],
  [
    { containers: [mounting(MOUNT, OF_IMAGE)], volumes: [VOLUME, IMAGE] },
    { containers: [mounting(MOUNT)], volumes: [VOLUME] },
  ],
  [
    { containers: [mounting(OF_IMAGE, MOUNT)], volumes: [IMAGE, VOLUME, { ...IMAGE, name: 'x' }] },
    { containers: [mounting(MOUNT)], volumes: [VOLUME] },
  ],
  [{ containers: [CONTAINER], hostUsers: false }, { hostUsers: undefined }],
  [
    { containers: [CONTAINER], resourceClaims: [{ name: 'c', resourceClaimName: 'd' }] },
    { resourceClaims: undefined },
  ],
  [
    { containers: [CONTAINER], securityContext: { runAsUser: 1, supplementalGroupsPolicy: 'Strict' } },
    { securityContext: { runAsUser: 1 } },
  ],
];
const USUAL = {
  ...{ restartPolicy: 'Always', terminationGracePeriodSeconds: 30, dnsPolicy: 'ClusterFirst' },
  ...{ securityContext: {}, schedulerName: 'default-scheduler' },
};

/** Of a server that does not know what it is told: that is left out, and whatever needs it. */
const UNKNOWN: FieldRules = {
  ...KIND,
  isForgetful: true,
  isNeverMerged: true,
  base: { template: { metadata: { labels: { a: 'b' } } } },
  fields: [
    {
      at: 'template.spec',
      may: LEFT_OUT.map(([said]) => said),
      shows: (spec) => {
        const [, shown] = LEFT_OUT.find(([said]) => said === spec) ?? [];
        return JSON.parse(JSON.stringify({ ...USUAL, ...(spec as object), ...shown })) as unknown;
      },
    },
  ],
};

it('what is not known', () => holdFieldByField(UNKNOWN));
it('names and terms', () => holdFieldByField(NAMES));
it('where it may run', () => holdFieldByField(PLACES));
it('what else it has', () => holdFieldByField(REST));
it('of its own', () => holdFieldByField(HOST));
it('on the host', () => holdFieldByField(ON_HOST));
