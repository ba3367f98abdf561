/**
 * Processes within processes (one after the other, raced, all together, with a limit of time), some of which fail, and
 * which may be cancelled from outside: when and how each ends is reckoned from the tree alone. What is not needed any more
 * ends at that instant, its `finally` runs once, and nothing of it happens later.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from './any-order.arbitrary.ts';
import type { Context } from './context.ts';
import type { Process } from './process.ts';
import { Simulation } from './simulation.ts';
import { microseconds, seconds } from './time.ts';

type Tree =
  | { readonly kind: 'rest'; readonly length: number; readonly fails: boolean }
  | { readonly kind: 'pause'; readonly length: number }
  | { readonly kind: 'race' | 'all' | 'turns'; readonly parts: readonly Tree[] }
  | { readonly kind: 'within'; readonly length: number; readonly part: Tree };

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.record({
      kind: fc.constant('rest' as const),
      length: fc.nat(20),
      fails: fc.oneof(fc.constant(false), fc.constant(false), fc.boolean()),
    }),
    fc.record({ kind: fc.constant('pause' as const), length: fc.nat(20) }),
    fc.record({
      kind: fc.constantFrom('race' as const, 'all' as const, 'turns' as const),
      parts: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('within' as const), length: fc.nat(30), part: tie('tree') }),
  ),
}));

/** Each rest has microseconds of its own, so that no two ends fall together. */
class Numbered {
  readonly #spans = new Map<Tree, number>();

  constructor(root: Tree) {
    this.#number(root);
  }

  spanOf(one: Tree): number {
    return this.#spans.get(one) ?? 0;
  }

  get names(): ReadonlyMap<Tree, number> {
    return this.#spans;
  }

  #number(one: Tree): void {
    if ('length' in one) this.#spans.set(one, one.length * 1_000_000 + 2 ** this.#spans.size);
    if ('parts' in one) for (const part of one.parts) this.#number(part);
    if ('part' in one) this.#number(one.part);
  }
}

interface End {
  readonly at: number;
  readonly value: unknown;
  readonly isFailure: boolean;
}

/** The text of each end of a rest, with its instant. */
type Log = readonly (readonly [at: number, text: string])[];

interface Reckoned {
  readonly end: End;
  /** What there would be to tell if nobody ended it early. */
  readonly log: Log;
}

/** What it tells when it is left at an instant: what lies before, and the ends of those that were under way. */
interface Reckoning extends Reckoned {
  leftAt(instant: number): Log;
}

const NEVER: Log = [];

function reckon(one: Tree, from: number, numbers: Numbered): Reckoning {
  const span = numbers.spanOf(one);
  const until = (reckoning: Reckoning, instant: number): Log =>
    reckoning.end.at <= instant ? reckoning.log : reckoning.leftAt(instant);
  switch (one.kind) {
    case 'pause':
      return {
        end: { at: from + span, value: undefined, isFailure: false },
        log: NEVER,
        leftAt: () => NEVER,
      };
    case 'rest': {
      const end = { at: from + span, value: span, isFailure: one.fails };
      return {
        end,
        log: [[end.at, `${span} over`]],
        leftAt: (instant) => (instant < from ? NEVER : [[instant, `${span} left`]]),
      };
    }
    case 'turns': {
      const turns: Reckoning[] = [];
      for (const part of one.parts) {
        const last = turns.at(-1)?.end;
        if (last?.isFailure) break;
        turns.push(reckon(part, last?.at ?? from, numbers));
      }
      const last = turns.at(-1)?.end ?? { at: from, value: undefined, isFailure: false };
      return {
        end: last.isFailure ? last : { ...last, value: turns.map(({ end }) => end.value) },
        log: turns.flatMap(({ log }) => log),
        leftAt: (instant) =>
          turns.flatMap((turn, index) =>
            (turns[index - 1]?.end.at ?? from) > instant ? NEVER : until(turn, instant),
          ),
      };
    }
    case 'race':
    case 'all': {
      const parts = one.parts.map((part) => reckon(part, from, numbers));
      const order = parts.toSorted((a, b) => a.end.at - b.end.at);
      const decisive =
        one.kind === 'race' ? order[0] : (order.find(({ end }) => end.isFailure) ?? order.at(-1));
      const { at, isFailure, value } = decisive?.end ?? { at: from, isFailure: false, value: undefined };
      const index = decisive ? parts.indexOf(decisive) : 0;
      const whole = one.kind === 'race' ? { index, value } : parts.map(({ end }) => end.value);
      return {
        end: { at, isFailure, value: isFailure ? value : whole },
        log: parts.flatMap((part) => until(part, at)),
        leftAt: (instant) => parts.flatMap((part) => until(part, instant)),
      };
    }
    case 'within': {
      const part = reckon(one.part, from, numbers);
      const limit = from + span;
      const isLate = part.end.at > limit;
      return {
        end: isLate
          ? { at: limit, value: { isLate }, isFailure: false }
          : { ...part.end, value: part.end.isFailure ? part.end.value : { isLate, value: part.end.value } },
        log: until(part, limit),
        leftAt: (instant) => until(part, instant),
      };
    }
  }
}

