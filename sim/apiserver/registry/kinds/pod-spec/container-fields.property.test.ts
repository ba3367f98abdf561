/**
 * What containers of a pod may say, field by field, beside a plain reading of their documentation ("Pod v1", "Container
 * probes", "Resource Management for Pods and Containers"): as a template that stands alone has them.
 */
import { it } from 'vitest';
import { type FieldRules, holdFieldByField, type Refused } from '../field-rules.fixture.ts';

const LIST = 'template.spec.containers';
const CONTAINER = { name: 'c', image: 'i:1' };
const KIND = {
  apiVersion: 'v1',
  kind: 'PodTemplate',
  resource: 'podtemplates',
  isNamespaced: true,
  counts: ['template'],
  base: {
    template: {
      metadata: { labels: { a: 'b' } },
      spec: {
        containers: [CONTAINER],
        terminationGracePeriodSeconds: 30,
        volumes: [
          { name: 'v', emptyDir: {} },
          { name: 'w', emptyDir: {} },
          { name: 'p', persistentVolumeClaim: { claimName: 'p' } },
          { name: 'q', persistentVolumeClaim: { claimName: 'q' } },
        ],
      },
    },
  },
};

type Members = Readonly<Record<string, unknown>>;
const members = (value: unknown): Members => value as Members;

const shownGet = (get: unknown): unknown => get && { path: '/', scheme: 'HTTP', ...members(get) };

function shownHandler(handler: unknown): unknown {
  const { httpGet, ...rest } = members(handler);
  return { ...rest, ...(httpGet !== undefined && { httpGet: shownGet(httpGet) }) };
}

function shownProbe(probe: unknown): unknown {
  const { grpc } = members(probe);
  return {
    ...{ timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 },
    ...members(shownHandler(probe)),
    ...(grpc !== undefined && { grpc: { service: '', ...members(grpc) } }),
  };
}

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;

