import { describe, expect, test } from 'vitest';
import { VirtualServer } from '../../cli/golden/virtual-server.ts';

/** As many as a body may hold. */
const MANY = 99_000;

describe('an object with nearly a hundred thousand mistakes', () => {
  const defects: unknown[] = [];
  const server = new VirtualServer({ onDefect: (error) => defects.push(error) });
  const post = (path: string, body: object): number =>
    server.request({
      method: 'POST',
      path,
      headers: {
        authorization: 'Bearer admin-token',
        accept: 'application/json',
        'content-type': 'application/json',
      },
      body: new TextEncoder().encode(JSON.stringify(body)),
    }).status;
  const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

  test.each<[string, object]>([
    ['finalizers', { finalizers: times(MANY, '-') }],
    ['owners', { ownerReferences: times(MANY, {}) }],
    ['labels', { labels: Object.fromEntries(times(MANY, '-').map((text, at) => [`-${at}`, text])) }],
  ])('in its %s is told of them', (_, metadata) => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'wrong', ...metadata } };
    expect(post('/api/v1/namespaces/default/configmaps', object)).toBe(422);
    expect(defects).toEqual([]);
  });

  test.each<[string, object]>([['addresses', { addresses: times(MANY, {}) }]])(
    'in its %s is told of them',
    (_, subset) => {
      const object = { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'wrong' }, subsets: [subset] };
      expect(post('/api/v1/namespaces/default/endpoints', object)).toBe(422);
      expect(defects).toEqual([]);
    },
  );

  test.each<[string, object]>([
    ['environment', { containers: [{ name: 'a', image: 'b', env: times(MANY, {}) }] }],
    ['volumes', { containers: [{ name: 'a', image: 'b' }], volumes: times(MANY, {}) }],
  ])('in the %s of its pod is told of them', (_, spec) => {
    const object = {
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: { name: 'wrong' },
      template: { metadata: { labels: { a: 'b' } }, spec },
    };
    expect(post('/api/v1/namespaces/default/podtemplates', object)).toBe(422);
    expect(defects).toEqual([]);
  });
});
