/** What evictions do with the budget of a pod: the server charges it as its own client, whatever others do meanwhile. */
import { describe, expect, test } from 'vitest';
import { type AdmissionPlugin, ApiError, createCluster, milliseconds, WireUser } from '../../index.ts';

const user = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
const PODS = '/api/v1/namespaces/default/pods';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const SERVER = 'system:apiserver';
/** Before the run begins. */
const SINCE = '2024-01-01T00:00:00Z';

interface Entry {
  readonly manager: string;
  readonly subresource?: string;
  readonly fieldsV1: { readonly 'f:status'?: object };
}

interface Budget {
  readonly metadata: { readonly managedFields: readonly Entry[] };
  readonly status: {
    readonly disruptionsAllowed: number;
    readonly disruptedPods?: Readonly<Record<string, string>>;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

interface Answer {
  readonly status: number | undefined;
  readonly body: Budget & { readonly message?: string; readonly details?: object };
}

/** Pods `p`, `q` and `r` that are ready, and a budget for them; `onCharge` is asked about every status that the server itself writes. */
function setUp(onCharge: NonNullable<AdmissionPlugin['validate']> = () => undefined) {
  const guard: AdmissionPlugin = {
    name: 'guard',
    handles: (_, { resource }, subresource) =>
      resource === 'poddisruptionbudgets' && subresource === 'status',
    validate: (attributes) => (attributes.context.user.name === SERVER ? onCharge(attributes) : undefined),
  };
  const cluster = createCluster({
    ...{ controllers: ['serviceaccount-controller'], scheduler: false, nodes: 0 },
    admission: [guard],
  });
  cluster.advance(milliseconds(100));
  const wire = new WireUser(cluster);
  const requestOf = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) => ({
    ...{ method, path, user },
    headers: {
      accept: 'application/json',
      'user-agent': 'tester',
      ...(method === 'PATCH' && { 'content-type': 'application/merge-patch+json' }),
    },
    ...(body && { body }),
  });
  const answerOf = (answer: ReturnType<WireUser['request']>): Answer => ({
    status: answer?.status,
    body: JSON.parse(String(answer?.body)) as Answer['body'],
  });
  const send = (...of: Parameters<typeof requestOf>): Answer => answerOf(wire.request(requestOf(...of)));
  const both = (...requests: readonly Readonly<Parameters<typeof requestOf>>[]): readonly Answer[] =>
    cluster.finish(wire.askingAll(requests.map((of) => requestOf(...of)))).map(answerOf);
  for (const name of ['p', 'q', 'r']) {
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    send('POST', PODS, { metadata: { name, labels: { app: 'a' }, finalizers: ['a.b/c'] }, spec });
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    send('PATCH', `${PODS}/${name}/status`, { status });
  }
  const spec = { maxUnavailable: 1, selector: { matchLabels: { app: 'a' } } };
  send('POST', BUDGETS, { metadata: { name: 'b' }, spec });
  const promise = (status: object) =>
    [
      'PATCH',
      `${BUDGETS}/b/status`,
      { status: { observedGeneration: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2, ...status } },
    ] as const;
  const eviction = (name: string) => ['POST', `${PODS}/${name}/eviction`, { metadata: { name } }] as const;
  const budget = (): Budget => send('GET', `${BUDGETS}/b`).body;
  return { send, both, promise, eviction, budget };
}

const disrupted = (count: number): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`gone-${at}`, '2025-01-01T00:00:00Z']));

