/**
 * Templates: JSON in which some values are holes, mappings with one key that begins with `$`. A template becomes an
 * arbitrary of fast-check that draws every hole, the simplest answer first. What the JSON means is not known here.
 */
import * as fc from 'fast-check';
import { formatDuration, parseDuration } from '../language/duration.ts';
import type { Json, JsonMap } from '../language/shape.ts';
import { didYouMean } from '../language/suggest.ts';
import { ScenarioError } from '../language/variables.ts';

interface Hole {
  readonly doc: string;
  readonly arbitrary: (given: Json) => fc.Arbitrary<Drawn>;
}

/** Undefined: the member is left out. */
export type Drawn = Json | undefined;

const MILLISECOND = 1_000;

/** The holes, with what they say of themselves. */
export const HOLES: Readonly<Record<string, Hole>> = {
  $oneOf: {
    doc: '`$oneOf: [a, b]`: one of these; the first is the simplest.',
    arbitrary: (given) => fc.oneof({ withCrossShrink: true }, ...listOf(given, '$oneOf').map(arbitraryOf)),
  },
  $between: {
    doc: '`$between: [1, 5]`: a whole number, or a duration such as `[1s, 2m]`, both bounds included.',
    arbitrary: between,
  },
  $maybe: {
    doc: '`$maybe: x`: x, or the member is left out.',
    arbitrary: (given) => fc.option(arbitraryOf(given), { nil: undefined, freq: 2 }),
  },
  $some: {
    doc: '`$some: [a, b, c]`: some of these, in their order; perhaps none.',
    arbitrary: (given) =>
      fc
        .tuple(
          ...listOf(given, '$some').map((item) => fc.option(arbitraryOf(item), { nil: undefined, freq: 2 })),
        )
        .map((items) => items.filter((item) => item !== undefined)),
  },
  $text: {
    doc: '`$text: 12`: any text of at most so many characters.',
    arbitrary: (given) => fc.string({ maxLength: Number(given), unit: 'grapheme' }),
  },
};

/** @throws ScenarioError where a hole is none, or makes no sense */
export function arbitraryOf(template: Json): fc.Arbitrary<Drawn> {
  if (Array.isArray(template))
    return fc
      .tuple(...(template as readonly Json[]).map(arbitraryOf))
      .map((items) => items.filter((item) => item !== undefined));
  if (typeof template !== 'object' || template === null) return fc.constant(template);
  const entries = Object.entries(template as JsonMap);
  const [first] = entries;
  if (first?.[0].startsWith('$') && entries.length === 1) return holeOf(first[0]).arbitrary(first[1]);
  return mappingOf(entries);
}

function mappingOf(entries: readonly (readonly [string, Json])[]): fc.Arbitrary<Drawn> {
  return fc.tuple(...entries.map(([, value]) => arbitraryOf(value))).map((values) => {
    const drawn: Record<string, Json> = {};
    for (const [index, [name]] of entries.entries()) {
      const value = values[index];
      if (value !== undefined) drawn[name] = value;
    }
    return drawn;
  });
}

function holeOf(name: string): Hole {
  const hole = Object.hasOwn(HOLES, name) ? HOLES[name] : undefined;
  if (hole) return hole;
  const known = Object.keys(HOLES);
  throw new ScenarioError(
    `there is no hole \`${name}\`${didYouMean(name, known)}; there are ${known.join(', ')}`,
  );
}

function listOf(given: Json, name: string): readonly Json[] {
  if (Array.isArray(given) && given.length > 0) return given as readonly Json[];
  throw new ScenarioError(`\`${name}\` needs a list`);
}

function between(given: Json): fc.Arbitrary<Drawn> {
  const [least, most] = listOf(given, '$between');
  if (Number.isSafeInteger(least) && Number.isSafeInteger(most))
    return fc.integer({ min: Number(least), max: Number(most) });
  const [from, to] = [least, most].map((bound) => parseDuration(typeof bound === 'string' ? bound : ''));
  if (from === undefined || to === undefined || to < from)
    throw new ScenarioError('`$between` needs two whole numbers or two durations, the lesser first');
  return durations(from, to);
}

/** Microseconds; as even as can be over the orders of magnitude between the two. */
export const durations = (from: number, to: number): fc.Arbitrary<string> =>
  fc
    .integer({ min: 0, max: 1_000 })
    .map((part) => formatDuration(rounded(from + (to - from) * (part / 1_000) ** 2)));

/** To two digits, as people write durations. */
function rounded(micros: number): number {
  const unit = Math.max(MILLISECOND, 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, micros))) - 1));
  return Math.round(micros / unit) * unit;
}
