import { expect, test } from 'vitest';
import { wantsMore } from './volume-expander.ts';

const volume = (annotations: Record<string, string> = {}) => ({
  kind: 'PersistentVolume',
  apiVersion: 'v1',
  metadata: { name: 'v', annotations },
});

const claim = (phase: 'Bound' | 'Pending', wanted: string, present: string) => ({
  kind: 'PersistentVolumeClaim',
  apiVersion: 'v1',
  metadata: { name: 'a' },
  spec: { resources: { requests: { storage: wanted } } },
  status: { phase, capacity: { storage: present } },
});

test.each([
  ['Bound', '2Gi', '1Gi', true],
  ['Bound', '1024Mi', '1Gi', false],
  ['Bound', '1Gi', '2Gi', false],
] as const)('a %s claim that asks for %s and has %s', (phase, wanted, present, wants) => {
  expect(wantsMore(claim(phase, wanted, present), volume())).toBe(wants);
});

test('a volume that has grown without its files is wanted larger', () => {
  const grown = volume({ 'volume.alpha.kubernetes.io/pre-resize-capacity': '1Gi' });
  expect(wantsMore(claim('Bound', '2Gi', '2Gi'), grown)).toBe(true);
});
