/**
 * What objects of the core group may say that are little more than what they say, field by field, beside a plain reading
 * of their documentation ("ConfigMaps", "Secrets", "Resource Quotas", "Limit Ranges", "Nodes", "Endpoints"): keys that are
 * names of files, what never changes once it is said to, amounts that fit each other, and who is where.
 */
import { expect, it } from 'vitest';
import fc from 'fast-check';
import { askedServer } from '../../../../cli/golden/asked-server.ts';
import { asOftenAs } from '../../../../engine/any-order.arbitrary.ts';
import { type Field, type FieldRules, holdFieldByField, type Refused } from '../field-rules.fixture.ts';

const or =
  (usual: unknown) =>
  (value: unknown): unknown =>
    value ?? usual;
const core = (kind: string, resource: string): Omit<FieldRules, 'fields'> => ({
  ...{ apiVersion: 'v1', kind, resource, isNamespaced: true },
});
const KEYS = ['a', 'A.b_c-d', '.a'];
const WRONG_KEYS = ['', 'a/b', '.', '..', '..a', 'a b', 'a'.repeat(254)];

const MAP: FieldRules = {
  ...core('ConfigMap', 'configmaps'),
  fields: [
    {
      at: 'data',
      may: [undefined, { a: 'b' }, { a: '' }, Object.fromEntries(KEYS.map((key) => [key, 'c']))],
      mayNot: WRONG_KEYS.map((key) => ({ value: { [key]: 'b' }, at: [`data[${key}]`] })),
    },
    {
      at: 'binaryData',
      may: [undefined, { x: 'AA==' }, { y: '' }],
      mayNot: WRONG_KEYS.map((key) => ({ value: { [key]: 'AA==' }, at: [`binaryData[${key}]`] })),
    },
  ],
};

const SECRET: FieldRules = {
  ...core('Secret', 'secrets'),
  fields: [
    { at: 'type', may: [undefined, 'Opaque', 'a.b/c'], shows: or('Opaque'), isFixed: true },
    {
      at: 'data',
      may: [undefined, { a: 'AA==' }, { a: '' }, Object.fromEntries(KEYS.map((key) => [key, 'AA==']))],
      mayNot: WRONG_KEYS.map((key) => ({ value: { [key]: 'AA==' }, at: [`data[${key}]`] })),
    },
  ],
};

/** What a secret of a type has to have. */
const typed = (type: string, may: readonly object[], mayNot: readonly Refused[]): FieldRules => ({
  ...core('Secret', 'secrets'),
  base: { type },
  fields: [{ at: 'data', may, mayNot }],
});
const BRACES = 'e30=';
const TYPED: readonly FieldRules[] = [
  ...['.dockercfg', '.dockerconfigjson'].map((key) =>
    typed(
      `kubernetes.io/${key.slice(1)}`,
      [{ [key]: BRACES }, { [key]: BRACES, a: 'AA==' }],
      ['W10=', 'AA==', ''].map((text) => ({ value: { [key]: text }, at: [`data[${key}]`] })),
    ),
  ),
  typed(
    'kubernetes.io/basic-auth',
    [{ username: 'AA==' }, { password: '' }, { username: '', password: 'AA==' }],
    [{ value: { a: 'AA==' }, at: ['data[password]', 'data[username]'] }],
  ),
  typed(
    'kubernetes.io/ssh-auth',
    [{ 'ssh-privatekey': 'AA==' }],
    [{}, { 'ssh-privatekey': '' }].map((value) => ({ value, at: ['data[ssh-privatekey]'] })),
  ),
  typed(
    'kubernetes.io/tls',
    [
      { 'tls.crt': '', 'tls.key': '' },
      { 'tls.crt': 'AA==', 'tls.key': 'AA==' },
    ],
    [
      { value: { 'tls.crt': '' }, at: ['data[tls.key]'] },
      { value: { a: '' }, at: ['data[tls.crt]', 'data[tls.key]'] },
    ],
  ),
];

const ACCOUNT: FieldRules = {
  ...core('ServiceAccount', 'serviceaccounts'),
  fields: [
    {
      at: 'secrets',
      may: [undefined, [{ name: 's' }], [{ name: 's', namespace: 'n', kind: 'K' }, { name: 't' }]],
      // A secret is known by its name.
      shows: (secrets) =>
        (secrets as readonly { readonly name: string }[] | undefined)?.map(({ name }) => ({ name })),
    },
    { at: 'imagePullSecrets', may: [undefined, [{ name: 's' }], [{ name: 't' }, { name: 's' }]] },
    { at: 'automountServiceAccountToken', may: [undefined, true, false] },
  ],
  isForgetful: true,
};

