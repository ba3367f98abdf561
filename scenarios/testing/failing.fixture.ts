/** Tests that fail, for the test of what they leave behind. Not run by themselves. */
import fc from 'fast-check';
import { describe } from 'vitest';
import { seconds } from '../../sim/index.ts';
import { expect, test } from './vitest.ts';

const configMap = (name: string) => ({ metadata: { name } });

describe('a suite', () => {
  test('finds no such thing', async ({ cluster }) => {
    cluster.guest('writer', async ({ client }) => {
      await client.configMaps.create(configMap('written'));
    });
    await cluster.guests.advance(seconds(1));
    await expect(cluster).toHaveObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'missing' },
    });
  });

  test.seeds(5)('fails with one seed', ({ cluster, seed }) => {
    cluster.client.configMaps.create(configMap(`of-${seed}`));
    expect(seed).not.toBe(3);
  });

  test.property('fails from three on', [fc.nat(20)], ({ cluster }, count) => {
    for (let serial = 0; serial < count; serial++) cluster.client.configMaps.create(configMap(`n-${serial}`));
    expect(count).toBeLessThan(3);
  });
});
