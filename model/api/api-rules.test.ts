import { describe, expect, test } from 'vitest';
import type { ApiObject } from '../../sim/api/object.ts';
import { API_RULES, ApiRules } from './api-rules.ts';
import { type Exchange, placeIn } from './exchange.ts';

const KEY = '/registry/configmaps/default/a';
const PATH = '/api/v1/namespaces/default/configmaps/a';

const map = (resourceVersion: number, rest: object = {}, metadata: object = {}): ApiObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'a',
    namespace: 'default',
    uid: 'u1',
    creationTimestamp: '2025-01-01T00:00:00Z',
    resourceVersion: String(resourceVersion),
    ...metadata,
  },
  ...rest,
});

/** What the rules say of changes, and of one answer in the end. */
function found(
  changes: readonly (readonly [number, ApiObject | undefined, ApiObject | undefined])[],
  exchange?: Partial<Exchange> & { readonly path?: string },
): readonly string[] {
  const rules = new ApiRules(API_RULES);
  for (const [revision, before, after] of changes) rules.stored(0, KEY, { revision, before, after });
  const place = placeIn(exchange?.path ?? PATH);
  if (exchange && place)
    rules.answered({
      at: 1,
      client: 'user/test',
      method: 'GET',
      place,
      key: KEY,
      query: {},
      contentType: 'application/json',
      sent: undefined,
      status: 200,
      answer: undefined,
      warnings: [],
      revisionBefore: changes.at(-2)?.[0] ?? 0,
      revisionAfter: changes.at(-1)?.[0] ?? 0,
      isAlone: true,
      ...exchange,
    });
  return rules.violations.map(({ rule }) => rule);
}

const OF_TWO_BUDGETS =
  'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';

const one = map(1, { data: { n: '1' } });
const two = map(2, { data: { n: '2' } });
const MERGE = 'application/merge-patch+json';

describe('the rules about the API leave alone', () => {
  test('an eviction that a server cannot decide between two budgets', () => {
    expect(
      found([], {
        method: 'POST',
        path: '/api/v1/namespaces/default/pods/a/eviction',
        key: undefined,
        status: 500,
        answer: { message: OF_TWO_BUDGETS },
      }),
    ).toEqual([]);
  });

  test('a replacement of the version that it names', () => {
    const sent = map(1, { data: { n: '2' } });
    expect(
      found(
        [
          [1, undefined, one],
          [2, one, two],
        ],
        { method: 'PUT', sent, answer: two },
      ),
    ).toEqual([]);
  });

  test('a conflict that there was, and one that an earlier try of the same write made', () => {
    const answer = { reason: 'Conflict', message: 'x' };
    const changes = [
      [1, undefined, one],
      [2, one, two],
    ] as const;
    expect(found(changes, { method: 'PUT', status: 409, sent: one, answer, isAlone: false })).toEqual([]);
  });

  test('the end of what only one finalizer held', () => {
    const held = map(1, {}, { finalizers: ['x/y'], deletionTimestamp: '2025-01-01T00:00:01Z' });
    expect(
      found([
        [1, undefined, held],
        [2, held, undefined],
      ]),
    ).toEqual([]);
  });
});

