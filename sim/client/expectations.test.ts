import { describe, expect, it } from 'vitest';
import { seconds } from '../engine/time.ts';
import { Expectations } from './expectations.ts';

function expectations() {
  const clock = { now: seconds(100) };
  return { clock, expected: new Expectations(() => clock.now) };
}

describe('expectations of a key', () => {
  it('are satisfied when there are none, as after a restart', () => {
    const { expected } = expectations();
    expect(expected.areSatisfied('web')).toBe(true);
    expected.creationObserved('web');
    expected.deletionObserved('web', 'a');
    expect(expected.areSatisfied('web')).toBe(true);
  });

  it('wait for as many creations as were announced', () => {
    const { expected } = expectations();
    expected.expectCreations('web', 2);
    expect([expected.areSatisfied('web'), expected.areSatisfied('db')]).toEqual([false, true]);
    expected.creationObserved('web');
    expect(expected.areSatisfied('web')).toBe(false);
    expected.creationObserved('web');
    expect(expected.areSatisfied('web')).toBe(true);
    // Somebody else's: more than were expected are no debt.
    expected.creationObserved('web');
    expect(expected.areSatisfied('web')).toBe(true);
    expected.expectCreations('web', 1);
    expect(expected.areSatisfied('web')).toBe(false);
  });

  it('wait for each deletion that was announced, once, and for no other', () => {
    const { expected } = expectations();
    expected.expectDeletions('web', ['a', 'b']);
    for (const uid of ['a', 'a', 'c']) expected.deletionObserved('web', uid);
    expect(expected.areSatisfied('web')).toBe(false);
    expected.deletionObserved('web', 'b');
    expect(expected.areSatisfied('web')).toBe(true);
  });

  it('of deletions replace those of creations', () => {
    const { expected } = expectations();
    expected.expectCreations('web', 3);
    expected.expectDeletions('web', ['a']);
    expected.deletionObserved('web', 'a');
    expect(expected.areSatisfied('web')).toBe(true);
  });

  it('expire after five minutes, and are forgotten with their key', () => {
    const { clock, expected } = expectations();
    expected.expectCreations('web', 1);
    clock.now = seconds(100 + 300);
    expect(expected.areSatisfied('web')).toBe(false);
    clock.now = seconds(401);
    expect(expected.areSatisfied('web')).toBe(true);
    expected.expectCreations('web', 1);
    expected.forget('web');
    expect(expected.areSatisfied('web')).toBe(true);
  });
});
