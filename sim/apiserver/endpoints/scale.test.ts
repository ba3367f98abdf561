import { describe, expect, it } from 'vitest';
import { createCluster, milliseconds, seconds, type WireAnswer, WireUser } from '../../index.ts';

const user = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const APPLY = { 'content-type': 'application/apply-patch+yaml' };
const MERGE = { 'content-type': 'application/merge-patch+json' };

const scaled = (spec: object, metadata: object = {}): object => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'web', ...metadata },
  spec,
});

/** A cluster with a Deployment of three. */
function setUp() {
  const cluster = createCluster({ controllers: [], scheduler: false, nodes: 0 });
  cluster.advance(milliseconds(100));
  const wire = new WireUser(cluster);
  const send = (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH',
    path: string,
    sent: {
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
      readonly query?: Readonly<Record<string, string>>;
    } = {},
  ): WireAnswer =>
    wire.request({
      method,
      path,
      user,
      query: {},
      ...sent,
      headers: { accept: 'application/json', ...sent.headers },
    });
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { replicas: 3, selector: { matchLabels: { app: 'a' } }, template };
  const body = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec };
  expect(send('POST', DEPLOYMENTS, { body })?.status).toBe(201);
  const entries = (path = `${DEPLOYMENTS}/web`): readonly Entry[] => {
    const { metadata } = objectOf(send('GET', path)) as {
      readonly metadata: { readonly managedFields: readonly Entry[] };
    };
    return metadata.managedFields;
  };
  const owners = (): unknown => entries().map(({ manager, subresource = '' }) => `${manager} ${subresource}`);
  return { cluster, send, entries, owners };
}

interface Entry {
  readonly manager: string;
  readonly subresource?: string;
  readonly fieldsV1: object;
}

const GROUP = 'x.example';
const CUSTOM = `/apis/${GROUP}/v1/namespaces/default/as`;
const COUNT = { type: 'object', properties: { replicas: { type: 'integer' } } };
const DEFINITION = {
  metadata: { name: `as.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'as', kind: 'A' },
    versions: [
      {
        name: 'v1',
        ...{ served: true, storage: true },
        subresources: {
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: COUNT, status: COUNT } } },
      },
    ],
  },
};

const objectOf = (answer: WireAnswer): object => JSON.parse(String(answer?.body)) as object;
const messageOf = (answer: WireAnswer): unknown => Reflect.get(objectOf(answer), 'message');

describe('the scale of a workload', () => {
  it('is refused for another namespace before anybody looks at its name', () => {
    const { send } = setUp();
    const body = scaled({ replicas: 1 }, { name: '', namespace: 'other' });
    const answer = send('PUT', `${DEPLOYMENTS}/web/scale`, { body });
    expect(answer).toMatchObject({ status: 400 });
    expect(messageOf(answer)).toBe(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  });

  it('is patched only if it is the one that was meant', () => {
    const { send } = setUp();
    const body = scaled({ replicas: 1 }, { uid: 'another' });
    const answer = send('PATCH', `${DEPLOYMENTS}/web/scale`, { body, headers: MERGE });
    expect(answer).toMatchObject({ status: 409 });
    expect(messageOf(answer)).toMatch(
      /^Operation cannot be fulfilled on deployments\/scale\.apps "web": Precondition failed: UID in precondition: another,/,
    );
  });

  it('may not have finalizers without a domain', () => {
    const { send } = setUp();
    const body = scaled({ replicas: 1 }, { finalizers: ['mine'] });
    const answer = send('PUT', `${DEPLOYMENTS}/web/scale`, { body });
    expect(messageOf(answer)).toContain(
      'name is neither a standard finalizer name nor is it fully qualified',
    );
  });

  it('gives nothing to who applies it without replicas', () => {
    const { send, owners } = setUp();
    const query = { fieldManager: 'quiet', force: 'true' };
    expect(
      send('PATCH', `${DEPLOYMENTS}/web/scale`, { body: scaled({}), headers: APPLY, query })?.status,
    ).toBe(200);
    expect(owners()).not.toContainEqual(expect.stringContaining('quiet'));
    const body = scaled({ replicas: 4 });
    expect(send('PATCH', `${DEPLOYMENTS}/web/scale`, { body, headers: APPLY, query })?.status).toBe(200);
    expect(owners()).toContainEqual('quiet scale');
  });

  it.each([
    ['put with another number', 'PUT', 4, []],
    ['put as it was', 'PUT', 3, []],
    ['merged with another number', 'PATCH', 4, [['scaler', 'scale', { 'f:spec': { 'f:replicas': {} } }]]],
  ] as const)(
    'of a custom resource is %s: who owns the replicas afterwards',
    (_, method, replicas, after) => {
      const { cluster, send, entries } = setUp();
      send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: DEFINITION });
      cluster.advance(seconds(5));
      const spec = { replicas: 3 };
      send('POST', CUSTOM, {
        body: { apiVersion: `${GROUP}/v1`, kind: 'A', metadata: { name: 'web' }, spec },
      });
      const query = { fieldManager: 'scaler' };
      const headers = method === 'PATCH' ? MERGE : {};
      const answer = send(method, `${CUSTOM}/web/scale`, { body: scaled({ replicas }), query, headers });
      expect(answer?.status).toBe(200);
      expect(
        entries(`${CUSTOM}/web`).map(({ manager, subresource, fieldsV1 }) => [
          manager,
          subresource,
          fieldsV1,
        ]),
      ).toEqual([...after, ['kubesim', undefined, { 'f:spec': {} }]]);
    },
  );
});