/** A container with what stands in for what it does not say. */
function shownContainer(container: unknown): unknown {
  const said = members(container);
  const { image, lifecycle, ports, env } = said as {
    readonly image: string;
    readonly [name: string]: unknown;
  };
  const isLatest = image.endsWith(':latest') || !image.includes(':');
  return {
    resources: {},
    ...{ terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' },
    imagePullPolicy: isLatest ? 'Always' : 'IfNotPresent',
    ...said,
    ...Object.fromEntries(
      PROBES.filter((name) => said[name] !== undefined).map((name) => [name, shownProbe(said[name])]),
    ),
    ...(lifecycle !== undefined && {
      lifecycle: Object.fromEntries(
        Object.entries(members(lifecycle)).map(([name, handler]) => [name, shownHandler(handler)]),
      ),
    }),
    ...(ports !== undefined && {
      ports: (ports as readonly object[]).map((port) => ({ protocol: 'TCP', ...port })),
    }),
    ...(env !== undefined && {
      env: (env as readonly { readonly valueFrom?: { readonly fieldRef?: object } }[]).map((variable) => ({
        ...variable,
        ...(variable.valueFrom?.fieldRef && {
          valueFrom: { fieldRef: { apiVersion: 'v1', ...variable.valueFrom.fieldRef } },
        }),
      })),
    }),
  };
}

const OTHER = { name: 'd', image: 'j' };
/** The second of two, the first of which is right. */
const wrong = (more: object, ...places: readonly string[]): Refused => ({
  value: [OTHER, { ...CONTAINER, ...more }],
  at: places.map((place) => `${LIST}[1].${place}`),
});
/** What the server tells of the list, and not of the container. */
const rules = (
  may: readonly object[],
  mayNot: readonly Refused[],
  { isAmongOthers = true }: { readonly isAmongOthers?: boolean } = {},
): FieldRules => ({
  ...KIND,
  fields: [
    {
      at: LIST,
      may: [
        [CONTAINER],
        ...may.map((more) => [{ ...CONTAINER, ...more }]),
        ...(isAmongOthers ? [[OTHER, CONTAINER]] : []),
      ],
      mayNot,
      shows: (containers) => (containers as readonly unknown[]).map(shownContainer),
    },
  ],
});

const port = (more: object, place: string): Refused =>
  wrong({ ports: [{ containerPort: 80 }, { containerPort: 81, ...more }] }, `ports[1].${place}`);
const ID = 2_147_483_647;

const ITSELF = rules(
  [
    ...['i', 'i:latest', 'a.b:5000/c/d:1', 'localhost/c:v2'].map((image) => ({ image })),
    {
      imagePullPolicy: 'Never',
      terminationMessagePolicy: 'FallbackToLogsOnError',
      terminationMessagePath: '/a',
    },
    { ports: [{ containerPort: 1 }, { containerPort: 65_535, name: 'a1', protocol: 'UDP' }] },
    {
      ports: [
        { containerPort: 80, hostPort: 80 },
        { containerPort: 80, hostPort: 80, protocol: 'SCTP' },
      ],
    },
    {
      ports: [
        { containerPort: 80, hostPort: 80 },
        { containerPort: 81, hostPort: 80, hostIP: '10.1.2.3' },
      ],
    },
    { command: ['a'], args: ['b', ''], workingDir: '/w', tty: true, stdin: true, stdinOnce: true },
    {
      securityContext: { runAsUser: 0, runAsGroup: ID, capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] } },
    },
    { securityContext: { allowPrivilegeEscalation: false, seccompProfile: { type: 'RuntimeDefault' } } },
    { securityContext: { readOnlyRootFilesystem: true, appArmorProfile: { type: 'Unconfined' } } },
  ],
  [
    ...['', 'A', 'a.b', 'd', 'a'.repeat(64)].map((name) => wrong({ name }, 'name')),
    wrong({ image: '' }, 'image'),
    wrong({ imagePullPolicy: 'Sometimes' }, 'imagePullPolicy'),
    wrong({ terminationMessagePolicy: 'Log' }, 'terminationMessagePolicy'),
    port({ containerPort: 0 }, 'containerPort'),
    port({ containerPort: 65_536 }, 'containerPort'),
    port({ hostPort: 65_536 }, 'hostPort'),
    port({ hostPort: -1 }, 'hostPort'),
    port({ protocol: 'ICMP' }, 'protocol'),
    ...['A', 'a--b', '1', 'a'.repeat(16), '-a'].map((name) => port({ name }, 'name')),
    wrong({ ports: ['a', 'b', 'a'].map((name, at) => ({ name, containerPort: at + 1 })) }, 'ports[2].name'),
    wrong({ ports: [81, 82].map((containerPort) => ({ containerPort, hostPort: 80 })) }, 'ports[1].hostPort'),
    {
      value: ['c', 'd'].map((name) => ({ name, image: 'i', ports: [{ containerPort: 80, hostPort: 80 }] })),
      at: [`${LIST}[1].ports[0].hostPort`],
    },
    { value: [] },
    wrong({ restartPolicy: 'Always' }, 'restartPolicy'),
    wrong({ securityContext: { runAsUser: -1 } }, 'securityContext.runAsUser'),
    wrong({ securityContext: { runAsGroup: ID + 1 } }, 'securityContext.runAsGroup'),
    wrong(
      { securityContext: { seccompProfile: { type: 'Localhost' } } },
      'securityContext.seccompProfile.localhostProfile',
    ),
    wrong({ securityContext: { privileged: true } }, 'securityContext.privileged'),
    wrong(
      { securityContext: { allowPrivilegeEscalation: false, capabilities: { add: ['CAP_SYS_ADMIN'] } } },
      'securityContext',
    ),
  ],
);

const EXEC = { exec: { command: ['a'] } };
const get = (more: object): object => ({ httpGet: { port: 80, ...more } });
const handlers = (place: string, probe: (handler: object) => object): readonly Refused[] => [
  wrong(probe({}), place),
  wrong(probe({ exec: {} }), `${place}.exec.command`),
  wrong(probe({ ...EXEC, tcpSocket: { port: 80 } }), `${place}.tcpSocket`),
  wrong(probe(get({ port: 0 })), `${place}.httpGet.port`),
  wrong(probe(get({ port: '80' })), `${place}.httpGet.port`),
  wrong(probe(get({ port: 'A' })), `${place}.httpGet.port`),
  wrong(probe(get({ scheme: 'http' })), `${place}.httpGet.scheme`),
  wrong(
    probe(
      get({
        httpHeaders: [
          { name: 'a', value: '' },
          { name: 'a b', value: '' },
        ],
      }),
    ),
    `${place}.httpGet.httpHeaders`,
  ),
  wrong(probe({ tcpSocket: { port: 65_536 } }), `${place}.tcpSocket.port`),
];

