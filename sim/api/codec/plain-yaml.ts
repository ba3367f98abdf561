/**
 * Reads what manifests are written in, at the speed of JSON: mappings and lists by indentation, scalars of one line,
 * texts behind `|` and `|-`, comments, values in brackets that are JSON. One pass over the text, bounded in depth.
 * It never judges: whatever is beyond that (anchors, tags, folded texts, anything malformed) is `undefined`, and for
 * the whole language to read. A property test holds the two to one result.
 */
import { goQuote } from '../go-text.ts';
import { setMember } from './json-nodes.ts';
import { isNestedTooDeep, MAX_KEPT_DEPTH } from './nesting.ts';
import { parsePlainly } from './strict-json.ts';
import { resolvePlainScalar } from './yaml-scalar.ts';

export interface PlainYaml {
  readonly value: unknown;
  /** As `ParsedYaml` has them. */
  readonly duplicates: readonly string[];
}

const LONGEST_KEY = 200;

const SPACE = 0x20;
const LINE_FEED = 0x0a;
const DASH = 0x2d;
const HASH = 0x23;
const PIPE = 0x7c;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/** Tabs, other breaks of lines, marks of byte order, and what is no text at all. */
// oxlint-disable-next-line no-control-regex -- they are what it is about
const UNUSUAL = /[^\n -~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;
/** What begins a scalar, and means more than itself. */
const INDICATOR = /^[?:,[\]{}#&*!|>'"%@`]|^-(?: |$)/;
const PLAIN_KEY = /([A-Za-z0-9_./][A-Za-z0-9_./-]*):(?= |\n|$)/y;
const QUOTED_KEY = /(?:"([^"\\\n]*)"|'([^'\n]*)'):(?= |\n|$)/y;
/** Escapes that mean in JSON what they mean here. */
const DOUBLE_QUOTED = /"(?:[^"\\\n]|\\(?:["\\nt]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4}))*"/y;
const SINGLE_QUOTED = /'(?:[^'\n]|'')*'/y;
const MARKER = /^(?:---|\.\.\.)(?: |$)/;

/** Says that a text is not plain. Nobody hears of it. */
const NOT_PLAIN = Symbol('not plain');

const notPlain = (): never => {
  // oxlint-disable-next-line no-throw-literal -- an error would keep a stack that nobody sees
  throw NOT_PLAIN;
};

/** Undefined: it is for the reader of the whole language. */
export const parsePlainYaml = (text: string): PlainYaml | undefined => {
  if (UNUSUAL.test(text)) return undefined;
  try {
    return new Reader(text).document();
  } catch (error) {
    if (error === NOT_PLAIN) return undefined;
    throw error;
  }
};

