import { expect, it } from 'vitest';
import type { ApiObject, ObjectMeta } from '../../api/object.ts';
import { claimOf, type Claim } from './claim.ts';

const of = (metadata: ObjectMeta): ApiObject => ({ apiVersion: 'v1', kind: 'Pod', metadata });
const reference = (uid: string, controller?: boolean) => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  name: 'web',
  uid,
  ...(controller !== undefined && { controller }),
});
const CONTROLLER = { name: 'web', namespace: 'default', uid: 'c1' };
const GOING = { deletionTimestamp: '2025-01-01T00:00:00Z' };
const owned = { namespace: 'default', ownerReferences: [reference('c1', true)] };
const orphan = { namespace: 'default' };

it.each<[string, ObjectMeta, ObjectMeta, boolean, Claim]>([
  ['its own that matches', owned, CONTROLLER, true, 'own'],
  ['its own that matches no more', owned, CONTROLLER, false, 'release'],
  ['its own, when it is about to go', owned, { ...CONTROLLER, ...GOING }, true, 'own'],
  [
    'its own that matches no more, when it is about to go',
    owned,
    { ...CONTROLLER, ...GOING },
    false,
    'other',
  ],
  ['an orphan that matches', orphan, CONTROLLER, true, 'adopt'],
  ['an orphan that does not', orphan, CONTROLLER, false, 'other'],
  ['an orphan that goes', { ...orphan, ...GOING }, CONTROLLER, true, 'other'],
  ['an orphan, when it is about to go', orphan, { ...CONTROLLER, ...GOING }, true, 'other'],
  ['an orphan of another namespace', { namespace: 'other' }, CONTROLLER, true, 'other'],
  ["somebody else's", { ownerReferences: [reference('c2', true)] }, CONTROLLER, true, 'other'],
  [
    'what has owners but no controller',
    { ...orphan, ownerReferences: [reference('c2')] },
    CONTROLLER,
    true,
    'adopt',
  ],
])('a controller finds %s', (_, object, controller, isSelected, expected) => {
  expect(claimOf(of(object), of(controller), isSelected)).toBe(expected);
});
