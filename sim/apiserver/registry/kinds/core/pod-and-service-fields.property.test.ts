/**
 * What pods may say once they are there, and what services may say, field by field, beside a plain reading of their
 * documentation ("Pods: update and replacement", "Pod scheduling readiness", "Service v1").
 */
import { isDeepStrictEqual } from 'node:util';
import { it } from 'vitest';
import { type Field, type FieldRules, holdFieldByField, type Refused } from '../field-rules.fixture.ts';

const or =
  (usual: unknown) =>
  (value: unknown): unknown =>
    value ?? usual;
const POD = { apiVersion: 'v1', kind: 'Pod', resource: 'pods', isNamespaced: true };
const podOf = (spec: object): NonNullable<FieldRules['base']> => ({
  spec: {
    ...{ serviceAccountName: 'default', automountServiceAccountToken: false },
    ...{ containers: [{ name: 'c', image: 'i' }], ...spec },
  },
});
const fixed: Field['isFixed'] = 'spec';

interface Container {
  readonly name: string;
  readonly image: string;
  readonly env?: readonly object[];
}
const said = (containers: unknown): readonly Container[] =>
  (containers as readonly Container[]).map(({ name, image, env }) => ({ name, image, ...(env && { env }) }));
const containers: Field = {
  at: 'spec.containers',
  may: [
    [{ name: 'c', image: 'i', imagePullPolicy: 'Always' }],
    [{ name: 'c', image: 'j', imagePullPolicy: 'Always' }],
    [{ name: 'c', image: 'i', imagePullPolicy: 'Always', env: [{ name: 'A', value: 'b' }] }],
    [{ name: 'd', image: 'i', imagePullPolicy: 'Always' }],
  ],
  mayNot: [
    { value: [{ name: 'c', image: ' i', imagePullPolicy: 'Always' }], at: ['spec.containers[0].image'] },
    { value: [{ name: 'c', image: '', imagePullPolicy: 'Always' }], at: ['spec.containers[0].image'] },
  ],
  reads: said,
  shows: said,
  // Of a container the image alone may change.
  isFixed: (now, before) => {
    const rest = (all: unknown) => said(all).map((each) => ({ ...each, image: '' }));
    return isDeepStrictEqual(rest(now), rest(before)) ? [] : ['spec'];
  },
};

interface Toleration {
  readonly key?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}
