/**
 * What classes of devices, claims of them and slices of a driver's devices may say, field by field, beside a plain reading
 * of their documentation ("Dynamic Resource Allocation", of 1.31): what is asked for, which devices are where, and that
 * none of it moves.
 */
import { it } from 'vitest';
import { type Field, type FieldRules, holdFieldByField, type Refused } from '../field-rules.fixture.ts';

const V1 = 'resource.k8s.io/v1alpha3';
const features = 'AllAlpha=true';
const LONG = 'a'.repeat(64);
const several = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

const SELECTOR = { cel: { expression: 'device.driver == "a.b"' } };
/** Expressions that choose devices. */
const wrongSelectors = (
  path: string,
  withIn: (selectors: readonly object[]) => unknown,
): readonly Refused[] => [
  { value: withIn([SELECTOR, {}]), at: [`${path}[1].cel`] },
  { value: withIn([{ cel: { expression: '' } }]), at: [`${path}[0].cel.expression`] },
  { value: withIn([{ cel: { expression: '"a"' } }]), at: [`${path}[0].cel.expression`] },
  { value: withIn([{ cel: { expression: 'device.name' } }]), at: [`${path}[0].cel.expression`] },
  { value: withIn(several(33).map(() => SELECTOR)), at: [path] },
];

const OPAQUE = { opaque: { driver: 'a.b', parameters: { a: 1 } } };
const wrongOpaque = (path: string, withIn: (config: object) => unknown): readonly Refused[] => [
  { value: withIn({}), at: [`${path}.opaque`] },
  { value: withIn({ opaque: { ...OPAQUE.opaque, driver: '' } }), at: [`${path}.opaque.driver`] },
  { value: withIn({ opaque: { ...OPAQUE.opaque, driver: LONG } }), at: [`${path}.opaque.driver`] },
  { value: withIn({ opaque: { ...OPAQUE.opaque, driver: 'a_b' } }), at: [`${path}.opaque.driver`] },
  { value: withIn({ opaque: { driver: 'a.b', parameters: [] } }), at: [`${path}.opaque.parameters`] },
];

const CLASS: FieldRules = {
  apiVersion: V1,
  kind: 'DeviceClass',
  resource: 'deviceclasses',
  features,
  counts: ['spec'],
  fields: [
    {
      at: 'spec.selectors',
      may: [undefined, [SELECTOR], [SELECTOR, { cel: { expression: 'device.attributes["a.b"].c' } }]],
      mayNot: wrongSelectors('spec.selectors', (selectors) => selectors),
    },
    {
      at: 'spec.config',
      may: [undefined, [OPAQUE], [OPAQUE, { opaque: { driver: 'A.b', parameters: {} } }]],
      mayNot: [
        ...wrongOpaque('spec.config[1]', (config) => [OPAQUE, config]),
        { value: several(33).map(() => OPAQUE), at: ['spec.config'] },
      ],
    },
    {
      at: 'spec.suitableNodes',
      may: [undefined, { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }] }],
      mayNot: [
        { value: { nodeSelectorTerms: [] }, at: ['suitableNodes.nodeSelectorTerms'] },
        {
          value: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Is' }] }] },
          at: ['suitableNodes.nodeSelectorTerms[0].matchExpressions[0].operator'],
        },
      ],
    },
  ],
};

interface Request {
  readonly name: string;
  readonly allocationMode?: string;
  readonly count?: number;
}

const REQUEST = { name: 'r', deviceClassName: 'c' };
const OTHER = { name: 's', deviceClassName: 'c' };

const shownDevices = (devices: unknown): unknown => {
  const { requests, ...rest } = (devices ?? {}) as { readonly requests?: readonly Request[] };
  return {
    ...rest,
    requests:
      requests?.map((request) => {
        const allocationMode = request.allocationMode ?? 'ExactCount';
        return {
          ...request,
          allocationMode,
          ...(allocationMode === 'ExactCount' && { count: request.count || 1 }),
        };
      }) ?? null,
  };
};

