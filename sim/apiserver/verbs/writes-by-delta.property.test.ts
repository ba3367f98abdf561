/** Writes by delta against writes that are examined as a whole: the same answers, the same objects. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { randomWrite } from './random-writes.arbitrary.ts';
import { textOf, WrittenWorld } from './written-world.fixture.ts';

it('what is written by delta is what is written as a whole', () => {
  const answers = new Map<string, number>();
  fc.assert(
    fc.property(fc.array(randomWrite, { minLength: 5, maxLength: 25 }), (writes) => {
      const [byDelta, asWhole] = [new WrittenWorld(true), new WrittenWorld(false)];
      for (const write of writes) {
        const answer = byDelta.write(write);
        expect(textOf(answer)).toBe(textOf(asWhole.write(write)));
        const key = `${write.verb} ${answer.status}`;
        answers.set(key, (answers.get(key) ?? 0) + 1);
      }
      const states = [byDelta, asWhole].map(({ storage }) => JSON.stringify(storage.range({ prefix: '' })));
      expect(states[0]).toBe(states[1]);
    }),
    { numRuns: Number(process.env['DELTA_RUNS'] ?? 150), seed: 7 },
  );
  for (const often of ['update 200', 'update 409', 'merge 200', 'strategic 200', 'apply 200'])
    expect(answers.get(often) ?? 0, often).toBeGreaterThan(20);
});
