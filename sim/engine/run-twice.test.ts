import { expect, test } from 'vitest';
import { runTwice, type ObservedRun } from './run-twice.ts';
import { Simulation } from './simulation.ts';
import { microseconds, seconds } from './time.ts';

/** Five steps of a process; `span` says how long each takes, `steps` how many there are. */
const walk =
  (span: (step: number) => number, steps = (): number => 5): ObservedRun =>
  (observer) => {
    const simulation = new Simulation({ seed: 1, trace: { observer } });
    const count = steps();
    simulation.actor('walker', {
      *start(context) {
        for (let step = 0; step < count; step++) {
          yield* context.sleep(microseconds(span(step)));
          context.trace('step', `${step}`);
        }
      },
    });
    simulation.runFor(seconds(1));
  };

test('a deterministic run is the same twice', () => {
  expect(runTwice(walk(() => 10))).toEqual({ kind: 'same', records: 11 });
});

test('the first record that differs is named, with both faces', () => {
  let calls = 0;
  const verdict = runTwice(walk((step) => (step === 3 && ++calls === 2 ? 11 : 10)));
  expect(verdict).toMatchObject({ kind: 'different', serial: 7, first: { at: 40 }, second: { at: 41 } });
  expect(verdict.kind === 'different' && verdict.message).toBe(
    [
      'the same run went two ways at record 7:',
      '  first:  #7 0.000040s walker timer main (event 4 by 3)',
      '  second: #7 0.000041s walker timer main (event 4 by 3)',
    ].join('\n'),
  );
});

test('a run that ends early differs where it ended', () => {
  let calls = 0;
  const shorter = runTwice(
    walk(
      () => 10,
      () => (++calls === 2 ? 4 : 5),
    ),
  );
  expect(shorter).toMatchObject({ kind: 'different', serial: 9, first: { at: 50 }, second: undefined });
  calls = 0;
  const longer = runTwice(
    walk(
      () => 10,
      () => (++calls === 2 ? 6 : 5),
    ),
  );
  expect(longer).toMatchObject({ kind: 'different', serial: 11, first: undefined, second: { at: 60 } });
});