const CHECKED = rules(
  [
    ...PROBES.flatMap((name) => [
      {
        [name]: { ...EXEC, initialDelaySeconds: 5, periodSeconds: 1, failureThreshold: 7, timeoutSeconds: 2 },
      },
      { [name]: get({ path: '/a', scheme: 'HTTPS', httpHeaders: [{ name: 'A-b', value: 'c' }] }) },
      { [name]: { grpc: { port: 80 } } },
    ]),
    { readinessProbe: { tcpSocket: { port: 'http' }, successThreshold: 2 } },
    {
      livenessProbe: { ...EXEC, terminationGracePeriodSeconds: 1 },
      startupProbe: { grpc: { port: 1, service: 's' } },
    },
    { lifecycle: { postStart: EXEC, preStop: { sleep: { seconds: 30 } } } },
    { lifecycle: { postStart: get({}), preStop: { tcpSocket: { port: 65_535 } } } },
  ],
  [
    ...PROBES.flatMap((name) => [
      ...handlers(name, (handler) => ({ [name]: handler })),
      wrong({ [name]: { grpc: { port: 0 } } }, `${name}.grpc.port`),
      ...['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'failureThreshold'].map((count) =>
        wrong({ [name]: { ...EXEC, [count]: -1 } }, `${name}.${count}`),
      ),
      wrong(
        { [name]: { ...EXEC, terminationGracePeriodSeconds: 0 } },
        `${name}.terminationGracePeriodSeconds`,
      ),
      wrong({ [name]: { ...EXEC, successThreshold: -1 } }, `${name}.successThreshold`),
    ]),
    ...(['livenessProbe', 'startupProbe'] as const).map((name) =>
      wrong({ [name]: { ...EXEC, successThreshold: 2 } }, `${name}.successThreshold`),
    ),
    wrong(
      { readinessProbe: { ...EXEC, terminationGracePeriodSeconds: 1 } },
      'readinessProbe.terminationGracePeriodSeconds',
    ),
    ...(['postStart', 'preStop'] as const).flatMap((name) => [
      ...handlers(`lifecycle.${name}`, (handler) => ({ lifecycle: { [name]: handler } })),
      ...[0, 31, -1].map((seconds) =>
        wrong({ lifecycle: { [name]: { sleep: { seconds } } } }, `lifecycle.${name}.sleep`),
      ),
    ]),
  ],
);

const field = (fieldPath: string, more: object = {}): object => ({ fieldRef: { fieldPath, ...more } });
const amount = (resource: string, divisor = '0'): object => ({ resourceFieldRef: { resource, divisor } });
const from = (valueFrom: object, place: string, more: object = {}): Refused =>
  wrong(
    {
      env: [
        { name: 'A', value: 'a' },
        { name: 'B', valueFrom, ...more },
      ],
    },
    `env[1].valueFrom${place}`,
  );
const SHOWN = [
  ...['metadata.name', 'metadata.namespace', 'metadata.uid', 'spec.nodeName', 'spec.serviceAccountName'],
  ...['status.hostIP', 'status.hostIPs', 'status.podIP', 'status.podIPs'],
  ...["metadata.labels['a.b/c']", "metadata.annotations['A']"],
];
const AMOUNTS = ['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => [
  `limits.${name}`,
  `requests.${name}`,
]);
const SECRET = { name: 's', key: 'k' };

