/**
 * Values of objects in words that stay the same where only chance is another: a uid is the object that has it, a drawn
 * name is its prefix and a number, an instant is just one.
 */
import type { ApiObject } from '../../api/object.ts';

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const INSTANT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g;
const WORD = /[a-z0-9]+(?:[-.][a-z0-9]+)*/g;
/** How often something was written, and what is said of who wrote it elsewhere. */
const UNSAID: ReadonlySet<string> = new Set(['resourceVersion', 'uid', 'fieldsV1', 'selfLink']);

export class PlainWords {
  readonly #names = new Map<string, string>();
  readonly #drawn = new Map<string, number>();
  readonly #uids = new Map<string, string>();

  /** Before anything is said of it. */
  meet({ kind, metadata: { name = '', generateName = '', uid = '' } }: ApiObject): void {
    if (generateName !== '' && name.startsWith(generateName) && !this.#names.has(name)) {
      const count = (this.#drawn.get(generateName) ?? 0) + 1;
      this.#drawn.set(generateName, count);
      this.#names.set(name, `${this.text(generateName)}${count}`);
    }
    if (uid !== '' && !this.#uids.has(uid)) this.#uids.set(uid, `uid of ${kind} ${this.text(name)}`);
  }

  text(text: string): string {
    const plain = text.replace(UID, (uid) => this.#uids.get(uid) ?? 'uid').replace(INSTANT, 'instant');
    return this.#names.size === 0 ? plain : plain.replace(WORD, (word) => this.#names.get(word) ?? word);
  }

  /** Each member that is no mapping and no list, by its path. */
  leaves(value: unknown): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    this.#gather(value, '', found);
    return found;
  }

  /** Those of `after` that read otherwise than before, and those that are gone. What both share is not looked at. */
  changes(before: unknown, after: unknown): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    this.#compare(before, after, '', found);
    return found;
  }

  #compare(before: unknown, after: unknown, path: string, found: Map<string, string>): void {
    if (before === after) return;
    if (!isComposed(before) || !isComposed(after)) {
      if (isComposed(before) || after === undefined) found.set(this.text(path), 'gone');
      if (isComposed(after)) this.#gather(after, path, found);
      else if (after !== undefined && this.#said(before) !== this.#said(after))
        found.set(this.text(path), this.#said(after));
      return;
    }
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
      if (!UNSAID.has(name))
        this.#compare(before[name], after[name], path === '' ? name : `${path}.${name}`, found);
  }

  #said(value: unknown): string {
    return typeof value === 'string' ? this.text(value) : String(value);
  }

  #gather(value: unknown, path: string, found: Map<string, string>): void {
    if (!isComposed(value)) {
      found.set(this.text(path), this.#said(value));
      return;
    }
    const entries = Object.entries(value).filter(([name]) => !UNSAID.has(name));
    if (entries.length === 0) found.set(this.text(path), Array.isArray(value) ? '[]' : '{}');
    for (const [name, member] of entries) this.#gather(member, path === '' ? name : `${path}.${name}`, found);
  }
}

const isComposed = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
