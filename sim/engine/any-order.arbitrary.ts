/**
 * Any order of acts on something that keeps state, beside a model that says what it should be: for properties. What is
 * done is drawn, what comes of it is compared after each act, and what breaks it is told as the shortest list of acts.
 * A campaign draws more than a test suite has time for: as many runs as fast-check's global settings ask for, and others.
 */
import fc from 'fast-check';

/** `Subject`: what is held against its model, and the model. */
export interface Act<Subject> {
  readonly name: string;
  readonly on: (subject: Subject) => void;
}

/** Of an act that has nothing to draw. */
export const NOTHING = fc.constant(undefined);

/** Makes acts, each with what is drawn for it. */
export const actsOn =
  <Subject>() =>
  <Drawn>(
    name: string,
    drawn: fc.Arbitrary<Drawn>,
    on: (subject: Subject, drawn: Drawn) => void,
  ): fc.Arbitrary<Act<Subject>> =>
    drawn.map((value) => {
      const text = `${name}(${value === undefined ? '' : fc.stringify(value)})`;
      return { name: text, on: (subject) => on(subject, value), [fc.toStringMethod]: () => text };
    });

export interface AnyOrder<Subject> {
  readonly begin: () => Subject;
  /** More of one kind: more often. */
  readonly acts: readonly fc.Arbitrary<Act<Subject>>[];
  /** After each act; throws when the two differ. */
  readonly compare: (subject: Subject) => void;
  /** After the last one. */
  readonly end?: (subject: Subject) => void;
  /** Acts in a run at the most; most runs are not much shorter. */
  readonly most: number;
  readonly runs: number;
  readonly seed?: number;
  /** In half of the runs only some kinds of acts happen, and those the more often: what is rare in the crowd is not among few. */
  readonly hasSomeOnly?: boolean;
}

/** How often a property is tried, and with which seed: a campaign asks for more, and for others. */
export function asOftenAs(runs: number, ownSeed = 7): { readonly seed: number; readonly numRuns: number } {
  const { numRuns = 0, seed = ownSeed } = fc.readConfigureGlobal() ?? {};
  return { seed, numRuns: Math.max(runs, numRuns) };
}

/** @throws with the shortest list of acts that was found after which the two differ */
export function holdsInAnyOrder<Subject>(options: AnyOrder<Subject>): void {
  const { begin, acts, compare, end, most, runs } = options;
  // Left to itself fast-check draws short lists: what goes wrong at the second try is not in them.
  const listsOf = (some: readonly fc.Arbitrary<Act<Subject>>[]): fc.Arbitrary<Act<Subject>[]> =>
    fc.array(fc.oneof(...some), { minLength: 1, maxLength: most, size: 'max' });
  const few = fc.subarray([...acts], { minLength: Math.min(3, acts.length) }).chain(listsOf);
  const lists = options.hasSomeOnly ? fc.oneof(listsOf(acts), few) : listsOf(acts);
  fc.assert(
    fc.property(lists, (list) => {
      const subject = begin();
      for (const each of list) {
        each.on(subject);
        compare(subject);
      }
      end?.(subject);
    }),
    asOftenAs(runs, options.seed),
  );
}
