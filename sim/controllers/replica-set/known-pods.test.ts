import { expect, test } from 'vitest';
import type { ReplicaSet } from '../../api/types/apps-v1.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import { KnownPods } from './known-pods.ts';
import { REPLICA_SETS } from './replicated.ts';

const podOf = (name: string, { owner = 'set', isReady = true, app = 'web' } = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    labels: { app },
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: owner, controller: true },
    ],
  },
  status: { conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
});

const setOf = (labels: Record<string, string>, uid = 'set'): ReplicaSet => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: 'web', uid },
  spec: { selector: { matchLabels: { app: 'web' } }, template: { metadata: { labels } } },
});

const set = setOf({ app: 'web' });
const fresh = (): KnownPods<ReplicaSet> => new KnownPods(REPLICA_SETS);

test('pods are counted anew whatever changed: their objects, their order, their number', () => {
  const known = fresh();
  const [a, b, c] = [podOf('a'), podOf('b', { isReady: false }), podOf('c')];
  const looks = [[a, b], [a, podOf('b')], [podOf('b'), a], [c], [c, a, b], [], [b]];
  for (const pods of looks) expect(known.look(set, pods)).toEqual(fresh().look(set, pods));
  expect(known.look(set, [c, a, b])).toMatchObject({ areOwn: true, fullyLabeled: 3, ready: 2 });
});

test('one that is another one’s, or is not selected any more, is not its own', () => {
  const known = fresh();
  const own = podOf('a');
  expect(known.look(set, [own]).areOwn).toBe(true);
  expect(known.look(set, [own, podOf('b', { owner: 'other' })]).areOwn).toBe(false);
  expect(known.look(set, [podOf('a', { app: 'mail' })])).toMatchObject({
    areOwn: false,
    fullyLabeled: 0,
    ready: 1,
  });
});

test('what was known is forgotten with another spec, and with a set of the same name made anew', () => {
  const known = fresh();
  const pods = [podOf('a')];
  known.look(set, pods);
  expect(known.look(setOf({ app: 'web', tier: 'new' }), pods).fullyLabeled).toBe(0);
  expect(known.look(setOf({ app: 'web' }, 'again'), pods).areOwn).toBe(false);
});

test('what ends is not counted, from the moment on at which it does', () => {
  const known = fresh();
  const [a, b] = [podOf('a'), podOf('b')];
  known.look(set, [a, b]);
  const ending: Pod = { ...b, metadata: { ...b.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  expect(known.look(set, [a, ending])).toMatchObject({ active: [a], fullyLabeled: 1, ready: 1 });
  const failed: Pod = { ...a, status: { ...a.status, phase: 'Failed' } };
  expect(known.look(set, [failed, ending]).active).toEqual([]);
});
