/** What the libraries say of drawn values, beside plain reckoning and what the platform says of the same. */
import { BlockList } from 'node:net';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../../engine/any-order.arbitrary.ts';
import { compile } from '../compile.ts';
import { environmentWith } from '../environment.ts';
import { shown } from '../values/text.ts';

const environment = environmentWith(new Map());
const LIMIT = 1_000_000;

function said(expression: string): string {
  const compiled = compile(expression, environment);
  if (compiled.kind === 'failure') return compiled.message;
  return shown(compiled.program.run(() => undefined, LIMIT).result);
}

/** All of them at once: whoever is wrong stands in the message. */
const agree = (expected: Readonly<Record<string, unknown>>): void =>
  expect(Object.fromEntries(Object.keys(expected).map((text) => [text, said(text)]))).toEqual(
    Object.fromEntries(Object.entries(expected).map(([text, value]) => [text, String(value)])),
  );

const numbers = fc.array(fc.integer({ min: -3, max: 5 }), { minLength: 1, maxLength: 6 });

it('lists of numbers are sorted, summed and searched', () => {
  fc.assert(
    fc.property(numbers, fc.boolean(), fc.integer({ min: -3, max: 5 }), (drawn, isSorted, wanted) => {
      const all = isSorted ? drawn.toSorted((a, b) => a - b) : drawn;
      const text = `[${all.join(', ')}]`;
      agree({
        [`${text}.isSorted()`]: all.every((each, at) => at === 0 || (all[at - 1] ?? 0) <= each),
        [`${text}.sum()`]: all.reduce((sum, each) => sum + each, 0),
        [`${text}.min()`]: Math.min(...all),
        [`${text}.max()`]: Math.max(...all),
        [`${text}.indexOf(${wanted})`]: all.indexOf(wanted),
        [`${text}.lastIndexOf(${wanted})`]: all.lastIndexOf(wanted),
        [`${text}.map(x, string(x)).isSorted()`]: all.every(
          (each, at) => at === 0 || String(all[at - 1]) <= String(each),
        ),
        [`${text}.map(x, duration(string(x) + "s")).filter(x, x > duration("${wanted}s")).sum() == duration("${all
          .filter((each) => each > wanted)
          .reduce((sum, each) => sum + each, 0)}s")`]: true,
      });
    }),
    asOftenAs(80),
  );
});

it('sets are compared both ways', () => {
  fc.assert(
    fc.property(numbers, numbers, (a, b) => {
      const [left, right] = [`[${a.join(', ')}]`, `[${b.join(', ')}]`];
      const isIn = (part: readonly number[], whole: readonly number[]): boolean =>
        part.every((each) => whole.includes(each));
      agree({
        [`sets.contains(${left}, ${right})`]: isIn(b, a),
        [`sets.equivalent(${left}, ${right})`]: isIn(a, b) && isIn(b, a),
        [`sets.intersects(${left}, ${right})`]: a.some((each) => b.includes(each)),
      });
    }),
    asOftenAs(80),
  );
});

const twoDigits = (value: number): string => String(value).padStart(2, '0');
const instant = fc.record({
  epochSeconds: fc.integer({ min: -2_000_000_000, max: 4_000_000_000 }),
  hours: fc.integer({ min: 0, max: 14 }),
  minutes: fc.constantFrom(0, 30, 45),
  isWest: fc.boolean(),
});

it('instants are the same in whatever zone they are written', () => {
  fc.assert(
    fc.property(instant, ({ epochSeconds, hours, minutes, isWest }) => {
      const offset = (isWest ? -1 : 1) * (hours * 3_600 + minutes * 60);
      const wall = new Date((epochSeconds + offset) * 1_000).toISOString().slice(0, 19);
      const zoned = `timestamp("${wall}${isWest ? '-' : '+'}${twoDigits(hours)}:${twoDigits(minutes)}")`;
      const date = new Date(epochSeconds * 1_000);
      agree({
        [`int(${zoned})`]: epochSeconds,
        [`${zoned} == timestamp(${epochSeconds})`]: true,
        [`timestamp(${epochSeconds}).getHours()`]: date.getUTCHours(),
        [`timestamp(${epochSeconds}).getDayOfWeek()`]: date.getUTCDay(),
        [`timestamp(${epochSeconds}).getDate()`]: date.getUTCDate(),
      });
    }),
    asOftenAs(80),
  );
});

