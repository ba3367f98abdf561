/** Which volume a claim gets; Kubernetes 1.31. */
import { describe, expect, it } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeSpec } from '../types/core-v1.ts';
import { bestOf, mismatchOf, volumeToBind } from './volume-match.ts';

const claim: PersistentVolumeClaim = {
  kind: 'PersistentVolumeClaim',
  apiVersion: 'v1',
  metadata: { name: 'c', namespace: 'default', uid: 'u' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

type Mode = NonNullable<PersistentVolumeSpec['accessModes']>[number];

const volume = (
  name: string,
  storage: string,
  accessModes: readonly Mode[] = ['ReadWriteOnce'],
  spec: PersistentVolumeSpec = {},
): PersistentVolume => ({
  kind: 'PersistentVolume',
  apiVersion: 'v1',
  metadata: { name },
  spec: { capacity: { storage }, accessModes, ...spec },
  status: { phase: 'Available' },
});

const mine = { claimRef: { namespace: 'default', name: 'c' } };

describe('the volume that a claim gets', () => {
  it('has the fewest access modes, however large it is', () => {
    const both = volume('both', '1Gi', ['ReadWriteOnce', 'ReadOnlyMany']);
    const [large, small] = [volume('large', '9Gi'), volume('small', '5Gi')];
    expect(volumeToBind(claim, [both, large, small], false)).toBe(small);
    expect(volumeToBind(claim, [both], false)).toBe(both);
  });

  it('is one with fewer modes before one that was meant for it', () => {
    const meant = volume('meant', '1Gi', ['ReadWriteOnce', 'ReadOnlyMany'], mine);
    expect(volumeToBind(claim, [meant, volume('other', '5Gi')], false)?.metadata.name).toBe('other');
    expect(volumeToBind(claim, [meant, volume('other', '5Gi')], true)).toBe(meant);
  });

  it('is none where the one that was meant for it cannot be used', () => {
    const volumes = [volume('other', '1Gi'), volume('meant', '1Gi', ['ReadWriteOnce'], mine)];
    const reaches = ({ metadata }: PersistentVolume): boolean => metadata.name === 'other';
    expect(bestOf(claim, volumes, { reaches })).toBeUndefined();
    expect(bestOf(claim, volumes.slice(0, 1), { reaches })?.metadata.name).toBe('other');
  });

  it('is of its class of attributes', () => {
    const fast = { ...claim, spec: { ...claim.spec, volumeAttributesClassName: 'fast' } };
    const [plain, quick] = [
      volume('plain', '1Gi'),
      volume('quick', '2Gi', ['ReadWriteOnce'], { volumeAttributesClassName: 'fast' }),
    ];
    expect(volumeToBind(fast, [plain, quick], false)).toBe(quick);
    expect(mismatchOf(plain, fast)).toBe('volumeAttributesClassName does not match');
  });
});

it('a volume that is being deleted does not do for a claim that names it', () => {
  const going = volume('v', '1Gi');
  const metadata = { ...going.metadata, deletionTimestamp: '2024-01-01T00:00:00Z' };
  expect(mismatchOf({ ...going, metadata }, claim)).toBe('the volume is marked for deletion "v"');
});
