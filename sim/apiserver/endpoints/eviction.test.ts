import { describe, expect, test } from 'vitest';
import { createCluster, milliseconds, WireUser } from '../../index.ts';

const user = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
const PODS = '/api/v1/namespaces/default/pods';
const PHASES = ['Pending', 'Running', 'Succeeded', 'Failed'];
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';

interface Known {
  readonly metadata: { readonly resourceVersion: string; readonly deletionTimestamp?: string };
  readonly status: {
    readonly conditions?: readonly { readonly type: string; readonly lastTransitionTime: string }[];
    readonly disruptionsAllowed?: number;
  };
}

/** Pod `p`, which a finalizer keeps, in such a phase. */
function setUp(phase: string) {
  const cluster = createCluster({ controllers: ['serviceaccount-controller'], scheduler: false, nodes: 0 });
  cluster.advance(milliseconds(100));
  const wire = new WireUser(cluster);
  const send = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown, query = {}) =>
    wire.request({
      method,
      path,
      user,
      query,
      headers: {
        accept: 'application/json',
        ...(method === 'PATCH' && { 'content-type': 'application/merge-patch+json' }),
      },
      ...(body !== undefined && { body }),
    });
  const known = (path = `${PODS}/p`): Known => JSON.parse(String(send('GET', path)?.body)) as Known;
  const spec = { containers: [{ name: 'c', image: 'i' }] };
  expect(
    send('POST', PODS, { metadata: { name: 'p', finalizers: ['a.b/c'], labels: { app: 'a' } }, spec })
      ?.status,
  ).toBe(201);
  send('PATCH', `${PODS}/p/status`, { status: { phase, conditions: [{ type: 'Ready', status: 'True' }] } });
  const evict = (deleteOptions: object = {}): number | undefined =>
    send('POST', `${PODS}/p/eviction`, {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: 'p' },
      deleteOptions,
    })?.status;
  const isMarked = (): boolean =>
    (known().status.conditions ?? []).some(({ type }) => type === 'DisruptionTarget');
  return { cluster, send, known, evict, isMarked };
}

describe('an eviction', () => {
  test.each(PHASES)('marks a pod that is %s, before it goes', (phase) => {
    const { evict, isMarked, known } = setUp(phase);
    expect(evict()).toBe(201);
    expect(isMarked()).toBe(true);
    expect(known().metadata.deletionTimestamp).toBeDefined();
  });

  test('marks what is going anyway, and writes nothing the second time', () => {
    const { cluster, send, evict, isMarked, known } = setUp('Running');
    send('DELETE', `${PODS}/p`);
    expect(isMarked()).toBe(false);
    expect(evict()).toBe(201);
    const first = known();
    expect(first.status.conditions?.[1]?.type).toBe('DisruptionTarget');
    cluster.advance(milliseconds(5_000));
    expect(evict()).toBe(201);
    expect(known()).toEqual(first);
  });

  test.each(PHASES)('of another pod or version than is there, leaves one that is %s as it was', (phase) => {
    const { evict, known } = setUp(phase);
    const before = known();
    expect(evict({ preconditions: { uid: 'x' } })).toBe(409);
    expect(evict({ preconditions: { resourceVersion: '1' }, propagationPolicy: 'X' })).toBe(409);
    expect(known()).toEqual(before);
  });

  test.each([
    ['Pending', 9_500],
    ['Running', 0],
    ['Succeeded', 9_500],
  ])('of another pod than is there, is tried for a while where no budget is asked: %s', (phase, span) => {
    const { cluster, evict } = setUp(phase);
    const began = cluster.now;
    expect(evict({ preconditions: { uid: 'x' } })).toBe(409);
    expect(Math.floor((cluster.now - began) / 500_000) * 500).toBe(span);
    const again = cluster.now;
    expect(evict({ preconditions: { uid: 'x', resourceVersion: '1' } })).toBe(409);
    expect(cluster.now - again).toBeLessThan(100_000);
  });

  test.each(PHASES)('of no version, is of any, and of no uid, of none: %s', (phase) => {
    const { evict, isMarked, known } = setUp(phase);
    expect(evict({ preconditions: { uid: '' } })).toBe(409);
    expect([isMarked(), known().metadata.deletionTimestamp]).toEqual([true, undefined]);
    expect(evict({ preconditions: { resourceVersion: '' } })).toBe(201);
    expect(known().metadata.deletionTimestamp).toBeDefined();
  });

  test.each([
    [{ resourceVersion: '1' }, 201],
    [{ uid: 'x' }, 429],
    [{ uid: 'x', resourceVersion: '1' }, 409],
  ])('of a pod that its budget does not count, is of the pod as it is: %o', (preconditions, status) => {
    const { send, evict } = setUp('Running');
    send('PATCH', `${PODS}/p/status`, { status: { conditions: [{ type: 'Ready', status: 'False' }] } });
    const spec = { minAvailable: 1, selector: { matchLabels: { app: 'a' } } };
    send('POST', BUDGETS, {
      metadata: { name: 'b' },
      spec: { ...spec, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
    });
    expect(evict({ preconditions })).toBe(status);
  });

  test('with two minds about being a dry run, is refused whether there is such a pod or not', () => {
    const { send } = setUp('Running');
    for (const name of ['p', 'nobody']) {
      const body = { metadata: { name }, deleteOptions: { dryRun: ['X'] } };
      expect(send('POST', `${PODS}/${name}/eviction`, body, { dryRun: 'All' })?.status).toBe(500);
    }
  });

  test.each(PHASES)('of the version that is there, is carried out where a pod is %s', (phase) => {
    const { evict, known } = setUp(phase);
    expect(evict({ preconditions: { resourceVersion: known().metadata.resourceVersion } })).toBe(201);
    expect(known().metadata.deletionTimestamp).toBeDefined();
  });

  test('with options that a deletion does not take, has marked the pod and charged its budget', () => {
    const { cluster, send, evict, isMarked, known } = setUp('Running');
    const spec = { maxUnavailable: 1, selector: { matchLabels: { app: 'a' } } };
    send('POST', BUDGETS, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'b' },
      spec,
    });
    const status = {
      observedGeneration: 1,
      disruptionsAllowed: 1,
      currentHealthy: 1,
      desiredHealthy: 0,
      expectedPods: 1,
    };
    send('PATCH', `${BUDGETS}/b/status`, { status });
    cluster.advance(milliseconds(100));
    expect(evict({ propagationPolicy: 'X' })).toBe(422);
    expect(isMarked()).toBe(true);
    expect(known().metadata.deletionTimestamp).toBeUndefined();
    expect(known(`${BUDGETS}/b`).status.disruptionsAllowed).toBe(0);
  });

  test('that is a dry run, or asks for one in other words, marks nothing', () => {
    const { evict, isMarked } = setUp('Running');
    expect(evict({ dryRun: ['All'] })).toBe(201);
    expect(evict({ dryRun: ['X'] })).toBe(422);
    expect(isMarked()).toBe(false);
  });
});
