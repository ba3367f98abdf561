/** Slices of devices and contexts of pods, as a real 1.31 server with all alpha features judges them. */
import { describe, expect, it, test } from 'vitest';
import { type Ask, askedServer } from '../../../../cli/golden/asked-server.ts';

const ask = askedServer({ featureGates: 'AllAlpha=true', runtimeConfig: 'api/all=true' });
const GROUP = '/apis/resource.k8s.io/v1alpha3';
const SLICES = `${GROUP}/resourceslices`;
const CONTEXTS = `${GROUP}/namespaces/default/podschedulingcontexts`;

const saidOf = ({ status, body }: ReturnType<Ask>): string =>
  status < 300 ? 'OK' : String(body.message).replace(/^.*? is invalid: /, '');

const pool = { name: 'p', generation: 1, resourceSliceCount: 1 };
const SLICE = { driver: 'd', pool, nodeName: 'n' };
const slice = (spec: object): string =>
  saidOf(ask('POST', `${SLICES}?dryRun=All`, { metadata: { name: 'a' }, spec: { ...SLICE, ...spec } }));
const device = (basic?: object): string => slice({ devices: [{ name: 'a', ...(basic && { basic }) }] });

const ONE_PLACE = 'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required';
const many = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, '1']));

describe('a slice', () => {
  it.each([
    [{}, 'OK'],
    [{ pool: { ...pool, name: 'a.b/c' } }, 'OK'],
    [{ pool: { ...pool, name: '' } }, 'spec.pool.name: Required value'],
    [
      { pool: { ...pool, generation: -1, resourceSliceCount: 0 } },
      '[spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero, spec.pool.generation: Invalid value: -1: must be greater than or equal to zero]',
    ],
    [{ nodeName: '' }, `spec: Required value: ${ONE_PLACE}`],
    [{ nodeName: '', allNodes: true }, 'OK'],
    [
      { allNodes: true },
      `spec: Invalid value: resource.ResourceSliceSpec{Driver:"d", Pool:resource.ResourcePool{Name:"p", Generation:1, ResourceSliceCount:1}, NodeName:"n", NodeSelector:(*core.NodeSelector)(nil), AllNodes:true, Devices:[]resource.Device(nil)}: ${ONE_PLACE}`,
    ],
    [
      { nodeName: '', nodeSelector: { nodeSelectorTerms: [{}, {}] } },
      'spec.nodeSelector.nodeSelectorTerms: Invalid value: []core.NodeSelectorTerm{core.NodeSelectorTerm{MatchExpressions:[]core.NodeSelectorRequirement(nil), MatchFields:[]core.NodeSelectorRequirement(nil)}, core.NodeSelectorTerm{MatchExpressions:[]core.NodeSelectorRequirement(nil), MatchFields:[]core.NodeSelectorRequirement(nil)}}: must have exactly one selector term',
    ],
    [
      { devices: ['a', 'b', 'a'].map((name) => ({ name, basic: {} })) },
      'spec.devices[2].name: Duplicate value: "a"',
    ],
  ])('says %j', (spec, said) => {
    expect(slice(spec)).toBe(said);
  });

  it('stays with its pool, its driver and its node', () => {
    ask('POST', SLICES, { metadata: { name: 'kept' }, spec: SLICE });
    const changed = { spec: { pool: { name: 'q' }, driver: 'e', nodeName: 'm' } };
    expect(saidOf(ask('PATCH', `${SLICES}/kept`, changed))).toBe(
      '[spec.pool.name: Invalid value: "q": field is immutable, spec.driver: Invalid value: "e": field is immutable, spec.nodeName: Invalid value: "m": field is immutable]',
    );
    const { body } = ask('PATCH', `${SLICES}/kept`, { spec: { pool: { generation: 2 } } });
    expect(body).toMatchObject({ metadata: { generation: 2 }, spec: { pool: { name: 'p', generation: 2 } } });
  });
});

const ATTRIBUTE = 'spec.devices[0].basic.attributes[x]';

test.each([
  [undefined, 'spec.devices[0].basic: Required value'],
  [
    {
      attributes: { x: { bool: false }, 'd.example.com/y': { version: '1.2.3-a+b' } },
      capacity: { z: '1Gi' },
    },
    'OK',
  ],
  [{ attributes: { x: {} } }, `${ATTRIBUTE}: Required value: exactly one value must be specified`],
  [
    { attributes: { x: { int: 1, bool: true } } },
    `${ATTRIBUTE}: Invalid value: resource.DeviceAttribute{IntValue:(*int64)(0xc000000000), BoolValue:(*bool)(0xc000000000), StringValue:(*string)(nil), VersionValue:(*string)(nil)}: exactly one field must be specified`,
  ],
  [
    { attributes: { x: { string: 'x'.repeat(65) } } },
    `${ATTRIBUTE}.string: Too long: may not be longer than 64`,
  ],
  [
    { attributes: { x: { version: '1.2' } } },
    `${ATTRIBUTE}.version: Invalid value: "1.2": must be a string compatible with semver.org spec 2.0.0`,
  ],
  [
    { capacity: { '/x': '1' } },
    'spec.devices[0].basic.capacity: Required value: the prefix must not be empty',
  ],
  [
    { capacity: many(33) },
    'spec.devices[0].basic: Invalid value: 33: the total number of attributes and capacities must not exceed 32',
  ],
])('a device is %j', (basic, said) => {
  expect(device(basic)).toBe(said);
});

describe('where a pod may run', () => {
  it('is told of each node once', () => {
    const spec = { potentialNodes: ['a', 'b', 'a', 'A_'] };
    expect(saidOf(ask('POST', CONTEXTS, { metadata: { name: 'twice' }, spec }))).toMatch(
      /^\[spec\.potentialNodes\[3\]: Invalid value: "A_": .*, spec\.potentialNodes\[2\]: Duplicate value: "a"\]$/,
    );
  });

  it('is judged by drivers in a status of its own', () => {
    const { body } = ask('POST', CONTEXTS, {
      metadata: { name: 'pod' },
      spec: {},
      status: { resourceClaims: [{ name: 'a' }] },
    });
    expect(body).not.toHaveProperty(['status', 'resourceClaims']);
    const claims = (...names: readonly string[]): object => ({
      metadata: { labels: { a: 'b' } },
      status: { resourceClaims: names.map((name) => ({ name })) },
    });
    expect(saidOf(ask('PATCH', `${CONTEXTS}/pod/status`, claims('a', 'a')))).toBe(
      'status.claims[1]: Duplicate value: "a"',
    );
    const { body: told } = ask('PATCH', `${CONTEXTS}/pod/status`, claims('a', 'b'));
    expect(told).toMatchObject({ status: { resourceClaims: [{ name: 'a' }, { name: 'b' }] } });
    expect(told).not.toHaveProperty(['metadata', 'labels']);
  });
});
