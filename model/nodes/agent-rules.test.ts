import { describe, expect, test } from 'vitest';
import { NodeRules } from './node-rules.ts';
import type { ApiObject } from '../../sim/api/object.ts';
import { SECOND, type Observation } from './observation.ts';

const container = { id: 'c', name: 'main', namespace: 'default', podName: 'p', podUid: 'u' };
const started = (at: number): Observation => ({
  at: at * SECOND,
  kind: 'container-started',
  machine: 'node/n',
  container,
});
const stopped = (at: number, endedAt: number): Observation => ({
  at: at * SECOND,
  kind: 'container-stopped',
  machine: 'node/n',
  container,
  endedAt: endedAt * SECOND,
});
const fine: Observation = { at: 0, kind: 'agent', node: 'n', isFine: true };

function found(observations: readonly Observation[], until = 0): readonly string[] {
  const rules = new NodeRules([
    'containers-back-off',
    'containers-wait',
    'nodes-are-heard',
    'pods-end-in-time',
  ]);
  for (const observation of observations.toSorted((a, b) => a.at - b.at)) rules.observe(observation);
  rules.look(until * SECOND);
  return rules.violations.map(({ message }) => message);
}

describe('a container that ends again and again', () => {
  test('waits longer each time, and not at all when it is the first', () => {
    const right = [
      started(0),
      stopped(5, 5),
      started(5),
      stopped(20, 10),
      started(20),
      stopped(45, 25),
      started(45),
    ];
    expect(found([fine, ...right])).toEqual([]);
  });

  test('is found when it does not wait as long as it must', () => {
    const hasty = [
      started(0),
      stopped(5, 5),
      started(5),
      stopped(20, 10),
      started(20),
      stopped(35, 25),
      started(35),
    ];
    expect(found([fine, ...hasty])).toEqual([
      'container main of default/p on node/n was started 10s after its end; it had to wait for 20s',
    ]);
  });

  test('is found when it waits although it ran well for long', () => {
    const slow = [started(0), stopped(5, 5), started(5), stopped(900, 700), started(900)];
    expect(found([fine, ...slow])).toEqual([
      'container main of default/p on node/n ran well for 695s, and waited for 200s',
    ]);
  });

  test('may begin anew with its agent', () => {
    const crashed: Observation = { at: 6 * SECOND, kind: 'crashed', actor: 'node/n' };
    expect(found([fine, started(0), stopped(5, 5), started(5), crashed, stopped(7, 6), started(7)])).toEqual(
      [],
    );
  });
});

describe('a node whose agent is hindered by nothing', () => {
  const node = (at: number, heartbeat: string, status = 'True'): Observation => ({
    at: at * SECOND,
    kind: 'stored',
    revision: at,
    before: undefined,
    after: {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n' },
      status: { conditions: [{ type: 'Ready', status, lastHeartbeatTime: heartbeat }] },
    },
  });
  const lease = (at: number): Observation => ({
    at: at * SECOND,
    kind: 'stored',
    revision: at,
    before: undefined,
    after: {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'n', namespace: 'kube-node-lease' },
    },
  });
  const leases = Array.from({ length: 80 }, (_, index) => lease(index * 10));

  test('is heard of', () => {
    const reports = [0, 300, 600].map((at) => node(at, `t${at}`));
    expect(found([fine, ...reports, ...leases], 800)).toEqual([]);
  });

  test('is found when it does not renew its lease, tell its status, or is called Unknown for long', () => {
    expect(found([fine, node(0, 't')], 160)).toEqual([
      'node n, whose agent is hindered by nothing since 0s, has not renewed its lease for 160s',
    ]);
    expect(found([fine, node(0, 't'), ...leases], 400)[0]).toContain('has not told its status for');
    expect(found([fine, node(0, 't'), node(300, 'u', 'Unknown'), ...leases], 500)[0]).toContain(
      'called Unknown',
    );
  });
});

