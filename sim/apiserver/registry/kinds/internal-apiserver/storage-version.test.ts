/** What API servers say of what they store, as a real 1.31 server with all alpha features judges it. */
import { expect, test } from 'vitest';
import { type Ask, askedServer } from '../../../../cli/golden/asked-server.ts';

const ask = askedServer({ featureGates: 'AllAlpha=true', runtimeConfig: 'api/all=true' });
const PATH = '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions';

const saidOf = ({ status, body }: ReturnType<Ask>): string =>
  status < 300
    ? 'OK'
    : String(body.message)
        .replace(/^.*? is invalid: /, '')
        .replaceAll(/ \(e\.g\. [^)]*\)[^)]*\)(?:\*'\))?/g, '…');

const DNS_1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";

test.each([
  ['apps.k8s.io.deployments', 'OK'],
  ['pods', 'metadata.name: Invalid value: "pods": name must be in the form of <group>.<resource>'],
  ['a.1b', expect.stringContaining(`"a.1b": the resource segment ${DNS_1035}`)],
  ['A.b', expect.stringContaining('"A.b": the group segment a lowercase RFC 1123 subdomain')],
])('%s names a resource', (name, said) => {
  expect(saidOf(ask('POST', `${PATH}?dryRun=All`, { metadata: { name }, spec: {}, status: {} }))).toEqual(
    said,
  );
});

const NAME = 'example.com.things';
ask('POST', PATH, { metadata: { name: NAME }, spec: {}, status: { commonEncodingVersion: 'v1' } });

const server = (apiServerID: string, encodingVersion = 'v1', more: object = {}): object => ({
  apiServerID,
  encodingVersion,
  decodableVersions: [encodingVersion],
  ...more,
});
const condition = { type: 'T', status: 'True', reason: 'R', message: 'm' };
const SERVER = 'status.storageVersions[0]';

test.each([
  [{}, 'OK'],
  [{ storageVersions: [server('a'), server('b')], commonEncodingVersion: 'v1' }, 'OK'],
  [{ storageVersions: [server('a'), server('b', 'v2')] }, 'OK'],
  [
    { storageVersions: [server('a')] },
    'status.commonEncodingVersion: Invalid value: "null": the common encoding version is v1',
  ],
  [
    { storageVersions: [server('a')], commonEncodingVersion: 'v2' },
    'status.commonEncodingVersion: Invalid value: "v2": the actual common encoding version is v1',
  ],
  [
    { commonEncodingVersion: 'v1' },
    'status.commonEncodingVersion: Invalid value: "v1": should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet',
  ],
  [
    { storageVersions: [server('a'), server('a')], commonEncodingVersion: 'v1' },
    'status.storageVersions[1].apiServerID: Duplicate value: "a"',
  ],
  [
    {
      storageVersions: [server('a', 'v1', { decodableVersions: ['/'], servedVersions: ['v2'] })],
      commonEncodingVersion: 'v1',
    },
    `[${SERVER}.decodableVersions[0]: Invalid value: "/": group part: must be non-empty,version part: must be non-empty, ${SERVER}.decodableVersions: Invalid value: []string{"/"}: decodableVersions must include encodingVersion v1, ${SERVER}.servedVersions[0]: Invalid value: "v2": individual served version : v2 must be included in decodableVersions : [/]]`,
  ],
  [
    { conditions: [condition, { ...condition, reason: '' }] },
    '[status[1].type: Invalid value: "T": the type of the condition is not unique, it also appears in conditions[0], status[1].reason: Required value: reason cannot be empty]',
  ],
])('servers say %j', (status, said) => {
  expect(saidOf(ask('PATCH', `${PATH}/${NAME}/status?dryRun=All`, { status }))).toBe(said);
});

test('nothing of a status is taken with a resource, and nothing of the metadata with a status', () => {
  expect(ask('GET', `${PATH}/${NAME}`).body['status']).toEqual({});
  const change = { metadata: { labels: { a: 'b' } }, status: { conditions: [condition] } };
  const { body } = ask('PATCH', `${PATH}/${NAME}/status`, change);
  expect(body).toMatchObject({ status: { conditions: [condition] } });
  expect(body).not.toHaveProperty(['metadata', 'labels']);
});

test('as much as a request can hold is judged at once', () => {
  const many = Array.from({ length: 40_000 }, (_none, at) => `v${at}`);
  const said = server('a', 'v0', { decodableVersions: many, servedVersions: many });
  expect(
    saidOf(
      ask('PATCH', `${PATH}/${NAME}/status?dryRun=All`, {
        status: { storageVersions: [said], commonEncodingVersion: 'v0' },
      }),
    ),
  ).toBe('OK');
  const conditions = many.slice(0, 8_000).map((type) => ({ type, status: 'T', reason: 'R', message: 'm' }));
  expect(saidOf(ask('PATCH', `${PATH}/${NAME}/status?dryRun=All`, { status: { conditions } }))).toBe('OK');
  const unknown = server('a', 'v0', {
    decodableVersions: many,
    servedVersions: many.map((name) => `x${name}`),
  });
  expect(
    saidOf(
      ask('PATCH', `${PATH}/${NAME}/status?dryRun=All`, {
        status: { storageVersions: [unknown], commonEncodingVersion: 'v0' },
      }),
    ),
  ).toContain('must be included in decodableVersions');
});
