/** Bundles of authorities, as a real 1.31 server with all alpha features judges them. */
import { describe, expect, it, test } from 'vitest';
import { AUTHORITY, LEAF, RSA_AUTHORITY } from '../../../../api/certificates/certificates.fixture.ts';
import { askedServer } from '../../../../cli/golden/asked-server.ts';

const PATH = '/apis/certificates.k8s.io/v1alpha1/clustertrustbundles';
const ask = askedServer({ featureGates: 'AllAlpha=true', runtimeConfig: 'api/all=true' });

const bundle = (name: string, spec: object): object => ({
  apiVersion: 'certificates.k8s.io/v1alpha1',
  kind: 'ClusterTrustBundle',
  metadata: { name },
  spec,
});

/** What is said of the object; `OK` if it is taken. */
const saidOf = ({ status, body }: ReturnType<typeof ask>): string =>
  status < 300 ? 'OK' : String(body.message).replace(/^.* is invalid: /, '');

const created = (name: string, spec: object): string =>
  saidOf(ask('POST', `${PATH}?dryRun=All`, bundle(name, spec)));

const anchor = (text: string): string => `spec.trustBundle: Invalid value: "<value omitted>": ${text}`;
const NONE = anchor('at least one trust anchor must be provided');
const HEADED = AUTHORITY.replace('-----\n', '-----\nA: b\n\n');
const KEY = AUTHORITY.replaceAll('CERTIFICATE', 'PRIVATE KEY');

test.each([
  [AUTHORITY, 'OK'],
  [`text\n${AUTHORITY}\nbetween\n${RSA_AUTHORITY}\n`, 'OK'],
  ['', NONE],
  ['x', NONE],
  [HEADED, anchor('entry 0 has PEM block headers')],
  [`${AUTHORITY}\n${KEY}`, anchor('entry 1 has bad block type: PRIVATE KEY')],
  [LEAF, anchor('entry 0 does not have the CA bit set')],
  [`${AUTHORITY}\n${RSA_AUTHORITY}\n${AUTHORITY}`, anchor('duplicate trust anchor (indices [0 2])')],
  ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', anchor('entry 0 does not parse as X.509')],
])('a bundle of %# holds certificates of authorities alone', (trustBundle, said) => {
  expect(created('a', { trustBundle })).toBe(said);
});

describe('the name of a bundle', () => {
  it.each([
    [
      'a:b',
      '',
      'metadata.name: Invalid value: "a:b": ClusterTrustBundle without signer name must not have ":" in its name',
    ],
    ['example.com:s:a', 'example.com/s', 'OK'],
    [
      'a',
      'example.com/s',
      'metadata.name: Invalid value: "a": ClusterTrustBundle for signerName example.com/s must be named with prefix example.com:s:',
    ],
    [
      'bad:a',
      'bad',
      `spec.signerName: Invalid value: "bad": must be a fully qualified domain and path of the form 'example.com/signer-name'`,
    ],
    [
      `${'a.'.repeat(126)}bc:s:a`,
      `${'a.'.repeat(126)}bc/s`,
      'spec.signerName: Too long: must have at most 253 bytes',
    ],
  ])('%s begins with its signer "%s"', (name, signerName, said) => {
    expect(created(name, { signerName, trustBundle: AUTHORITY })).toBe(said);
  });

  it('is held against a signer that is changed, which it may not be', () => {
    ask('POST', PATH, bundle('changed', { trustBundle: AUTHORITY }));
    const signed = { spec: { signerName: 'example.com/s' } };
    expect(saidOf(ask('PATCH', `${PATH}/changed`, signed))).toBe(
      '[metadata.name: Invalid value: "changed": ClusterTrustBundle for signerName example.com/s must be named with prefix example.com:s:, spec.signerName: Invalid value: "example.com/s": field is immutable]',
    );
  });
});

test('a PUT says which version it replaces', () => {
  const body = bundle('put', { trustBundle: AUTHORITY });
  ask('POST', PATH, body);
  expect(saidOf(ask('PUT', `${PATH}/put`, body))).toBe(
    'metadata.resourceVersion: Invalid value: 0x0: must be specified for an update',
  );
});