const ENDPOINT = { ip: '10.1.2.3' };
const PORT = { port: 80 };
interface Subset {
  readonly addresses?: readonly object[];
  readonly notReadyAddresses?: readonly object[];
  readonly ports?: readonly object[];
}
const subset = (more: Subset, place: string): Refused => ({
  value: [{ addresses: [ENDPOINT] }, more],
  at: [`subsets[1]${place}`],
});
const WRONG_ADDRESSES = ['', 'a', '127.0.0.1', '::1', '169.254.0.1', '224.0.0.1', '0.0.0.0'];

const ENDPOINTS: FieldRules = {
  ...core('Endpoints', 'endpoints'),
  fields: [
    {
      at: 'subsets',
      may: [
        undefined,
        [{ addresses: [ENDPOINT], ports: [PORT] }],
        [{ notReadyAddresses: [{ ...ENDPOINT, hostname: 'h', nodeName: 'n.m' }] }],
        [
          {
            addresses: [ENDPOINT, { ip: 'fd00::1' }],
            ports: [
              { name: 'a', port: 1, protocol: 'UDP' },
              { name: 'b', port: 65_535, appProtocol: 'a.b/c' },
            ],
          },
          { addresses: [ENDPOINT] },
        ],
      ],
      mayNot: [
        subset({ ports: [PORT] }, ''),
        subset({}, ''),
        ...WRONG_ADDRESSES.flatMap((ip) => [
          subset({ addresses: [ENDPOINT, { ip }] }, '.addresses[1].ip'),
          subset({ addresses: [ENDPOINT], notReadyAddresses: [{ ip }] }, '.notReadyAddresses[0].ip'),
        ]),
        subset({ addresses: [{ ...ENDPOINT, hostname: 'a.b' }] }, '.addresses[0].hostname'),
        subset({ addresses: [{ ...ENDPOINT, nodeName: 'A' }] }, '.addresses[0].nodeName'),
        subset({ addresses: [ENDPOINT], ports: [{ port: 0 }] }, '.ports[0].port'),
        subset({ addresses: [ENDPOINT], ports: [{ port: 65_536 }] }, '.ports[0].port'),
        subset({ addresses: [ENDPOINT], ports: [{ ...PORT, protocol: 'ICMP' }] }, '.ports[0].protocol'),
        subset({ addresses: [ENDPOINT], ports: [{ ...PORT, name: 'A' }] }, '.ports[0].name'),
        subset({ addresses: [ENDPOINT], ports: [{ ...PORT, name: 'a' }, PORT] }, '.ports[1].name'),
        subset({ addresses: [ENDPOINT], ports: [{ ...PORT, appProtocol: 'a b' }] }, '.ports[0].appProtocol'),
      ],
      shows: (subsets) =>
        (subsets as readonly Subset[] | undefined)?.map(({ ports, ...rest }) => ({
          ...rest,
          ...(ports && { ports: ports.map((port) => ({ protocol: 'TCP', ...port })) }),
        })),
    },
  ],
};

const scoped = (scopeName: string, operator: string, values?: readonly string[]): object => ({
  matchExpressions: [{ scopeName, operator, ...(values && { values }) }],
});
const expression = (selector: object, place: string): Refused => ({
  value: selector,
  at: [`spec.scopeSelector.matchExpressions${place}`],
});

