/** Reads words of a script: quotes, variables, outputs of commands, arithmetic; and the signs between them. */
import type { Redirection, Script, Word, WordPart } from './syntax.ts';
import { IncompleteScript, notModelled, ShellSyntaxError } from './syntax.ts';

/** What ends a word that is not quoted. */
const END_OF_WORD = /[\s;&|<>()]/;
const PLAIN = /[^\s;&|<>()'"\\$`#*?[\]]+/y;
const VARIABLE = /\$(?:([A-Za-z_]\w*|[0-9?#@*$!])|\{(#?[A-Za-z_]\w*|[0-9?#@*])(:?[-+=]|\})?)/y;
const REDIRECTION = /([0-9]?)(>>|>&|<<|<&|>\||<>|>|<)/y;
const SEARCH = /[*?]|\[[^\]]+\]/;

export class WordReader {
  readonly #text: string;
  readonly #parse: (script: string) => Script;
  #at = 0;

  /** `parse` reads scripts inside words. */
  constructor(text: string, parse: (script: string) => Script) {
    this.#text = text;
    this.#parse = parse;
    this.#skipBlanks();
  }

  get rest(): string {
    return this.#text.slice(this.#at);
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  startsWith(sign: string): boolean {
    return this.#text.startsWith(sign, this.#at);
  }

  take(sign: string): boolean {
    if (!this.startsWith(sign)) return false;
    this.#at += sign.length;
    this.#skipBlanks();
    return true;
  }

  /** The next word if it is plain text, else an empty one. */
  peekWord(): string {
    const [word = ''] = /^[^\s;&|<>()'"\\$`]+/.exec(this.#text.slice(this.#at, this.#at + 200)) ?? [];
    return /['"\\$`]/.test(this.#text[this.#at + word.length] ?? '') ? '' : word;
  }

  takeWord(word: string): boolean {
    return this.peekWord() === word && this.take(word);
  }

  #skipBlanks(): void {
    for (;;) {
      if (this.startsWith('\\\n')) this.#at += 2;
      else if (this.startsWith(' ') || this.startsWith('\t') || this.startsWith('\r')) this.#at++;
      else break;
    }
    if (!this.startsWith('#')) return;
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  /** Ends of lines, and what stands on lines of its own. */
  skipLines(): void {
    while (this.startsWith('\n')) this.take('\n');
  }

  redirection(): Omit<Redirection, 'target'> | undefined {
    REDIRECTION.lastIndex = this.#at;
    const [sign, number = '', operator = ''] = REDIRECTION.exec(this.#text) ?? [];
    if (sign === undefined) return undefined;
    if (operator !== '>' && operator !== '>>' && operator !== '<' && operator !== '>&')
      throw notModelled(operator);
    this.take(sign);
    return { from: number === '' ? (operator === '<' ? 0 : 1) : Number(number), operator };
  }

  /** Undefined: something else stands here. */
  word(): Word | undefined {
    const parts: WordPart[] = [];
    while (!this.isAtEnd && !END_OF_WORD.test(this.#text[this.#at] ?? ''))
      for (const part of this.#part()) parts.push(part);
    if (parts.length === 0) return undefined;
    this.#skipBlanks();
    return parts;
  }

  #part(): readonly WordPart[] {
    const sign = this.#text[this.#at] ?? '';
    if (sign === "'") return [{ kind: 'text', text: this.#upTo("'"), isQuoted: true }];
    if (sign === '"') return this.#quoted();
    if (sign === '\\') {
      const text = this.#text[this.#at + 1] ?? '';
      this.#at += 2;
      return text === '\n' ? [] : [{ kind: 'text', text, isQuoted: true }];
    }
    if (sign === '$' || sign === '`') return [this.#expansion(false)];
    PLAIN.lastIndex = this.#at;
    const text = PLAIN.exec(this.#text)?.[0] ?? sign;
    this.#at += text.length;
    return [{ kind: 'text', text, isQuoted: false }];
  }

  /** Behind the sign that stands here, up to the next one. */
  #upTo(sign: string): string {
    const end = this.#text.indexOf(sign, this.#at + 1);
    if (end < 0) throw new IncompleteScript('Syntax error: Unterminated quoted string');
    const text = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    return text;
  }

  #quoted(): readonly WordPart[] {
    const parts: WordPart[] = [{ kind: 'text', text: '', isQuoted: true }];
    this.#at++;
    while (!this.startsWith('"')) {
      const sign = this.#text[this.#at];
      if (sign === undefined) throw new IncompleteScript('Syntax error: Unterminated quoted string');
      if (sign === '$' || sign === '`') parts.push(this.#expansion(true));
      else if (sign === '\\') {
        const next = this.#text[this.#at + 1] ?? '';
        this.#at += 2;
        if (next !== '\n')
          parts.push({ kind: 'text', text: /["\\$`]/.test(next) ? next : `\\${next}`, isQuoted: true });
      } else {
        const text = /^[^"$`\\]+/.exec(this.rest)?.[0] ?? '';
        parts.push({ kind: 'text', text, isQuoted: true });
        this.#at += text.length;
      }
    }
    this.#at++;
    return parts;
  }

  #expansion(isQuoted: boolean): WordPart {
    if (this.startsWith('`')) return { kind: 'output', script: this.#parse(this.#upTo('`')), isQuoted };
    if (this.startsWith('$((')) {
      const text = this.#enclosed(3, '))');
      return { kind: 'number', expression: new WordReader(text, this.#parse).whole(), isQuoted };
    }
    if (this.startsWith('$('))
      return { kind: 'output', script: this.#parse(this.#enclosed(2, ')')), isQuoted };
    VARIABLE.lastIndex = this.#at;
    const [sign, plain, braced, operator] = VARIABLE.exec(this.#text) ?? [];
    if (sign === undefined) return this.#noVariable(isQuoted);
    if (braced === undefined) {
      this.#at += sign.length;
      return { kind: 'variable', name: plain ?? '', isQuoted };
    }
    if (operator === undefined) throw notModelled(`\${${braced}${this.#text[this.#at + sign.length] ?? ''}`);
    if (operator === '}') {
      this.#at += sign.length;
      return { kind: 'variable', name: braced, isQuoted };
    }
    const word = new WordReader(this.#enclosed(sign.length, '}'), this.#parse).whole();
    return { kind: 'variable', name: braced, isQuoted, otherwise: { operator, word } };
  }

  /** A lonely `$` is text. */
  #noVariable(isQuoted: boolean): WordPart {
    if (this.startsWith('${')) throw new ShellSyntaxError('Bad substitution');
    this.#at++;
    return { kind: 'text', text: '$', isQuoted };
  }

  /** What lies between an opening of so many letters and its closing, with what is nested in it. */
  #enclosed(opening: number, closing: string): string {
    const start = this.#at + opening;
    const open = closing === '}' ? '{' : '(';
    let depth = 0;
    for (let at = start; at < this.#text.length; at++) {
      const sign = this.#text[at] ?? '';
      if (sign === '\\') at++;
      else if (sign === "'" || sign === '"') {
        at = endOfQuotes(this.#text, at, sign);
      } else if (depth === 0 && this.#text.startsWith(closing, at)) {
        this.#at = at + closing.length;
        return this.#text.slice(start, at);
      } else if (sign === open) depth++;
      else if (sign === closing[0]) depth--;
    }
    throw new IncompleteScript('Syntax error: Unterminated quoted string');
  }

  /** All of the text as one word. */
  whole(): Word {
    const parts: WordPart[] = [];
    while (!this.isAtEnd)
      if (END_OF_WORD.test(this.#text[this.#at] ?? '')) {
        parts.push({ kind: 'text', text: this.#text[this.#at] ?? '', isQuoted: false });
        this.#at++;
      } else for (const part of this.#part()) parts.push(part);
    return parts;
  }
}

function endOfQuotes(text: string, from: number, quote: string): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\' && quote === '"') at++;
    else if (text[at] === quote) return at;
  }
  return text.length;
}

/** Whether a word asks for files by their names. */
export const isSearch = (word: Word): boolean =>
  SEARCH.test(word.map((part) => (part.kind === 'text' && !part.isQuoted ? part.text : '')).join(''));
