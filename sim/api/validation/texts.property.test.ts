/**
 * Texts of objects that have to have a shape (names, dates, addresses, shares) and what is found in them, beside plain
 * readings: character by character, bit by bit, day by day.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import type { FieldError } from '../status.ts';
import { MOST_FINDINGS, withinBudget } from './error-budget.ts';
import { aggregateText, ifOff, ifOn, invalid, since, until } from './field-error.ts';
import { FieldPath } from './field-path.ts';
import {
  formatIpv4,
  type IpAddress,
  type IpRange,
  isInRange,
  isStrictlyWithin,
  parseCidr,
  parseIp,
} from './ip-address.ts';
import {
  configMapKey,
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  labelValue,
  portName,
  portNumber,
  qualifiedName,
  wildcardDns1123Subdomain,
} from './names.ts';
import { amountOf, notMoreThanAll, validateIntOrPercent } from './numbers.ts';
import { isBase64, isDate, isDateTime, isUuid } from './text-formats.ts';

const PATH = FieldPath.of('spec');

describe('names', () => {
  const LOWER = 'abz09';
  const isOf = (text: string, alphabet: string): boolean =>
    [...text].every((each) => alphabet.includes(each));
  const isEdge = (text: string, alphabet: string): boolean =>
    isOf(text.slice(0, 1) + text.slice(-1), alphabet) && text !== '';
  const isLabel = (text: string): boolean => isOf(text, `${LOWER}-`) && isEdge(text, LOWER);
  const isSubdomain = (text: string): boolean => text.split('.').every(isLabel);
  const isQualified = (text: string): boolean => isOf(text, `${LOWER}A-_.`) && isEdge(text, `${LOWER}A`);
  const part = fc.string({
    unit: fc.constantFrom('a', 'a', 'b', 'z', '0', '9', 'A', '-', '-', '_', '.'),
    maxLength: 5,
  });
  const long = fc
    .tuple(fc.constantFrom(14, 15, 16, 62, 63, 64, 252, 253, 254), part)
    .map(([length, end]) => 'a'.repeat(Math.max(0, length - end.length)) + end);
  const text = fc.oneof(
    { weight: 4, arbitrary: part },
    { weight: 2, arbitrary: long },
    fc
      .tuple(fc.constantFrom('*.', '.', '..', 'a.b/', '/', 'A/', 'a/b/'), part)
      .map(([head, tail]) => head + tail),
  );

  it('are fine where each character may stand where it stands, and none is too many', () => {
    fc.assert(
      fc.property(text, (name) => {
        const fits = (most: number, isFine: boolean): boolean => isFine && name.length <= most;
        expect(dns1123Label(name).length === 0).toBe(fits(63, isLabel(name)));
        expect(dns1123Subdomain(name).length === 0).toBe(fits(253, isSubdomain(name)));
        expect(dns1035Label(name).length === 0).toBe(fits(63, isLabel(name) && /^[a-z]/.test(name)));
        expect(wildcardDns1123Subdomain(name).length === 0).toBe(
          fits(253, name.startsWith('*.') && isSubdomain(name.slice(2))),
        );
        expect(labelValue(name).length === 0).toBe(name === '' || fits(63, isQualified(name)));
        const [last = '', ...before] = name.split('/').toReversed();
        const [prefix] = before;
        expect(qualifiedName(name).length === 0).toBe(
          before.length < 2 &&
            (prefix === undefined || (isSubdomain(prefix) && prefix.length <= 253)) &&
            isQualified(last) &&
            last.length <= 63,
        );
        expect(configMapKey(name).length === 0).toBe(
          fits(253, isOf(name, `${LOWER}A-_.`) && name !== '' && name !== '.' && !name.startsWith('..')),
        );
        expect(portName(name).length === 0).toBe(
          fits(15, isLabel(name) && /[a-z]/.test(name) && !name.includes('--')),
        );
      }),
      asOftenAs(400),
    );
  });

  it('of ports are numbers of sixteen bits but none', () => {
    const numbers = fc.oneof(fc.constantFrom(-1, 0, 1, 65_535, 65_536), fc.integer());
    fc.assert(
      fc.property(numbers, (port) => {
        expect(portNumber(port).length === 0).toBe(port > 0 && port < 2 ** 16);
      }),
      asOftenAs(60),
    );
  });
});

describe('dates', () => {
  const two = (most: number): fc.Arbitrary<string> =>
    fc.integer({ min: 0, max: most }).map((number) => String(number).padStart(2, '0'));
  const year = fc.constantFrom('1900', '2000', '2023', '2024', '2100');
  /** Mostly about the ends of months. */
  const day = fc.oneof(fc.constantFrom('28', '29', '29', '30', '31'), two(33));
  const month = fc.oneof(fc.constant('02'), two(14));
  const date = fc.tuple(year, month, day).map((parts) => parts.join('-'));
  const isDay = (text: string): boolean => {
    const instant = new Date(`${text}T00:00:00Z`);
    return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text);
  };

  it('are days of the calendar', () => {
    fc.assert(
      fc.property(date, (text) => {
        expect(isDate(text), text).toBe(isDay(text));
      }),
      asOftenAs(300),
    );
  });

  it('with a time are moments of such a day', () => {
    const clock = fc.tuple(two(25), two(61), two(61));
    const zone = fc.constantFrom('Z', 'z', '+01:00', '-23:59', '', '01:00');
    fc.assert(
      fc.property(date, clock, fc.constantFrom('', '.5', '.123456'), zone, (of, at, fraction, off) => {
        const [hours = '', minutes = '', seconds = ''] = at;
        const isTime = Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) < 60;
        const isZone = off !== '' && off !== '01:00';
        expect(isDateTime(`${of}T${at.join(':')}${fraction}${off}`)).toBe(isDay(of) && isTime && isZone);
        expect(isDateTime(`${of} ${at.join(':')}${off}`)).toBe(false);
      }),
      asOftenAs(200),
    );
  });
});