const KNOWING = rules(
  [
    { env: SHOWN.map((path, at) => ({ name: `V${at}`, valueFrom: field(path) })) },
    { env: AMOUNTS.map((resource, at) => ({ name: `V${at}`, valueFrom: amount(resource) })) },
    {
      env: ['1', '1m'].map((divisor, at) => ({
        name: `v.${at}-_`,
        valueFrom: amount('limits.cpu', divisor),
      })),
    },
    {
      env: ['1', '1k', '1Mi', '1E'].map((divisor, at) => ({
        name: `V${at}`,
        valueFrom: amount('requests.memory', divisor),
      })),
    },
    {
      env: [
        { name: 'A', valueFrom: { secretKeyRef: SECRET } },
        { name: 'A', valueFrom: { configMapKeyRef: { ...SECRET, optional: true } } },
      ],
    },
    {
      envFrom: [
        { secretRef: { name: 's' } },
        { prefix: 'A_', configMapRef: { name: 'c.d', optional: true } },
      ],
    },
  ],
  [
    ...['', '1a', 'a b', '-a=b'].map((name) => wrong({ env: [{ name, value: 'a' }] }, 'env[0].name')),
    from({}, ''),
    from({ secretKeyRef: SECRET, configMapKeyRef: SECRET }, ''),
    from({ secretKeyRef: SECRET }, '', { value: 'a' }),
    ...['metadata.labels', 'spec.restartPolicy', 'status.phase', 'spec.other', "spec.nodeName['a']"].map(
      (path) => from(field(path), '.fieldRef.fieldPath'),
    ),
    from(field(''), '.fieldRef.fieldPath'),
    from(field('metadata.name', { apiVersion: 'v2' }), '.fieldRef.fieldPath'),
    from(field("metadata.labels['a b']"), '.fieldRef'),
    from(amount(''), '.resourceFieldRef.resource'),
    from(amount('limits.gpu'), '.resourceFieldRef.resource'),
    from(amount('cpu'), '.resourceFieldRef.resource'),
    from(amount('limits.cpu', '2'), '.resourceFieldRef.divisor'),
    from(amount('limits.memory', '1m'), '.resourceFieldRef.divisor'),
    from(amount('requests.ephemeral-storage', '2Ki'), '.resourceFieldRef.divisor'),
    ...(['secretKeyRef', 'configMapKeyRef'] as const).flatMap((name) => [
      from({ [name]: { ...SECRET, name: 'S' } }, `.${name}.name`),
      from({ [name]: { ...SECRET, key: '' } }, `.${name}.key`),
      from({ [name]: { ...SECRET, key: 'a/b' } }, `.${name}.key`),
    ]),
    wrong({ envFrom: [{}] }, 'envFrom'),
    wrong({ envFrom: [{ secretRef: { name: 's' }, configMapRef: { name: 'c' } }] }, 'envFrom'),
    wrong({ envFrom: [{ secretRef: { name: '' } }] }, 'envFrom[0].secretRef.name'),
    wrong({ envFrom: [{ configMapRef: { name: 'C' } }] }, 'envFrom[0].configMapRef.name'),
    wrong({ envFrom: [{ prefix: '1', secretRef: { name: 's' } }] }, 'envFrom[0].prefix'),
  ],
);

const MOUNT = { name: 'v', mountPath: '/a' };
/** Some of what is wrong with a mount is told of all of them. */
const mount = (more: object, ...places: readonly string[]): Refused =>
  wrong(
    {
      volumeMounts: [
        { name: 'w', mountPath: '/b' },
        { ...MOUNT, ...more },
      ],
    },
    ...places.map((place) => `volumeMounts${place}`),
  );
const device = (more: object, place: string): Refused =>
  wrong(
    {
      volumeDevices: [
        { name: 'p', devicePath: '/a' },
        { name: 'q', devicePath: '/b', ...more },
      ],
    },
    `volumeDevices[1].${place}`,
  );

const SEEING = rules(
  [
    { volumeMounts: [MOUNT] },
    { volumeMounts: [MOUNT, { ...MOUNT, mountPath: '/b', subPath: 'c/d', readOnly: true }] },
    { volumeMounts: [{ ...MOUNT, subPathExpr: '$(A)/b', mountPropagation: 'HostToContainer' }] },
    { volumeDevices: [{ name: 'p', devicePath: '/a' }], volumeMounts: [{ name: 'q', mountPath: '/b' }] },
  ],
  [
    mount({ name: 'x' }, '[1].name'),
    mount({ name: '' }, '[1].name'),
    mount({ mountPath: '' }, '[1].mountPath'),
    mount({ mountPath: '/b' }, '[1].mountPath'),
    mount({ subPath: '/c' }, '.subPath'),
    mount({ subPath: 'c/../d' }, '.subPath'),
    mount({ subPathExpr: '/c' }, '.subPathExpr'),
    mount({ subPathExpr: '..' }, '.subPathExpr'),
    mount({ subPath: 'c', subPathExpr: 'd' }, '[1].subPathExpr'),
    mount({ mountPropagation: 'Both' }, '.mountPropagation'),
    mount({ mountPropagation: 'Bidirectional' }, '.mountPropagation'),
    device({ name: 'x' }, 'name'),
    device({ name: 'p' }, 'name'),
    device({ name: 'v' }, 'name'),
    device({ devicePath: '' }, 'devicePath'),
    device({ devicePath: '/a' }, 'devicePath'),
    device({ devicePath: '/a/../b' }, 'devicePath'),
    wrong(
      { volumeDevices: [{ name: 'p', devicePath: '/a' }], volumeMounts: [{ name: 'p', mountPath: '/b' }] },
      'volumeDevices[0].name',
      'volumeMounts[0].name',
    ),
    wrong(
      { volumeDevices: [{ name: 'p', devicePath: '/a' }], volumeMounts: [{ name: 'v', mountPath: '/a' }] },
      'volumeDevices[0].devicePath',
      'volumeMounts[0].mountPath',
    ),
  ],
);

