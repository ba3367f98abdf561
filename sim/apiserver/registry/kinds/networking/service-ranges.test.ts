/** Ranges and addresses of services, as real servers of the releases judge them. */
import { describe, expect, it, test } from 'vitest';
import { findRelease } from '../../../../api/release/releases.ts';
import { type Ask, askedServer } from '../../../../cli/golden/asked-server.ts';

const runtimeConfig = 'api/all=true';
const early = askedServer({ runtimeConfig });
const late = askedServer({ runtimeConfig, release: findRelease('1.34') });
const ranges = (ask: Ask): string =>
  `/apis/networking.k8s.io/${ask === early ? 'v1beta1' : 'v1'}/servicecidrs`;
const addresses = (ask: Ask): string => ranges(ask).replace('servicecidrs', 'ipaddresses');

const saidOf = ({ status, body }: ReturnType<Ask>): string =>
  status < 300 ? 'OK' : String(body.message).replace(/^.*? is invalid: /, '');

const range = (ask: Ask, ...cidrs: readonly string[]): string =>
  saidOf(ask('POST', `${ranges(ask)}?dryRun=All`, { metadata: { name: 'a' }, spec: { cidrs } }));

const FAMILIES = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
const first = (cidr: string, text: string): string => `spec.cidrs[0]: Invalid value: "${cidr}": ${text}`;

test.each<[cidrs: readonly string[], until: string, since: string]>([
  [['10.0.0.0/8', '2001:db8::/64'], 'OK', 'OK'],
  [
    [],
    'spec.cidrs: Required value: at least one CIDR required',
    'spec.cidrs: Required value: at least one CIDR required',
  ],
  [
    ['x'],
    first('x', `netip.ParsePrefix("x"): no '/'`),
    first('x', 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'),
  ],
  [
    ['10.0.0.1/8'],
    first('10.0.0.1/8', "wrong CIDR format, IP doesn't match network IP address"),
    first('10.0.0.1/8', 'must not have bits set beyond the prefix length'),
  ],
  [
    ['010.0.0.0/8'],
    first(
      '010.0.0.0/8',
      'netip.ParsePrefix("010.0.0.0/8"): ParseAddr("010.0.0.0"): IPv4 field has octet with leading zero',
    ),
    first('010.0.0.0/8', 'must not have leading 0s in IP or prefix length'),
  ],
  [
    ['2001:DB8::/64'],
    first('2001:DB8::/64', 'CIDR not in RFC 5952 canonical format'),
    first('2001:DB8::/64', 'must be in canonical form ("2001:db8::/64")'),
  ],
  [['::ffff:10.0.0.0/104'], 'OK', first('::ffff:10.0.0.0/104', 'must not have an IPv4-mapped IPv6 address')],
  [
    ['10.0.0.0/8', '11.0.0.0/8'],
    `spec.cidrs: Invalid value: networking.ServiceCIDRSpec{CIDRs:[]string{"10.0.0.0/8", "11.0.0.0/8"}}: ${FAMILIES}`,
    `spec.cidrs: Invalid value: ["10.0.0.0/8","11.0.0.0/8"]: ${FAMILIES}`,
  ],
  [
    ['a', 'b', 'c'],
    'spec.cidrs: Invalid value: networking.ServiceCIDRSpec{CIDRs:[]string{"a", "b", "c"}}: may only hold up to 2 values',
    'spec.cidrs: Invalid value: {"CIDRs":["a","b","c"]}: may only hold up to 2 values',
  ],
])('a range is %j', (cidrs, until, since) => {
  expect(range(early, ...cidrs)).toBe(until);
  expect(range(late, ...cidrs)).toBe(since);
});

describe('a range that is there', () => {
  const patch = (ask: Ask, cidrs: readonly string[]): string => {
    ask('POST', ranges(ask), { metadata: { name: 'kept' }, spec: { cidrs: ['10.0.0.0/8'] } });
    return saidOf(ask('PATCH', `${ranges(ask)}/kept?dryRun=All`, { spec: { cidrs } }));
  };
  const BOTH = ['10.0.0.0/8', '2001:db8::/64'];

  it('never changes, but since 1.33 one of the other family may join it', () => {
    expect(patch(early, BOTH)).toBe(
      'spec.cidrs: Invalid value: []string{"10.0.0.0/8", "2001:db8::/64"}: field is immutable',
    );
    expect(patch(late, BOTH)).toBe('OK');
    expect(patch(late, ['11.0.0.0/8'])).toBe(
      'spec.cidrs[0]: Invalid value: "11.0.0.0/8": field is immutable',
    );
    expect(patch(late, ['10.0.0.0/8', '11.0.0.0/8'])).toContain(FAMILIES);
  });

  it('has a status that its own writers set as well, and that leaves the range alone', () => {
    const path = `${ranges(early)}/told`;
    const status = { conditions: [{ type: 'Ready', status: 'True', reason: 'R', message: '' }] };
    early('POST', ranges(early), { metadata: { name: 'told' }, spec: { cidrs: ['10.0.0.0/8'] }, status });
    const { body } = early('PATCH', `${path}/status`, { spec: { cidrs: ['x'] } });
    expect(body).toMatchObject({ spec: { cidrs: ['10.0.0.0/8'] }, status });
  });
});

const parentRef = { resource: 'services', namespace: 'default', name: 'a' };

test.each([
  ['192.168.1.1', 'OK', 'OK'],
  ['::ffff:1.2.3.4', 'OK', 'must not be an IPv4-mapped IPv6 address'],
  [
    '192.168.001.1',
    'ParseAddr("192.168.001.1"): IPv4 field has octet with leading zero',
    'must not have leading 0s',
  ],
  ['2001:DB8::1', 'must be a canonical format IP address', 'must be in canonical form ("2001:db8::1")'],
  [
    'x',
    'ParseAddr("x"): unable to parse IP',
    'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  ],
])('%s is the name of an address', (name, until, since) => {
  const said = (ask: Ask): string =>
    saidOf(ask('POST', `${addresses(ask)}?dryRun=All`, { metadata: { name }, spec: { parentRef } }));
  const whole = (text: string): string =>
    text === 'OK' ? text : `metadata.name: Invalid value: "${name}": ${text}`;
  expect(said(early)).toBe(whole(until));
  expect(said(late)).toBe(whole(since));
});

describe('an address', () => {
  const create = (spec: object): string =>
    saidOf(early('POST', `${addresses(early)}?dryRun=All`, { metadata: { name: '10.0.0.1' }, spec }));

  it('belongs to somebody', () => {
    expect(create({})).toBe('spec.parentRef: Required value');
    expect(create({ parentRef: { name: 'a/b' } })).toBe(
      `[spec.parentRef.resource: Required value, spec.parentRef.name: Invalid value: "a/b": may not contain '/']`,
    );
  });

  it('never to somebody else', () => {
    early('POST', addresses(early), { metadata: { name: '10.0.0.9' }, spec: { parentRef } });
    const other = { spec: { parentRef: { name: 'b' } } };
    expect(saidOf(early('PATCH', `${addresses(early)}/10.0.0.9`, other))).toBe(
      'spec.parentRef: Invalid value: networking.ParentReference{Group:"", Resource:"services", Namespace:"default", Name:"b"}: field is immutable',
    );
  });

  it('has a name to the last letter, even where one is to be generated', () => {
    const { body } = early('POST', addresses(early), {
      metadata: { generateName: '10.0.0.7' },
      spec: { parentRef },
    });
    expect(body).toMatchObject({ metadata: { name: '10.0.0.7' } });
  });
});
