/** Makes a hostile request out of a usual one: by what it means (JSON, query, path, headers) and by its bytes. */
import type { Call } from '../../../model/golden/replay/server-under-test.ts';
import { encodeYaml } from '../../api/codec/encode-yaml.ts';
import type { Random } from './random.ts';

const UTF8 = new TextEncoder();
const TEXT = new TextDecoder();
const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  ' ',
  'a'.repeat(300),
  '..',
  '\0',
  'é',
  '$ref',
  'length',
];
const nested = (depth: number, open: string, close: string): string =>
  open.repeat(depth) + '1' + close.repeat(depth);

/** Texts of JSON values, so that numbers are spelled as they are meant. */
const VALUES: readonly string[] = [
  'null',
  'true',
  '0',
  '-1',
  '1.5',
  '1e400',
  '-0',
  '9007199254740993',
  '9223372036854775808',
  '-9223372036854775809',
  '99999999999999999999999999',
  '1e21',
  '""',
  '"x"',
  '"\\u0000"',
  '"\\ud800"',
  '"1e9999"',
  '"99999999999999999999Gi"',
  '"2024-13-45T99:99:99Z"',
  '"0001-01-01T00:00:00Z"',
  '"%"',
  '"=,!()"',
  '[]',
  '{}',
  '[null]',
  '[[]]',
  '[{}]',
  '{"":{}}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"$patch":"delete"}',
  '{"$patch":"replace"}',
  '[{"$patch":"replace"}]',
  '{"$setElementOrder/containers":[1,null]}',
  '{"$retainKeys":[1]}',
  '{"$deleteFromPrimitiveList/finalizers":[{}]}',
  nested(600, '[', ']'),
  nested(3_000, '{"a":', '}'),
  `"${'x'.repeat(70_000)}"`,
  `[${'{},'.repeat(2_000)}{}]`,
  '"(((((((((((((((((((((((((((((a"',
  '"^(a+)+$"',
  '"-1h"',
  '"10000000000h"',
  '"::"',
  '"256.1.1.1/99"',
  '-2147483649',
  '2147483648',
];

const PARAMETERS: readonly string[] = [
  'limit=-1',
  'limit=9223372036854775807',
  'limit=1&continue=e30',
  'continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTUsInN0YXJ0IjoiYSJ9',
  'resourceVersion=18446744073709551616',
  'resourceVersion=9007199254740993',
  'resourceVersion=abc',
  'resourceVersion=1',
  'resourceVersionMatch=Exact',
  'resourceVersionMatch=NotOlderThan',
  'watch=true&timeoutSeconds=1',
  'watch=1&allowWatchBookmarks=true&timeoutSeconds=1',
  'sendInitialEvents=true',
  'labelSelector=a%20in%20(((',
  'labelSelector=!',
  'labelSelector=a%3Db%2Cc',
  'fieldSelector=metadata.name%3D%5C',
  'fieldSelector=__proto__%3D1',
  'dryRun=All',
  'dryRun=All&dryRun=x',
  'fieldManager=%00',
  `fieldManager=${'f'.repeat(200)}`,
  'fieldManager=m&force=true',
  'fieldValidation=Strict',
  'fieldValidation=Ignore',
  'fieldValidation=constructor',
  'gracePeriodSeconds=-1',
  'propagationPolicy=__proto__',
  'orphanDependents=true',
  'pretty=true',
  'timeout=1ms',
  'timeoutSeconds=99999999999',
  'container=%2e%2e',
  'tailLines=-1',
  'sinceSeconds=9e99',
  '=',
  '&&&',
  '%zz=1',
  'a[b]=c',
];