it('texts of bytes and of ids are what writers of them write, and no others', () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 7 });
  fc.assert(
    fc.property(bytes, fc.uuid(), fc.nat(40), (some, id, at) => {
      const text = btoa(String.fromCharCode(...some));
      expect(isBase64(text)).toBe(true);
      expect(isBase64(text.slice(1))).toBe(false);
      expect(isBase64(`${text.slice(0, -1)}!`)).toBe(false);
      expect(isUuid(id)).toBe(true);
      expect(isUuid(id.replaceAll('-', '').toUpperCase())).toBe(true);
      const cut = at % id.length;
      expect(isUuid(id.slice(0, cut) + id.slice(cut + 1))).toBe(id[cut] === '-');
    }),
    asOftenAs(100),
  );
});

describe('addresses', () => {
  const bitsOf = ({ family, bits }: IpAddress): string =>
    bits.toString(2).padStart(family === 'IPv4' ? 32 : 128, '0');
  const octets = fc.tuple(...Array.from({ length: 4 }, () => fc.constantFrom(0, 1, 10, 127, 128, 255)));
  const groups = fc.tuple(...Array.from({ length: 8 }, () => fc.constantFrom(0, 0, 1, 0xfe80, 0xffff)));
  const four = octets.map((all) => ({
    text: all.join('.'),
    bits: all.map((each) => each.toString(2).padStart(8, '0')).join(''),
  }));
  const six = groups.map((all) => ({
    text: all.map((each) => each.toString(16)).join(':'),
    bits: all.map((each) => each.toString(2).padStart(16, '0')).join(''),
  }));
  /** IPv4 in the clothes of IPv6 is IPv4. */
  const isPlain = ({ bits }: { readonly bits: string }): boolean =>
    !bits.startsWith('0'.repeat(80) + '1'.repeat(16));
  const address = fc.oneof(four, six.filter(isPlain));

  it('are their bits', () => {
    fc.assert(
      fc.property(address, ({ text, bits }) => {
        const parsed = parseIp(text);
        expect(parsed && bitsOf(parsed)).toBe(bits);
        if (parsed?.family === 'IPv4') expect(formatIpv4(parsed.bits)).toBe(text);
        const short = text.replace(/(^|:)0(:0)*(?=:|$)/, '::').replace(/:{3,}/, '::');
        if (text.includes(':')) expect(parseIp(short), short).toEqual(parsed);
        for (const wrong of [`${text}.1`, `${text}:`, ` ${text}`, text.replace(/^[^.:]+/, 'x')])
          expect(parseIp(wrong), wrong).toBeUndefined();
      }),
      asOftenAs(150),
    );
  });

  it('are of a range by their first bits, and ranges of ranges by more of them', () => {
    const range = fc.tuple(address, fc.constantFrom(0, 1, 8, 16, 31, 32, 33, 64, 128));
    fc.assert(
      fc.property(range, range, fc.boolean(), ([one, length], [drawn, most], isNear) => {
        // Two that are drawn for themselves hardly share their first bits.
        const other = isNear ? one : drawn;
        const isRange = length <= one.bits.length;
        const outer = parseCidr(`${one.text}/${length}`);
        const inner = parseCidr(`${other.text}/${most}`);
        expect(outer !== undefined).toBe(isRange);
        if (!outer) return;
        const isShared = (longest: number): boolean =>
          one.bits.length === other.bits.length &&
          other.bits.slice(0, longest) === one.bits.slice(0, longest);
        const inside = parseIp(other.text);
        expect(inside && isInRange(inside, outer)).toBe(isShared(length));
        expect(isInRange({ family: outer.family, bits: outer.base }, outer)).toBe(true);
        const all: readonly IpRange[] = inner ? [inner] : [];
        for (const each of all) expect(isStrictlyWithin(each, outer)).toBe(most > length && isShared(length));
      }),
      asOftenAs(300),
    );
  });
});