const bounds = (requests: object | undefined, limits?: object): object => ({
  resources: { ...(requests && { requests }), ...(limits && { limits }) },
});
const resources = (more: object, ...places: readonly string[]): Refused =>
  wrong(more, ...places.map((place) => `resources${place}`));

const USING = rules(
  [
    bounds({ cpu: '1', memory: '1Gi' }, { cpu: '1', memory: '1Gi' }),
    bounds({ cpu: '100m', 'ephemeral-storage': '0' }, { cpu: '100m', memory: '1' }),
    bounds({ 'a.b/c': '2' }, { 'a.b/c': '2' }),
    bounds(undefined, { cpu: '1', 'hugepages-2Mi': '4Mi' }),
    bounds({ memory: '1Gi', 'hugepages-1Gi': '1Gi' }, { memory: '1Gi', 'hugepages-1Gi': '1Gi' }),
  ],
  [
    resources(bounds({ cpu: '2' }, { cpu: '1' }), '.requests'),
    resources(bounds({ memory: '1025Mi' }, { memory: '1Gi' }), '.requests'),
    resources(bounds({ cpu: '-1' }), '.requests[cpu]'),
    resources(bounds(undefined, { memory: '-1' }), '.limits[memory]'),
    resources(bounds(undefined, { gpu: '1' }), '.limits[gpu]'),
    resources(bounds(undefined, { storage: '1' }), '.limits[storage]'),
    resources(bounds({ 'a.b/c': '1' }), '.limits'),
    resources(bounds({ 'a.b/c': '1' }, { 'a.b/c': '2' }), '.requests'),
    resources(bounds({ 'a.b/c': '1.5' }, { 'a.b/c': '1.5' }), '.limits[a.b/c]', '.requests[a.b/c]'),
    resources(bounds(undefined, { 'hugepages-2Mi': '4Mi' }), ''),
    resources(bounds(undefined, { cpu: '1', 'hugepages-2Mi': '3Mi' }), '.limits[hugepages-2Mi]'),
    resources(bounds({ cpu: '1', 'hugepages-2Mi': '2Mi' }, { 'hugepages-2Mi': '4Mi' }), '.requests'),
  ],
);

it('itself', () => holdFieldByField(ITSELF));
it('how it is checked', () => holdFieldByField(CHECKED));
it('what it knows', () => holdFieldByField(KNOWING));
it('what it sees', () => holdFieldByField(SEEING));
it('what it uses', () => holdFieldByField(USING));

/** Containers that come before the others: they end, unless they always come back. */
const INIT = 'template.spec.initContainers';
const init = (more: object, ...places: readonly string[]): Refused => ({
  value: [
    { name: 'e', image: 'i' },
    { name: 'f', image: 'i', ...more },
  ],
  at: places.map((place) => `${INIT}[1]${place}`),
});
it('what comes before', () =>
  holdFieldByField({
    ...KIND,
    fields: [
      {
        at: INIT,
        may: [
          undefined,
          [{ name: 'e', image: 'i' }],
          [
            { name: 'e', image: 'i:1' },
            {
              name: 'f',
              image: 'i',
              restartPolicy: 'Always',
              livenessProbe: EXEC,
              lifecycle: { preStop: EXEC },
            },
          ],
        ],
        mayNot: [
          init({ name: 'e' }, '.name'),
          init({ name: 'c' }, '.name'),
          init({ image: '' }, '.image'),
          init({ restartPolicy: 'Never' }, '.restartPolicy'),
          init({ lifecycle: { preStop: EXEC } }, '.lifecycle'),
          ...PROBES.map((name) => init({ [name]: EXEC }, `.${name}`)),
          init(
            { restartPolicy: 'Always', livenessProbe: { ...EXEC, successThreshold: 2 } },
            '.livenessProbe.successThreshold',
          ),
        ],
        shows: (containers) => (containers as readonly unknown[] | undefined)?.map(shownContainer),
      },
    ],
  }));