describe('the budget of an evicted pod', () => {
  test('is charged by the server, which owns what it says', () => {
    const { send, promise, eviction, budget } = setUp();
    send(...promise({ disruptionsAllowed: 2 }));
    expect(send(...eviction('p')).status).toBe(201);
    const { metadata, status } = budget();
    expect(status.disruptionsAllowed).toBe(1);
    expect(status.conditions).toBeUndefined();
    const [own] = metadata.managedFields.filter(({ manager }) => manager === 'kube-apiserver');
    expect(own?.subresource).toBe('status');
    expect(Object.keys(own?.fieldsV1['f:status'] ?? {}).sort()).toEqual([
      'f:disruptedPods',
      'f:disruptionsAllowed',
    ]);
  });

  test.each([
    ['True', expect.not.stringMatching(SINCE)],
    ['False', SINCE],
  ])('tells in its place that no pod may go any more, and since when: it said %s', (said, since) => {
    const { send, promise, eviction, budget } = setUp();
    const condition = (type: string, status: string) => ({
      ...{ type, status, reason: 'X', message: '', lastTransitionTime: SINCE },
    });
    const conditions = [condition('DisruptionAllowed', said), condition('Other', 'True')];
    send(...promise({ disruptionsAllowed: 1, conditions }));
    expect(send(...eviction('p')).status).toBe(201);
    expect(budget().status.conditions).toMatchObject([
      { type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', lastTransitionTime: since },
      { type: 'Other', status: 'True', lastTransitionTime: SINCE },
    ]);
    expect(send(...eviction('q')).status).toBe(429);
  });

  test('with more than 2,000 pods of which nobody has heard lets nobody go', () => {
    const { send, promise, eviction, budget } = setUp();
    send(...promise({ disruptionsAllowed: 5, disruptedPods: disrupted(2_001) }));
    const { status, body } = send(...eviction('p'));
    expect([status, body.message]).toEqual([
      403,
      'poddisruptionbudget.policy "b" is forbidden: DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    ]);
    send('PATCH', `${BUDGETS}/b/status`, { status: { disruptedPods: { 'gone-0': null } } });
    expect(send(...eviction('p')).status).toBe(201);
    expect(Object.keys(budget().status.disruptedPods ?? {})).toHaveLength(2_001);
  });

  test('that may not be charged keeps its pod, which is told why', () => {
    const why = new ApiError({ reason: 'Invalid', message: 'not now', details: { name: 'b' } });
    const { send, promise, eviction, budget } = setUp(() => {
      throw why;
    });
    send(...promise({ disruptionsAllowed: 2 }));
    const before = [budget(), send('GET', `${PODS}/p`).body];
    expect(send(...eviction('p'))).toMatchObject({
      status: 422,
      body: { message: 'not now', details: { name: 'b' } },
    });
    expect([budget(), send('GET', `${PODS}/p`).body]).toEqual(before);
    expect(
      send('POST', `${PODS}/p/eviction`, { metadata: { name: 'p' }, deleteOptions: { dryRun: ['All'] } })
        .status,
    ).toBe(201);
  });

  test('is charged anew when somebody else was faster, of what is there then', () => {
    let charges = 0;
    const { both, send, promise, eviction, budget } = setUp(function* ({ context }) {
      charges += 1;
      yield* context.surroundings.sleepMs(20);
    });
    send(...promise({ disruptionsAllowed: 5 }));
    expect(both(eviction('p'), eviction('q')).map(({ status }) => status)).toEqual([201, 201]);
    expect(budget().status).toMatchObject({
      disruptionsAllowed: 3,
      disruptedPods: { p: expect.anything(), q: expect.anything() },
    });
    expect(charges).toBe(3);
    send(...promise({ disruptionsAllowed: 1, disruptedPods: null }));
    const answers = both(eviction('r'), promise({ disruptionsAllowed: 0 }));
    expect(answers.map(({ status }) => status)).toEqual([429, 200]);
    expect(budget().status.disruptionsAllowed).toBe(0);
  });

  test('that goes while it is charged leaves its pod where it is', () => {
    const { both, send, promise, eviction } = setUp(function* ({ context }) {
      yield* context.surroundings.sleepMs(20);
    });
    send(...promise({ disruptionsAllowed: 5 }));
    const before = send('GET', `${PODS}/p`).body;
    const [evicted, gone] = both(eviction('p'), ['DELETE', `${BUDGETS}/b`]);
    expect([evicted?.status, evicted?.body.message, gone?.status]).toEqual([
      404,
      'poddisruptionbudgets.policy "b" not found',
      200,
    ]);
    expect(send('GET', `${PODS}/p`).body).toEqual(before);
    expect(send(...eviction('p')).status).toBe(201);
  });

  test('that others write all the time is tried twenty times, and what was said last is told', () => {
    let charges = 0;
    const { send, promise, eviction } = setUp(() => {
      charges += 1;
      throw new ApiError({ reason: 'Conflict', message: 'too late' });
    });
    send(...promise({ disruptionsAllowed: 5 }));
    const { status, body } = send(...eviction('p'));
    expect([status, body.message]).toEqual([409, 'too late']);
    expect(charges).toBe(20);
  });
});
