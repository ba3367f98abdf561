/** Replaces, inside a string, the values that differ from run to run. */
import type { Variables } from './golden-case.ts';
import { type Literals, RFC3339, secondsOf, UUID } from './literals.ts';
import { mark } from './placeholders.ts';
import { substitute } from './substitute.ts';

export interface TextContext {
  readonly variables: Variables;
  readonly baseUrl: string;
  readonly literals: Literals;
  /** Addresses and ports that the server chose. */
  readonly allocated: { readonly ips: ReadonlySet<string>; readonly ports: ReadonlySet<string> };
}

export type TextNormaliser = (text: string) => string;

/** Alphabet and length of the generated end of a name; its base has at most 58 characters. */
const SUFFIX = '[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9])';
const MAX_BASE = 58;
/** Names that the server generates without a generateName in the request. */
const SERVER_PREFIXES = ['kube-api-access-'];

const JWT = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;
/** Tokens of lists that are written as texts: they hold a revision. */
const CONTINUE = /(\bcontinue: |"continue":")[A-Za-z0-9_-]{40,}/g;
const GO_POINTER = /\b0x[0-9a-f]{8,16}\b/g;
const GO_SCHEME = /(\bin scheme \\?")[^"\\]+\.go:\d+/g;
const GO_TIME = /\b(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d+)? ([+-]\d\d)(\d\d) \w+( m=[+-][\d.]+)?/g;
const GO_DATE = /\btime\.Date\((\d+), time\.(\w+), (\d+), (\d+), (\d+), (\d+), \d+, [^()]*\)/g;
const MONTHS = 'January February March April May June July August September October November December';
const REQUESTED_REVISIONS = [
  /(Too large resource version: )(\d+)/g,
  /(too old resource version: )(\d+)/g,
  /(\bResourceVersion in (?:the )?precondition:? \(?)(\d+)/g,
  /(\bresourceVersion\\?"?[:=] ?\\?"?)(\d+)/g,
];
const CURRENT_REVISIONS = [
  /(Too large resource version: [^ ]+, current: )\d+/g,
  /(too old resource version: [^ ]+ \()\d+/g,
  /(\bResourceVersion in (?:object meta|record):? \(?)\d+/g,
];

export function textNormaliser(context: TextContext): TextNormaliser {
  const { literals } = context;
  const names = nameReplacements(context);
  const replaceNames = (text: string): string =>
    names.reduce((result, [value, name]) => result.replaceAll(value, name), text);
  const generated = generatedNames(context, replaceNames);
  const addresses = addressReplacements(context);
  return (text) => {
    const plain = replaceNames(text).replace(JWT, '<jwt>');
    // First: what a generated name begins with may stand in a uid as well.
    const known = plain.replace(UUID, (uuid) => (literals.uuids.has(uuid) ? uuid : mark('uid', uuid)));
    const marked = known.replace(generated, '$1<gen>');
    const timeless = replaceTimes(marked, literals).replace(GO_POINTER, '<pointer>').replace(GO_SCHEME, '$1<scheme>');
    const result = replaceRevisions(timeless, literals).replace(CONTINUE, '$1<continue>');
    return addresses.reduce((all, [pattern, name]) => all.replace(pattern, name), result);
  };
}

function replaceTimes(text: string, { seconds }: Literals): string {
  const isLiteral = (clock: string, zone: string): boolean => seconds.has(secondsOf(clock, zone));
  return text
    .replace(RFC3339, (match, clock: string, fraction: string | undefined, zone: string) =>
      isLiteral(clock, zone) ? match : timePlaceholder(fraction, zone),
    )
    .replace(GO_TIME, (match, day: string, clock: string, _fraction, hours: string, minutes: string) =>
      isLiteral(`${day}T${clock}`, `${hours}:${minutes}`) ? match : '<gotime>',
    )
    .replace(GO_DATE, (match, ...parts: string[]) => (isLiteral(goClock(parts), 'Z') ? match : '<gotime>'));
}

function replaceRevisions(text: string, { revisions }: Literals): string {
  const requested = REQUESTED_REVISIONS.reduce(
    (result, pattern) =>
      result.replace(pattern, (match, before: string, digits: string) =>
        revisions.has(digits) ? match : `${before}<listrv>`,
      ),
    text,
  );
  return CURRENT_REVISIONS.reduce((result, pattern) => result.replace(pattern, '$1<listrv>'), requested);
}

/** The two forms that the API has, and a third for anything else. */
function timePlaceholder(fraction: string | undefined, zone: string): string {
  if (zone === 'Z' && fraction === undefined) return '<time>';
  if (zone === 'Z' && fraction?.length === 7) return '<microtime>';
  return '<time in another format>';
}

/** The parts of a `time.Date(…)` expression as a clock. */
function goClock([year = '', month = '', day = '', hour = '', minute = '', second = '']: readonly string[]): string {
  const two = (part: string): string => part.padStart(2, '0');
  const number = String(MONTHS.split(' ').indexOf(month) + 1);
  return `${year}-${two(number)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}`;
}

type Replacement<T> = readonly [T, string];

function nameReplacements({ variables, baseUrl }: TextContext): readonly Replacement<string>[] {
  const replacements: Replacement<string>[] = [
    [baseUrl, '${server}'],
    [baseUrl.replace(/^https?:\/\//, ''), '${serverAddress}'],
  ];
  for (const name of ['ns', 'unique']) {
    const value = variables[name];
    if (typeof value !== 'string') continue;
    replacements.push([value, `\${${name}}`]);
    // In OpenAPI operation ids.
    replacements.push([capitalised(value), `\${${capitalised(name)}}`]);
  }
  return replacements;
}

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

function generatedNames({ literals, variables }: TextContext, replaceNames: TextNormaliser): RegExp {
  const prefixes = [...literals.generateNames].map((authored) =>
    replaceNames(String(substitute<unknown>(authored, variables)).slice(0, MAX_BASE)),
  );
  const alternatives = [...prefixes, ...SERVER_PREFIXES].sort((a, b) => b.length - a.length).map(escapeRegExp);
  return new RegExp(`(${alternatives.join('|')})${SUFFIX}`, 'g');
}

function addressReplacements({ allocated }: TextContext): readonly Replacement<RegExp>[] {
  const whole = (value: string, name: string): Replacement<RegExp> => [
    new RegExp(`(?<!\\w|\\w[.:])${escapeRegExp(value)}(?!\\w|\\.\\w)`, 'g'),
    name,
  ];
  return [
    ...[...allocated.ips].map((ip) => whole(ip, ipPlaceholder(ip))),
    ...[...allocated.ports].map((port) => whole(port, '<port>')),
  ];
}

export const ipPlaceholder = (ip: string): string => (ip.includes(':') ? '<ip6>' : '<ip>');

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
