/**
 * JSON texts at nearly the speed of `JSON.parse`, with what that does not tell: repeated members,
 * numbers that a double cannot hold, Go's words for malformed texts.
 */
import { MAX_DEPTH, parseNodes, plainValue, tooDeep, type JsonNode } from './json-nodes.ts';
import { goQuote } from '../go-text.ts';
import { DecodeError } from './decode-error.ts';
import { endOfString } from './nesting.ts';

export interface ParsedJson {
  readonly value: unknown;
  /** `duplicate field "a.b[0].c"`, in the order of the text; at most 100, each once. */
  readonly duplicates: readonly string[];
  /** There is nothing to say about the text: no repeated member, no number that a double cannot hold. */
  readonly isPlain: boolean;
}

export interface QuickJson {
  readonly value: unknown;
  /** Members of all objects in the text, repeated ones included; −1: the text has to be read exactly. */
  readonly memberCount: number;
}

const QUOTE = 34;
const MINUS = 45;
const NINE = 57;
const ZERO = 48;
const COLON = 58;
const LONGEST_SAFE_NUMBER = 15;

/** Index behind the number that begins at `start`, negative if it is no plain integer of up to 15 digits. */
const endOfNumber = (text: string, start: number): number => {
  let at = start + 1;
  for (let unit = text.charCodeAt(at); unit >= ZERO && unit <= NINE; unit = text.charCodeAt(at)) at++;
  const next = text.charCodeAt(at) | 0x20;
  return next === 0x2e || next === 0x65 || at - start > LONGEST_SAFE_NUMBER ? -1 : at;
};

/** Where one is, `JSON.parse` may have changed something. */
const SURROGATE_ESCAPE = /\\u[dD]/;

/** Counts members in a valid text; −1 if `JSON.parse` would have changed something. */
const countMembersOfText = (text: string): number => {
  if (SURROGATE_ESCAPE.test(text)) return -1;
  let count = 0;
  let depth = 0;
  for (let at = 0; at < text.length;) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      at = endOfString(text, at);
      let next = text.charCodeAt(at);
      while (next <= 0x20) next = text.charCodeAt(++at);
      if (next === COLON) count++;
    } else if (unit <= NINE && (unit >= ZERO || unit === MINUS)) {
      at = endOfNumber(text, at);
      if (at < 0) return -1;
    } else {
      // Brackets and braces differ from their partners by two.
      if (unit === 0x7b || unit === 0x5b) {
        if (++depth > MAX_DEPTH) throw tooDeep(unit);
      } else if (unit === 0x7d || unit === 0x5d) depth--;
      at++;
    }
  }
  return count;
};

/**
 * Parses, and counts the members that the text has.
 * @throws DecodeError in the words of Go's decoder
 */
export const parseQuickly = (text: string): QuickJson => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    parseNodes(text);
    throw new DecodeError('unexpected end of JSON input');
  }
  return { value, memberCount: countMembersOfText(text) };
};

/** Members of all objects in a value. Keeps its own stack: the depth is the client's choice. */
export const countMembers = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  const pending: object[] = [value];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const isList = Array.isArray(next);
    for (const name in next) {
      if (!isList) count++;
      const member: unknown = (next as Record<string, unknown>)[name];
      if (typeof member === 'object' && member !== null) pending.push(member);
    }
  }
  return count;
};

/** The value of a text about which there is nothing to say: no repeated member, no number that a double cannot hold. */
export const parsePlainly = (text: string): { readonly value: unknown } | undefined => {
  const { value, memberCount } = parseQuickly(text);
  return countMembers(value) === memberCount ? { value } : undefined;
};

/** Most findings that are kept of one text, as the server does. */
export const MAX_FINDINGS = 100;

const collectDuplicates = (node: JsonNode, path: string, found: Set<string>): void => {
  if (node.kind === 'array')
    node.nodes.forEach((item, index) => collectDuplicates(item, `${path}[${index}]`, found));
  if (node.kind !== 'object') return;
  const seen = new Set<string>();
  node.names.forEach((name, index) => {
    const memberPath = path ? `${path}.${name}` : name;
    if (seen.has(name) && found.size < MAX_FINDINGS) found.add(`duplicate field ${goQuote(memberPath)}`);
    seen.add(name);
    const member = node.nodes[index];
    if (member) collectDuplicates(member, memberPath, found);
  });
};

/** Without a schema numbers become doubles, which have an end. @throws DecodeError */
const refuseHugeNumbers = (node: JsonNode): void => {
  const number = hugeNumberIn(node);
  if (number !== undefined)
    throw new DecodeError(`json: cannot unmarshal number ${number} into Go value of type float64`);
};

/** The first number of a text that no double can hold. */
export const hugeNumberOf = (text: string): string | undefined =>
  MAY_BE_HUGE.test(text) ? hugeNumberIn(parseNodes(text)) : undefined;

/** Nothing else is as large as that. Digits within a word, as identifiers have them, are no number. */
const MAY_BE_HUGE = /(?:^|[:,[\s])-?[0-9][0-9.]*[eE]\+?0*[1-9][0-9]{2}|[0-9]{200}/;

function hugeNumberIn(node: JsonNode): string | undefined {
  if (node.kind === 'number') return Number.isFinite(Number(node.text)) ? undefined : node.text;
  if (node.kind !== 'object' && node.kind !== 'array') return undefined;
  for (const inner of node.nodes) {
    const number = hugeNumberIn(inner);
    if (number !== undefined) return number;
  }
  return undefined;
}

interface Reading {
  /** A schema is known, which says of each number what it has to be. */
  readonly isTyped?: boolean;
}

/**
 * Parses a text of which no schema is known, such as custom resources and patches, if nothing else is said. A number
 * alone is no document, however large it is.
 * @throws DecodeError in the words of Go's decoder
 */
export const parseJson = (text: string, { isTyped = false }: Reading = {}): ParsedJson => {
  const { value, memberCount } = parseQuickly(text);
  if (memberCount >= 0 && countMembers(value) === memberCount)
    return { value, duplicates: [], isPlain: true };
  const node = parseNodes(text);
  const found = new Set<string>();
  if (!isTyped && node.kind !== 'number') refuseHugeNumbers(node);
  collectDuplicates(node, '', found);
  return { value: plainValue(node), duplicates: [...found], isPlain: false };
};
