import { expect, test } from 'vitest';
import { Choices } from './choices.ts';
import { InvariantViolation } from './invariant.ts';

test('integers are spread evenly, over small and over wide ranges', () => {
  const site = new Choices({ seed: 7 }).site('dice');
  for (const sides of [6, 2 ** 40]) {
    const counts = [0, 0, 0, 0, 0, 0];
    for (let draw = 0; draw < 6000; draw++) {
      const face = Math.floor((6 * site.int(0, sides - 1)) / sides);
      counts[face] = (counts[face] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
  }
});

test('both sides of a nominal value are equally likely', () => {
  const site = new Choices({ seed: 3 }).site('latency');
  const drawn = Array.from({ length: 4000 }, () => site.around(200, 500, 2000));
  const below = drawn.filter((value) => value < 500).length;
  expect(below).toBeGreaterThan(1800);
  expect(below).toBeLessThan(2200);
});

test('probabilities hold, and their ends are certain', () => {
  const site = new Choices({ seed: 5 }).site('fault');
  const hits = Array.from({ length: 4000 }, () => site.bool(0.25)).filter(Boolean).length;
  expect(hits).toBeGreaterThan(850);
  expect(hits).toBeLessThan(1150);
  expect(Array.from({ length: 100 }, () => site.bool(0))).not.toContain(true);
  expect(Array.from({ length: 100 }, () => site.bool(1))).not.toContain(false);
});

test('values do not shift decisions', () => {
  const plain = new Choices({ seed: 1 }).site('a');
  const mixed = new Choices({ seed: 1 }).site('a');
  const decisions = Array.from({ length: 5 }, () => plain.int(0, 999));
  expect(Array.from({ length: 5 }, () => (mixed.uuid(), mixed.int(0, 999)))).toEqual(decisions);
});

test('identifiers have their form and differ', () => {
  const site = new Choices({ seed: 1 }).site('uid');
  const uids = Array.from({ length: 200 }, () => site.uuid());
  for (const uid of uids)
    expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(uids).size).toBe(200);
  expect(site.hex(5)).toMatch(/^[0-9a-f]{5}$/);
  expect(new Set(site.bytes(64)).size).toBeGreaterThan(32);
});

const ask = (choices: Choices): unknown[] => {
  const site = choices.site('a');
  return [site.int(0, 9), site.pick(['x', 'y', 'z']), site.bool(0.5), choices.site('b').around(-5, 0, 5)];
};

test('without an answer in the log, a question gets its default', () => {
  expect(ask(new Choices({ seed: 9, replay: [] }))).toEqual([0, 'x', false, 0]);
});

test('an answer that finds no question, or is not among the options, is counted', () => {
  const replay = [
    { site: 'a', occurrence: 0, answer: 3 },
    { site: 'a', occurrence: 1, answer: 7 },
    { site: 'a', occurrence: 99, answer: 1 },
    { site: 'gone', occurrence: 0, answer: 1 },
  ];
  const choices = new Choices({ seed: 0, replay });
  expect(ask(choices)).toEqual([3, 'x', false, 0]);
  expect(choices.strayAnswers()).toEqual([replay[1], replay[2], replay[3]]);
});

test('a run can go on with another seed: the same past, a different future', () => {
  const draw = (choices: Choices): number[] => Array.from({ length: 8 }, () => choices.site('a').int(0, 1e6));
  const one = new Choices({ seed: 1 });
  const other = new Choices({ seed: 1 });
  expect(draw(other)).toEqual(draw(one));
  other.continueWith(2);
  const past = other.log().length;
  expect(draw(other)).not.toEqual(draw(one));
  const replayed = new Choices({ seed: 5, replay: other.log() });
  expect([...draw(replayed), ...draw(replayed)].length).toBe(16);
  expect(replayed.log()).toEqual(other.log());
  expect(other.log().length).toBeGreaterThan(past);
});

test('a choice without options is a bug', () => {
  expect(() => new Choices({ seed: 0 }).site('a').pick([])).toThrow(InvariantViolation);
});
