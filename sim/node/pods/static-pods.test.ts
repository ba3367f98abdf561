import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/types/core-v1.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';
import { conditions, eventsOf, names, status, untilPhase } from '../../cluster/pod-world.fixture.ts';
import { RELEASE_1_31 } from '../../api/release/release-1-31.ts';
import { OF_ROOT } from '../machine/disk.ts';
import { MANIFEST_DIRECTORY, manifestOf } from './static-manifests.ts';

const { types } = RELEASE_1_31.catalog;

const MANIFEST: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'etcd', labels: { tier: 'control-plane' } },
  spec: { containers: [{ name: 'etcd', image: 'etcd:3' }] },
};
const YAML = `
apiVersion: v1
kind: Pod
metadata: { name: proxy }
spec:
  terminationGracePeriodSeconds: 5
  containers:
    - { name: proxy, image: "proxy:1" }
`;

function withStatic(staticPods: readonly Pod[] = [MANIFEST]): Cluster {
  const world = createCluster({ nodes: { count: 1, template: { staticPods } } });
  world.settle();
  return world;
}
const mirror = (world: Cluster) => world.client.pods.get('etcd-worker-1');
const running = (world: Cluster) => world.machine('worker-1').runtime.running(world.now / 1_000);
const write = (world: Cluster, file: string, text: string) =>
  world.machine('worker-1').disk.write(`${MANIFEST_DIRECTORY}/${file}`, {
    bytes: new TextEncoder().encode(text),
    mode: 0o600,
    owner: OF_ROOT,
  });