const QUOTA: FieldRules = {
  ...core('ResourceQuota', 'resourcequotas'),
  base: { spec: {} },
  fields: [
    {
      at: 'spec.hard',
      may: [undefined, { pods: '1' }, { pods: '0', 'requests.cpu': '100m', 'limits.memory': '1Gi' }],
      mayNot: [
        { value: { pods: '-1' }, at: ['spec.hard[pods]'] },
        { value: { pods: '1500m' }, at: ['spec.hard[pods]'] },
        { value: { other: '1' }, at: ['spec.hard[other]'] },
        { value: { 'a b': '1' }, at: ['spec.hard[a b]'] },
      ],
    },
    {
      at: 'spec.scopes',
      may: [undefined, ['NotBestEffort'], ['NotTerminating'], ['NotBestEffort', 'Terminating']],
      mayNot: [{ value: ['Other'] }, { value: ['NotBestEffort', 'Terminating', 'NotTerminating'] }],
      isFixed: true,
    },
    {
      at: 'spec.scopeSelector',
      may: [
        undefined,
        scoped('PriorityClass', 'In', ['a', 'b']),
        scoped('PriorityClass', 'NotIn', ['a']),
        scoped('PriorityClass', 'DoesNotExist'),
        scoped('Terminating', 'Exists'),
        scoped('CrossNamespacePodAffinity', 'Exists'),
      ],
      mayNot: [
        expression(scoped('PriorityClass', 'In'), '.values'),
        expression(scoped('PriorityClass', 'NotIn'), '.values'),
        expression(scoped('PriorityClass', 'Exists', ['a']), '.values'),
        expression(scoped('PriorityClass', 'Is', ['a']), '.operator'),
        expression(scoped('Terminating', 'DoesNotExist'), '.operator'),
        expression(scoped('Other', 'Exists'), '.scopeName'),
      ],
    },
    ...(['hard', 'used'] as const).map((member): Field => ({
      at: `status.${member}`,
      may: [undefined, { pods: '1' }, { pods: '0', cpu: '1' }],
      mayNot: [
        { value: { pods: '-1' }, at: [`status.${member}[pods]`] },
        { value: { other: '1' }, at: [`status.${member}[other]`] },
      ],
      isOfStatus: true,
    })),
  ],
};

type Amounts = Readonly<Record<string, string>>;
interface Limit {
  readonly type: string;
  readonly max?: Amounts;
  readonly min?: Amounts;
  readonly default?: Amounts;
  readonly defaultRequest?: Amounts;
  readonly maxLimitRequestRatio?: Amounts;
}
const cpu = (amount: string): Amounts => ({ cpu: amount });
const limits = (limit: Limit, ...places: readonly string[]): Refused => ({
  value: [limit],
  at: places.map((place) => `spec.limits[0].${place}`),
});
const ofContainers = (more: Omit<Limit, 'type'>, ...places: readonly string[]): Refused =>
  limits({ type: 'Container', ...more }, ...places);

/** Of a container what it may have at the most is what it has, and that is what it asks for. */
function shownLimit(limit: Limit): Limit {
  if (limit.type !== 'Container') return limit;
  const most = { ...limit.max, ...limit.default };
  const asked = { ...limit.min, ...most, ...limit.defaultRequest };
  return {
    ...limit,
    ...(Object.keys(most).length > 0 && { default: most }),
    ...(Object.keys(asked).length > 0 && { defaultRequest: asked }),
  };
}

const RANGE: FieldRules = {
  ...core('LimitRange', 'limitranges'),
  base: { spec: {} },
  fields: [
    {
      at: 'spec.limits',
      may: [
        [{ type: 'Container', max: cpu('2') }],
        [{ type: 'Container', min: cpu('1') }],
        [{ type: 'Container', default: cpu('1'), defaultRequest: cpu('1') }],
        [{ type: 'Container', min: cpu('1'), defaultRequest: cpu('2'), default: cpu('3'), max: cpu('4') }],
        [{ type: 'Container', min: cpu('1'), max: cpu('2'), maxLimitRequestRatio: cpu('2') }],
        [{ type: 'Pod', max: { cpu: '1', memory: '1Gi' }, min: cpu('1') }],
        [
          { type: 'Pod', maxLimitRequestRatio: cpu('1') },
          { type: 'PersistentVolumeClaim', min: { storage: '1Gi' } },
        ],
        [{ type: 'PersistentVolumeClaim', max: { storage: '1Gi' } }],
        [{ type: 'a.b/c', max: { 'a.b/d': '1' } }],
      ],
      mayNot: [
        limits({ type: 'Other' }, 'type'),
        limits({ type: 'a b' }, 'type'),
        { value: [{ type: 'Pod' }, { type: 'Pod' }], at: ['spec.limits[1].type'] },
        limits({ type: 'Pod', default: cpu('1') }, 'default'),
        limits({ type: 'Pod', defaultRequest: cpu('1') }, 'defaultRequest'),
        limits({ type: 'PersistentVolumeClaim', min: {} }, 'limits'),
        limits({ type: 'Pod', max: { other: '1' } }, 'max[other]'),
        limits({ type: 'Pod', min: cpu('2'), max: cpu('1') }, 'min[cpu]'),
        ofContainers({ min: cpu('2'), defaultRequest: cpu('1') }, 'defaultRequest[cpu]'),
        ofContainers({ max: cpu('1'), default: cpu('1'), defaultRequest: cpu('2') }, 'defaultRequest[cpu]'),
        ofContainers({ default: cpu('1'), defaultRequest: cpu('2') }, 'defaultRequest[cpu]'),
        ofContainers(
          { min: cpu('2'), default: cpu('1'), defaultRequest: cpu('2') },
          'default[cpu]',
          'defaultRequest[cpu]',
        ),
        ofContainers({ max: cpu('1'), default: cpu('2'), defaultRequest: cpu('1') }, 'default[cpu]'),
        ofContainers({ maxLimitRequestRatio: cpu('500m') }, 'maxLimitRequestRatio[cpu]'),
        ofContainers(
          { min: cpu('1'), max: cpu('2'), maxLimitRequestRatio: cpu('3') },
          'maxLimitRequestRatio[cpu]',
        ),
        ofContainers(
          { default: { 'a.b/c': '2' }, defaultRequest: { 'a.b/c': '1' } },
          'defaultRequest[a.b/c]',
        ),
      ],
      shows: (all) => (all as readonly Limit[]).map(shownLimit),
    },
  ],
};

