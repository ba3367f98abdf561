/**
 * What slices of endpoints may say, field by field, beside a plain reading of their documentation ("EndpointSlices"):
 * addresses of one type that never changes, ports of which each name is another, and hints of few zones.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../../../engine/any-order.arbitrary.ts';
import type { HookContext } from '../../strategy.ts';
import { type FieldRules, holdFieldByField, type Refused } from '../field-rules.fixture.ts';
import { endpointSliceKind } from './endpoint-slice.ts';

const WELL = { addresses: ['10.1.2.3'] };
const numbered = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);
const fourAddresses = (count: number): readonly string[] =>
  numbered(count).map((at) => `10.1.${Math.floor(at / 250)}.${(at % 250) + 1}`);
const zones = (count: number): object => ({ forZones: numbered(count).map((at) => ({ name: `z${at}` })) });

const endpoint = (more: object, ...places: readonly string[]): Refused => ({
  value: [WELL, { ...WELL, ...more }],
  at: places.map((place) => `endpoints[1].${place}`),
});
const port = (more: object, place: string): Refused => ({
  value: [
    { name: 'a', port: 80, protocol: 'TCP' },
    { name: 'b', port: 81, protocol: 'TCP', ...more },
  ],
  at: [`ports[1].${place}`],
});

interface Port {
  readonly name?: string;
}

const base = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  resource: 'endpointslices',
  isNamespaced: true,
  // Whoever finds services by labels has to see that they changed.
  counts: ['addressType', 'endpoints', 'ports', 'metadata.labels'],
};

const PORTS: FieldRules['fields'][number] = {
  at: 'ports',
  may: [
    undefined,
    [{ port: 80 }],
    [{ port: 80 }, { name: 'a', port: 80, protocol: 'UDP', appProtocol: 'example.com/p' }],
    [{ name: 'a' }, { name: 'b', port: 81, protocol: 'SCTP', appProtocol: 'http' }],
  ],
  mayNot: [
    port({ name: 'a' }, 'name'),
    port({ name: 'A' }, 'name'),
    port({ name: 'a'.repeat(64) }, 'name'),
    port({ protocol: 'ICMP' }, 'protocol'),
    port({ appProtocol: 'a b' }, 'appProtocol'),
    { value: [{ port: 80 }, { port: 81 }], at: ['ports[1].name'] },
  ],
  shows: (ports) =>
    (ports as readonly Port[] | undefined)?.map((each) => ({ name: '', protocol: 'TCP', ...each })) ?? null,
};

const FOUR: FieldRules = {
  ...base,
  fields: [
    { at: 'addressType', may: ['IPv4'], mayNot: [] },
    {
      at: 'endpoints',
      may: [
        [WELL],
        [WELL, { addresses: ['10.1.2.4', '10.1.2.3'], conditions: { ready: true, serving: false } }],
        [{ ...WELL, conditions: { terminating: true }, nodeName: 'a.b', hostname: 'h', zone: 'z' }],
        [{ ...WELL, hints: zones(8), targetRef: { kind: 'Pod', name: 'p' } }],
        [{ addresses: fourAddresses(100) }],
      ],
      mayNot: [
        endpoint({ addresses: [] }, 'addresses'),
        endpoint({ addresses: fourAddresses(101) }, 'addresses'),
        ...['fd00::1', 'a.b', '', '10.1.2', '127.0.0.1', '169.254.1.1', '224.0.0.1', '0.0.0.0'].map(
          (address) => endpoint({ addresses: ['10.1.2.5', address] }, 'addresses[1]'),
        ),
        endpoint({ nodeName: 'A' }, 'nodeName'),
        endpoint({ hostname: 'a.b' }, 'hostname'),
        endpoint({ hostname: 'A' }, 'hostname'),
        endpoint({ hints: zones(9) }, 'hints.forZones'),
        endpoint(
          { hints: { forZones: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] } },
          'hints.forZones[2].name',
        ),
        endpoint({ hints: { forZones: [{ name: '-' }] } }, 'hints.forZones[0].name'),
      ],
      shows: (endpoints) =>
        (endpoints as readonly { readonly conditions?: object }[]).map((each) => ({
          conditions: {},
          ...each,
        })),
    },
    PORTS,
  ],
};

/** Of which slices of other types are; it never changes, and with it the addresses would be wrong. */
const TYPES: FieldRules = {
  ...base,
  fields: [
    { at: 'addressType', may: ['IPv4', 'IPv6', 'FQDN'], mayNot: ['ipv4', ''], isFixed: true },
    { at: 'endpoints', may: [[]], shows: () => null },
    PORTS,
  ],
};

const ofType = (addressType: string, may: readonly string[], mayNot: readonly string[]): FieldRules => ({
  ...base,
  fields: [
    { at: 'addressType', may: [addressType] },
    {
      at: 'endpoints',
      may: may.map((address) => [{ addresses: [address], conditions: {} }]),
      mayNot: mayNot.map((address) => ({
        value: [{ addresses: [address], conditions: {} }],
        at: ['endpoints[0].addresses[0]'],
      })),
    },
  ],
});

it('addresses of the fourth version', () => holdFieldByField(FOUR));
it('addresses of the sixth version', () =>
  holdFieldByField(
    ofType(
      'IPv6',
      ['fd00::1', '2001:db8::1'],
      ['10.1.2.3', '', '::1', 'fe80::1', 'ff02::1', '::', 'fd00::1%a'],
    ),
  ));
it('names', () =>
  holdFieldByField(ofType('FQDN', ['a.b', 'c.example.com'], ['a', '', 'A.b', '-.a', '10.1.2.3/24'])));
it('addresses of a thousand endpoints at the most', () => {
  const { validate } = endpointSliceKind.strategy ?? {};
  fc.assert(
    fc.property(fc.integer({ min: 998, max: 1_003 }), (count) => {
      const metadata = { name: 's', namespace: 'n' };
      const slice = {
        ...{ apiVersion: base.apiVersion, kind: base.kind, metadata },
        addressType: 'IPv4' as const,
      };
      const errors = validate?.({ ...slice, endpoints: numbered(count).map(() => WELL) }, {} as HookContext);
      expect(errors?.map(({ field }) => field)).toEqual(count > 1_000 ? ['endpoints'] : []);
    }),
    asOftenAs(10),
  );
});
it('types', () => holdFieldByField(TYPES));
