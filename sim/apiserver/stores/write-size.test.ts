import { beforeAll, describe, expect, test } from 'vitest';
import type { ObjectMeta } from '../../api/object.ts';
import { VirtualServer } from '../../cli/golden/virtual-server.ts';

const TEMPLATES = '/api/v1/namespaces/default/podtemplates';
const FOOS = '/apis/x.io/v1/namespaces/default/foos';
const APPLY = 'application/apply-patch+yaml';
const TOO_LARGE = 'etcdserver: request is too large';
const tooLong = (bytes: number): string =>
  `rpc error: code = ResourceExhausted desc = trying to send message larger than max (${bytes} vs. 2097152)`;

/** All numbers are those of a real server with its etcd. */
describe('a write that etcd would not take', () => {
  const server = new VirtualServer();
  const ask = (method: string, path: string, body?: unknown, contentType = 'application/json') => {
    const { status, bytes } = server.request({
      method,
      path,
      headers: {
        authorization: 'Bearer admin-token',
        accept: 'application/json',
        'content-type': contentType,
      },
      ...(body !== undefined && { body: new TextEncoder().encode(JSON.stringify(body)) }),
    });
    const answer = JSON.parse(new TextDecoder().decode(bytes)) as { message?: string; metadata: object };
    return { status, message: answer.message, answer };
  };
  const template = (name: string, length: number) => ({
    apiVersion: 'v1',
    kind: 'PodTemplate',
    metadata: { name },
    template: {
      spec: { containers: [{ name: 'a', image: 'b', env: [{ name: 'A', value: 'x'.repeat(length) }] }] },
    },
  });
  const foo = (name: string, length: number) => ({
    apiVersion: 'x.io/v1',
    kind: 'Foo',
    metadata: { name },
    spec: 'x'.repeat(length),
  });

  beforeAll(() => {
    const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'foos.x.io' },
      spec: {
        group: 'x.io',
        scope: 'Namespaced',
        names: { plural: 'foos', kind: 'Foo' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    });
    server.sleep(3_000);
    ask('POST', TEMPLATES, template('u000000', 5));
  });

  test.each([
    [1_572_470, 201, undefined],
    [1_572_490, 500, TOO_LARGE],
    [2_096_783, 500, TOO_LARGE],
    [2_096_784, 500, tooLong(2_097_153)],
    [2_100_000, 500, tooLong(2_100_378)],
    [3_100_000, 500, tooLong(3_100_378)],
    [3_200_000, 413, 'Request entity too large: limit is 3145728'],
  ])('is refused when it creates a template of %i characters: %i', (length, status, message) => {
    const { status: answered, message: said } = ask('POST', TEMPLATES, template('b000000', length));
    expect({ answered, said }).toEqual({ answered: status, said: message });
  });

  test.each([
    [1_572_425, 200, undefined],
    [1_572_445, 500, TOO_LARGE],
    [2_100_000, 500, tooLong(2_100_423)],
  ])('is refused when it replaces one by %i characters: %i', (length, status, message) => {
    const { status: answered, message: said } = ask(
      'PUT',
      `${TEMPLATES}/u000000`,
      template('u000000', length),
    );
    expect({ answered, said }).toEqual({ answered: status, said: message });
  });

  test.each([
    [1_572_560, 201, undefined],
    [1_572_580, 500, TOO_LARGE],
    [2_100_000, 500, tooLong(2_100_280)],
  ])('is refused when it creates a custom object of %i characters: %i', (length, status, message) => {
    const { status: answered, message: said } = ask('POST', FOOS, foo('f', length));
    expect({ answered, said }).toEqual({ answered: status, said: message });
  });

  test('is refused before anybody sees that the object is there, and as an apply', () => {
    expect(ask('POST', TEMPLATES, template('u000000', 1_600_000)).message).toBe(TOO_LARGE);
    const applied = ask(
      'PATCH',
      `${TEMPLATES}/applied?fieldManager=m`,
      template('applied', 1_600_000),
      APPLY,
    );
    expect(applied).toMatchObject({ status: 500, message: TOO_LARGE });
  });

  test('loses its managed fields where it fits without them, but for an apply', () => {
    const fields = (name: string) =>
      (ask('GET', `${TEMPLATES}/${name}`).answer.metadata as { managedFields?: object }).managedFields;
    const apply = (name: string, length: number) =>
      ask('PATCH', `${TEMPLATES}/${name}?fieldManager=m&force=true`, template(name, length), APPLY);
    const merge = (name: string, length: number) =>
      ask('PATCH', `${TEMPLATES}/${name}`, template(name, length), 'application/merge-patch+json');
    expect(apply('fields', 1_572_100).status).toBe(201);
    expect(apply('fields2', 1_572_400)).toMatchObject({ status: 500, message: TOO_LARGE });
    ask('POST', TEMPLATES, template('fields3', 5));
    expect(merge('fields3', 1_571_800).status).toBe(200);
    expect(fields('fields3')).toBeDefined();
    expect(apply('fields3', 1_571_800)).toMatchObject({ status: 500, message: TOO_LARGE });
    expect(merge('fields3', 1_572_400).status).toBe(200);
    expect(fields('fields3')).toBeUndefined();
    const { resourceVersion } = ask('GET', `${TEMPLATES}/fields3`).answer.metadata as ObjectMeta;
    expect(ask('PUT', `${TEMPLATES}/fields3`, template('fields3', 1_572_400)).status).toBe(200);
    expect(ask('GET', `${TEMPLATES}/fields3`).answer.metadata).toMatchObject({ resourceVersion });
  });

  test('keeps managed fields of long names up to the last byte', () => {
    const path = '/api/v1/namespaces/default/configmaps';
    const names = Array.from({ length: 2_800 }, (_, index) => `${'n'.repeat(245)}${index}`);
    const data = Object.fromEntries(names.map((name) => [name, '']));
    const isKept = (length: number): boolean => {
      const filled = { ...data, text: 'x'.repeat(length) };
      const { answer } = ask('POST', path, { metadata: { name: `kept-${length}` }, data: filled });
      return 'managedFields' in answer.metadata;
    };
    let [kept, lost] = [0, 300_000];
    while (lost - kept > 1) {
      const middle = Math.floor((kept + lost) / 2);
      if (isKept(middle)) kept = middle;
      else lost = middle;
    }
    const accept = 'application/vnd.kubernetes.protobuf';
    const headers = { authorization: 'Bearer admin-token', accept };
    const { bytes } = server.request({ method: 'GET', path: `${path}/kept-${kept}`, headers });
    expect(Math.abs(1536 * 1024 - bytes.length)).toBeLessThan(300);
  });

  test('passes as a dry run', () => {
    expect(ask('POST', `${TEMPLATES}?dryRun=All`, template('dry', 2_100_000)).status).toBe(201);
  });

  test('is refused when small patches of a large object add up to it, and a smaller one is taken again', () => {
    ask('POST', TEMPLATES, template('grown', 1_560_000));
    const path = `${TEMPLATES}/grown`;
    const annotate = (name: string, length: number) =>
      ask(
        'PATCH',
        path,
        { metadata: { annotations: { [name]: 'x'.repeat(length) } } },
        'application/merge-patch+json',
      );
    expect(annotate('a', 5_000).status).toBe(200);
    expect(annotate('b', 5_000).status).toBe(200);
    expect(annotate('c', 5_000)).toMatchObject({ status: 500, message: TOO_LARGE });
    expect(ask('GET', path).answer.metadata).not.toHaveProperty('annotations.c');
    expect(annotate('b', 10).status).toBe(200);
    expect(annotate('c', 4_000).status).toBe(200);
  });

  test('is refused when a patch of few bytes copies much', () => {
    ask('POST', FOOS, { ...foo('copied', 10), items: { a: 'x'.repeat(300_000) } });
    const copies = [0, 1, 2, 3, 4].map((at) => ({ op: 'copy', from: '/items/a', path: `/items/b${at}` }));
    const patched = ask('PATCH', `${FOOS}/copied`, copies, 'application/json-patch+json');
    expect(patched).toMatchObject({ status: 500, message: TOO_LARGE });
  });

  test('is refused when small writes of a small object add up to it', () => {
    ask('POST', FOOS, foo('slow', 10));
    const statuses: number[] = [];
    for (let at = 0; at < 64 && !statuses.includes(500); at++) {
      const member = { [`m${at}`]: 'x'.repeat(30_000) };
      statuses.push(
        ask('PATCH', `${FOOS}/slow`, { spec: 'y', ...member }, 'application/merge-patch+json').status,
      );
    }
    expect(statuses).toHaveLength(53);
  });
});