const group = fc.constantFrom('0', '0', '0', '1', 'ab', '2001', 'ffff');
const plainGroups = fc.array(group, { minLength: 8, maxLength: 8 }).filter((groups) => {
  // What stands for an address of the other family is written in its way.
  const zeros = groups.findIndex((each) => each !== '0');
  return zeros !== 5 && zeros < 6 && zeros >= 0;
});
const bytes = fc.array(fc.constantFrom(0, 1, 10, 127, 192, 255), { minLength: 4, maxLength: 4 });

const hexOf = ([a = 0, b = 0, c = 0, d = 0]: readonly number[]): string =>
  `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;

it('addresses are written in their shortest form', () => {
  fc.assert(
    fc.property(plainGroups, bytes, (groups, four) => {
      const text = groups.join(':');
      const canonical = new URL(`http://[${text}]`).hostname.slice(1, -1);
      agree({
        [`string(ip("${text}"))`]: canonical,
        [`ip.isCanonical("${text}")`]: text === canonical,
        [`ip("${text}") == ip("${canonical}")`]: true,
        [`ip("${text}").family()`]: 6,
        // The same bits of the other family.
        [`ip("${four.join('.')}") == ip("::1:${hexOf(four)}")`]: false,
        [`ip("${four.join('.')}") == ip("::${hexOf(four)}")`]: false,
      });
    }),
    asOftenAs(80),
  );
});

/** With all bits behind the first cleared. */
const maskedBy = (address: readonly number[], size: number): string =>
  address.map((byte, at) => byte & (0xff00 >> Math.min(8, Math.max(0, size - 8 * at))) & 0xff).join('.');

it('prefixes hold what begins like them', () => {
  fc.assert(
    fc.property(
      bytes,
      bytes,
      fc.integer({ min: 0, max: 32 }),
      fc.integer({ min: 0, max: 32 }),
      (a, b, size, other) => {
        const list = new BlockList();
        list.addSubnet(a.join('.'), size, 'ipv4');
        const isIn = list.check(b.join('.'), 'ipv4');
        agree({
          [`cidr("${a.join('.')}/${size}").containsIP("${b.join('.')}")`]: isIn,
          [`cidr("${a.join('.')}/${size}").containsCIDR("${maskedBy(a, size)}/${other}")`]: other >= size,
          [`cidr("${a.join('.')}/${size}").prefixLength()`]: size,
        });
      },
    ),
    asOftenAs(80),
  );
});

const SUFFIXES: Readonly<Record<string, bigint>> = {
  m: 1n,
  '': 1_000n,
  k: 1_000_000n,
  M: 1_000_000_000n,
  G: 1_000_000_000_000n,
  P: 10n ** 18n,
  E: 10n ** 21n,
  Ki: 1_024_000n,
  Mi: 1_048_576_000n,
};
const amount = fc
  .tuple(fc.integer({ min: 0, max: 9 }), fc.constantFrom(...Object.keys(SUFFIXES)))
  .map(([count, suffix]) => ({
    text: `quantity("${count}${suffix}")`,
    milli: BigInt(count) * (SUFFIXES[suffix] ?? 0n),
    suffix,
  }));

it('quantities are worth what they say', () => {
  fc.assert(
    fc.property(amount, amount, (a, b) => {
      const order = Number(a.milli > b.milli) - Number(a.milli < b.milli);
      const isWhole = a.suffix !== 'm';
      agree({
        [`${a.text}.compareTo(${b.text})`]: order,
        [`${a.text}.isGreaterThan(${b.text})`]: order > 0,
        [`${a.text}.isLessThan(${b.text})`]: order < 0,
        [`${a.text}.add(${b.text}).sub(${b.text}).compareTo(${a.text})`]: 0,
        [`${a.text}.add(${b.text}).compareTo(quantity("${a.milli + b.milli}m"))`]: 0,
        [`sign(${a.text})`]: Number(a.milli > 0n),
        [`${a.text}.isInteger()`]: isWhole,
        ...(isWhole && { [`${a.text}.asInteger()`]: a.milli / 1_000n }),
      });
    }),
    asOftenAs(80),
  );
});