it.each([MAP, SECRET, ...TYPED, ACCOUNT, ENDPOINTS, QUOTA, RANGE])('$kind', (rules) =>
  holdFieldByField(rules),
);

interface Held {
  readonly data?: Amounts;
  readonly binaryData?: Amounts;
  readonly immutable?: boolean;
}
const contents: fc.Arbitrary<Amounts | undefined> = fc.constantFrom(
  undefined,
  { a: 'AA==' },
  { a: 'AQ==' },
  { a: 'AA==', b: '' },
);
const bytes: fc.Arbitrary<Amounts | undefined> = fc.constantFrom(undefined, { c: 'AA==' }, { c: '' });
const held: fc.Arbitrary<Held> = fc
  .record({ data: contents, binaryData: bytes, immutable: fc.constantFrom(undefined, true, true, false) })
  .map((drawn) => JSON.parse(JSON.stringify(drawn)) as Held);

it.each(['configmaps', 'secrets'])(
  'what is said to be immutable stays so, with all that it holds: %s',
  (resource) => {
    const ask = askedServer();
    ask('POST', '/api/v1/namespaces', { metadata: { name: 'default' } });
    const collection = `/api/v1/namespaces/default/${resource}`;
    const members = resource === 'secrets' ? (['data'] as const) : (['data', 'binaryData'] as const);
    const known = (all: Held): Held =>
      Object.fromEntries(
        Object.entries(all).filter(
          ([name]) => name === 'immutable' || (members as readonly string[]).includes(name),
        ),
      );
    let count = 0;
    fc.assert(
      fc.property(
        held,
        fc.array(fc.tuple(held, fc.subarray(['data', 'binaryData', 'immutable'] as const)), { maxLength: 4 }),
        (first, writes) => {
          const metadata = { name: `o${(count += 1)}` };
          const path = `${collection}/${metadata.name}`;
          let now = known(first);
          expect(ask('POST', collection, { metadata, ...now }).status).toBe(201);
          for (const [drawn, names] of writes) {
            const changes = Object.fromEntries(names.map((name) => [name, drawn[name]]));
            const next = known(JSON.parse(JSON.stringify({ ...now, ...changes })) as Held);
            const changed = members.filter(
              (name) => JSON.stringify(now[name]) !== JSON.stringify(next[name]),
            );
            const wrong =
              now.immutable === true ? [...changed, ...(next.immutable === true ? [] : ['immutable'])] : [];
            const { status, body } = ask('PUT', path, { metadata, ...next });
            const { causes = [] } = (body['details'] ?? {}) as {
              readonly causes?: readonly { readonly field: string }[];
            };
            expect(status).toBe(wrong.length > 0 ? 422 : 200);
            expect(causes.map(({ field }) => field).sort()).toEqual(wrong.sort());
            if (wrong.length === 0) now = next;
            expect(ask('GET', path).body).toMatchObject(now);
          }
        },
      ),
      asOftenAs(60),
    );
  },
);

