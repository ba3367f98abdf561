import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asOftenAs } from './any-order.arbitrary.ts';
import { Choices } from './choices.ts';

const seeds = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

const ask = (choices: Choices): unknown[] => {
  const site = choices.site('a');
  return [site.int(0, 9), site.pick(['x', 'y', 'z']), site.bool(0.5), choices.site('b').around(-5, 0, 5)];
};

test('answers lie among the options', () => {
  fc.assert(
    fc.property(seeds, fc.integer(), fc.nat(), fc.nat(), (seed, nominal, below, above) => {
      const site = new Choices({ seed }).site('node/a:x');
      for (let draw = 0; draw < 20; draw++) {
        const answer = site.around(nominal - below, nominal, nominal + above);
        expect(answer).toBeGreaterThanOrEqual(nominal - below);
        expect(answer).toBeLessThanOrEqual(nominal + above);
        expect(Number.isInteger(answer)).toBe(true);
      }
    }),
    asOftenAs(100),
  );
});

test('a site answers the same whoever else asks', () => {
  fc.assert(
    fc.property(seeds, fc.array(fc.boolean(), { maxLength: 50 }), (seed, interleaved) => {
      const alone = new Choices({ seed }).site('a');
      const crowd = new Choices({ seed });
      for (const isDisturbed of interleaved) {
        if (isDisturbed) crowd.site('b').int(0, 100);
        expect(crowd.site('a').int(0, 1000)).toBe(alone.int(0, 1000));
      }
    }),
    asOftenAs(100),
  );
});

test('the log of a run answers it again, without the seed', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const first = new Choices({ seed });
      const answers = ask(first);
      const replayed = new Choices({ seed: 0, replay: first.log() });
      expect(ask(replayed)).toEqual(answers);
      expect(replayed.strayAnswers()).toEqual([]);
      expect(replayed.log()).toEqual(first.log());
      expect(first.log().every(({ answer }) => answer !== 0)).toBe(true);
    }),
    asOftenAs(100),
  );
});
