/**
 * How long ago something was, as tables word it, and which form of an answer is chosen: beside the rules as kubectl and
 * RFC 9110 tell them. An age is never longer than the time, and misses less of it than its last unit; of the forms that
 * somebody accepts it is one that he wants the most among those that there are.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import { humanDuration } from './age.ts';
import { COLLECTION_OFFER, MEDIA_TYPE_OF, negotiate } from './negotiate.ts';
import { ApiError } from '../../api/status.ts';

const UNITS = { s: 1, m: 60, h: 3_600, d: 86_400, y: 31_536_000 } as const;
type Unit = keyof typeof UNITS;
/** From how many seconds on a form is shown. */
const FORMS: readonly (readonly [from: number, units: string])[] = [
  [0, 's'],
  [120, 'ms'],
  [600, 'm'],
  [10_800, 'hm'],
  [28_800, 'h'],
  [172_800, 'dh'],
  [691_200, 'd'],
  [2 * UNITS.y, 'yd'],
  [8 * UNITS.y, 'y'],
];

const around = FORMS.flatMap(([from]) => [from - 1, from, from + 1, from + 59, from + 60, from + 61]);
const anySeconds = fc.oneof(
  fc.constantFrom(...around.filter((each) => each >= 0)),
  fc.constantFrom(...Object.values(UNITS)).chain((unit) => fc.nat(20).map((times) => times * unit)),
  fc.nat(10 * UNITS.y),
);

it('an age is worded in the units of its form, and misses less than the last of them', () => {
  fc.assert(
    fc.property(anySeconds, fc.nat(999), (seconds, rest) => {
      const [, units = ''] = FORMS.findLast(([from]) => seconds >= from) ?? [];
      const text = humanDuration(seconds * 1_000 + rest);
      const parts = [...text.matchAll(/(\d+)([smhdy])/g)].map(([, count = '', unit = '']) => ({
        count,
        unit,
      }));
      expect(parts.map(({ count, unit }) => count + unit).join('')).toBe(text);
      const shown = parts.map(({ unit }) => unit).join('');
      // A rest of nothing is not said.
      expect([units, units.slice(0, 1)]).toContain(shown);
      const said = parts.reduce((sum, { count, unit }) => sum + Number(count) * UNITS[unit as Unit], 0);
      expect(said).toBeLessThanOrEqual(seconds);
      expect(seconds - said).toBeLessThan(UNITS[units.slice(-1) as Unit]);
    }),
    asOftenAs(500),
  );
});

const VIEW = ';as=Table;v=v1;g=meta.k8s.io';
const clause = fc.record({
  type: fc.constantFrom(...Object.values(MEDIA_TYPE_OF), '*/*', 'application/*', 'text/html'),
  isTable: fc.boolean(),
  quality: fc.constantFrom(undefined, '0.2', '0.5', '0.9', '1'),
});

it('the form that is wanted the most of those that there are is chosen', () => {
  fc.assert(
    fc.property(fc.array(clause, { minLength: 1, maxLength: 4 }), (clauses) => {
      const accept = clauses
        .map(({ type, isTable, quality }) => type + (isTable ? VIEW : '') + (quality ? `;q=${quality}` : ''))
        .join(', ');
      const found = chosen(accept);
      // Tables have no protobuf.
      const possible = clauses.filter(
        ({ type, isTable }) => type !== 'text/html' && !(isTable && type === MEDIA_TYPE_OF.protobuf),
      );
      // The router in front knows whole types, and the one word for all.
      const isRouted = clauses.some(({ type }) => type !== 'text/html' && type !== 'application/*');
      const most = Math.max(...possible.map(({ quality }) => Number(quality ?? 1)));
      const [wanted] = possible.filter(({ quality }) => Number(quality ?? 1) === most);
      const type = wanted?.type.includes('*') ? MEDIA_TYPE_OF.json : wanted?.type;
      expect(found).toEqual(isRouted && wanted ? { type, isTable: wanted.isTable } : undefined);
    }),
    asOftenAs(500),
  );
});

/** Undefined: none. */
function chosen(accept: string): { readonly type: string; readonly isTable: boolean } | undefined {
  try {
    const { encoding, view } = negotiate(accept, COLLECTION_OFFER);
    return { type: MEDIA_TYPE_OF[encoding], isTable: view?.kind === 'Table' };
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'NotAcceptable') return undefined;
    throw error;
  }
}
