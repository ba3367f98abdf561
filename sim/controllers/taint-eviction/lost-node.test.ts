import { describe, expect, it } from 'vitest';
import type { Toleration } from '../../api/types/core-v1.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { minutes, seconds, type Micros } from '../../engine/time.ts';

const UNREACHABLE = 'node.kubernetes.io/unreachable';

/** A cluster whose first node has just got its NoExecute taint, with a pod on it. */
function lostNode(tolerations: readonly Toleration[] = []) {
  const cluster = createCluster({ nodes: 2 });
  cluster.settle();
  cluster.client.pods.create({
    metadata: { name: 'web' },
    spec: { nodeName: 'worker-1', containers: [{ name: 'main', image: 'i' }], tolerations },
  });
  cluster.advance(seconds(20));
  cluster.faults.partition('worker-1');
  const effects = () => (cluster.client.nodes.get('worker-1').spec?.taints ?? []).map(({ effect }) => effect);
  cluster.eventually(() => effects().includes('NoExecute'), { within: minutes(1) });
  const taintedAt = cluster.now;
  const deletedAfter = (within: Micros): number => {
    cluster.eventually(() => cluster.client.pods.get('web').metadata.deletionTimestamp !== undefined, {
      within,
    });
    return Math.round((cluster.now - taintedAt) / seconds(1));
  };
  return { cluster, effects, deletedAfter };
}

describe('a pod on a node that is lost', () => {
  it('tolerates that for 300 s unless it says otherwise', () => {
    const { cluster, effects, deletedAfter } = lostNode();
    expect(effects()).toEqual(['NoSchedule', 'NoExecute']);
    expect(cluster.client.pods.get('web').spec?.tolerations).toContainEqual({
      key: UNREACHABLE,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 300,
    });
    expect(deletedAfter(minutes(6))).toBe(300);
  });

  it('is deleted when its own toleration is over', () => {
    const toleration = {
      key: UNREACHABLE,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 60,
    } as const;
    expect(lostNode([toleration]).deletedAfter(minutes(2))).toBe(60);
  });

  it('stays when it tolerates that for ever', () => {
    const { cluster } = lostNode([{ key: UNREACHABLE, operator: 'Exists', effect: 'NoExecute' }]);
    cluster.advance(minutes(20));
    expect(cluster.client.pods.get('web').metadata.deletionTimestamp).toBeUndefined();
  });

  it('stays when the node is back in time', () => {
    const { cluster } = lostNode();
    cluster.advance(minutes(4));
    cluster.faults.heal('worker-1');
    cluster.advance(minutes(5));
    const { metadata, status } = cluster.client.pods.get('web');
    expect(metadata.deletionTimestamp).toBeUndefined();
    expect(status?.containerStatuses?.[0]?.restartCount).toBe(0);
  });
});
