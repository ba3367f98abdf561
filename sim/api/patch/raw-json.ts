/**
 * JSON that remembers how it was written. Patches of text need that: a `test` compares numbers and strings
 * as they are spelled, a fraction such as `82.0` must still be refused after the patch, members of objects that
 * a patch does not touch keep their order and even their duplicates, while touched objects come out sorted.
 * Texts handed in must be well-formed JSON; whoever reads the request's body checks that.
 */

import { type JsonNode, parseNodes } from '../codec/json-nodes.ts';
import { endOfString, isNestedBeyond } from '../codec/nesting.ts';
import { compareStrings, escapeHtml } from '../go-text.ts';

/** A value of a document; `null` is JSON's null. */
export type RawValue = RawNode | null;

const HTML_OR_SPACE = /[\s<>&\u2028\u2029]/;

/**
 * Texts whose containers lie deeper are read once as a whole. Others are looked into level by level, each level
 * reading again what lies below it, which is cheaper for the few levels that patches touch.
 */
const MAX_LEVELS_READ_AGAIN = 16;

export class RawNode {
  private text: string | undefined;
  /** Where in `text`'s source the value was found, if that was read as a whole. */
  private place: { readonly source: string; readonly node: JsonNode } | undefined;
  private members: Map<string, RawValue> | undefined;
  private items: RawValue[] | undefined;

  private constructor(text: string | undefined) {
    this.text = text;
  }

  /** The value of a whole text. */
  static of(text: string): RawValue {
    return isNestedBeyond(text, MAX_LEVELS_READ_AGAIN)
      ? RawNode.at(text, parseNodes(text))
      : RawNode.within(text);
  }

  /** The value of a part of a text that is not nested deep. */
  static within(text: string): RawValue {
    const trimmed = text.trim();
    return trimmed === 'null' ? null : new RawNode(trimmed);
  }

  private static at(source: string, node: JsonNode): RawValue {
    if (node.kind === 'null') return null;
    const value = new RawNode(undefined);
    value.place = { source, node };
    return value;
  }

  /** Members, if this is an object; changing the map changes the value. */
  object(): Map<string, RawValue> | undefined {
    if (this.members === undefined && this.place?.node.kind === 'object') {
      const { source, node } = this.place;
      this.members = new Map();
      for (const [index, name] of node.names.entries()) {
        const member = node.nodes[index];
        if (member) this.members.set(name, RawNode.at(source, member));
      }
      this.place = undefined;
    }
    if (this.members === undefined && this.text?.startsWith('{')) {
      this.members = membersOf(this.text);
      this.text = undefined;
    }
    return this.members;
  }

  /** Elements, if this is an array; changing the array changes the value. */
  array(): RawValue[] | undefined {
    if (this.items === undefined && this.place?.node.kind === 'array') {
      const { source, node } = this.place;
      this.items = node.nodes.map((item) => RawNode.at(source, item));
      this.place = undefined;
    }
    if (this.items === undefined && this.text?.startsWith('[')) {
      this.items = itemsOf(this.text);
      this.text = undefined;
    }
    return this.items;
  }

  copy(): RawValue {
    return RawNode.of(this.write());
  }

  /** Compact text. Objects that were looked into have their members sorted. Keeps its own stack: the depth is the client's choice. */
  write(): string {
    const written: string[] = [];
    const pending: (RawValue | string)[] = [this];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (next === null) written.push('null');
      else if (typeof next === 'string') written.push(next);
      else if (next.members) pushReversed(pending, piecesOfObject(next.members));
      else if (next.items) pushReversed(pending, piecesOfArray(next.items));
      else written.push(escapeHtml(next.compact()));
    }
    return written.join('');
  }

  /** The text without white space outside of strings; only for values that were not looked into. */
  private compact(): string {
    const { place } = this;
    const text = place ? place.source.slice(place.node.start, place.node.end) : (this.text ?? '');
    return HTML_OR_SPACE.test(text) ? withoutSpaces(text) : text;
  }

  /** Whether both are spelled alike; the order of members does not matter. */
  equals(other: RawNode): boolean {
    const pending: [RawValue, RawValue][] = [[this, other]];
    for (let pair = pending.pop(); pair; pair = pending.pop()) {
      const [left, right] = pair;
      if (left === null || right === null) {
        if (left !== right) return false;
      } else if (!left.pairsWith(right, pending)) return false;
    }
    return true;
  }

  /** Whether both are alike if all pairs of their parts are, which are added to `pairs`. */
  private pairsWith(other: RawNode, pairs: [RawValue, RawValue][]): boolean {
    const members = this.object();
    const others = other.object();
    if (members ?? others) {
      if (members?.size !== others?.size) return false;
      for (const [name, value] of members ?? []) {
        const counterpart = others?.get(name);
        if (counterpart === undefined) return false;
        pairs.push([value, counterpart]);
      }
      return true;
    }
    const items = this.array();
    const otherItems = other.array();
    if (!items && !otherItems) return this.compact() === other.compact();
    if (items?.length !== otherItems?.length) return false;
    items?.forEach((item, at) => pairs.push([item, otherItems?.[at] ?? null]));
    return true;
  }
}

