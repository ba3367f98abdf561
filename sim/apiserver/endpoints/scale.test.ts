import { describe, expect, it } from 'vitest';
import { createCluster, milliseconds, type WireAnswer, WireUser } from '../../index.ts';

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
  const owners = (): unknown => {
    const { metadata } = objectOf(send('GET', `${DEPLOYMENTS}/web`)) as {
      readonly metadata: { readonly managedFields: readonly { manager: string; subresource?: string }[] };
    };
    return metadata.managedFields.map(({ manager, subresource = '' }) => `${manager} ${subresource}`);
  };
  return { send, owners };
}

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
});