class Reader {
  readonly #text: string;
  readonly #duplicates: string[] = [];
  /** The present line: its number, where it begins and ends, and where its content does. */
  #number = 0;
  #lineAt = 0;
  #lineEnd = -1;
  #at = 0;
  /** Of what is read next; −1: the text is over. */
  #column = -1;
  #level = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): PlainYaml {
    this.#nextLine();
    if (this.#column === 0 && this.#line() === '---') this.#nextLine();
    if (this.#column < 0 || this.#isMarker()) return notPlain();
    if (!this.#isItem() && this.#text.charCodeAt(this.#at) !== DOUBLE_QUOTE && !this.#isKey())
      return notPlain();
    const value = this.#block();
    if (this.#column >= 0 && !this.#isEnd()) return notPlain();
    return { value, duplicates: this.#duplicates };
  }

  /** Goes on to the next line that says something. */
  #nextLine(): void {
    const text = this.#text;
    for (;;) {
      this.#lineAt = this.#lineEnd + 1;
      this.#number++;
      if (this.#lineAt >= text.length) {
        this.#column = -1;
        return;
      }
      const end = text.indexOf('\n', this.#lineAt);
      this.#lineEnd = end < 0 ? text.length : end;
      let at = this.#lineAt;
      while (text.charCodeAt(at) === SPACE) at++;
      if (at >= this.#lineEnd || text.charCodeAt(at) === HASH) continue;
      this.#at = at;
      this.#column = at - this.#lineAt;
      return;
    }
  }

  /** The rest of the line, without spaces at its end. */
  #line(): string {
    let end = this.#lineEnd;
    while (this.#text.charCodeAt(end - 1) === SPACE) end--;
    return this.#text.slice(this.#at, end);
  }

  #isMarker(): boolean {
    return (
      this.#column === 0 && MARKER.test(this.#text.slice(this.#at, Math.min(this.#at + 4, this.#lineEnd)))
    );
  }

  /** Another document is nobody's concern. */
  #isEnd(): boolean {
    if (!this.#isMarker()) return false;
    const line = this.#line();
    return line === '---' || line === '...';
  }

  #isItem(): boolean {
    if (this.#text.charCodeAt(this.#at) !== DASH) return false;
    const next = this.#text.charCodeAt(this.#at + 1);
    return next === SPACE || next === LINE_FEED || this.#at + 1 === this.#text.length;
  }

  #isKey(): boolean {
    PLAIN_KEY.lastIndex = QUOTED_KEY.lastIndex = this.#at;
    return PLAIN_KEY.test(this.#text) || QUOTED_KEY.test(this.#text);
  }

  /** What begins here: at its column, as deep as it goes. */
  #block(): unknown {
    if (++this.#level > MAX_KEPT_DEPTH) notPlain();
    const value = this.#isItem() ? this.#list(this.#column) : this.#map(this.#column);
    this.#level--;
    return value;
  }

  #list(column: number): unknown[] {
    const items: unknown[] = [];
    while (this.#column === column && this.#isItem() && !this.#isMarker()) {
      this.#at++;
      this.#skipSpaces();
      this.#column = this.#at - this.#lineAt;
      items.push(this.#isLineOver() ? this.#below(column + 1) : this.#item(column));
    }
    if (this.#column > column) notPlain();
    return items;
  }

  /** Behind `- `. */
  #item(column: number): unknown {
    return this.#isItem() || this.#isKey() ? this.#block() : this.#inline(column);
  }

  #map(column: number): unknown {
    const members: Record<string, unknown> = {};
    while (this.#column === column && !this.#isMarker()) {
      const line = this.#number;
      const name = this.#key();
      this.#skipSpaces();
      // A list may stand in the column of its key.
      const value = this.#isLineOver() ? this.#belowKey(column) : this.#inline(column);
      if (Object.hasOwn(members, name))
        this.#duplicates.push(`line ${line}: key ${goQuote(name)} already set in map`);
      setMember(members, name, value);
    }
    if (this.#column > column) notPlain();
    return members;
  }

  #key(): string {
    const text = this.#text;
    PLAIN_KEY.lastIndex = this.#at;
    const plain = PLAIN_KEY.exec(text)?.[1];
    if (plain !== undefined) {
      if (plain.length > LONGEST_KEY || resolvePlainScalar(plain).kind !== 'string') notPlain();
      this.#at = PLAIN_KEY.lastIndex;
      return plain;
    }
    QUOTED_KEY.lastIndex = this.#at;
    const quoted = QUOTED_KEY.exec(text);
    if (!quoted) return notPlain();
    this.#at = QUOTED_KEY.lastIndex;
    const name = quoted[1] ?? quoted[2] ?? '';
    return name.length > LONGEST_KEY ? notPlain() : name;
  }

  #skipSpaces(): void {
    while (this.#text.charCodeAt(this.#at) === SPACE) this.#at++;
  }

  /** Whether nothing but a comment stands here. */
  #isLineOver(): boolean {
    if (this.#at >= this.#lineEnd) return true;
    return this.#text.charCodeAt(this.#at) === HASH && this.#text.charCodeAt(this.#at - 1) === SPACE;
  }

  #belowKey(column: number): unknown {
    this.#nextLine();
    if (this.#column === column && this.#isItem() && !this.#isMarker()) return this.#block();
    return this.#column > column ? this.#deeper() : null;
  }

  #below(column: number): unknown {
    this.#nextLine();
    return this.#column >= column ? this.#deeper() : null;
  }

  #deeper(): unknown {
    return this.#isItem() || this.#isKey() ? this.#block() : notPlain();
  }

  /** A value on this line, and perhaps a text on those below. Nothing deeper than `column` may follow. */
  #inline(column: number): unknown {
    const first = this.#text.charCodeAt(this.#at);
    const value = first === PIPE ? this.#literal(column) : this.#oneLine(first);
    if (first !== PIPE) this.#nextLine();
    if (this.#column > column) notPlain();
    return value;
  }

  #oneLine(first: number): unknown {
    if (first === DOUBLE_QUOTE) return JSON.parse(this.#quoted(DOUBLE_QUOTED));
    if (first === SINGLE_QUOTE) return this.#quoted(SINGLE_QUOTED).slice(1, -1).replaceAll("''", "'");
    const line = this.#line();
    if (first === BRACKET || first === BRACE) return flowValue(line);
    const comment = line.indexOf(' #');
    const text = comment < 0 ? line : line.slice(0, comment).trimEnd();
    if (INDICATOR.test(text) || text.includes(': ') || text.endsWith(':')) return notPlain();
    const meaning = resolvePlainScalar(text);
    if (meaning.kind === 'null') return null;
    return meaning.kind === 'number' && !isUsual(meaning.value) ? notPlain() : meaning.value;
  }

  #quoted(form: RegExp): string {
    form.lastIndex = this.#at;
    const found = form.exec(this.#text)?.[0] ?? notPlain();
    this.#at += found.length;
    this.#skipSpaces();
    return this.#isLineOver() ? found : notPlain();
  }

  /** Ends before the first line that is not deeper than `column`. */
  #literal(column: number): string {
    const head = this.#line();
    if (head !== '|' && head !== '|-') return notPlain();
    const lines: string[] = [];
    const text = this.#text;
    let indent = -1;
    for (;;) {
      const lineAt = this.#lineEnd + 1;
      const lineEnd = text.indexOf('\n', lineAt);
      // Whether the last line has an end makes a difference.
      if (lineEnd < 0 && lineAt < text.length) return notPlain();
      let at = lineAt;
      while (text.charCodeAt(at) === SPACE) at++;
      const isBlank = at === lineEnd;
      if (indent < 0 && (isBlank || at - lineAt <= column)) return notPlain();
      if (indent < 0) indent = at - lineAt;
      if (lineAt >= text.length || (!isBlank && at - lineAt < indent)) break;
      lines.push(isBlank && at - lineAt <= indent ? '' : text.slice(lineAt + indent, lineEnd));
      this.#lineEnd = lineEnd;
      this.#number++;
    }
    this.#nextLine();
    while (lines.at(-1) === '') lines.pop();
    return lines.join('\n') + (head === '|' ? '\n' : '');
  }
}

const isUsual = (value: number | bigint): boolean => typeof value === 'bigint' || Number.isFinite(value);

/** JSON in one line. */
const flowValue = (line: string): unknown => {
  if (isNestedTooDeep(line)) return notPlain();
  try {
    return (parsePlainly(line) ?? notPlain()).value;
  } catch {
    return notPlain();
  }
};
