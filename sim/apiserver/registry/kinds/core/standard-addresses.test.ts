import { describe, expect, test } from 'vitest';
import { standardAddressWarnings, standardRangeWarnings } from './standard-addresses.ts';

const release = (minor: number) => ({
  isReleasedBy: (name: string): boolean => Number(name.slice(name.indexOf('.') + 1)) <= minor,
});

describe('addresses that are taken though not every program understands them', () => {
  test.each([
    ['10.1.1.1', []],
    ['/x', []],
    ['1.2.3', []],
    [
      '010.1.1.1',
      [
        'f: non-standard IP address "010.1.1.1" will be considered invalid in a future Kubernetes release: use "10.1.1.1"',
      ],
    ],
    [
      '::ffff:1.2.3.4',
      [
        'f: non-standard IP address "::ffff:1.2.3.4" will be considered invalid in a future Kubernetes release: use "1.2.3.4"',
      ],
    ],
    ['1::0:0', ['f: IPv6 address "1::0:0" should be in RFC 5952 canonical format ("1::")']],
  ])('%s is warned of as a server of 1.35 does', (text, warnings) => {
    expect(standardAddressWarnings(release(35))('f', text)).toEqual(warnings);
  });

  test('are called invalid by 1.36', () => {
    expect(standardAddressWarnings(release(36))('f', '010.1.1.1')).toEqual([
      'f: non-standard IP address "010.1.1.1" is invalid: use "10.1.1.1"',
    ]);
  });

  test.each([
    ['10.0.0.0/8', []],
    [
      '01.1.1.0/24',
      [
        'f: non-standard CIDR value "01.1.1.0/24" will be considered invalid in a future Kubernetes release: use "1.1.1.0/24"',
      ],
    ],
    [
      '1.1.1.1/24',
      ['f: CIDR value "1.1.1.1/24" is ambiguous in this context (should be "1.1.1.0/24" or "1.1.1.1/32"?)'],
    ],
    ['1::0:0/64', ['f: IPv6 CIDR value "1::0:0/64" should be in RFC 5952 canonical format ("1::/64")']],
  ])('the range %s is warned of as a server of 1.35 does', (text, warnings) => {
    expect(standardRangeWarnings(release(35))('f', text)).toEqual(warnings);
  });
});
