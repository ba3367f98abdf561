/** The formats of strings that the server checks, as loosely as it does; others are not looked at. */
import { goLength } from '../../api/go-text.ts';
import { isBase64, isDate, isDateTime, isUuid } from '../../api/validation/text-formats.ts';

const GO_DURATION = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const WORD_DURATION = /(\d+)\s*([A-Za-zµ]+)/g;
/** Words of a unit; what begins with the last of its words is one, too. */
const UNITS = [
  ['ns', 'nano'],
  ['us', 'µs', 'micro'],
  ['ms', 'milli'],
  ['s', 'sec'],
  ['m', 'min'],
  ['h', 'hr', 'hour'],
  ['d', 'day'],
  ['w', 'wk', 'week'],
];
const UUID3 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const UUID4 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const UUID5 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const EMAIL_ADDRESS =
  /^(?:[^\s@<>(),.:;[\]\\"]+(?:\.[^\s@<>(),.:;[\]\\"]+)*|"[^"\\]*")@(?:[^\s@<>(),.:;[\]\\"]+(?:\.[^\s@<>(),.:;[\]\\"]+)*|\[[0-9.]+\])$/;
const NAMED_ADDRESS = /^(?:[^<>@,()":;]*|"[^"\\]*")\s*<([^<>]+)>$/;
const HOSTNAME =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.))+([a-zA-Z\p{L}]){2,63})$/u;
const MOST_IN_HOSTNAME = 255;
const MOST_IN_LABEL = 63;
const MAC =
  /^(?:[0-9a-f]{2}(?:(:[0-9a-f]{2}){5,19}|(-[0-9a-f]{2}){5,19})|[0-9a-f]{4}(\.[0-9a-f]{4}){2,9}|[0-9a-f]+)$/i;
/** In hexadecimal digits. */
const MAC_LENGTHS: ReadonlySet<number> = new Set([12, 16, 40]);
const CARD =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;
const SSN = /^\d{3}[- ]\d{2}[- ]\d{4}$/;
const SHADE = '(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])';
const RGB_COLOR = new RegExp(`^rgb\\(\\s*${SHADE}\\s*,\\s*${SHADE}\\s*,\\s*${SHADE}\\s*\\)$`);
const HEX_COLOR = /^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;
const OBJECT_ID = /^[0-9a-f]{24}$/i;

/** One number with a unit somewhere in it is enough. */
function isDuration(text: string): boolean {
  if (GO_DURATION.test(text)) return !/\d{19}/.test(text);
  const found = [...text.matchAll(WORD_DURATION)];
  if (found.some(([, count = '']) => count.length > MOST_DIGITS)) return false;
  return found.some(([, , word = '']) => {
    const unit = word.toLowerCase();
    return UNITS.some((words) => words.includes(unit) || unit.startsWith(words.at(-1) ?? unit));
  });
}

const MOST_DIGITS = 18;

const isIpv4 = (text: string): boolean => {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^\d+$/.test(part) && Number(part) <= 255);
};

function isIpv6(text: string): boolean {
  if (!text.includes(':') || /:::|[^0-9a-f:.]/i.test(text)) return false;
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  const hasIpv4 = last.includes('.');
  if (hasIpv4 && !isIpv4(last)) return false;
  const plain = hasIpv4 ? groups.slice(0, -1) : groups;
  if (!plain.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false;
  const count = plain.length + (hasIpv4 ? 2 : 0);
  return halves.length === 2 ? count < 8 : count === 8;
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/');
  if (more.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
  return isIpv4(address) ? Number(bits) <= 32 : isIpv6(address) && Number(bits) <= 128;
}

/** Of a request: a whole path, or a scheme and what it makes of the rest. */
function isUri(text: string): boolean {
  if (/[\u0000-\u001f\u007f]/.test(text)) return false;
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(text)?.[0] ?? '';
  const [rest = ''] = text.slice(scheme.length).split('?', 1);
  // Behind a scheme alone, as behind a question mark, may be anything.
  if (!rest.startsWith('/')) return scheme !== '' || text === '*';
  if (/%(?![0-9a-f]{2})/i.test(rest)) return false;
  const [, authority = ''] = (scheme !== '' && /^\/\/([^/]*)/.exec(rest)) || [];
  const host = authority.replace(/^.*@/, '');
  if (/[\s%]/.test(host)) return false;
  return host.startsWith('[') ? /^\[[^\]]*\](?::\d*)?$/.test(host) : !/:(?!\d*$)/.test(host);
}

function isEmail(text: string): boolean {
  const plain = text.trim().replace(/\s*\([^()]*\)$/, '');
  return EMAIL_ADDRESS.test(NAMED_ADDRESS.exec(plain)?.[1] ?? plain);
}

const isHostname = (text: string): boolean =>
  text.length <= MOST_IN_HOSTNAME &&
  HOSTNAME.test(text) &&
  text.split('.').every((label) => goLength(label) <= MOST_IN_LABEL);

const isMac = (text: string): boolean =>
  MAC.test(text) && MAC_LENGTHS.has(text.replaceAll(/[:.-]/g, '').length);

/** Doubled digits at every second place from the end count as the sum of their digits. */
function isCard(text: string): boolean {
  const digits = text.replaceAll(/[^0-9]+/g, '');
  if (!CARD.test(digits)) return false;
  const sum = [...digits].toReversed().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

const bare = (text: string): string => text.replaceAll(/[\s-]+/g, '');

function isIsbn10(text: string): boolean {
  const digits = bare(text);
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  const sum = [...digits].reduce((total, digit, at) => total + (10 - at) * (digit === 'X' ? 10 : +digit), 0);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = bare(text);
  if (!/^[0-9]{13}$/.test(digits)) return false;
  return [...digits].reduce((total, digit, at) => total + (at % 2 === 1 ? 3 : 1) * +digit, 0) % 10 === 0;
}

const matches =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text);

const CHECKS: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  datetime: isDateTime,
  byte: isBase64,
  uri: isUri,
  duration: isDuration,
  uuid: isUuid,
  uuid3: matches(UUID3),
  uuid4: matches(UUID4),
  uuid5: matches(UUID5),
  email: isEmail,
  hostname: isHostname,
  ipv4: (text) => text.includes('.') && (isIpv4(text) || isIpv6(text)),
  ipv6: isIpv6,
  cidr: isCidr,
  mac: isMac,
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCard,
  ssn: matches(SSN),
  password: () => true,
  rgbcolor: matches(RGB_COLOR),
  hexcolor: matches(HEX_COLOR),
  bsonobjectid: matches(OBJECT_ID),
};

/** Dashes in the name of a format do not count. */
function checkOf(format: string): ((text: string) => boolean) | undefined {
  const name = format.replaceAll('-', '');
  return Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined;
}

export const isKnownFormat = (format: string): boolean => checkOf(format) !== undefined;

export const hasFormat = (text: string, format: string): boolean => checkOf(format)?.(text) ?? true;
