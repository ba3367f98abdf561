import { describe, expect, it } from 'vitest';
import { FieldPath } from './field-path.ts';
import {
  formatIpv4,
  isInRange,
  isStrictlyWithin,
  parseCidr,
  parseIp,
  validateNonSpecialIp,
} from './ip-address.ts';

describe('addresses', () => {
  it('are read in every form of both families', () => {
    expect(parseIp('10.9.8.7')).toEqual({ family: 'IPv4', bits: 0x0a090807n });
    expect(parseIp('010.0.0.1')?.bits).toBe(0x0a000001n);
    expect(parseIp('::1')).toEqual({ family: 'IPv6', bits: 1n });
    expect(parseIp('2001:db8::ffff')?.bits).toBe((0x20010db8n << 96n) | 0xffffn);
    expect(parseIp('::ffff:10.0.0.1')).toEqual({ family: 'IPv4', bits: 0x0a000001n });
  });

  it('are refused when they are none', () => {
    for (const text of [
      '',
      'x',
      '1.2.3',
      '1.2.3.256',
      '1.2.3.4.5',
      ':::',
      '1::2::3',
      '1:2:3:4:5:6:7',
      '12345::',
    ]) {
      expect(parseIp(text), text).toBeUndefined();
    }
  });

  it('that mean the host itself are no destination', () => {
    const findings = (text: string) =>
      validateNonSpecialIp(text, FieldPath.of('ip')).map(({ message }) => message);
    expect(findings('10.0.0.1')).toEqual([]);
    expect(findings('127.0.0.1')).toEqual([
      'Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ]);
    expect(findings('0.0.0.0')).toEqual(['Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)']);
    expect(findings('fe80::1')[0]).toContain('link-local range');
  });
});

describe('ranges', () => {
  it('hold the addresses with their prefix', () => {
    const range = parseCidr('10.96.0.0/16');
    const [inside, outside] = ['10.96.255.255', '10.97.0.0'].map(parseIp);
    if (!range || !inside || !outside) throw new Error('all of these are well formed');
    expect(isInRange(inside, range)).toBe(true);
    expect(isInRange(outside, range)).toBe(false);
    expect(formatIpv4(range.base + 1n)).toBe('10.96.0.1');
  });

  it('lie strictly within larger ones only', () => {
    const [large, small, other] = ['10.0.0.0/8', '10.1.0.0/16', '11.0.0.0/16'].map(parseCidr);
    if (!large || !small || !other) throw new Error('all of these are well formed');
    expect(isStrictlyWithin(small, large)).toBe(true);
    expect(isStrictlyWithin(large, large)).toBe(false);
    expect(isStrictlyWithin(other, large)).toBe(false);
  });
});