/** Thrown by what fails. */
class Failed extends Error {
  readonly span: number;

  constructor(span: number) {
    super(`${span} failed`);
    this.span = span;
  }
}

function* perform(
  one: Tree,
  context: Context,
  numbers: Numbered,
  log: (text: string) => void,
): Process<unknown> {
  const span = microseconds(numbers.spanOf(one));
  const parts = (): Process<unknown>[] =>
    'parts' in one ? one.parts.map((part) => performed(part, context, numbers, log)) : [];
  switch (one.kind) {
    case 'rest': {
      let isOver = false;
      try {
        yield* context.sleep(span);
        isOver = true;
        if (one.fails) throw new Failed(span);
        return span;
      } finally {
        log(`${span} ${isOver ? 'over' : 'left'}`);
      }
    }
    case 'turns': {
      const values: unknown[] = [];
      for (const part of parts()) values.push(yield* part);
      return values;
    }
    case 'race':
      return yield* context.race(parts());
    case 'all':
      return yield* context.all(parts());
    case 'within':
      return yield* context.within(span, performed(one.part, context, numbers, log));
    case 'pause':
      return yield* context.sleep(span);
  }
}

/** A pause is the wait itself, which is waited for without a process of its own. */
const performed = (
  one: Tree,
  context: Context,
  numbers: Numbered,
  log: (text: string) => void,
): Process<unknown> =>
  one.kind === 'pause'
    ? context.sleep(microseconds(numbers.spanOf(one)))
    : perform(one, context, numbers, log);

const inOrder = (log: Log): readonly string[] =>
  log
    .toSorted(([a, one], [b, other]) => a - b || (one < other ? -1 : 1))
    .map(([at, text]) => `${at}: ${text}`);

it('ends as its parts make it end, and leaves nothing behind', () => {
  fc.assert(
    fc.property(tree, fc.option(fc.nat(60), { freq: 1 }), (root, cancelAfter) => {
      const numbers = new Numbered(root);
      fc.pre(numbers.names.size <= 19);
      const reckoning = reckon(root, 0, numbers);
      const cancelAt = cancelAfter === null ? Infinity : cancelAfter * 1_000_000 + 2 ** 19 + 1;
      const simulation = new Simulation({ seed: 1 });
      const told: [number, string][] = [];
      const actor = simulation.actor('a');
      const task = actor.spawn(
        'root',
        (context) => perform(root, context, numbers, (text) => told.push([simulation.now, text])),
        { failure: 'kept' },
      );
      if (cancelAt < Infinity) simulation.at(microseconds(cancelAt), 'cancel', () => task.cancel());
      simulation.runFor(microseconds(Math.min(cancelAt, reckoning.end.at)));
      if (cancelAt < reckoning.end.at) {
        expect(task.state).toBe('cancelled');
        expect(inOrder(told)).toEqual(inOrder(reckoning.leftAt(cancelAt)));
      } else {
        const { isFailure, value } = reckoning.end;
        expect(task.state).toBe(isFailure ? 'failed' : 'done');
        if (isFailure) expect((task.error as Failed).span).toBe(value);
        else expect(task.result()).toEqual(value);
        expect(inOrder(told)).toEqual(inOrder(reckoning.log));
      }
      const before = told.length;
      // Nothing is left to wait for but the cancelling, if that comes late.
      expect(simulation.pendingCount).toBe(cancelAt < Infinity && cancelAt > simulation.now ? 1 : 0);
      simulation.runFor(seconds(1_000));
      expect(told.length).toBe(before);
    }),
    asOftenAs(100),
  );
});
