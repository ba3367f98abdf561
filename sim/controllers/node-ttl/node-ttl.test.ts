import { describe, expect, it } from 'vitest';
import { createCluster } from '../../cluster/create-cluster.ts';
import { seconds } from '../../engine/time.ts';
import { CacheTtl } from './cache-ttl.ts';
import { TTL_ANNOTATION } from './node-ttl-controller.ts';

describe('the time that agents may keep what they have read', () => {
  const grownTo = (count: number): CacheTtl => {
    const ttl = new CacheTtl();
    for (let index = 0; index < count; index++) ttl.nodeAdded();
    return ttl;
  };

  it.each([
    [0, 0],
    [100, 0],
    [101, 15],
    [500, 15],
    [501, 30],
    [1_001, 60],
    [2_001, 300],
    [10_001, 600],
  ])('of %i nodes is %i s', (count, wanted) => {
    expect(grownTo(count).seconds).toBe(wanted);
  });

  it('gets shorter only when the cluster is well below the bound', () => {
    const ttl = grownTo(101);
    const sizes = Array.from({ length: 12 }, () => {
      ttl.nodeRemoved();
      return ttl.seconds;
    });
    expect(sizes.lastIndexOf(15)).toBe(10);
  });
});

describe('the TTL controller', () => {
  it('writes it on every node, and again when it was taken away or changed', () => {
    const cluster = createCluster({ nodes: 2 });
    cluster.advance(seconds(5));
    const noted = () =>
      cluster.client.nodes.list().items.map(({ metadata }) => metadata.annotations?.[TTL_ANNOTATION]);
    expect(noted()).toEqual(['0', '0']);
    for (const value of [null, '7']) {
      const body = { metadata: { annotations: { [TTL_ANNOTATION]: value } } };
      cluster.client.nodes.patch('worker-2', { type: 'merge', body });
      cluster.advance(seconds(1));
      expect(noted()).toEqual(['0', '0']);
    }
  });
});