it('a map and a secret hold a megabyte at the most', () => {
  const ask = askedServer();
  ask('POST', '/api/v1/namespaces', { metadata: { name: 'default' } });
  const post = (resource: string, more: object): string | undefined =>
    ask('POST', `/api/v1/namespaces/default/${resource}?dryRun=All`, { metadata: { name: 'o' }, ...more })
      .body.message;
  const most = 1024 * 1024;
  fc.assert(
    fc.property(fc.integer({ min: -2, max: 2 }), fc.boolean(), (more, isLetter) => {
      const bytes = most + more;
      // What is no letter of the first hundred takes two.
      const text = isLetter ? 'a'.repeat(bytes) : 'é'.repeat(Math.floor(bytes / 2)) + 'a'.repeat(bytes % 2);
      const isTooMuch = more > 0;
      expect(post('configmaps', { data: { a: text.slice(1), b: text.slice(0, 1) } }) !== undefined).toBe(
        isTooMuch,
      );
      const base64 = Buffer.from(text).toString('base64');
      expect(post('secrets', { data: { a: base64 } }) !== undefined).toBe(isTooMuch);
      expect(post('configmaps', { binaryData: { a: base64 } }) !== undefined).toBe(isTooMuch);
    }),
    { ...asOftenAs(4), numRuns: 6 },
  );
});

it('what a secret says in plain text it says instead of what else it says of that', () => {
  const ask = askedServer();
  ask('POST', '/api/v1/namespaces', { metadata: { name: 'default' } });
  const texts = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('', 'x', 'é'), {
    noNullPrototype: true,
  });
  fc.assert(
    fc.property(texts, texts, (data, stringData) => {
      const inBytes = (members: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
        Object.fromEntries(
          Object.entries(members).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
        );
      const { body } = ask('POST', '/api/v1/namespaces/default/secrets?dryRun=All', {
        ...{ metadata: { name: 'o' }, data: inBytes(data), stringData },
      });
      expect(body['data'] ?? {}).toEqual({ ...inBytes(data), ...inBytes(stringData) });
      expect(body).not.toHaveProperty('stringData');
    }),
    asOftenAs(60),
  );
});

const TAINT = { key: 'a', value: 'b', effect: 'NoSchedule' };
const taint = (more: object, place: string): Refused => ({
  value: [
    { ...TAINT, key: 'c' },
    { ...TAINT, ...more },
  ],
  at: [`metadata.taints[1]${place}`],
});
const isSet = (value: unknown): boolean => value !== undefined && value !== '';
const NODE: FieldRules = {
  apiVersion: 'v1',
  kind: 'Node',
  resource: 'nodes',
  base: { spec: {} },
  isFilledIn: true,
  isNeverMerged: true,
  fields: [
    { at: 'spec.unschedulable', may: [undefined, true] },
    {
      at: 'spec.providerID',
      may: [undefined, 'a://b', 'a://c'],
      isFixed: (_now, before) => (isSet(before) ? ['spec.providerID'] : []),
    },
    {
      at: 'spec.podCIDRs',
      may: [undefined, ['10.1.0.0/16'], ['10.2.0.0/16'], ['10.1.0.0/16', 'fd00::/64']],
      mayNot: [
        { value: ['10.1.0.0/33'], at: ['spec.podCIDRs[0]'] },
        { value: ['10.1.0.0/16', '10.2.0.0/16'] },
      ],
      isFixed: (_now, before) => (before === undefined ? [] : ['spec.podCIDRs']),
    },
    {
      at: 'spec.taints',
      may: [
        undefined,
        [TAINT],
        [TAINT, { ...TAINT, effect: 'NoExecute' }, { key: 'a.b/c', effect: 'PreferNoSchedule' }],
      ],
      mayNot: [
        taint({ effect: 'Other' }, '.effect'),
        taint({ effect: '' }, '.effect'),
        taint({ key: 'a b' }, '.key'),
        taint({ value: 'a b' }, '.value'),
        taint({ key: 'c', value: 'd' }, ''),
      ],
      // What keeps pods away from nodes that are not ready the server says itself.
      reads: (taints) => {
        const own = ((taints ?? []) as { readonly key: string }[]).filter(
          ({ key }) => !key.startsWith('node.kubernetes.io/'),
        );
        return own.length > 0 ? own : undefined;
      },
    },
  ],
};

it('Node', () => holdFieldByField(NODE));
