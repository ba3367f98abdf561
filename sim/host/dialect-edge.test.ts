import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RELEASE_1_31 } from '../api/release/release-1-31.ts';
import { readWatchFrames, unwrapEnvelope, wrapEnvelope } from '../api/codec/envelope.ts';
import { decodeProtobuf, encodeProtobuf } from '../api/codec/protobuf.ts';
import { neutralDialect } from '../api/dialect.ts';
import { serve, type Serving } from './serve.ts';

const { types } = RELEASE_1_31.catalog;

describe('a server that speaks neutral words', () => {
  let serving: Serving;
  beforeAll(async () => {
    serving = await serve({
      bindAddress: '127.0.0.1',
      httpPort: 0,
      seed: 1,
      speed: 1,
      dialect: neutralDialect('example.org'),
      onDefect: (error) => {
        throw error;
      },
    });
  });
  afterAll(() => serving.stop());

  const send = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${serving.urls[0] ?? ''}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, type: response.headers.get('content-type') ?? '', text };
  };
  const LEASES = '/apis/coordination.example.org/v1/namespaces/default/leases';

  test('takes and gives groups of its domain', async () => {
    const lease = {
      apiVersion: 'coordination.example.org/v1',
      kind: 'Lease',
      metadata: { name: 'a' },
      spec: { holderIdentity: 'k8s.io' },
    };
    const { status, text } = await send('POST', LEASES, lease);
    expect(status).toBe(201);
    expect(JSON.parse(text)).toMatchObject(lease);
    expect((await send('GET', '/apis')).text).toContain('"coordination.example.org/v1"');
  });

  test('takes and gives labels and taints of its domain, and leaves data alone', async () => {
    const node = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n', labels: { 'orchestrator.io/os': 'linux' } },
    };
    const created = (await send('POST', '/api/v1/nodes', node)).text;
    expect(JSON.parse(created)).toMatchObject(node);
    // Every new node gets it.
    expect(created).toContain('"key":"node.orchestrator.io/not-ready"');
    const selected = await send('GET', '/api/v1/nodes?labelSelector=orchestrator.io%2Fos%3Dlinux');
    expect(JSON.parse(selected.text)).toMatchObject({ items: [{ metadata: { name: 'n' } }] });
    const map = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'm' },
      data: { text: 'see kubernetes.io and k8s.io' },
    };
    expect(JSON.parse((await send('POST', '/api/v1/namespaces/default/configmaps', map)).text)).toMatchObject(
      map,
    );
  });

  test('names its groups in refusals', async () => {
    expect((await send('GET', `${LEASES}/none`)).text).toContain(
      'leases.coordination.example.org \\"none\\" not found',
    );
  });

  test('knows its own media type', async () => {
    const accept = 'application/vnd.orchestrator.protobuf';
    const { status, type } = await send('GET', '/api/v1/namespaces', undefined, { accept });
    expect(status).toBe(200);
    expect(type).toBe(accept);
  });

  test('takes and gives the words inside of protobuf', async () => {
    const type = 'application/vnd.orchestrator.protobuf';
    const schema = types.structOf('coordination.k8s.io/v1.Lease');
    const labels = { 'orchestrator.io/os': 'linux' };
    const body = wrapEnvelope({
      apiVersion: 'coordination.example.org/v1',
      kind: 'Lease',
      raw: encodeProtobuf(schema, { metadata: { name: 'binary', labels }, spec: {} }),
    });
    const url = `${serving.urls[0] ?? ''}${LEASES}`;
    const created = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body });
    expect(await created.json()).toMatchObject({ metadata: { name: 'binary', labels } });
    const answer = await fetch(`${url}/binary`, { headers: { accept: type } });
    const { apiVersion, raw } = unwrapEnvelope(new Uint8Array(await answer.arrayBuffer()));
    expect(apiVersion).toBe('coordination.example.org/v1');
    expect(decodeProtobuf(schema, raw)).toMatchObject({ metadata: { name: 'binary', labels } });
    const watch = `${url}?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Dbinary`;
    const events = await fetch(watch, { headers: { accept: `${type};stream=watch` } });
    const [first] = readWatchFrames(new Uint8Array(await events.arrayBuffer()));
    expect(first?.type).toBe('ADDED');
    expect(unwrapEnvelope(first?.object ?? new Uint8Array()).apiVersion).toBe('coordination.example.org/v1');
  });

  test('describes itself in its own words', async () => {
    const { text } = await send('GET', '/openapi/v3');
    expect(text).toContain('"apis/coordination.example.org/v1"');
    const document = (await send('GET', '/openapi/v3/apis/coordination.example.org/v1')).text;
    expect(document).toContain('/apis/coordination.example.org/v1/namespaces/{namespace}/leases');
    expect(document).toContain('application/vnd.orchestrator.protobuf');
    expect(document).not.toMatch(/coordination\.k8s\.io|vnd\.kubernetes/);
  });

  test('translates events of a watch', async () => {
    const { text } = await send('GET', `${LEASES}?watch=true&timeoutSeconds=1`);
    expect(text).toContain('"apiVersion":"coordination.example.org/v1"');
  });
});
