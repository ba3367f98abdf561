import { describe, expect, it } from 'vitest';
import { isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { type Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';
import { deletionConditions, updatedConditions } from './deletion-conditions.ts';

const { apiServices, configMaps, namespaces, pods, secrets } = BUILTIN_HANDLES;
const MANAGER = 'controller-manager/0';
const NAME = 'team';

function withNamespace(nodes = 0): Cluster {
  const cluster = createCluster({ nodes });
  cluster.client.resource(namespaces).create({ metadata: { name: NAME } });
  cluster.advance(seconds(1));
  return cluster;
}

function isThere(cluster: Cluster): boolean {
  try {
    cluster.client.resource(namespaces).get(NAME);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

const conditionsOf = (cluster: Cluster): readonly (readonly [string, string, string])[] =>
  (cluster.client.resource(namespaces).get(NAME).status?.conditions ?? []).map(
    ({ type, status, message = '' }) => [type, status, message],
  );

describe('a namespace that is deleted', () => {
  it('goes after its content, and not before its 5 s', () => {
    const cluster = withNamespace();
    cluster.client.resource(secrets).create({ metadata: { name: 's', namespace: NAME } });
    cluster.client.resource(namespaces).delete(NAME);
    cluster.advance(seconds(4));
    expect(cluster.client.resource(secrets).list({ namespace: NAME }).items).toHaveLength(1);
    cluster.advance(seconds(3));
    expect(isThere(cluster)).toBe(false);
  });

  it('waits for finalizers, says so, and ends some seconds after the last has gone', () => {
    const cluster = withNamespace();
    const metadata = { name: 'held', namespace: NAME, finalizers: ['example.com/hold'] };
    cluster.client.resource(configMaps).create({ metadata });
    cluster.client.resource(namespaces).delete(NAME);
    cluster.advance(minutes(2));
    expect(conditionsOf(cluster)).toContainEqual([
      'NamespaceFinalizersRemaining',
      'True',
      'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
    ]);
    const body = { metadata: { finalizers: null } };
    cluster.client.resource(configMaps).patch({ namespace: NAME, name: 'held' }, { type: 'merge', body });
    cluster.advance(seconds(20));
    expect(isThere(cluster)).toBe(false);
  });

  it('waits for the grace of pods on nodes', () => {
    const cluster = withNamespace(1);
    cluster.advance(seconds(5));
    cluster.client.resource(pods).create({
      metadata: { name: 'p', namespace: NAME },
      spec: { nodeName: 'worker-1', containers: [{ name: 'c', image: 'nginx' }] },
    });
    cluster.advance(seconds(20));
    cluster.client.resource(namespaces).delete(NAME);
    cluster.advance(minutes(2));
    expect(isThere(cluster)).toBe(false);
  });

  it('ends in the next life of a manager that died in the middle, and when another deletes beside it', () => {
    const cluster = withNamespace();
    cluster.client.resource(secrets).create({ metadata: { name: 's', namespace: NAME } });
    cluster.client.resource(namespaces).delete(NAME);
    cluster.advance(seconds(5));
    cluster.faults.crash(MANAGER);
    cluster.advance(seconds(1));
    cluster.faults.restart(MANAGER);
    cluster.advance(seconds(10));
    expect(isThere(cluster)).toBe(false);
  });

  it('is emptied as far as its kinds are known while somebody who serves others is away, and ends when not', () => {
    const cluster = withNamespace();
    cluster.client.resource(secrets).create({ metadata: { name: 's', namespace: NAME } });
    cluster.client.resource(apiServices).create({
      metadata: { name: 'v1.gone.example.com' },
      spec: {
        group: 'gone.example.com',
        version: 'v1',
        service: { namespace: 'default', name: 'nobody' },
        groupPriorityMinimum: 100,
        versionPriority: 100,
      },
    });
    cluster.advance(seconds(5));
    cluster.client.resource(namespaces).delete(NAME);
    cluster.advance(minutes(2));
    expect(cluster.client.resource(secrets).list({ namespace: NAME }).items).toEqual([]);
    const text =
      'Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: ' +
      'gone.example.com/v1: stale GroupVersion discovery: gone.example.com/v1';
    expect(conditionsOf(cluster).map(([type, status]) => `${type} ${status}`)).toEqual([
      'NamespaceDeletionDiscoveryFailure True',
      'NamespaceDeletionGroupVersionParsingFailure False',
      'NamespaceDeletionContentFailure False',
      'NamespaceContentRemaining False',
      'NamespaceFinalizersRemaining False',
    ]);
    expect(conditionsOf(cluster)[0]?.[2]).toBe(text);
    cluster.client.resource(apiServices).delete('v1.gone.example.com');
    cluster.advance(minutes(2));
    expect(isThere(cluster)).toBe(false);
  });

  it('ends once writes that were refused for a while are taken again', () => {
    const cluster = withNamespace();
    const user = 'system:serviceaccount:kube-system:namespace-controller';
    cluster.faults.failWrites({ user });
    cluster.client.resource(namespaces).delete(NAME);
    cluster.advance(minutes(1));
    expect(isThere(cluster)).toBe(true);
    cluster.faults.allowWrites({ user });
    cluster.advance(minutes(1));
    expect(isThere(cluster)).toBe(false);
  });
});

describe('its conditions', () => {
  const nothing = {
    failures: [],
    remaining: new Map<string, number>(),
    finalizers: new Map<string, number>(),
  };

  it('are all told at once, and keep their time while they say the same', () => {
    const first = updatedConditions([], deletionConditions(nothing), '2025-01-01T00:00:00Z');
    expect(first.map(({ status }) => status)).toEqual(['False', 'False', 'False', 'False', 'False']);
    const again = updatedConditions(first, deletionConditions(nothing), '2025-01-01T00:00:09Z');
    expect(again).toBe(first);
    const more = { ...nothing, remaining: new Map([['secrets.', 2]]) };
    const later = updatedConditions(first, deletionConditions(more), '2025-01-01T00:00:09Z');
    expect(
      later.filter(({ lastTransitionTime }) => lastTransitionTime === '2025-01-01T00:00:09Z'),
    ).toMatchObject([
      {
        type: 'NamespaceContentRemaining',
        message: 'Some resources are remaining: secrets. has 2 resource instances',
      },
    ]);
  });
});