describe('the rules about the API find', () => {
  const cases: readonly (readonly [string, string, () => readonly string[]])[] = [
    [
      'a lost update',
      'updates-replace',
      () =>
        found(
          [
            [1, undefined, one],
            [2, one, two],
            [3, two, map(3, { data: { n: '3' } })],
          ],
          {
            method: 'PUT',
            sent: map(1, { data: { n: '3' } }),
            answer: map(3, { data: { n: '3' } }),
          },
        ),
    ],
    [
      'an answer that is not what was stored',
      'answers-are-true',
      () =>
        found(
          [
            [1, undefined, one],
            [2, one, two],
          ],
          { method: 'PUT', sent: one, answer: map(2, { data: { n: '9' } }) },
        ),
    ],
    [
      'a patch that changes something else',
      'patches-change-what-they-name',
      () =>
        found(
          [
            [1, undefined, one],
            [2, one, map(2, { data: { n: '2', m: '1' } })],
          ],
          {
            method: 'PATCH',
            contentType: MERGE,
            sent: { data: { n: '2' } },
            answer: map(2, { data: { n: '2', m: '1' } }),
          },
        ),
    ],
    [
      'a conflict that there was not',
      'refusals-are-just',
      () =>
        found([[1, undefined, one]], {
          method: 'PUT',
          status: 409,
          sent: one,
          answer: { reason: 'Conflict' },
          revisionBefore: 1,
        }),
    ],
    [
      'an object said to be missing that is there',
      'refusals-are-just',
      () =>
        found([[1, undefined, one]], {
          status: 404,
          answer: { reason: 'NotFound', details: { name: 'a' } },
          revisionBefore: 1,
        }),
    ],
    [
      'a dry run that is not one',
      'refusals-change-nothing',
      () =>
        found(
          [
            [1, undefined, one],
            [2, one, two],
          ],
          { method: 'PUT', query: { dryRun: 'All' }, sent: one, answer: two },
        ),
    ],
    [
      'a deletion in spite of its preconditions',
      'deletes-what-was-meant',
      () =>
        found(
          [
            [1, undefined, one],
            [2, one, undefined],
          ],
          {
            method: 'DELETE',
            sent: { preconditions: { uid: 'u0' } },
            answer: { status: 'Success' },
          },
        ),
    ],
    [
      'an old state read as new',
      'reads-are-true',
      () =>
        found(
          [
            [1, undefined, one],
            [2, one, two],
          ],
          { answer: one, revisionBefore: 2 },
        ),
    ],
    [
      'another uid under the same name',
      'identity-stays',
      () =>
        found([
          [1, undefined, one],
          [2, one, map(2, {}, { uid: 'u2' })],
        ]),
    ],
    [
      'an end that is put off',
      'going-goes-on',
      () =>
        found([
          [1, undefined, map(1, {}, { deletionTimestamp: '2025-01-01T00:00:01Z' })],
          [
            2,
            map(1, {}, { deletionTimestamp: '2025-01-01T00:00:01Z' }),
            map(2, {}, { deletionTimestamp: '2025-01-01T00:00:09Z' }),
          ],
        ]),
    ],
    [
      'a generation that stands still',
      'generation-moves-with-spec',
      () =>
        found([
          [
            2,
            { ...map(1, { spec: { n: 1 } }, { generation: 1 }), kind: 'Deployment' },
            { ...map(2, { spec: { n: 2 } }, { generation: 1 }), kind: 'Deployment' },
          ],
        ]),
    ],
    [
      'a field taken from another without force',
      'applies-by-owners',
      () => {
        const entry = (manager: string, operation: string): object => ({
          manager,
          operation,
          fieldsV1: { 'f:data': { 'f:n': {} } },
        });
        const before = map(1, { data: { n: '1' } }, { managedFields: [entry('other', 'Update')] });
        const after = map(2, { data: { n: '2' } }, { managedFields: [entry('me', 'Apply')] });
        return found(
          [
            [1, undefined, before],
            [2, before, after],
          ],
          {
            method: 'PATCH',
            contentType: 'application/apply-patch+yaml',
            query: { fieldManager: 'me' },
            sent: { data: { n: '2' } },
            answer: after,
          },
        );
      },
    ],
    [
      'a server that fails by itself',
      'servers-do-not-fail',
      () => found([], { status: 500, answer: { message: 'Internal error occurred: x' } }),
    ],
    [
      'a server that fails by itself where a pod has several budgets',
      'servers-do-not-fail',
      () => found([], { status: 500, path: PATH, answer: { message: OF_TWO_BUDGETS } }),
    ],
    [
      'a deprecated version without a warning',
      'deprecated-warns',
      () => found([], { path: '/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas/a', answer: {} }),
    ],
  ];

  test.each([
    ['apps/v1', 'ReplicaSet', 'ReplicaFailure', '2025-01-01T00:07:00Z', []],
    ['apps/v1', 'Deployment', 'Available', '2025-01-01T00:00:20Z', ['conditions-turn-honestly']],
    ['v1', 'Pod', 'Ready', '2025-01-01T00:00:20Z', []],
    ['v1', 'Pod', 'Ready', '2025-01-01T00:02:00Z', ['conditions-turn-honestly']],
  ])('%s %s: condition %s that is said again at %s', (apiVersion, kind, type, again, rules) => {
    const said = (revision: number, lastTransitionTime: string): ApiObject => ({
      ...map(revision, { status: { conditions: [{ type, status: 'True', lastTransitionTime }] } }),
      apiVersion,
      kind,
    });
    expect(found([[2, said(1, '2025-01-01T00:00:00Z'), said(2, again)]])).toEqual(rules);
  });

  test('what one has found a pod to be, another may find long after, but not the same again', () => {
    const marked = (manager: string, ...parts: readonly string[]): object => ({
      manager,
      operation: 'Update',
      fieldsV1: {
        'f:status': {
          'f:conditions': { 'k:{"type":"Ready"}': Object.fromEntries(parts.map((part) => [part, {}])) },
        },
      },
    });
    const [status, turn] = ['f:status', 'f:lastTransitionTime'] as const;
    const said = (
      revision: number,
      manager: string,
      lastTransitionTime: string,
      sayer = manager,
    ): ApiObject => ({
      ...map(
        revision,
        { status: { conditions: [{ type: 'Ready', status: 'False', lastTransitionTime }] } },
        {
          managedFields:
            sayer === manager
              ? [marked(manager, status, turn)]
              : [marked(manager, turn), marked(sayer, status)],
        },
      ),
      apiVersion: 'v1',
      kind: 'Pod',
    });
    const [first, later] = ['2025-01-01T00:00:00Z', '2025-01-01T00:02:00Z'];
    expect(found([[2, said(1, 'kube-controller-manager', first), said(2, 'kubelet', later)]])).toEqual([]);
    expect(found([[2, said(1, 'kubelet', first, 'me'), said(2, 'kubelet', later, 'me')]])).toEqual([]);
    expect(found([[2, said(1, 'kubelet', first), said(2, 'kubelet', later)]])).toEqual([
      'conditions-turn-honestly',
    ]);
  });

  test.each(cases)('%s', (_, rule, violations) => {
    expect(violations()).toContain(rule);
  });
});
