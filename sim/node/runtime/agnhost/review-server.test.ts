import { describe, expect, it } from 'vitest';
import { reviewServerOf } from './review-server.ts';

const server = (...args: readonly string[]) =>
  reviewServerOf({ name: 'c', image: 'registry.k8s.io/e2e-test-images/agnhost:2.53', args });

const said = (path: string, request: object, ...flags: readonly string[]): unknown => {
  const body = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'u', ...request },
  };
  const answer = server('webhook', ...flags)?.answer(path, body);
  if (answer?.status !== 200) return answer?.status;
  const { response } = JSON.parse(answer.body) as { readonly response: { readonly patch?: string } };
  const { patch, ...rest } = response;
  return { ...rest, ...(patch !== undefined && { patch: JSON.parse(atob(patch)) as unknown }) };
};
const allowed = { uid: 'u', allowed: true };
const denied = (status: object) => ({ uid: 'u', allowed: false, status: { metadata: {}, ...status } });
const adding = (path: string, value: unknown, op = 'add') => ({
  ...allowed,
  patchType: 'JSONPatch',
  patch: [{ op, path, value }],
});
const DISALLOWED = { 'webhook-e2e-test': 'webhook-disallow' };

describe('the webhook of the test image', () => {
  it.each([
    ['/always-deny', {}, denied({ message: 'this webhook denies all requests' })],
    ['/add-label', { object: {} }, adding('/metadata/labels', { 'added-label': 'yes' })],
    [
      '/add-label',
      { object: { metadata: { labels: { a: 'b' } } } },
      adding('/metadata/labels/added-label', 'yes'),
    ],
    [
      '/add-label',
      { object: { metadata: { labels: { 'added-label': 'no' } } } },
      adding('/metadata/labels/added-label', 'yes', 'replace'),
    ],
    ['/add-label', { object: { metadata: { labels: { 'added-label': 'yes' } } } }, allowed],
    [
      '/pods',
      {
        object: { metadata: { labels: DISALLOWED }, spec: { containers: [{ name: 'webhook-disallow-1' }] } },
      },
      denied({ message: 'the pod contains unwanted label; the pod contains unwanted container name;' }),
    ],
    ['/pods', { object: { spec: { containers: [{ name: 'a' }] } } }, allowed],
    [
      '/pods/attach',
      { name: 'to-be-attached-pod', object: { stdin: true, container: 'container1' } },
      denied({ message: "attaching to pod 'to-be-attached-pod' is not allowed" }),
    ],
    ['/pods/attach', { name: 'to-be-attached-pod', object: { container: 'container1' } }, allowed],
    ['/mutating-pods', { object: { metadata: { name: 'other' } } }, allowed],
    [
      '/configmaps',
      { operation: 'CREATE', object: { data: DISALLOWED } },
      denied({ reason: 'the configmap contains unwanted key and value' }),
    ],
    [
      '/custom-resource',
      { operation: 'DELETE', oldObject: { data: { 'webhook-e2e-test': 'webhook-nondeletable' } } },
      denied({ reason: 'the custom resource cannot be deleted because it contains unwanted key and value' }),
    ],
    ['/configmaps', { operation: 'DELETE', oldObject: { data: DISALLOWED } }, allowed],
    [
      '/mutating-configmaps',
      { object: { data: { 'mutation-start': 'yes' } } },
      adding('/data/mutation-stage-1', 'yes'),
    ],
    [
      '/mutating-custom-resource',
      { object: { data: { 'mutation-start': 'yes', 'mutation-stage-1': 'yes' } } },
      adding('/data/mutation-stage-2', 'yes'),
    ],
    [
      '/crd',
      { object: { metadata: { labels: DISALLOWED } } },
      denied({ message: 'the crd contains unwanted label' }),
    ],
    [
      '/mutating-pods-sidecar',
      { object: {} },
      denied({
        status: 'Failure',
        message: 'No image specified by the sidecar-image parameter',
        code: 500,
      }),
    ],
    ['/nowhere', {}, 404],
  ])('answers at %s to %j', (path, request, answer) => {
    expect(said(path, request)).toEqual(answer);
  });

  it('adds the sidecar that it was told to, once', () => {
    const added = { image: 'side:1', name: 'webhook-added-sidecar', resources: {} };
    expect(said('/mutating-pods-sidecar', { object: {} }, '--sidecar-image=side:1')).toEqual(
      adding('/spec/containers/-', added),
    );
    const object = { spec: { containers: [added] } };
    expect(said('/mutating-pods-sidecar', { object }, '--sidecar-image=side:1')).toEqual(allowed);
  });

  it('listens where it is told to, answers late or never, and is no other program', () => {
    expect(server('webhook', '--port', '8444')?.port).toBe(8444);
    expect(server('webhook')?.port).toBe(443);
    const review = {
      request: { uid: 'u', object: { metadata: { labels: { 'webhook-e2e-test': 'wait-forever' } } } },
    };
    expect(server('webhook')?.answer('/pods', review).afterSeconds).toBe(Infinity);
    expect(server('webhook')?.answer('/always-allow-delay-5s', review).afterSeconds).toBe(5);
    expect(server('webhook')?.answer('/readyz', undefined)).toMatchObject({ status: 200, body: 'ok' });
    expect(server('webhook')?.answer('/pods', undefined).status).toBe(400);
    expect(server('pause')).toBeUndefined();
    expect(reviewServerOf({ name: 'c', image: 'other', args: ['webhook'] })).toBeUndefined();
  });
});

describe('the converter of the test image', () => {
  const [v1, v2] = ['stable.example.com/v1', 'stable.example.com/v2'];
  const converted = (desiredAPIVersion: string, ...objects: readonly object[]): unknown => {
    const body = { request: { uid: 'u', desiredAPIVersion, objects } };
    const answer = server('crd-conversion-webhook')?.answer('/crdconvert', body);
    const { response } = JSON.parse(answer?.body ?? '') as {
      readonly response: {
        readonly convertedObjects: unknown;
        readonly result: { readonly message?: string };
      };
    };
    return response.result.message ?? response.convertedObjects;
  };

  it.each([
    [v2, { apiVersion: v1, hostPort: 'h:1' }, [{ apiVersion: v2, host: 'h', port: '1' }]],
    [v2, { apiVersion: v1, a: 1 }, [{ apiVersion: v2, a: 1 }]],
    [v1, { apiVersion: v2, host: 'h', port: '1' }, [{ apiVersion: v1, hostPort: 'h:1' }]],
    [v1, { apiVersion: v2, port: '1' }, [{ apiVersion: v1, hostPort: ':1' }]],
    [v1, { apiVersion: v2 }, [{ apiVersion: v1 }]],
    [v2, { apiVersion: v1, hostPort: 'h' }, 'invalid hostPort value `h`'],
    [v1, { apiVersion: v1 }, `conversion from a version to itself should not call the webhook: ${v1}`],
    [v1, { apiVersion: 'a/v3' }, 'unexpected conversion version "a/v3"'],
    ['a/v3', { apiVersion: v1 }, 'unexpected conversion version "a/v3"'],
  ])('brings to %s what is %j', (desired, object, outcome) => {
    expect(converted(desired, object)).toEqual(outcome);
  });
});
