/**
 * JSON that remembers how it was written. Patches of text need that: a `test` compares numbers and strings
 * as they are spelled, a fraction such as `82.0` must still be refused after the patch, members of objects that
 * a patch does not touch keep their order and even their duplicates, while touched objects come out sorted.
 * Texts handed in must be well-formed JSON; whoever reads the request's body checks that.
 */

import { compareStrings, escapeHtml } from '../go-text.ts';

/** A value of a document; `null` is JSON's null. */
export type RawValue = RawNode | null;

const HTML_OR_SPACE = /[\s<>&\u2028\u2029]/;

export class RawNode {
  private text: string | undefined;
  private members: Map<string, RawValue> | undefined;
  private items: RawValue[] | undefined;

  private constructor(text: string | undefined) {
    this.text = text;
  }

  static of(text: string): RawValue {
    const trimmed = text.trim();
    return trimmed === 'null' ? null : new RawNode(trimmed);
  }

  /** Members, if this is an object; changing the map changes the value. */
  object(): Map<string, RawValue> | undefined {
    if (this.members === undefined && this.text?.startsWith('{')) {
      this.members = membersOf(this.text);
      this.text = undefined;
    }
    return this.members;
  }

  /** Elements, if this is an array; changing the array changes the value. */
  array(): RawValue[] | undefined {
    if (this.items === undefined && this.text?.startsWith('[')) {
      this.items = itemsOf(this.text);
      this.text = undefined;
    }
    return this.items;
  }

  copy(): RawNode {
    return new RawNode(this.write());
  }

  /** Compact text. Objects that were looked into have their members sorted. */
  write(): string {
    if (this.members) return writeObject(this.members);
    if (this.items) return `[${this.items.map(writeRaw).join(',')}]`;
    return escapeHtml(this.compact());
  }

  /** The text without white space outside of strings; only for values that were not looked into. */
  private compact(): string {
    const { text = '' } = this;
    return HTML_OR_SPACE.test(text) ? text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1') : text;
  }

  /** Whether both are spelled alike; the order of members does not matter. */
  equals(other: RawNode): boolean {
    const members = this.object();
    if (members) {
      const others = other.object();
      if (others?.size !== members.size) return false;
      for (const [name, value] of members) {
        const counterpart = others.get(name);
        if (counterpart === undefined || !rawEquals(value, counterpart)) return false;
      }
      return true;
    }
    const items = this.array();
    if (items) {
      const others = other.array();
      return (
        others?.length === items.length && items.every((item, at) => rawEquals(item, others[at] ?? null))
      );
    }
    return other.object() === undefined && other.array() === undefined && this.compact() === other.compact();
  }
}

export const rawEquals = (left: RawValue, right: RawValue): boolean =>
  left === null || right === null ? left === right : left.equals(right);

export const writeRaw = (value: RawValue): string => (value === null ? 'null' : value.write());

const writeObject = (members: ReadonlyMap<string, RawValue>): string => {
  const written = [...members.keys()]
    .sort(compareStrings)
    .map((name) => `${escapeHtml(JSON.stringify(name))}:${writeRaw(members.get(name) ?? null)}`);
  return `{${written.join(',')}}`;
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
    members.set(name, RawNode.of(text.slice(start, end)));
    at = afterSpace(text, end + 1);
  }
  return members;
};

const itemsOf = (text: string): RawValue[] => {
  const items: RawValue[] = [];
  let at = afterSpace(text, 1);
  while (at < text.length && text.charAt(at) !== ']') {
    const end = afterValue(text, at);
    items.push(RawNode.of(text.slice(at, end)));
    at = text.charAt(end) === ',' ? afterSpace(text, end + 1) : text.length;
  }
  return items;
};