describe('a static pod', () => {
  it('runs, and is shown by a mirror pod', () => {
    const world = withStatic();
    untilPhase(world, 'etcd-worker-1', 'Running');
    const node = world.client.nodes.get('worker-1');
    const { metadata, spec } = mirror(world);
    const hash = metadata.annotations?.['kubernetes.io/config.hash'];
    expect(hash).toMatch(/^[0-9a-f]{32}$/);
    expect(metadata).toMatchObject({
      labels: { tier: 'control-plane' },
      annotations: { 'kubernetes.io/config.mirror': hash, 'kubernetes.io/config.source': 'file' },
      ownerReferences: [{ kind: 'Node', name: 'worker-1', uid: node.metadata.uid, controller: true }],
    });
    expect(spec).toMatchObject({ nodeName: 'worker-1' });
    expect(spec?.tolerations).toContainEqual({ operator: 'Exists', effect: 'NoExecute' });
    expect(conditions(mirror(world))).toMatchObject({ Ready: 'True', PodScheduled: 'True' });
    expect(running(world)).toMatchObject([{ podUid: hash, podName: 'etcd-worker-1' }]);
    expect(eventsOf(world, 'etcd-worker-1').join()).toContain('Started container etcd');
  });

  it('runs though no API server answers', () => {
    const world = createCluster({ nodes: { count: 1, template: { staticPods: [MANIFEST] } } });
    world.faults.partition('worker-1');
    world.advance(minutes(1));
    expect(running(world)).toHaveLength(1);
    world.faults.heal('worker-1');
    world.advance(minutes(1));
    expect(status(world, 'etcd-worker-1')).toMatchObject({
      phase: 'Running',
      containerStatuses: [{ restartCount: 0 }],
    });
  });

  it.each([undefined, 0])('whose mirror is deleted gets another (grace %s), and runs on', (grace) => {
    const world = withStatic();
    untilPhase(world, 'etcd-worker-1', 'Running');
    const before = mirror(world).metadata.uid;
    const container = running(world)[0]?.id;
    world.client.pods.delete('etcd-worker-1', grace === undefined ? {} : { gracePeriodSeconds: grace });
    world.advance(seconds(20));
    expect(mirror(world).metadata.uid).not.toBe(before);
    expect(mirror(world).metadata.deletionTimestamp).toBeUndefined();
    expect(status(world, 'etcd-worker-1')?.phase).toBe('Running');
    expect(running(world).map(({ id }) => id)).toEqual([container]);
  });

  it('is none where the text is no pod, and nothing else suffers from that', () => {
    const world = withStatic();
    write(world, 'half.yaml', 'kind: Pod');
    write(world, 'odd.yaml', '{');
    world.advance(seconds(20));
    expect(names(world)).toEqual(['etcd-worker-1']);
    write(world, 'half.yaml', YAML);
    untilPhase(world, 'proxy-worker-1', 'Running');
  });

  it('comes and goes with its manifest', () => {
    const world = withStatic([]);
    write(world, 'proxy.yaml', YAML);
    untilPhase(world, 'proxy-worker-1', 'Running');
    world.machine('worker-1').disk.remove(`${MANIFEST_DIRECTORY}/proxy.yaml`);
    world.advance(seconds(10));
    expect(names(world)).toEqual([]);
    expect(world.machine('worker-1').runtime.all()).toEqual([]);
    expect(world.machine('worker-1').runtime.sandboxes.size).toBe(0);
  });

  it('is another when its manifest changes', () => {
    const world = withStatic([]);
    write(world, 'proxy.yaml', YAML);
    untilPhase(world, 'proxy-worker-1', 'Running');
    const before = world.client.pods.get('proxy-worker-1').metadata.uid;
    write(world, 'proxy.yaml', YAML.replace('proxy:1', 'proxy:2'));
    world.advance(seconds(30));
    const after = world.client.pods.get('proxy-worker-1');
    expect(after.metadata.uid).not.toBe(before);
    expect(after).toMatchObject({
      spec: { containers: [{ image: 'proxy:2' }] },
      status: { phase: 'Running' },
    });
    expect(running(world)).toHaveLength(1);
  });

  it('goes on when the agent restarts, with its restarts counted', () => {
    const world = withStatic([
      {
        ...MANIFEST,
        metadata: {
          name: 'etcd',
          annotations: { 'behaviour.kubesim.dev/etcd': '{"runsForSeconds": 100, "exitCode": 1}' },
        },
      },
    ]);
    world.advance(seconds(130));
    expect(mirror(world).status?.containerStatuses?.[0]?.restartCount).toBe(1);
    const [before] = running(world);
    world.faults.crash('worker-1');
    world.advance(seconds(5));
    world.faults.restart('worker-1');
    world.advance(seconds(20));
    expect(running(world).map(({ id }) => id)).toEqual([before?.id]);
    expect(mirror(world).status?.containerStatuses?.[0]).toMatchObject({ restartCount: 1, ready: true });
  });

  it('is there again after a new machine image', () => {
    const world = withStatic();
    untilPhase(world, 'etcd-worker-1', 'Running');
    world.faults.crash('worker-1', { isSilent: true });
    world.machine('worker-1').reimage();
    world.faults.restart('worker-1');
    world.advance(minutes(1));
    expect(running(world)).toHaveLength(1);
    expect(conditions(mirror(world))).toMatchObject({ Ready: 'True' });
  });

  it('leaves pods alone that only look like one', () => {
    const world = withStatic();
    world.client.pods.create({
      metadata: { name: 'guest', annotations: { 'kubernetes.io/config.source': 'file' } },
      spec: { nodeName: 'worker-1', containers: [{ name: 'main', image: 'app:1' }] },
    });
    untilPhase(world, 'guest', 'Running');
    write(world, 'proxy.yaml', YAML);
    untilPhase(world, 'proxy-worker-1', 'Running');
    expect(status(world, 'guest')?.phase).toBe('Running');
  });
});

describe('a manifest', () => {
  it.each([
    ['kind: Node\napiVersion: v1\nmetadata: { name: a }'],
    ['kind: Pod\napiVersion: v1\nmetadata: { name: a }'],
    ['kind: Pod\napiVersion: v1\nspec: { containers: [{ name: a, image: a }] }'],
    ['kind: ['],
    [''],
  ])('is none: %j', (text) => {
    expect(manifestOf(text, types)).toBeUndefined();
  });

  it.each([
    ['app', 'Always'],
    ['host:5000/app', 'Always'],
    ['app:latest', 'Always'],
    ['app:1', 'IfNotPresent'],
    ['host:5000/app:1', 'IfNotPresent'],
  ])('has its pull policy by its image: %s %s', (image, policy) => {
    const manifest = manifestOf(
      JSON.stringify({ ...MANIFEST, spec: { containers: [{ name: 'a', image }] } }),
      types,
    );
    expect(manifest?.spec?.containers[0]?.imagePullPolicy).toBe(policy);
  });
});
