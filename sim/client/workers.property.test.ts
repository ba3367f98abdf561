/**
 * Workers of a queue against plain bookkeeping of one key: when it is looked at, whatever its looks come to (done, again later,
 * again at once, refused) and however long they take, while others add it. Of two keys none waits for the other where there are two workers.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ApiError } from '../api/status.ts';
import { asOftenAs } from '../engine/any-order.arbitrary.ts';
import type { Context } from '../engine/context.ts';
import type { Process } from '../engine/process.ts';
import { Simulation } from '../engine/simulation.ts';
import { milliseconds } from '../engine/time.ts';
import { startWorkers, WorkQueue } from './work-queue.ts';

interface Look {
  readonly takes: number;
  readonly comesTo: 'done' | 'again' | 'refused' | { readonly after: number };
}

const FIRST_PAUSE_MS = 5;
const END_MS = 2_000;

/** Milliseconds at which looks begin. */
function expectedLooks(looks: readonly Look[], adds: readonly number[]): readonly number[] {
  const begun: number[] = [];
  const rest = adds.toSorted((a, b) => a - b);
  let [due, failures, at] = [Infinity, 0, 0];
  const takeUpTo = (now: number): boolean => {
    const added = rest.findIndex((each) => each > now);
    const count = rest.splice(0, added < 0 ? rest.length : added).length;
    const isDue = due <= now;
    if (isDue) due = Infinity;
    return count > 0 || isDue;
  };
  for (let isAgain = false; ;) {
    if (!isAgain) at = Math.max(at, Math.min(rest[0] ?? Infinity, due));
    if (at > END_MS) return begun;
    takeUpTo(at);
    const { takes, comesTo } = looks[begun.length] ?? DONE;
    begun.push(at);
    const end = at + takes;
    isAgain = takes > 0 && takeUpTo(end);
    at = end;
    if (comesTo === 'again' || comesTo === 'refused')
      due = Math.min(due, end + FIRST_PAUSE_MS * 2 ** failures++);
    else failures = 0;
    if (typeof comesTo === 'object') {
      if (comesTo.after > 0) due = Math.min(due, end + comesTo.after);
      else isAgain = true;
    }
  }
}

const DONE: Look = { takes: 0, comesTo: 'done' };

function looksOf(simulation: Simulation, context: Context, looks: readonly Look[]) {
  const begun: number[] = [];
  return {
    begun,
    *look(): Process<undefined | { requeue?: true; requeueAfter?: ReturnType<typeof milliseconds> }> {
      const { takes, comesTo } = looks[begun.length] ?? DONE;
      begun.push(simulation.now / 1_000);
      if (takes > 0) yield* context.sleep(milliseconds(takes));
      if (comesTo === 'refused') throw new ApiError({ reason: 'ServiceUnavailable', message: 'not now' });
      if (comesTo === 'again') return { requeue: true };
      return typeof comesTo === 'object' ? { requeueAfter: milliseconds(comesTo.after) } : undefined;
    },
  };
}

/** No two at one instant: which of them comes first is nobody's concern. */
const apart = (adds: readonly number[], from: number): readonly number[] =>
  adds.map((at, index) => at + (from + index) / 100);

const look = fc.record<Look>({
  // Such that no look ends when the next one is due.
  takes: fc.constantFrom(0, 0, 3.1, 37.7),
  comesTo: fc.oneof(
    fc.constantFrom('done' as const, 'again' as const, 'refused' as const),
    fc.record({ after: fc.constantFrom(0, 1, 31, 400) }),
  ),
});
const looks = fc.array(look, { maxLength: 8 });
const adds = fc.array(fc.nat(600), { minLength: 1, maxLength: 6 });

it('look at a key when it is due, each by itself', () => {
  fc.assert(
    fc.property(looks, adds, looks, adds, (ofA, addsOfA, ofB, addsOfB) => {
      const simulation = new Simulation({ seed: 1 });
      const { context } = simulation.actor('controller');
      const queue = new WorkQueue(context);
      const keys = {
        a: looksOf(simulation, context, ofA),
        b: looksOf(simulation, context, ofB),
      };
      startWorkers(context, queue, { reconcile: (key) => keys[key as 'a'].look(), workers: 2 });
      const [atA, atB] = [apart(addsOfA, 1), apart(addsOfB, 21)];
      for (const at of atA) simulation.at(milliseconds(at), 'add', () => queue.add('a'));
      for (const at of atB) simulation.at(milliseconds(at), 'add', () => queue.add('b'));
      simulation.runFor(milliseconds(END_MS));
      expect(keys.a.begun.map(toTheMicro)).toEqual(expectedLooks(ofA, atA).map(toTheMicro));
      expect(keys.b.begun.map(toTheMicro)).toEqual(expectedLooks(ofB, atB).map(toTheMicro));
    }),
    asOftenAs(200),
  );
});

const toTheMicro = (ms: number): number => Math.round(ms * 1_000);