export const rawEquals = (left: RawValue, right: RawValue): boolean =>
  left === null || right === null ? left === right : left.equals(right);

export const writeRaw = (value: RawValue): string => (value === null ? 'null' : value.write());

/** One by one: there may be more than a call has room for. */
const pushReversed = <T>(list: T[], added: readonly T[]): void => {
  for (let at = added.length - 1; at >= 0; at--) list.push(added[at] as T);
};

const piecesOfObject = (members: ReadonlyMap<string, RawValue>): (RawValue | string)[] => {
  const pieces: (RawValue | string)[] = ['{'];
  for (const name of [...members.keys()].sort(compareStrings)) {
    const comma = pieces.length > 1 ? ',' : '';
    pieces.push(`${comma}${escapeHtml(JSON.stringify(name))}:`, members.get(name) ?? null);
  }
  pieces.push('}');
  return pieces;
};

const piecesOfArray = (items: readonly RawValue[]): (RawValue | string)[] => {
  const pieces: (RawValue | string)[] = ['['];
  for (const item of items) {
    if (pieces.length > 1) pieces.push(',');
    pieces.push(item);
  }
  pieces.push(']');
  return pieces;
};

/** An expression for whole strings would need a stack as long as they are. */
const withoutSpaces = (text: string): string => {
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const quoteAt = text.indexOf('"', at);
    const end = quoteAt < 0 ? text.length : quoteAt;
    parts.push(text.slice(at, end).replace(/\s+/g, ''));
    at = quoteAt < 0 ? end : endOfString(text, quoteAt);
    parts.push(text.slice(end, at));
  }
  return parts.join('');
};

const SPACE = /\s/;

const afterSpace = (text: string, at: number): number => {
  while (SPACE.test(text.charAt(at))) at++;
  return at;
};

const afterString = (text: string, start: number): number => {
  for (let at = start + 1; ; at++) {
    const character = text.charCodeAt(at);
    if (character === 0x5c) at++;
    else if (character === 0x22 || Number.isNaN(character)) return at + 1;
  }
};

/** Where the value that begins at `start` ends. */
const afterValue = (text: string, start: number): number => {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    switch (text.charAt(at)) {
      case '"':
        at = afterString(text, at) - 1;
        break;
      case '{':
      case '[':
        depth++;
        break;
      case '}':
      case ']':
        if (depth === 0) return at;
        depth--;
        break;
      case ',':
        if (depth === 0) return at;
        break;
    }
  }
  return text.length;
};

const membersOf = (text: string): Map<string, RawValue> => {
  const members = new Map<string, RawValue>();
  let at = afterSpace(text, 1);
  while (text.charAt(at) === '"') {
    const nameEnd = afterString(text, at);
    const name = JSON.parse(text.slice(at, nameEnd)) as string;
    const start = afterSpace(text, nameEnd) + 1;
    const end = afterValue(text, start);
    members.set(name, RawNode.within(text.slice(start, end)));
    at = afterSpace(text, end + 1);
  }
  return members;
};

const itemsOf = (text: string): RawValue[] => {
  const items: RawValue[] = [];
  let at = afterSpace(text, 1);
  while (at < text.length && text.charAt(at) !== ']') {
    const end = afterValue(text, at);
    items.push(RawNode.within(text.slice(at, end)));
    at = text.charAt(end) === ',' ? afterSpace(text, end + 1) : text.length;
  }
  return items;
};
