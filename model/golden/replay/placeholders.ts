/**
 * Placeholders for uids and resourceVersions, numbered by first appearance in a case so that equal
 * values stay equal. Values are first marked where they stand; what is left when bodies have been
 * filtered and sorted is then numbered.
 */
import { compareText, isObject } from './json-object.ts';

type Kind = 'uid' | 'rv';

const MARK = /\0(uid|rv):([^\0]*)\0/g;

export const mark = (kind: Kind, value: string): string => `\0${kind}:${value}\0`;

/** The text with all marked values of a kind looking alike, for an order that does not depend on them. */
export const withoutMarks = (text: string): string => text.replace(MARK, '<$1>');

/** Puts numbers in the place of marks; members are visited in an order that depends on their names alone. */
export class PlaceholderNumbers {
  readonly #known = { uid: new Map<string, number>(), rv: new Map<string, number>() };

  number<T>(value: T): T {
    return this.#numbered(value) as T;
  }

  #numbered(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return value.map((item) => this.#numbered(item));
    if (!isObject(value)) return value;
    const done = new Map<string, readonly [string, unknown]>();
    const names = Object.keys(value).sort((a, b) => compareText(withoutMarks(a), withoutMarks(b)));
    for (const name of names) done.set(name, [this.#text(name), this.#numbered(value[name])]);
    return Object.fromEntries(Object.keys(value).map((name) => done.get(name) ?? [name, undefined]));
  }

  #text(text: string): string {
    return text.replace(MARK, (_match, kind: Kind, marked: string) => {
      const known = this.#known[kind];
      const number = known.get(marked) ?? known.size + 1;
      known.set(marked, number);
      return `<${kind}:${number}>`;
    });
  }
}