const patient = ['not-ready', 'unreachable'].map((name) => ({
  ...{ key: `node.kubernetes.io/${name}`, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
}));
const A = { key: 'a', operator: 'Exists' };
const B = { key: 'b', operator: 'Exists', effect: 'NoExecute' };
const withoutTime = ({ tolerationSeconds: _time, ...rest }: Toleration): Toleration => rest;
const names = (list: unknown): readonly string[] =>
  ((list ?? []) as readonly { readonly name: string }[]).map(({ name }) => name);

const CHANGED: FieldRules = {
  ...POD,
  base: podOf({}),
  fields: [
    containers,
    {
      at: 'spec.activeDeadlineSeconds',
      may: [undefined, 10, 5, 1],
      mayNot: [0, 2_147_483_648],
      // It may come, and then come closer.
      isFixed: (now, before) =>
        before === undefined || (typeof now === 'number' && now <= (before as number))
          ? []
          : ['spec.activeDeadlineSeconds'],
    },
    {
      at: 'spec.tolerations',
      may: [undefined, [A], [A, B], [{ ...B, tolerationSeconds: 1 }, A], [B]],
      mayNot: [{ value: [{ ...A, value: 'b' }], at: ['spec.tolerations[0].operator'] }],
      shows: (list) => [...((list ?? []) as readonly object[]), ...patient],
      // One more may come; of those that are there only the time changes.
      isFixed: (now, before) => {
        const kept = (now as readonly Toleration[]).map(withoutTime);
        return (before as readonly Toleration[]).every((old) =>
          kept.some((each) => isDeepStrictEqual(each, withoutTime(old))),
        )
          ? []
          : ['spec.tolerations'];
      },
    },
    {
      at: 'spec.schedulingGates',
      may: [undefined, [{ name: 'a' }], [{ name: 'b' }, { name: 'a' }]],
      // They may only go.
      isFixed: (now, before) =>
        names(now).flatMap((name, at) =>
          names(before).includes(name) ? [] : [`spec.schedulingGates[${at}].name`],
        ),
    },
    { at: 'spec.terminationGracePeriodSeconds', may: [undefined, 30, 1], shows: or(30), isFixed: fixed },
    { at: 'spec.hostname', may: [undefined, 'h'], isFixed: fixed },
    { at: 'spec.restartPolicy', may: [undefined, 'Never'], shows: or('Always'), isFixed: fixed },
    { at: 'spec.securityContext', may: [undefined, { runAsUser: 1 }], shows: or({}), isFixed: fixed },
  ],
};

/** As long as it waits. */
const GATED: FieldRules = {
  ...POD,
  base: podOf({ schedulingGates: [{ name: 'a' }] }),
  fields: [
    {
      at: 'spec.nodeSelector',
      may: [undefined, { a: 'b' }, { a: 'b', c: 'd' }, { a: 'c' }],
      isFixed: (now, before) =>
        Object.entries(before ?? {}).every(([name, value]) => Reflect.get(now ?? {}, name) === value)
          ? []
          : ['spec'],
    },
    { at: 'spec.hostname', may: [undefined, 'h'], isFixed: fixed },
  ],
};
const UNGATED: FieldRules = {
  ...POD,
  base: podOf({}),
  fields: [{ at: 'spec.nodeSelector', may: [undefined, { a: 'b' }, { a: 'b', c: 'd' }], isFixed: fixed }],
};

const state = (kind: string): readonly object[] => [
  {
    ...{ name: 'c', image: 'i', imageID: '', ready: false, restartCount: 0, started: false },
    state: { [kind]: kind === 'terminated' ? { exitCode: 1, startedAt: null, finishedAt: null } : {} },
    lastState: {},
  },
];
const ips = (...all: readonly string[]): readonly object[] => all.map((ip) => ({ ip }));
const isEnded = (statuses: unknown): boolean => JSON.stringify(statuses ?? []).includes('terminated');

const ofStatus = (fields: readonly Field[]): readonly Field[] =>
  fields.map((field) => ({ ...field, isOfStatus: true }));

const reported = (restartPolicy: string): FieldRules => ({
  ...POD,
  base: podOf({ restartPolicy }),
  isNeverMerged: true,
  isFilledIn: true,
  fields: ofStatus([
    {
      at: 'status.podIPs',
      may: [undefined, ips('10.1.2.3'), ips('10.1.2.3', 'fd00::1'), ips('fd00::2')],
      mayNot: [
        { value: ips('10.1.2.3', '10.1.2.4') },
        { value: ips('a'), at: ['status.podIPs[0]'] },
        { value: ips('10.1.2.3', 'fd00::1', 'fd00::2') },
      ],
    },
    {
      at: 'status.containerStatuses',
      may: [undefined, state('waiting'), state('running'), state('terminated')],
      reads: (statuses) =>
        (statuses as readonly { readonly state: object }[] | undefined)?.map((each) =>
          Object.keys(each.state),
        ),
      shows: (statuses) =>
        (statuses as readonly { readonly state: object }[] | undefined)?.map((each) =>
          Object.keys(each.state),
        ),
      // What may not begin again has ended.
      isFixed: (now, before) =>
        restartPolicy === 'Never' && isEnded(before) && !isEnded(now) && now !== undefined
          ? ['status.containerStatuses[0].state']
          : [],
    },
    {
      at: 'status.nominatedNodeName',
      may: [undefined, 'n'],
      mayNot: ['N'],
    },
    {
      at: 'status.conditions',
      may: [undefined, [{ type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: null }]],
      mayNot: [{ value: [{ type: 'a b', status: 'True' }], at: ['metadata.conditions[0].Type'] }],
    },
  ]),
});

it('what of a pod may change', () => holdFieldByField(CHANGED));
it('where a pod may run that waits', () => holdFieldByField(GATED));
it('where a pod may run that does not', () => holdFieldByField(UNGATED));
it.each(['Always', 'OnFailure', 'Never'])('what is told of a pod that restarts: %s', (policy) =>
  holdFieldByField(reported(policy)),
);

const SERVICE = { apiVersion: 'v1', kind: 'Service', resource: 'services', isNamespaced: true };
interface Port {
  readonly name?: string;
  readonly port: number;
  readonly targetPort?: number | string;
}
const port = (more: object, ...places: readonly string[]): Refused => ({
  value: [
    { name: 'a', port: 80 },
    { name: 'b', port: 81, ...more },
  ],
  at: places.map((place) => `spec.ports[1]${place}`),
});

const HEADLESS: FieldRules = {
  ...SERVICE,
  base: { spec: { clusterIP: 'None' } },
  isNeverMerged: true,
  fields: [
    {
      at: 'spec.ports',
      may: [
        undefined,
        [{ port: 80 }],
        [
          { name: 'a', port: 1 },
          { name: 'b', port: 65_535, targetPort: 'http', protocol: 'UDP' },
        ],
        [
          { name: 'a', port: 80, targetPort: 8_080, appProtocol: 'a.b/c' },
          { name: 'b', port: 80, protocol: 'SCTP' },
        ],
      ],
      mayNot: [
        port({ port: 0 }, '.port', '.targetPort'),
        port({ port: 65_536 }, '.port', '.targetPort'),
        port({ targetPort: 65_536 }, '.targetPort'),
        port({ targetPort: 'A' }, '.targetPort'),
        port({ protocol: 'ICMP' }, '.protocol'),
        port({ name: 'A' }, '.name'),
        port({ name: '' }, '.name'),
        port({ name: 'a' }, '.name'),
        port({ port: 80 }, ''),
        port({ appProtocol: 'a b' }, '.appProtocol'),
        port({ nodePort: 30_000 }, '.nodePort'),
      ],
      shows: (ports) =>
        (ports as readonly Port[] | undefined)?.map((each) => ({
          protocol: 'TCP',
          targetPort: each.port,
          ...each,
        })),
    },
    {
      at: 'spec.selector',
      may: [{ a: 'b' }, { 'a.b/c': '' }],
      mayNot: [{ value: { 'a b': 'c' } }, { value: { a: '-' } }],
    },
    { at: 'spec.publishNotReadyAddresses', may: [undefined, true] },
    {
      at: 'spec.internalTrafficPolicy',
      may: [undefined, 'Cluster', 'Local'],
      mayNot: ['Other'],
      shows: or('Cluster'),
    },
  ],
};
const AFFINITY: FieldRules = {
  ...SERVICE,
  base: { spec: { clusterIP: 'None', ports: [{ port: 80 }] } },
  isNeverMerged: true,
  fields: [
    {
      at: 'spec.sessionAffinityConfig',
      may: [undefined, { clientIP: { timeoutSeconds: 1 } }, { clientIP: { timeoutSeconds: 86_400 } }, {}],
      mayNot: [0, 86_401].map((timeoutSeconds) => ({
        value: { clientIP: { timeoutSeconds } },
        at: ['spec.sessionAffinityConfig.clientIP.timeoutSeconds'],
      })),
      shows: (config) => {
        const { clientIP = {} } = (config ?? {}) as { readonly clientIP?: object };
        return { clientIP: { timeoutSeconds: 10_800, ...clientIP } };
      },
    },
    { at: 'spec.sessionAffinity', may: ['ClientIP'] },
  ],
};
const NAMED: FieldRules = {
  ...SERVICE,
  base: { spec: { type: 'ExternalName' } },
  fields: [
    {
      at: 'spec.externalName',
      may: ['a', 'a.b.', 'c.example.com'],
      mayNot: ['', 'A', 'a..b'],
    },
    { at: 'spec.ports', may: [undefined, [{ port: 80, protocol: 'TCP', targetPort: 80 }]] },
  ],
};

it('what a service is', () => holdFieldByField(HEADLESS));
it('whom a service remembers', () => holdFieldByField(AFFINITY));
it('what a service is another name of', () => holdFieldByField(NAMED));