/** `path`: of the devices; `fixed`: where the server says that nothing of it changes. */
const devicesOf = (at: string, isFixed: string): Field => {
  const request = (more: object, place: string): Refused => ({
    value: { requests: [OTHER, { ...REQUEST, ...more }] },
    at: [`${at}.requests[1].${place}`],
  });
  const both = { requests: [REQUEST, OTHER] };
  const constraint = (more: object, ...places: readonly string[]): Refused => ({
    value: { ...both, constraints: [{ matchAttribute: 'a.b/c' }, { matchAttribute: 'a.b/c', ...more }] },
    at: places.map((place) => `${at}.constraints[1].${place}`),
  });
  return {
    at,
    isFixed,
    shows: shownDevices,
    may: [
      undefined,
      { requests: [REQUEST] },
      { requests: [REQUEST, { ...OTHER, allocationMode: 'All', adminAccess: true }] },
      { requests: [{ ...REQUEST, count: 2, selectors: [SELECTOR] }] },
      { requests: [{ ...REQUEST, allocationMode: 'ExactCount', count: 0 }] },
      { requests: several(32).map((index) => ({ ...REQUEST, name: `r${index}` })) },
      {
        ...both,
        constraints: [{ matchAttribute: 'a.b/c' }, { requests: ['r', 's'], matchAttribute: 'a.b/d' }],
      },
      { ...both, config: [OPAQUE, { ...OPAQUE, requests: ['s'] }] },
    ],
    mayNot: [
      request({ name: '' }, 'name'),
      request({ name: 'A' }, 'name'),
      request({ name: 's' }, 'name'),
      request({ deviceClassName: '' }, 'deviceClassName'),
      request({ deviceClassName: 'C' }, 'deviceClassName'),
      request({ allocationMode: 'Some' }, 'allocationMode'),
      request({ count: -1 }, 'count'),
      request({ allocationMode: 'All', count: 1 }, 'count'),
      ...wrongSelectors(`${at}.requests[0].selectors`, (selectors) => ({
        requests: [{ ...REQUEST, selectors }],
      })),
      {
        value: { requests: several(33).map((index) => ({ ...REQUEST, name: `r${index}` })) },
        at: [`${at}.requests`],
      },
      constraint({ requests: ['r', 't'] }, 'requests[1]'),
      constraint({ requests: ['r', 's', 'r'] }, 'requests[2]'),
      constraint({ matchAttribute: undefined }, 'matchAttribute'),
      constraint({ matchAttribute: 'c' }, 'matchAttribute.domain'),
      constraint({ matchAttribute: 'a.b/' }, 'matchAttribute'),
      constraint({ matchAttribute: '/c' }, 'matchAttribute'),
      constraint({ matchAttribute: 'a.b/c-d' }, 'matchAttribute'),
      constraint({ matchAttribute: `a.b/${'c'.repeat(33)}` }, 'matchAttribute'),
      {
        value: { ...both, constraints: several(33).map(() => ({ matchAttribute: 'a.b/c' })) },
        at: [`${at}.constraints`],
      },
      ...wrongOpaque(`${at}.config[1]`, (config) => ({ ...both, config: [OPAQUE, config] })),
      { value: { ...both, config: [{ ...OPAQUE, requests: ['t'] }] }, at: [`${at}.config[0].requests[0]`] },
      { value: { ...both, config: several(33).map(() => OPAQUE) }, at: [`${at}.config`] },
    ],
  };
};

const controllerOf = (at: string, isFixed: string): Field => ({
  at,
  may: [undefined, 'a.b'],
  mayNot: [LONG, 'a_b'],
  isFixed,
});

const CLAIMS: readonly FieldRules[] = [
  {
    apiVersion: V1,
    kind: 'ResourceClaim',
    resource: 'resourceclaims',
    isNamespaced: true,
    features,
    base: { spec: {} },
    fields: [devicesOf('spec.devices', 'spec'), controllerOf('spec.controller', 'spec')],
  },
  {
    apiVersion: V1,
    kind: 'ResourceClaimTemplate',
    resource: 'resourceclaimtemplates',
    isNamespaced: true,
    features,
    base: { spec: { spec: {} } },
    fields: [devicesOf('spec.spec.devices', 'spec'), controllerOf('spec.spec.controller', 'spec')],
  },
];

const POOL = { name: 'p', generation: 1, resourceSliceCount: 1 };
const DEVICE = { name: 'd', basic: {} };

const basic = (part: object, place: string): Refused => ({
  value: [
    { name: 'e', basic: {} },
    { name: 'd', basic: part },
  ],
  at: [`spec.devices[1].basic${place}`],
});
const attribute = (value: object, place = ''): Refused =>
  basic({ attributes: { a: value } }, `.attributes[a]${place}`);
const facts = (count: number): object => ({
  attributes: Object.fromEntries(several(count - 2).map((at) => [`a${at}`, { int: at }])),
  capacity: { b: '1', c: '2Gi' },
});

const where = (more: object, place: string): Refused => ({ value: { ...more }, at: [`spec${place}`] });
const TERM = { matchExpressions: [{ key: 'a', operator: 'Exists' }] };

interface Slice {
  readonly pool?: { readonly name: string };
  readonly driver?: string;
  readonly nodeName?: string;
}

const PLACE = { nodeName: 'n', nodeSelector: { nodeSelectorTerms: [TERM] }, allNodes: true };
const { nodeName, nodeSelector, allNodes } = PLACE;
/** Of which only one may be said. */
const SEVERAL_PLACES = [
  PLACE,
  { nodeName, nodeSelector },
  { nodeName, allNodes },
  { nodeSelector, allNodes },
];