const ACCEPTS: readonly string[] = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io',
  'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  '*/*',
  'text/plain',
  ';;;',
  'application/json;q=2',
  'application/json;as=;v=__proto__',
  'application/json;stream=watch',
  'application/cbor',
  'application/json;as=Table;v=v1beta1;g=meta.k8s.io, application/json',
];

const CONTENT_TYPES: readonly string[] = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/json-patch+json',
  'application/apply-patch+yaml',
  'text/plain',
  'application/json; charset=x',
  '__proto__',
  '',
];
const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
const SUBRESOURCES: readonly string[] = [
  '/status',
  '/scale',
  '/binding',
  '/eviction',
  '/log',
  '/exec',
  '/token',
  '/finalize',
  '/approval',
  '/resize',
  '/proxy',
  '/proxy/x',
  '/ephemeralcontainers',
  '/__proto__',
];

type Mutation = (call: Call, random: Random) => Call;

const withHeader = (call: Call, name: string, value: string): Call => ({
  ...call,
  headers: { ...call.headers, [name]: value },
});

/** Replaces, removes, renames or repeats one part of a JSON body. */
const changePart: Mutation = (call, random) => {
  const text = call.body ? TEXT.decode(call.body) : '{}';
  const spots = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|-?[0-9][0-9.eE+-]*|true|false|null|\{\}|\[\]/g)];
  if (spots.length === 0) return call;
  const spot = random.pick(spots);
  const [found, colon] = spot;
  const before = text.slice(0, spot.index);
  const after = text.slice(spot.index + found.length);
  const name = `${JSON.stringify(random.pick(NAMES))}:`;
  const part =
    colon === undefined
      ? random.pick(VALUES)
      : random.pick([
          name,
          `${found}${random.pick(VALUES)},${found}`,
          `${found}${random.pick(VALUES)},${name}`,
        ]);
  return { ...call, body: UTF8.encode(before + part + after) };
};

/** Puts a whole value in place of an object or list. */
const changeTree: Mutation = (call, random) => {
  const text = call.body ? TEXT.decode(call.body) : '{}';
  const opening = [...text.matchAll(/[{[]/g)];
  if (opening.length === 0) return call;
  const { index } = random.pick(opening);
  let depth = 0;
  let end = index;
  for (; end < text.length; end++) {
    if (/[{[]/.test(text.charAt(end))) depth++;
    else if (/[}\]]/.test(text.charAt(end)) && --depth === 0) break;
  }
  const value = random.oneIn(3) ? `[${text.slice(index, end + 1)}]` : random.pick(VALUES);
  return { ...call, body: UTF8.encode(text.slice(0, index) + value + text.slice(end + 1)) };
};

const changeBytes: Mutation = (call, random) => {
  const bytes = Uint8Array.from(call.body ?? [0]);
  const at = random.below(Math.max(bytes.length, 1));
  if (random.oneIn(3)) return { ...call, body: bytes.subarray(0, at) };
  bytes[at] = random.below(256);
  return { ...call, body: bytes };
};

const asYaml: Mutation = (call, random) => {
  try {
    const value: unknown = JSON.parse(TEXT.decode(call.body ?? UTF8.encode('{}')));
    const text = random.oneIn(2) ? encodeYaml(value) : `# c\n--- &a\n${JSON.stringify(value)}\n`;
    const type = call.method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/yaml';
    return withHeader({ ...call, body: UTF8.encode(text) }, 'content-type', type);
  } catch {
    return call;
  }
};

const changeQuery: Mutation = (call, random) => ({
  ...call,
  path: `${call.path}${call.path.includes('?') ? '&' : '?'}${random.pick(PARAMETERS)}`,
});

const changePath: Mutation = (call, random) => {
  const [path = '', query] = call.path.split('?', 2);
  const segments = path.split('/');
  const at = 1 + random.below(Math.max(segments.length - 1, 1));
  const what = random.below(4);
  if (what < 2) segments[at] = encodeURIComponent(random.pick(NAMES));
  else if (what === 2) segments.splice(at, 1);
  const changed = segments.join('/') + (random.oneIn(3) ? random.pick(SUBRESOURCES) : '');
  return {
    ...call,
    path: (changed.startsWith('/') ? changed : `/${changed}`) + (query === undefined ? '' : `?${query}`),
  };
};

const MUTATIONS: readonly Mutation[] = [
  changePart,
  changePart,
  changePart,
  changeTree,
  changeBytes,
  asYaml,
  changeQuery,
  changePath,
  (call, random) => withHeader(call, 'accept', random.pick(ACCEPTS)),
  (call, random) => withHeader(call, 'content-type', random.pick(CONTENT_TYPES)),
  (call, random) => ({ ...call, method: random.pick(METHODS) }),
  (call, random) => withHeader(call, 'impersonate-user', random.pick(['alice', '', 'system:anonymous', 'é'])),
];

/** One call in four stays as it is, so that there is something to attack. */
export function mutated(call: Call, random: Random): Call {
  let hostile = call;
  for (let count = random.below(4); count > 0; count--) hostile = random.pick(MUTATIONS)(hostile, random);
  return hostile;
}
