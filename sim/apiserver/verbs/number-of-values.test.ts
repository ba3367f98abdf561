import { describe, expect, test } from 'vitest';
import { ENVELOPE_END, envelopeHead } from '../../api/codec/envelope.ts';
import { MOST_VALUES } from '../../api/codec/value-bound.ts';
import { VirtualServer } from '../../cli/golden/virtual-server.ts';

const server = new VirtualServer();
const ENDPOINTS = '/api/v1/namespaces/default/endpoints';
const UTF8 = new TextEncoder();

function ask(method: string, path: string, type: string, body: string | Uint8Array) {
  const { status, bytes } = server.request({
    method,
    path,
    headers: { authorization: 'Bearer admin-token', accept: 'application/json', 'content-type': type },
    body: typeof body === 'string' ? UTF8.encode(body) : body,
  });
  return { status, body: JSON.parse(new TextDecoder().decode(bytes)) as { message?: string } };
}

/** Its members are seven values, and each subset is one more. */
const BESIDES = 5;
const named = (name: string) => `{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"${name}"}`;
const json = (name: string, subsets: number): string =>
  `${named(name)},"subsets":[${Array.from({ length: subsets }, () => '{}').join()}]}`;
const yaml = (name: string, subsets: number): string =>
  `apiVersion: v1\nkind: Endpoints\nmetadata:\n  name: ${name}\nsubsets:\n${'- {}\n'.repeat(subsets)}`;
/** A field of the message, of no bytes. */
const EMPTY_SUBSET = [0x12, 0];

function protobuf(subsets: number): Uint8Array {
  const raw = Array.from({ length: subsets }, () => EMPTY_SUBSET).flat();
  return new Uint8Array([...envelopeHead('v1', 'Endpoints', raw.length), ...raw, ...ENVELOPE_END]);
}

const REFUSED = {
  status: 413,
  body: {
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: limit is ${MOST_VALUES} values`,
  },
};

describe('a body of more values than anybody has the time for is refused', () => {
  test('in JSON, and one of as many is not', () => {
    expect(ask('POST', ENDPOINTS, 'application/json', json('a', MOST_VALUES))).toMatchObject(REFUSED);
    expect(ask('POST', ENDPOINTS, 'application/json', json('a', MOST_VALUES - 2 * BESIDES)).status).toBe(422);
  });

  test('in YAML, and one of as many is not', () => {
    expect(ask('POST', ENDPOINTS, 'application/yaml', yaml('a', MOST_VALUES))).toMatchObject(REFUSED);
    expect(ask('POST', ENDPOINTS, 'application/yaml', yaml('a', MOST_VALUES - BESIDES)).status).toBe(422);
  });

  test('in protobuf, and one of as many is not', () => {
    const type = 'application/vnd.kubernetes.protobuf';
    expect(ask('POST', ENDPOINTS, type, protobuf(MOST_VALUES + 1))).toMatchObject(REFUSED);
    expect(ask('POST', ENDPOINTS, type, protobuf(MOST_VALUES)).status).toBe(422);
  });

  test('as a patch of any kind', () => {
    ask('POST', ENDPOINTS, 'application/json', `${named('b')}}`);
    for (const type of ['application/merge-patch+json', 'application/strategic-merge-patch+json'])
      expect(ask('PATCH', `${ENDPOINTS}/b`, type, json('b', MOST_VALUES))).toMatchObject(REFUSED);
    const applied = `${ENDPOINTS}/b?fieldManager=m`;
    const type = 'application/apply-patch+yaml';
    expect(ask('PATCH', applied, type, json('b', MOST_VALUES))).toMatchObject(REFUSED);
    expect(ask('PATCH', applied, type, yaml('b', MOST_VALUES))).toMatchObject(REFUSED);
  });

  test('but a text with as many lines and brackets is one value', () => {
    const text = '[{,\n'.repeat(MOST_VALUES);
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: text } };
    const maps = '/api/v1/namespaces/default/configmaps';
    expect(ask('POST', maps, 'application/json', JSON.stringify(object)).status).toBe(201);
    const lines = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d}\ndata:\n  a: |\n${'    [,\n'.repeat(MOST_VALUES)}`;
    expect(ask('POST', maps, 'application/yaml', lines).status).toBe(201);
  });
});
