/** What is going in its own way is deleted once more, as a real 1.31 server answers. */
import { describe, expect, test } from 'vitest';
import { createCluster, milliseconds, seconds, WireUser } from '../../index.ts';

const user = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
const HELD = 'example.com/held';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const POLICIES = [undefined, 'Foreground', 'Orphan', 'Background'] as const;

interface Answer {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly finalizers?: readonly string[];
    readonly generation?: number;
    readonly deletionTimestamp?: string;
    readonly deletionGracePeriodSeconds?: number;
  };
  readonly spec: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly reason: string }[] };
}

function setUp() {
  const cluster = createCluster({ controllers: [], scheduler: false, nodes: 0 });
  cluster.advance(milliseconds(100));
  const wire = new WireUser(cluster);
  const ask = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Answer => {
    const answer = wire.request({ method, path, user, ...(body && { body }) });
    expect(answer?.status, `${method} ${path}`).toBeLessThan(300);
    return JSON.parse(String(answer?.body)) as Answer;
  };
  const remove = (path: string, propagationPolicy?: string): Answer =>
    ask('DELETE', path, propagationPolicy === undefined ? {} : { propagationPolicy });
  return { cluster, wire, ask, remove };
}

const definition = (plural: string, finalizers: readonly string[] = []) => ({
  metadata: { name: `${plural}.example.com`, finalizers },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural, kind: 'Gear' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});

/** Finalizers that stand for a policy, beside those that were there. */
const markOf = (policy: string | undefined): readonly string[] =>
  policy === 'Foreground' ? ['foregroundDeletion'] : policy === 'Orphan' ? ['orphan'] : [];

describe.each(POLICIES)('a second deletion, %s', (policy) => {
  test('of a namespace that is not empty yet changes nothing', () => {
    const { ask, remove } = setUp();
    const path = '/api/v1/namespaces/n';
    ask('POST', '/api/v1/namespaces', { metadata: { name: 'n' } });
    const first = remove(path, 'Foreground');
    expect(first.metadata.finalizers).toEqual(['foregroundDeletion']);
    expect(remove(path, policy)).toEqual(first);
    expect(ask('GET', path)).toEqual(first);
  });

  test('of a namespace that is empty is as that of anything else', () => {
    const { ask, remove } = setUp();
    const path = '/api/v1/namespaces/n';
    ask('POST', '/api/v1/namespaces', { metadata: { name: 'n', finalizers: [HELD] } });
    const first = remove(path);
    expect(first.metadata.deletionGracePeriodSeconds).toBeUndefined();
    ask('PUT', `${path}/finalize`, { ...first, spec: { finalizers: [] } });
    const { metadata } = remove(path, policy);
    expect(metadata).toMatchObject({
      deletionGracePeriodSeconds: 0,
      deletionTimestamp: first.metadata.deletionTimestamp,
      finalizers: [HELD, ...markOf(policy)],
    });
    expect(remove(path, policy).metadata).toEqual(metadata);
  });

  test('of a definition says what becomes of dependents, as the first one does not', () => {
    const { cluster, ask, remove } = setUp();
    const path = `${DEFINITIONS}/gears.example.com`;
    ask('POST', DEFINITIONS, definition('gears', [HELD]));
    cluster.advance(seconds(1));
    const first = remove(path, policy);
    expect(first.metadata.finalizers).toEqual([HELD, 'customresourcecleanup.apiextensions.k8s.io']);
    expect(conditionIn(first)?.reason).toBe('InstanceDeletionPending');
    cluster.advance(seconds(1));
    const emptied = ask('GET', path);
    expect(conditionIn(emptied)).toMatchObject({ status: 'False', reason: 'InstanceDeletionCompleted' });
    expect(emptied.metadata.finalizers).toEqual([HELD]);
    const second = remove(path, policy);
    expect(second.metadata).toMatchObject({
      deletionGracePeriodSeconds: 0,
      finalizers: [HELD, ...markOf(policy)],
      generation: 1,
    });
  });
});

const conditionIn = ({ status }: Answer) => status?.conditions?.find(({ type }) => type === 'Terminating');

test('whoever watches a definition that goes is told what is done', () => {
  const { cluster, wire, ask, remove } = setUp();
  ask('POST', DEFINITIONS, definition('gears'));
  cluster.advance(seconds(1));
  // Its kind has another owner: it is never served.
  ask('POST', DEFINITIONS, definition('cogs'));
  cluster.advance(seconds(1));
  const { log } = wire.watch({ method: 'GET', path: DEFINITIONS, query: { watch: 'true' }, user });
  cluster.advance(seconds(1));
  for (const name of ['gears.example.com', 'cogs.example.com']) remove(`${DEFINITIONS}/${name}`);
  cluster.advance(seconds(1));
  const told = (log?.events ?? []).map(({ type, object }) => {
    const definition = object as unknown as Answer & { readonly metadata: { readonly name: string } };
    return `${definition.metadata.name} ${type} ${conditionIn(definition)?.reason ?? ''}`;
  });
  for (const name of ['gears.example.com', 'cogs.example.com'])
    expect(told.filter((each) => each.startsWith(name)).slice(1)).toEqual([
      `${name} MODIFIED InstanceDeletionPending`,
      `${name} MODIFIED InstanceDeletionInProgress`,
      `${name} DELETED InstanceDeletionInProgress`,
    ]);
});
