/**
 * Questions at several sites, answered by a seed and then by the log of that run, of which some answers were dropped or
 * changed: what is in the log and among the options is answered so, everything else with its default, and what fits
 * nowhere is left over.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from './any-order.arbitrary.ts';
import { Choices, type ChoiceAnswer, type ChoiceLog } from './choices.ts';

interface Question {
  readonly site: string;
  /** From the default. */
  readonly least: number;
  readonly most: number;
  readonly kind: 'around' | 'pick' | 'bool' | 'value';
}

const site = fc.constantFrom('a', 'b', 'c');
const questions = fc.array(
  fc.record({
    site,
    least: fc.oneof(fc.constant(0), fc.integer({ min: -3, max: 0 })),
    most: fc.nat(3),
    kind: fc.constantFrom<Question['kind']>('around', 'pick', 'bool', 'value'),
  }),
  { maxLength: 40, size: 'max' },
);
const seeds = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const NOMINAL = 100;

/** Answers as distances from the default; of values, nothing. */
function ask(choices: Choices, { site: name, least, most, kind }: Question): number {
  const at = choices.site(name);
  if (kind === 'around') return at.around(NOMINAL + least, NOMINAL, NOMINAL + most) - NOMINAL;
  if (kind === 'pick') return at.pick(Array.from({ length: most + 1 }, (_, index) => index));
  if (kind === 'bool') return at.bool(0.5) ? 1 : 0;
  at.uint32();
  return 0;
}

const rangeOf = ({ kind, least, most }: Question): readonly [number, number] =>
  kind === 'around' ? [least, most] : kind === 'pick' ? [0, most] : [0, 1];

const byText = (log: ChoiceLog): readonly string[] => log.map((each) => JSON.stringify(each)).toSorted();

/** What a log makes of the questions. */
function expected(plan: readonly Question[], log: ChoiceLog) {
  const left = new Map(log.map((each) => [`${each.site}/${each.occurrence}`, each]));
  const asked = new Map<string, number>();
  const strays: ChoiceAnswer[] = [];
  const answers = plan.map((question) => {
    if (question.kind === 'value') return 0;
    const occurrence = asked.get(question.site) ?? 0;
    asked.set(question.site, occurrence + 1);
    const key = `${question.site}/${occurrence}`;
    const known = left.get(key);
    left.delete(key);
    const [least, most] = rangeOf(question);
    if (!known) return 0;
    if (known.answer >= least && known.answer <= most) return known.answer;
    strays.push(known);
    return 0;
  });
  return { answers, strays: [...strays, ...left.values()] };
}

const answersOf = (choices: Choices, plan: readonly Question[]): readonly number[] =>
  plan.map((question) => ask(choices, question));

it('the log of a run answers it again, whatever the seed', () => {
  fc.assert(
    fc.property(seeds, seeds, questions, (seed, other, plan) => {
      const first = new Choices({ seed });
      const answers = answersOf(first, plan);
      for (const [index, question] of plan.entries()) {
        const [least, most] = rangeOf(question);
        expect(answers[index]).toBeGreaterThanOrEqual(least);
        expect(answers[index]).toBeLessThanOrEqual(most);
      }
      expect(expected(plan, first.log())).toEqual({ answers, strays: [] });
      const again = new Choices({ seed: other, replay: first.log() });
      expect(answersOf(again, plan)).toEqual(answers);
      expect(again.log()).toEqual(first.log());
      expect(again.strayAnswers()).toEqual([]);
    }),
    asOftenAs(60),
  );
});

const logs = fc.uniqueArray(
  fc.record({
    site: fc.constantFrom('a', 'b', 'c', 'gone'),
    occurrence: fc.nat(12),
    answer: fc.constantFrom(-3, -1, 1, 2, 3),
  }),
  { selector: (each) => `${each.site}/${each.occurrence}`, maxLength: 20, size: 'max' },
);

it('any log answers what it fits, and says what is left over', () => {
  fc.assert(
    fc.property(seeds, questions, logs, (seed, plan, log) => {
      const choices = new Choices({ seed, replay: log });
      const { answers, strays } = expected(plan, log);
      expect(answersOf(choices, plan)).toEqual(answers);
      expect(byText(choices.strayAnswers())).toEqual(byText(strays));
    }),
    asOftenAs(60),
  );
});

it('goes on with another seed as that seed would have, and its whole log answers both parts', () => {
  fc.assert(
    fc.property(seeds, seeds, questions, questions, logs, (seed, other, past, future, log) => {
      const choices = new Choices({ seed, replay: log });
      answersOf(choices, past);
      const strays = choices.strayAnswers();
      const known = expected(past, log).strays;
      expect(byText(strays)).toEqual(byText(known));
      choices.continueWith(other);
      const unforked = new Choices({ seed: other });
      answersOf(unforked, past);
      const answers = answersOf(choices, future);
      expect(answers).toEqual(answersOf(unforked, future));
      const again = new Choices({ seed: 0, replay: choices.log() });
      answersOf(again, past);
      expect(answersOf(again, future)).toEqual(answers);
      expect(again.strayAnswers()).toEqual([]);
    }),
    asOftenAs(60),
  );
});