const SLICE: FieldRules = {
  apiVersion: V1,
  kind: 'ResourceSlice',
  resource: 'resourceslices',
  features,
  counts: ['spec'],
  fields: [
    {
      at: 'spec',
      may: [
        { allNodes: true },
        { nodeName: 'n' },
        { nodeName: 'm.n' },
        { nodeSelector: { nodeSelectorTerms: [TERM] } },
        { allNodes: true, pool: { ...POOL, name: 'a.b/c', generation: 0, resourceSliceCount: 2 } },
        { allNodes: true, driver: 'C.d' },
        { allNodes: true, devices: [DEVICE, { name: 'e', basic: facts(32) }] },
        {
          allNodes: true,
          devices: [
            {
              name: 'd',
              basic: {
                attributes: {
                  ...{
                    a: { int: 0 },
                    'a.b/c': { bool: false },
                    d: { string: LONG },
                    e: { version: '1.2.3-a+b' },
                  },
                },
              },
            },
          ],
        },
      ].map((more) => ({ driver: 'a.b', pool: POOL, devices: null, ...more })),
      mayNot: [
        where({}, ''),
        ...SEVERAL_PLACES.map((places) => where(places, '')),
        where({ nodeName: 'N' }, '.nodeName'),
        where({ nodeSelector: { nodeSelectorTerms: [TERM, TERM] } }, '.nodeSelector.nodeSelectorTerms'),
        where({ allNodes: true, driver: LONG }, '.driver'),
        where({ allNodes: true, driver: 'a_b' }, '.driver'),
        where({ allNodes: true, pool: { ...POOL, name: '' } }, '.pool.name'),
        where({ allNodes: true, pool: { ...POOL, name: 'a//b' } }, '.pool.name'),
        where({ allNodes: true, pool: { ...POOL, name: 'A' } }, '.pool.name'),
        where({ allNodes: true, pool: { ...POOL, generation: -1 } }, '.pool.generation'),
        where({ allNodes: true, pool: { ...POOL, resourceSliceCount: 0 } }, '.pool.resourceSliceCount'),
        ...[
          { value: [DEVICE, { name: 'e', basic: {} }, DEVICE], at: ['spec.devices[2].name'] },
          { value: [{ name: 'D', basic: {} }], at: ['spec.devices[0].name'] },
          { value: [{ name: 'd' }], at: ['spec.devices[0].basic'] },
          { value: several(129).map((at) => ({ name: `d${at}`, basic: {} })), at: ['spec.devices'] },
          basic(facts(33), ''),
          attribute({}),
          attribute({ int: 1, bool: true }),
          attribute({ string: `${LONG}a` }, '.string'),
          attribute({ version: '1.2' }, '.version'),
          attribute({ version: `1.2.3-${LONG}` }, '.version'),
          basic({ attributes: { 'a-b': { int: 1 } } }, '.attributes'),
          basic({ attributes: { ['a'.repeat(33)]: { int: 1 } } }, '.attributes'),
          basic({ capacity: { 'a.b/': '1' } }, '.capacity'),
        ].map(({ value, at = [] }): Refused => ({ value: { allNodes: true, devices: value }, at })),
      ].map(({ value, at = [] }): Refused => ({
        value: { driver: 'a.b', pool: POOL, devices: null, ...(value as object) },
        at,
      })),
      // What a slice says of its devices may change; whose it is and where they are may not.
      isFixed: (now, before) => {
        const [slice, old] = [now as Slice, before as Slice];
        return [
          ...(slice.pool?.name === old.pool?.name ? [] : ['spec.pool.name']),
          ...(slice.driver === old.driver ? [] : ['spec.driver']),
          ...(slice.nodeName === old.nodeName ? [] : ['spec.nodeName']),
        ];
      },
    },
  ],
};

const NODES = several(128).map((at) => `n${at}`);
const CONTEXT: FieldRules = {
  apiVersion: V1,
  kind: 'PodSchedulingContext',
  resource: 'podschedulingcontexts',
  isNamespaced: true,
  statusKeepsLabels: true,
  isForgetful: true,
  features,
  base: { spec: {} },
  fields: [
    { at: 'spec.selectedNode', may: [undefined, 'n', 'm'] },
    {
      at: 'spec.potentialNodes',
      may: [undefined, ['n'], ['n', 'm.n'], NODES],
      mayNot: [
        { value: ['n', 'N'], at: ['spec.potentialNodes[1]'] },
        { value: ['n', 'm', 'n'], at: ['spec.potentialNodes[2]'] },
        { value: [...NODES, 'm'] },
      ],
    },
    {
      at: 'status.resourceClaims',
      may: [
        undefined,
        [{ name: 'c', unsuitableNodes: ['n'] }],
        [{ name: 'c' }, { name: 'd', unsuitableNodes: NODES }],
      ],
      mayNot: [
        { value: [{ name: 'c' }, { name: 'd' }, { name: 'c' }], at: ['status.claims[2]'] },
        { value: [{ name: 'c', unsuitableNodes: ['N'] }], at: ['status.claims[0].unsuitableNodes[0]'] },
        { value: [{ name: 'c', unsuitableNodes: ['n', 'n'] }], at: ['status.claims[0].unsuitableNodes[1]'] },
        {
          value: [{ name: 'c', unsuitableNodes: [...NODES, 'm'] }],
          at: ['status.claims[0].unsuitableNodes'],
        },
      ],
      isOfStatus: true,
    },
  ],
};

it.each([CLASS, ...CLAIMS, SLICE, CONTEXT])('$kind', (rules) => holdFieldByField(rules));
