import { expect, it } from 'vitest';
import type { RandomWrite } from './random-writes.arbitrary.ts';
import { WrittenWorld } from './written-world.fixture.ts';

const APPLY: RandomWrite = {
  kind: 0,
  verb: 'apply',
  isOfStatus: false,
  edits: [],
  age: 0,
  isUnversioned: false,
  entries: 'as read',
  agent: 'someone',
  query: {},
  isInterrupted: false,
  seconds: 0,
};
/** Things have a status. */
const THING = 4;

it('an apply to a part of what is deleted meanwhile makes nothing', () => {
  const world = new WrittenWorld(true);
  const answer = world.write({ ...APPLY, kind: THING, isOfStatus: true }, { amid: ['delete'] });
  expect([world.met, answer.status]).toEqual([1, 404]);
});

it('an apply that is to make what somebody else makes meanwhile changes that', () => {
  const world = new WrittenWorld(true);
  const answer = world.write(APPLY, { amid: ['delete', 'remake'] });
  expect([world.met, answer.status]).toEqual([2, 200]);
});
