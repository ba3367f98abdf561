/** Each rule about what belongs together, in whole runs: of a cluster that keeps it, and of one that breaks it on purpose. */
import { describe, expect, it } from 'vitest';
import { NodeRules } from '../../model/nodes/node-rules.ts';
import { WORKLOAD_RULES } from '../../model/workloads/workload-rules.ts';
import type { PodDisruptionBudget } from '../../sim/api/types/policy-v1.ts';
import { ApiClient } from '../../sim/client/api-client.ts';
import { BUILTIN_HANDLES } from '../../sim/client/builtin-handles.ts';
import { EVERY_CONTROLLER } from '../../sim/cluster/create-cluster.ts';
import { createCluster, minutes, seconds, type Cluster } from '../../sim/index.ts';
import { observeNodes } from './observe-nodes.ts';

const {
  configMaps,
  namespaces,
  persistentVolumeClaims,
  persistentVolumes,
  podDisruptionBudgets,
  resourceQuotas,
  secrets,
  volumeAttachments,
} = BUILTIN_HANDLES;

interface Watched {
  readonly cluster: Cluster;
  readonly broken: () => readonly string[];
}

function watched(lacks?: string): Watched {
  const rules = new NodeRules(WORKLOAD_RULES);
  const cluster = createCluster({
    controllers: EVERY_CONTROLLER.filter((name) => name !== lacks),
    onAssembled: (made) => observeNodes(made, (observation) => rules.observe(observation)),
  });
  const broken = (): readonly string[] => {
    for (let look = 0; look < 3; look++) rules.look(cluster.now);
    return [...new Set(rules.violations.map(({ rule }) => rule))];
  };
  return { cluster, broken };
}

/** Time goes by, and is looked at. */
function pass(cluster: Cluster, broken: () => unknown, spans: number): void {
  for (let n = 0; n < spans; n++) {
    cluster.advance(seconds(30));
    broken();
  }
}

function owned(cluster: Cluster): void {
  const { metadata } = cluster.client.resource(configMaps).create({ metadata: { name: 'owner' } });
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: metadata.uid ?? '' };
  cluster.client.resource(configMaps).create({ metadata: { name: 'child', ownerReferences: [reference] } });
}

describe('a cluster that is well keeps the rules', () => {
  it('about garbage, namespaces and quotas', () => {
    const { cluster, broken } = watched();
    cluster.client
      .resource(resourceQuotas)
      .create({ metadata: { name: 'q' }, spec: { hard: { secrets: '9' } } });
    owned(cluster);
    cluster.client.resource(secrets).create({ metadata: { name: 's' } });
    cluster.client.resource(namespaces).create({ metadata: { name: 'team' } });
    cluster.client.resource(secrets).create({ metadata: { name: 's', namespace: 'team' } });
    cluster.advance(seconds(30));
    cluster.client.resource(configMaps).delete('owner');
    cluster.client.resource(secrets).delete('s');
    cluster.client.resource(namespaces).delete('team');
    pass(cluster, broken, 16);
    expect(broken()).toEqual([]);
  });
});

