/** URLs as Go's `net/url` reads them, with its words for what it cannot read. */
import { goQuote } from '../../go-text.ts';
import { AddressProblem, parseAddress } from './ip-text.ts';

export interface Url {
  readonly scheme: string;
  readonly opaque: string;
  readonly host: string;
  readonly escapedPath: string;
  readonly query: string;
  /** As it was written. */
  readonly text: string;
}

/** Go's words. */
export class UrlProblem extends Error {}

const fail = (message: string): never => {
  throw new UrlProblem(message);
};

/** As the target of a request: absolute, or a path from the root. @throws UrlProblem */
export const parseRequestUrl = (text: string): Url => parsed(text, text, true);

/** Cut off at the fragment. @throws UrlProblem */
export const parseUrl = (text: string): Url => {
  const [front = ''] = text.split('#');
  return parsed(front, text, false);
};

function parsed(text: string, whole: string, isRequest: boolean): Url {
  try {
    return { ...parts(text, isRequest), text: whole };
  } catch (error) {
    if (error instanceof UrlProblem) return fail(`parse ${goQuote(text)}: ${error.message}`);
    throw error;
  }
}

function parts(text: string, isRequest: boolean): Omit<Url, 'text'> {
  for (let at = 0; at < text.length; at++)
    if (text.charCodeAt(at) < 0x20 || text.charCodeAt(at) === 0x7f)
      fail('net/url: invalid control character in URL');
  if (text === '' && isRequest) fail('empty url');
  const none = { scheme: '', opaque: '', host: '', escapedPath: '', query: '' };
  if (text === '*') return { ...none, escapedPath: '*' };
  const { scheme, rest: afterScheme } = schemeOf(text);
  const mark = afterScheme.indexOf('?');
  const query = mark < 0 ? '' : afterScheme.slice(mark + 1);
  let rest = mark < 0 ? afterScheme : afterScheme.slice(0, mark);
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...none, scheme, opaque: rest, query };
    if (isRequest) fail('invalid URI for request');
    if (rest.split('/')[0]?.includes(':')) fail('first path segment in URL cannot contain colon');
  }
  let host = '';
  if ((scheme !== '' || (!isRequest && !rest.startsWith('///'))) && rest.startsWith('//')) {
    const slash = rest.indexOf('/', 2);
    const authority = rest.slice(2, slash < 0 ? undefined : slash);
    rest = slash < 0 ? '' : rest.slice(slash);
    host = hostOf(authority);
  }
  return { ...none, scheme, host, query, escapedPath: escapedPath(rest) };
}

function schemeOf(text: string): { readonly scheme: string; readonly rest: string } {
  if (text.startsWith(':')) fail('missing protocol scheme');
  const match = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text);
  if (!match) return { scheme: '', rest: text };
  return { scheme: (match[1] ?? '').toLowerCase(), rest: text.slice(match[0].length) };
}

function hostOf(authority: string): string {
  const at = authority.lastIndexOf('@');
  const host = readHost(authority.slice(at + 1));
  const user = at < 0 ? '' : authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) fail('net/url: invalid userinfo');
  for (const part of user.split(':')) unescaped(part, 'user');
  return host;
}

function readHost(host: string): string {
  const open = host.lastIndexOf('[');
  if (open > 0) fail('invalid IP-literal');
  if (open === 0) {
    const close = host.lastIndexOf(']');
    if (close < 0) fail("missing ']' in host");
    checkPort(host.slice(close + 1));
    const inner = unescaped(host.slice(1, close), 'host');
    checkLiteral(inner);
    return `[${inner}]${host.slice(close + 1)}`;
  }
  const colon = host.lastIndexOf(':');
  if (colon >= 0) checkPort(host.slice(colon));
  return unescaped(host, 'host');
}

function checkPort(port: string): void {
  if (port !== '' && !/^:[0-9]*$/.test(port)) fail(`invalid port ${goQuote(port)} after host`);
}

function checkLiteral(text: string): void {
  try {
    if (parseAddress(text).isV4) fail('invalid IP-literal');
  } catch (error) {
    if (error instanceof AddressProblem) fail(`invalid host: ${error.message}`);
    throw error;
  }
}

type Part = 'host' | 'path' | 'query' | 'user';

/** @throws UrlProblem */
function unescaped(text: string, part: Part): string {
  const bytes: number[] = [];
  const source = new TextEncoder().encode(part === 'query' ? text.replaceAll('+', ' ') : text);
  for (let at = 0; at < source.length; at++) {
    const byte = source[at] ?? 0;
    const character = String.fromCharCode(byte);
    if (character !== '%') {
      if (part === 'host' && byte < 0x80 && !/[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]/.test(character))
        fail(`invalid character ${goQuote(character)} in host name`);
      bytes.push(byte);
      continue;
    }
    const escape = String.fromCharCode(...source.slice(at, at + 3));
    const isEscape = /^%[0-9a-fA-F]{2}$/.test(escape);
    if (!isEscape || (part === 'host' && escape !== '%25' && Number.parseInt(escape.slice(1), 16) < 0x80))
      fail(`invalid URL escape ${goQuote(escape)}`);
    bytes.push(Number.parseInt(escape.slice(1), 16));
    at += 2;
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/** The path as written if it is well escaped, else escaped anew. */
function escapedPath(path: string): string {
  const plain = unescaped(path, 'path');
  if (/^[A-Za-z0-9\-_.~!$&'()*+,;=:@/[\]%]*$/.test(path)) return path;
  let escaped = '';
  for (const byte of new TextEncoder().encode(plain)) {
    const character = String.fromCharCode(byte);
    escaped += /[A-Za-z0-9\-_.~$&+,/:;=@]/.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped;
}

export const hostname = ({ host }: Url): string => {
  const bracketed = /^\[(.*)\](?::[0-9]*)?$/.exec(host);
  if (bracketed) return bracketed[1] ?? '';
  const colon = host.lastIndexOf(':');
  return colon >= 0 && /^:[0-9]*$/.test(host.slice(colon)) ? host.slice(0, colon) : host;
};

export const port = ({ host }: Url): string => /:([0-9]*)$/.exec(host.replace(/^\[.*\]/, ''))?.[1] ?? '';

/** Values of each parameter; what cannot be read is left out. */
export function queryOf({ query }: Url): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const equals = pair.indexOf('=');
    const [key, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
    try {
      const name = unescaped(key, 'query');
      found.set(name, [...(found.get(name) ?? []), unescaped(value, 'query')]);
    } catch (error) {
      if (!(error instanceof UrlProblem)) throw error;
    }
  }
  return found;
}
