import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../sim/api/object.ts';
import { Miscounted } from './miscounted.ts';

const named = (kind: string, name: string, more: object = {}, namespace = 'd'): ApiObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace, uid: name },
  ...more,
});
const quota = (pods: string, namespace = 'd'): ApiObject =>
  named('ResourceQuota', 'q', { status: { used: { pods, memory: '1Gi' } } }, namespace);
const pod = (phase: string, namespace = 'd'): ApiObject =>
  named('Pod', 'p', { status: { phase } }, namespace);

/** A quota that is raised a second after something, in its namespace or in another. */
function raised(at: number, namespace?: string): Miscounted {
  const miscounted = new Miscounted();
  miscounted.store(1_000_000, pod('Running', namespace), undefined);
  miscounted.store(at, quota('1'), quota('2'));
  return miscounted;
}

describe('a quota may be miscounted', () => {
  it('that is raised when something of its namespace has just gone', () => {
    expect(raised(1_000_500).isMiscounted(quota('2'))).toBe(true);
    expect(raised(1_000_500).isMiscounted(named('ConfigMap', 'q'))).toBe(false);
    expect(raised(2_000_000).isMiscounted(quota('2'))).toBe(false);
    expect(raised(1_000_500, 'other').isMiscounted(quota('2'))).toBe(false);
  });

  it('of which something goes, or a pod ends, right after it was raised', () => {
    for (const after of [undefined, pod('Failed')]) {
      const miscounted = raised(9_000_000);
      miscounted.store(9_000_500, pod('Running'), after);
      expect(miscounted.isMiscounted(quota('2'))).toBe(true);
    }
    const running = raised(9_000_000);
    running.store(9_000_500, pod('Pending'), pod('Running'));
    running.store(9_000_500, pod('Running', 'other'), undefined);
    expect(running.isMiscounted(quota('2'))).toBe(false);
  });

  it('until it is written, or something else goes that it counts', () => {
    const written = raised(1_000_500);
    written.store(1_000_600, quota('2'), quota('1'));
    expect(written.isMiscounted(quota('1'))).toBe(false);
    const counted = raised(1_000_500);
    counted.store(5_000_000, named('ConfigMap', 'c'), undefined);
    expect(counted.isMiscounted(quota('2'))).toBe(true);
    counted.store(5_000_000, pod('Running'), undefined);
    expect(counted.isMiscounted(quota('2'))).toBe(false);
  });
});
