import { describe, expect, test } from 'vitest';
import { NodeRules } from './node-rules.ts';
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
  const rules = new NodeRules(['containers-back-off', 'nodes-are-heard']);
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