it('a number or a share is what it says, and no more than all', () => {
  const value = fc.oneof(
    fc.integer({ min: -2, max: 200 }),
    fc.integer({ min: 0, max: 200 }).map((share) => `${share}%`),
    fc.constantFrom('', '%', '-1%', '5', '+7', 'x', '1.5%', '5 %'),
  );
  fc.assert(
    fc.property(value, (given) => {
      const share = typeof given === 'string' ? /^(\d+)%$/.exec(given)?.[1] : undefined;
      const isFine = typeof given === 'number' ? given >= 0 : share !== undefined;
      expect(validateIntOrPercent(given, PATH).length === 0).toBe(isFine);
      expect(notMoreThanAll(given, PATH).length === 0).toBe(Number(share ?? 0) <= 100);
      const plain = typeof given === 'number' ? given : ({ '5': 5, '+7': 7 }[given] ?? 0);
      expect(amountOf(given)).toBe(share === undefined ? plain : Number(share));
    }),
    asOftenAs(150),
  );
});

describe('findings', () => {
  const minor = fc.integer({ min: 29, max: 36 });
  const finding = (field: string): FieldError => invalid(FieldPath.of(field), 1, 'no');

  it('hold from the latest of their beginnings to the earliest of their ends, and behind all gates', () => {
    const bound = fc.tuple(fc.constantFrom('since', 'until', 'on', 'off'), minor, fc.constantFrom('A', 'B'));
    fc.assert(
      fc.property(fc.array(bound, { maxLength: 5 }), (bounds) => {
        let errors: readonly FieldError[] = [finding('a')];
        for (const [kind, number, gate] of bounds) {
          if (kind === 'since') errors = since(`1.${number}`, errors);
          else if (kind === 'until') errors = until(`1.${number}`, errors);
          else errors = (kind === 'on' ? ifOn : ifOff)(gate, errors);
        }
        const minors = (of: string): number[] =>
          bounds.flatMap(([kind, each]) => (kind === of ? [each] : []));
        const [begins, ends] = [minors('since'), minors('until')];
        const [error] = errors;
        expect(error?.since).toBe(begins.length > 0 ? `1.${Math.max(...begins)}` : undefined);
        expect(error?.until).toBe(ends.length > 0 ? `1.${Math.min(...ends)}` : undefined);
        const said = bounds.filter(([kind]) => kind === 'on' || kind === 'off');
        const gates = Object.fromEntries(said.map(([kind, , gate]) => [gate, kind === 'on']));
        expect(error?.gates ?? {}).toEqual(gates);
      }),
      asOftenAs(100),
    );
  });

  it('are told each once in a message', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 5 }), (fields) => {
        const texts = [...new Set(fields)].map((field) => `${field}: Invalid value: 1: no`);
        const whole = texts.join(', ');
        expect(aggregateText(fields.map(finding))).toBe(texts.length === 1 ? whole : `[${whole}]`);
      }),
      asOftenAs(60),
    );
  });

  it('are told up to so many, and that there are more', () => {
    const count = fc.constantFrom(
      0,
      1,
      MOST_FINDINGS - 1,
      MOST_FINDINGS,
      MOST_FINDINGS + 1,
      MOST_FINDINGS + 700,
    );
    fc.assert(
      fc.property(count, fc.boolean(), (many, isNested) => {
        const find = (): readonly FieldError[] => Array.from({ length: many }, (_, at) => finding(`f${at}`));
        const told = withinBudget(isNested ? () => withinBudget(find) : find);
        expect(told.slice(0, MOST_FINDINGS).map(({ field }) => field)).toEqual(
          Array.from({ length: Math.min(many, MOST_FINDINGS) }, (_, at) => `f${at}`),
        );
        expect(told.slice(MOST_FINDINGS).map(({ reason }) => reason)).toEqual(
          many > MOST_FINDINGS ? ['FieldValueTooMany'] : [],
        );
      }),
      { ...asOftenAs(12), numRuns: 12 },
    );
  });
});
