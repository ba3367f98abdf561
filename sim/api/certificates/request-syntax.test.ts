import { describe, expect, it, test } from 'vitest';
import { firstPemBlock } from './pem.ts';
import { requestProblem } from './request-syntax.ts';

const fromHex = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
const PARAMETERS =
  '{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false}';

// As a real 1.31 server refuses them.
test.each([
  ['', 'asn1: syntax error: sequence truncated'],
  ['00', 'asn1: syntax error: truncated tag or length'],
  ['30', 'asn1: syntax error: truncated tag or length'],
  ['3000', 'asn1: syntax error: sequence truncated'],
  ['3001', 'asn1: syntax error: data truncated'],
  ['3080', 'asn1: syntax error: indefinite length found (not DER)'],
  ['308201', 'asn1: syntax error: truncated tag or length'],
  ['30820001', 'asn1: structure error: superfluous leading zeros in length'],
  ['30810100', 'asn1: structure error: non-minimal length'],
  ['300100', 'asn1: syntax error: truncated tag or length'],
  ['30023000', 'asn1: syntax error: sequence truncated'],
  ['1f00', 'asn1: syntax error: non-minimal tag'],
  [
    '0000',
    `asn1: structure error: tags don't match (16 vs {class:0 tag:0 length:0 isCompound:false}) ${PARAMETERS} certificateRequest @2`,
  ],
  [
    'a000',
    `asn1: structure error: tags don't match (16 vs {class:2 tag:0 length:0 isCompound:true}) ${PARAMETERS} certificateRequest @2`,
  ],
  [
    '3003020100',
    `asn1: structure error: tags don't match (16 vs {class:0 tag:2 length:1 isCompound:false}) ${PARAMETERS} tbsCertificateRequest @2`,
  ],
])('a request of the bytes %s is told in the words of Go what it lacks', (hex, problem) => {
  expect(requestProblem(fromHex(hex))).toBe(problem);
});

describe('a block of PEM', () => {
  const block = (type: string, body: string, end = type): string =>
    `-----BEGIN ${type}-----\n${body}\n-----END ${end}-----\n`;
  const typeIn = (text: string): string | undefined => firstPemBlock(text)?.type;

  it('is found behind other text and behind what cannot be read', () => {
    expect(typeIn(block('A', 'AAAA'))).toBe('A');
    expect(typeIn(`hello\n${block('A', 'AAAA')}`)).toBe('A');
    expect(typeIn(block('A', '!!') + block('B', 'AAAA'))).toBe('B');
    expect(typeIn(block('A', 'AAA') + block('B', 'AAAA'))).toBe('B');
    expect(typeIn(block('A', 'AAAA', 'C') + block('B', 'AAAA'))).toBe('B');
    expect(typeIn(block('A', 'Some: header\n\nAAAA'))).toBe('A');
    expect(typeIn(block('A', 'AAAA').replaceAll('\n', '\r\n'))).toBe('A');
  });

  it('begins and ends in lines of their own', () => {
    expect(typeIn(`x${block('A', 'AAAA')}`)).toBeUndefined();
    expect(typeIn('-----BEGIN A-----AAAA\n-----END A-----\n')).toBeUndefined();
    expect(typeIn('-----BEGIN A-----\nAAAA')).toBeUndefined();
    expect(typeIn('')).toBeUndefined();
  });
});