const stored = (at: number, after: ApiObject | undefined, before?: ApiObject): Observation => ({
  ...{ at: at * SECOND, kind: 'stored', revision: at },
  ...{ before, after },
});
const theNode = (volumesAttached: readonly string[] = []): ApiObject => ({
  ...{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } },
  status: { volumesAttached: volumesAttached.map((name) => ({ name, devicePath: '' })) },
});
const thePod = (spec: object, metadata: object = {}): ApiObject => ({
  ...{ apiVersion: 'v1', kind: 'Pod' },
  metadata: { name: 'p', namespace: 'default', uid: 'u', ...metadata },
  spec: { nodeName: 'n', containers: [{ name: 'main' }], ...spec },
});
const startedAs = (at: number, name: string): Observation => ({
  ...{ at: at * SECOND, kind: 'container-started', machine: 'node/n' },
  container: { ...container, name },
});

describe('a container that waits for others', () => {
  const pod = thePod({ initContainers: [{ name: 'first' }, { name: 'second' }] });
  const wiped: Observation = { at: 5 * SECOND, kind: 'container-stopped', machine: 'node/n', container };
  const inOrder = [startedAs(1, 'first'), startedAs(2, 'second'), startedAs(3, 'main')];

  test('starts after them, and alone in the same sandbox', () => {
    expect(found([stored(0, pod), ...inOrder, startedAs(4, 'main')])).toEqual([]);
  });

  test('is found when it starts before them, or alone in the next sandbox', () => {
    expect(found([stored(0, pod), startedAs(1, 'first'), startedAs(2, 'main')])).toEqual([
      'container main of default/p on node/n was started before container second was',
    ]);
    expect(found([stored(0, pod), ...inOrder, wiped, startedAs(6, 'main')])).toEqual([
      'container main of default/p on node/n was started before container first was',
    ]);
  });
});

describe('a container whose pod has a volume of a driver', () => {
  const pod = thePod({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] });
  const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', spec: { volumeName: 'disk' } };
  const csi = { driver: 'd', volumeHandle: 'h' };
  const before = [
    stored(0, theNode()),
    stored(0, { ...claim, metadata: { name: 'c', namespace: 'default' } }),
    stored(0, { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'disk' }, spec: { csi } }),
    stored(1, pod),
  ];

  test('starts once its Node says that it is attached', () => {
    const shown = stored(2, theNode(['kubernetes.io/csi/d^h']), theNode());
    expect(found([...before, shown, startedAs(3, 'main')])).toEqual([]);
  });

  test('is found when it does not wait for that', () => {
    expect(found([...before, startedAs(3, 'main')])).toEqual([
      'container main of default/p on node/n was started before volume kubernetes.io/csi/d^h was attached',
    ]);
  });
});

describe('a pod that is deleted', () => {
  const going = (deletionGracePeriodSeconds: number, more: object = {}): ApiObject =>
    thePod({}, { deletionTimestamp: 'then', deletionGracePeriodSeconds, ...more });
  const start = [fine, stored(0, theNode()), stored(1, thePod({})), stored(2, going(30), thePod({}))];
  // Heartbeats that nobody asks about here.
  const endings = (found: readonly string[]) => found.filter((message) => message.startsWith('pod '));

  test('has its grace, and is gone then', () => {
    expect(endings(found(start, 40))).toEqual([]);
    expect(endings(found([...start, stored(33, undefined, going(30))], 90))).toEqual([]);
  });

  test('is found when it stays, also when it was hurried', () => {
    const late = 'pod default/p on n, deleted 43s ago, should have been gone 13s ago';
    expect(endings(found(start, 45))).toEqual([late]);
    const hurried = [...start, stored(4, going(1), going(30))];
    expect(endings(found(hurried, 18))).toEqual([
      'pod default/p on n, deleted 16s ago, should have been gone 13s ago',
    ]);
  });

  test('stays as long as somebody else holds it, or its agent is hindered', () => {
    const held = stored(2, going(30, { finalizers: ['x'] }), thePod({}));
    expect(endings(found([fine, stored(0, theNode()), held], 90))).toEqual([]);
    const hindered: Observation = { at: 3 * SECOND, kind: 'agent', node: 'n', isFine: false };
    expect(endings(found([...start, hindered], 90))).toEqual([]);
  });
});