describe('a cluster that is not is found out', () => {
  it('which leaves garbage', () => {
    const { cluster, broken } = watched('garbage-collector-controller');
    owned(cluster);
    cluster.client.resource(configMaps).delete('owner');
    pass(cluster, broken, 6);
    expect(broken()).toEqual(['garbage-is-collected']);
  });

  it('which collects what has an owner', () => {
    const { cluster, broken } = watched('garbage-collector-controller');
    owned(cluster);
    const wanton = cluster.simulation.actor('controller/wanton');
    const client = new ApiClient({
      context: wanton.context,
      servers: ['apiserver/0'],
      user: {
        name: 'system:serviceaccount:kube-system:generic-garbage-collector',
        groups: ['system:masters'],
      },
    });
    cluster.finish(client.delete(configMaps, 'child'));
    cluster.advance(seconds(1));
    expect(broken()).toEqual(['only-garbage-is-collected']);
  });

  it('which lets a namespace go before its content', () => {
    const { cluster, broken } = watched('namespace-controller');
    const spaces = cluster.client.resource(namespaces);
    spaces.create({ metadata: { name: 'team' } });
    cluster.client.resource(secrets).create({ metadata: { name: 's', namespace: 'team' } });
    cluster.advance(seconds(5));
    spaces.delete('team');
    const namespace = spaces.get('team');
    const spec = { ...namespace.spec, finalizers: [] };
    cluster.finish(
      cluster.userClient.update(namespaces, { ...namespace, spec }, { subresource: 'finalize' }),
    );
    cluster.advance(seconds(1));
    expect(broken()).toContain('namespace-goes-last');
  });

  describe('which binds two claims to one volume', () => {
    type ClaimRef = { readonly namespace: string; readonly name: string; readonly uid: string };

    /** Two claims say in turn that they have the volume; `between` happens to it before the second. */
    function boundTwice(between: (claimRef: (of: string) => ClaimRef) => readonly (ClaimRef | null)[]) {
      const { cluster, broken } = watched('persistentvolume-binder-controller');
      const claims = cluster.client.resource(persistentVolumeClaims);
      const volumes = cluster.client.resource(persistentVolumes);
      const claimRef = (name: string): ClaimRef => {
        const uid = claims.get(name).metadata.uid ?? '';
        return { namespace: 'default', name, uid };
      };
      const give = (to: ClaimRef | null): void => {
        volumes.patch('v', { type: 'merge', body: { spec: { claimRef: to } } });
      };
      const bind = (name: string): void => {
        const claim = { ...claims.get(name), status: { phase: 'Bound' as const } };
        cluster.finish(cluster.userClient.update(persistentVolumeClaims, claim, { subresource: 'status' }));
      };
      const capacity = { storage: '1Gi' };
      const accessModes = ['ReadWriteOnce'] as const;
      volumes.create({ metadata: { name: 'v' }, spec: { capacity, accessModes, hostPath: { path: '/v' } } });
      for (const name of ['one', 'two'])
        claims.create({
          metadata: { name },
          spec: { accessModes, volumeName: 'v', resources: { requests: capacity } },
        });
      give(claimRef('one'));
      bind('one');
      for (const to of between(claimRef)) give(to);
      bind('two');
      cluster.advance(seconds(1));
      return broken();
    }

    it('while it belongs to the first', () => {
      expect(boundTwice(() => [])).toEqual(['one-claim-per-volume']);
    });

    it('by giving it straight from one to the other', () => {
      expect(boundTwice((of) => [of('two')])).toEqual(['one-claim-per-volume']);
    });

    it('that was freed and given back', () => {
      expect(boundTwice((of) => [null, of('one')])).toEqual(['one-claim-per-volume']);
    });

    it('but not one that was freed in between', () => {
      expect(boundTwice((of) => [null, of('two')])).toEqual([]);
    });
  });

  it('which attaches a volume to two nodes that one may use', () => {
    const { cluster, broken } = watched('persistentvolume-attach-detach-controller');
    const attachments = cluster.client.resource(volumeAttachments);
    const attach = (volume: string, nodeName: string): void => {
      const metadata = { name: `${volume}-${nodeName}` };
      const source = { persistentVolumeName: volume };
      const made = attachments.create({ metadata, spec: { attacher: 'disk.example.com', nodeName, source } });
      const attached = { ...made, status: { attached: true } };
      cluster.finish(cluster.userClient.update(volumeAttachments, attached, { subresource: 'status' }));
    };
    const volume = (name: string, mode: 'ReadWriteOnce' | 'ReadWriteMany') =>
      cluster.client.resource(persistentVolumes).create({
        metadata: { name },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: [mode],
          csi: { driver: 'disk.example.com', volumeHandle: name },
        },
      });
    volume('shared', 'ReadWriteMany');
    volume('single', 'ReadWriteOnce');
    for (const node of ['worker-1', 'worker-2']) attach('shared', node);
    attach('single', 'worker-1');
    attachments.delete('single-worker-1');
    attach('single', 'worker-2');
    expect(broken()).toEqual([]);
    attach('single', 'worker-1');
    expect(broken()).toEqual(['one-node-per-volume']);
  });

  describe('about a budget', () => {
    function budgeted() {
      const { cluster, broken } = watched('disruption-controller');
      const labels = { app: 'web' };
      const budgets = cluster.client.resource(podDisruptionBudgets);
      budgets.create({
        metadata: { name: 'b' },
        spec: { minAvailable: 1, selector: { matchLabels: labels } },
      });
      const pod = { nodeName: 'worker-1', containers: [{ name: 'main', image: 'app:1' }] };
      cluster.client.pods.create({ metadata: { name: 'a', labels }, spec: pod });
      cluster.advance(seconds(20));
      const status = { observedGeneration: 1, expectedPods: 1, desiredHealthy: 1, currentHealthy: 1 };
      const tell = (
        more: Partial<NonNullable<PodDisruptionBudget['status']>> & { disruptionsAllowed: number },
      ): void => {
        const told = { ...budgets.get('b'), status: { ...status, ...more } };
        cluster.finish(cluster.userClient.update(podDisruptionBudgets, told, { subresource: 'status' }));
      };
      tell({ disruptionsAllowed: 0 });
      expect(broken()).toEqual([]);
      return { cluster, broken, tell };
    }

    it('which allows more disruptions than it has pods to spare', () => {
      const { broken, tell } = budgeted();
      tell({ disruptionsAllowed: 1 });
      expect(broken()).toEqual(['evictions-are-charged']);
    });

    it('which is charged and allows as many as before', () => {
      const { broken, tell } = budgeted();
      tell({ disruptionsAllowed: 0, disruptedPods: { a: '2025-01-01T00:00:00Z' } });
      expect(broken()).toEqual(['evictions-are-charged']);
    });

    it('which nobody asks who evicts', () => {
      const { cluster, broken } = budgeted();
      const tellOfPod = (status: object): unknown =>
        cluster.client.pods.patch('a', { type: 'strategic', body: { status } }, { subresource: 'status' });
      tellOfPod({ phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
      const condition = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' };
      tellOfPod({ conditions: [condition] });
      expect(broken()).toEqual(['evictions-are-charged']);
    });
  });

  it('which never counts quotas down', () => {
    const { cluster, broken } = watched('resourcequota-controller');
    const quotas = cluster.client.resource(resourceQuotas);
    const made = quotas.create({ metadata: { name: 'q' }, spec: { hard: { secrets: '9' } } });
    const counted = { ...made, status: { hard: { secrets: '9' }, used: { secrets: '0' } } };
    cluster.finish(cluster.userClient.update(resourceQuotas, counted, { subresource: 'status' }));
    cluster.advance(seconds(1));
    cluster.client.resource(secrets).create({ metadata: { name: 's' } });
    cluster.client.resource(secrets).delete('s');
    cluster.advance(minutes(1));
    pass(cluster, broken, 16);
    expect(broken()).toEqual(['quota-counts-what-is-there']);
  });
});
