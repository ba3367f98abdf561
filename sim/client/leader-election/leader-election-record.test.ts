import { expect, it } from 'vitest';
import {
  isSameRecord,
  leaseSpecOf,
  type LeaderElectionRecord,
  nextRecord,
  recordOf,
  releasedRecord,
} from './leader-election-record.ts';

const NOW = '2025-01-01T00:00:20.000000Z';
const HELD: LeaderElectionRecord = {
  holder: 'a',
  durationSeconds: 15,
  acquireTime: '2025-01-01T00:00:00.000000Z',
  renewTime: '2025-01-01T00:00:18.000000Z',
  transitions: 3,
};
const candidate = (identity: string) => ({ identity, durationSeconds: 15, now: NOW });

it.each<[string, LeaderElectionRecord | undefined, string, Partial<LeaderElectionRecord>]>([
  [
    'the first leader begins',
    undefined,
    'a',
    { holder: 'a', acquireTime: NOW, renewTime: NOW, transitions: 0 },
  ],
  ['a leader goes on', HELD, 'a', { acquireTime: HELD.acquireTime, renewTime: NOW, transitions: 3 }],
  ['another takes over', HELD, 'b', { holder: 'b', acquireTime: NOW, renewTime: NOW, transitions: 4 }],
  ['somebody takes what was given back', releasedRecord(HELD, NOW), 'b', { holder: 'b', transitions: 4 }],
])('%s', (_, seen, identity, expected) => {
  expect(nextRecord(seen, candidate(identity))).toMatchObject(expected);
});

it('a lease says what its record says', () => {
  expect(isSameRecord(recordOf(leaseSpecOf(HELD)), HELD)).toBe(true);
  expect(isSameRecord(recordOf({}), HELD)).toBe(false);
  expect(leaseSpecOf(releasedRecord(HELD, NOW))).toEqual({
    holderIdentity: '',
    leaseDurationSeconds: 1,
    acquireTime: NOW,
    renewTime: NOW,
    leaseTransitions: 3,
  });
});
