/** The formats of strings that the server checks; others are not looked at. */

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[Tt ]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s]*$/;
const GO_DURATION =
  /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h)(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))*$/;
const WORD_DURATION =
  /^\s*\d+\s*(?:ns|nano|us|µs|micro|ms|milli|s|sec|second|m|min|minute|h|hr|hour|d|day|w|week|wk)s?\s*$/;
const ISO_DURATION =
  /^P(?=.)(?:\d+Y)?(?:\d+M)?(?:\d+W)?(?:\d+D)?(?:T(?=.)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?$/;
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const EMAIL = /^[^\s@<>]+@[^\s@<>]+$/;
const HOSTNAME =
  /^(?=.{1,255}$)[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?)*\.?$/;
const MAC = /^(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i;
const HEX_COLOR = /^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;
const OBJECT_ID = /^[0-9a-f]{24}$/i;

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDate(text: string): boolean {
  const match = DATE.exec(text);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const last = month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0);
  return day >= 1 && day <= last;
}

const isDateTime = (text: string): boolean => {
  const match = DATE_TIME.exec(text);
  return match !== null && isDate(match[1] ?? '');
};

const isIpv4 = (text: string): boolean => {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255);
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

const matches =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text);

const CHECKS: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  'date-time': isDateTime,
  datetime: isDateTime,
  byte: matches(BASE64),
  uri: matches(URI),
  duration: (text) => GO_DURATION.test(text) || WORD_DURATION.test(text) || ISO_DURATION.test(text),
  uuid: matches(UUID),
  uuid3: (text) => UUID.test(text) && text.replaceAll('-', '')[12] === '3',
  uuid4: (text) => UUID.test(text) && text.replaceAll('-', '')[12] === '4',
  uuid5: (text) => UUID.test(text) && text.replaceAll('-', '')[12] === '5',
  email: matches(EMAIL),
  hostname: matches(HOSTNAME),
  ipv4: isIpv4,
  ipv6: isIpv6,
  cidr: isCidr,
  mac: matches(MAC),
  hexcolor: matches(HEX_COLOR),
  bsonobjectid: matches(OBJECT_ID),
};

export const isKnownFormat = (format: string): boolean => Object.hasOwn(CHECKS, format);

export const hasFormat = (text: string, format: string): boolean => {
  const check = Object.hasOwn(CHECKS, format) ? CHECKS[format] : undefined;
  return check === undefined || check(text);
};
