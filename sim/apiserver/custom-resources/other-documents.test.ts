/** Documents that say to be of another kind or version than the path's, with members that nobody knows, as a real 1.31 server was asked. */
import { expect, test } from 'vitest';
import { askedServer } from '../../cli/golden/asked-server.ts';

const PUTS = '/apis/y.io/v1/puts';
const ask = askedServer();

const version = (name: string, member: string) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { [member]: { type: 'integer' } } } },
    },
  },
});

ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
  metadata: { name: 'puts.y.io' },
  spec: {
    group: 'y.io',
    scope: 'Cluster',
    names: { plural: 'puts', kind: 'Put' },
    versions: [version('v1', 'a'), version('v2', 'b')],
  },
});
ask.sleep(5_000);
const PUT = { apiVersion: 'y.io/v1', kind: 'Put', metadata: { name: 'x' }, spec: { a: 1 } };
ask('POST', PUTS, PUT);

/** Status, message and warnings without their quotes. */
const told = (method: string, path: string, body: object): string => {
  const { status, body: answer, warnings } = ask(method, path, body);
  return [status, answer.message, ...warnings].join(' | ');
};

const UNKNOWN = { metadata: { name: 'x', unknown: 1 }, spec: { a: 1, b: 2 }, zz: 1 };
const mismatch = (apiVersion: string): string =>
  `400 | the API version in the data (${apiVersion}) does not match the expected API version (y.io/v1)`;
const unknown = (...paths: string[]): string => paths.map((path) => ` | unknown field "${path}"`).join('');
const unhandled = (kind: string, at: string, ...paths: string[]): string =>
  `400 | ${kind} in version "${at}" cannot be handled as a ${kind}: strict decoding error: ${paths.map((path) => `unknown field "${path}"`).join(', ')}`;

test.each([
  ['of another group', { apiVersion: 'v1' }, mismatch('v1'), ['metadata.unknown']],
  [
    'of a version that there is',
    { apiVersion: 'y.io/v2' },
    mismatch('y.io/v2'),
    ['metadata.unknown', 'spec.a', 'zz'],
  ],
  [
    'of one that there is not',
    { apiVersion: 'y.io/v9' },
    mismatch('y.io/v9'),
    ['metadata.unknown', 'spec', 'zz'],
  ],
  [
    'of another kind',
    { kind: 'Foo' },
    '422 | Foo.y.io "x" is invalid: kind: Invalid value: "Foo": must be Put',
    ['metadata.unknown'],
  ],
])('a new object %s is told first what its own version does not know', (_, type, refusal, paths) => {
  const body = { ...PUT, ...UNKNOWN, ...type };
  expect(told('POST', PUTS, body)).toBe(refusal + unknown(...paths));
  expect(told('POST', `${PUTS}?fieldValidation=Ignore`, body)).toBe(refusal);
  const at = body.apiVersion.replace('y.io/', '');
  expect(told('POST', `${PUTS}?fieldValidation=Strict`, body)).toBe(unhandled(body.kind, at, ...paths));
});

test('one that says no version is missed only where something is unknown', () => {
  const body = { ...PUT, apiVersion: '' };
  expect(told('PUT', `${PUTS}/x?fieldValidation=Strict`, body)).toBe(mismatch(''));
  expect(told('PUT', `${PUTS}/x?fieldValidation=Strict`, { ...body, ...UNKNOWN })).toBe(
    "400 | Object 'apiVersion' is missing in 'object has no apiVersion field'",
  );
});

test('a patch into another version is told what that does not know, before it is refused', () => {
  const patch = { apiVersion: 'y.io/v9', metadata: { unknown: 1 } };
  expect(told('PATCH', `${PUTS}/x`, patch)).toBe(
    `422 | Put.y.io "x" is invalid: apiVersion: Invalid value: "y.io/v9": must be y.io/v1${unknown('metadata.unknown', 'spec')}`,
  );
  expect(told('PATCH', `${PUTS}/x?fieldValidation=Strict`, patch)).toContain(
    'strict decoding error: unknown field "metadata.unknown", unknown field "spec"',
  );
});

test('a version of too many parts is none', () => {
  const body = { ...PUT, ...UNKNOWN, apiVersion: 'a/b/c' };
  expect(told('POST', PUTS, body)).toMatch(
    /^400 \| the object provided is unrecognized \(must be of type Put\): unexpected GroupVersion string: a\/b\/c/,
  );
});

test('a definition may be told to have stored whatever version, which counts when it is written next', () => {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/puts.y.io';
  const storedVersions = (versions: readonly string[] | null): unknown =>
    (
      ask('PATCH', `${path}/status`, { status: { storedVersions: versions } }).body['status'] as {
        storedVersions: unknown;
      }
    ).storedVersions;
  expect(storedVersions(['v9'])).toEqual(['v9']);
  expect(ask('PATCH', path, { metadata: { labels: { a: 'b' } } }).body.message).toContain(
    'status.storedVersions[0]: Invalid value: "v9": must appear in spec.versions',
  );
  expect(storedVersions([])).toEqual(['v1']);
  expect(storedVersions(null)).toEqual(['v1']);
  expect(ask('PATCH', path, { metadata: { labels: { a: 'b' } } }).status).toBe(200);
});

test('of a definition that ends its objects are shown as what can only be looked at and deleted', () => {
  ask('PATCH', `${PUTS}/x`, { metadata: { finalizers: ['a.b/c'] } });
  ask('DELETE', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/puts.y.io');
  ask.sleep(2_000);
  expect(ask('GET', '/apis/y.io/v1').body).toMatchObject({
    resources: [{ name: 'puts', verbs: ['delete', 'deletecollection', 'get', 'list', 'watch'] }],
  });
});
