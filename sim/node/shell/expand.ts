/** From words to texts: variables, outputs and numbers take their places, and what is not quoted may become several. */
import type { Process } from '../../engine/process.ts';
import { arithmetic } from './arithmetic.ts';
import { fitsSource, foundBy, globSource, literalSource, pathSource } from './glob.ts';
import { isSearch } from './parse-word.ts';
import { notModelled, type Script, ShellSyntaxError, type Word, type WordPart } from './syntax.ts';

/** What words depend on. */
export interface Values {
  /** Undefined: it is not set. */
  valueOf(name: string): string | undefined;
  set(name: string, value: string): void;
  /** `$@` of a script or function. */
  readonly given: readonly string[];
  /** Their paths; absent: nobody knows them all. */
  readonly files?: (() => Iterable<string>) | undefined;
  /** What a script writes. */
  outputOf(script: Script): Process<string>;
}

/** Characters of what becomes of the words of a command. */
const LONGEST = 2 ** 20;

/** What has been made of words up to now: texts that double with every round would soon be all there is. */
class Length {
  #length = 0;

  /** @throws ShellSyntaxError */
  with(text: string): string {
    // One more: a text is something, be it empty.
    this.#length += text.length + 1;
    if (this.#length > LONGEST) throw notModelled(`a command of more than ${LONGEST} characters`);
    return text;
  }
}

/** @throws ShellSyntaxError */
export function* expandedWords(words: readonly Word[], values: Values): Process<readonly string[]> {
  const texts: string[] = [];
  const length = new Length();
  for (const word of words) {
    const found = isSearch(word) ? yield* searched(word, values) : [];
    const all = found.length > 0 ? found : yield* expanded(word, values);
    for (const text of all) texts.push(length.with(text));
  }
  return texts;
}

/** Nothing is found of what lies nowhere; of files that nobody knows nothing can be said. @throws ShellSyntaxError */
function* searched(word: Word, values: Values): Process<readonly string[]> {
  let source = '';
  const length = new Length();
  for (const part of word) {
    const piece = length.with(yield* textOfPart(part, values));
    source += part.kind === 'text' && !part.isQuoted ? pathSource(piece) : literalSource(piece);
  }
  if (source.includes('//')) return [];
  if (!values.files) throw notModelled('a search for files by * or ?');
  return foundBy(source, values.files());
}

/** As one text: of assignments, redirections, patterns. */
export function* textOfWord(word: Word, values: Values): Process<string> {
  const texts: string[] = [];
  const length = new Length();
  for (const part of word) texts.push(length.with(yield* textOfPart(part, values)));
  return texts.join('');
}

/** A word that is all variables may become none. */
function* expanded(word: Word, values: Values): Process<readonly string[]> {
  const done: string[] = [];
  const length = new Length();
  let present: string | undefined;
  for (const part of word) {
    if (part.kind === 'variable' && part.name === '@' && part.isQuoted) {
      const [first, ...rest] = values.given;
      if (first === undefined) {
        if (word.every((each) => each === part || (each.kind === 'text' && each.text === ''))) return [];
        continue;
      }
      present = (present ?? '') + first;
      for (const next of rest) {
        done.push(present);
        present = next;
      }
      continue;
    }
    const text = length.with(yield* textOfPart(part, values));
    if (part.kind === 'text' || part.isQuoted) {
      present = (present ?? '') + text;
      continue;
    }
    const pieces = text.split(/[ \t\n]+/);
    for (const [index, piece] of pieces.entries()) {
      if (piece === '') continue;
      if (index > 0 && present !== undefined) {
        done.push(present);
        present = undefined;
      }
      present = (present ?? '') + piece;
    }
    if (/[ \t\n]$/.test(text) && present !== undefined) {
      done.push(present);
      present = undefined;
    }
  }
  return present === undefined ? done : [...done, present];
}

function* textOfPart(part: WordPart, values: Values): Process<string> {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'output':
      return (yield* values.outputOf(part.script)).replace(/\n+$/, '');
    case 'number':
      return String(
        arithmetic(yield* textOfWord(part.expression, values), (name) => values.valueOf(name) ?? ''),
      );
    case 'variable':
      return yield* valueOfVariable(part, values);
  }
}

function* valueOfVariable(
  { name, otherwise }: Extract<WordPart, { kind: 'variable' }>,
  values: Values,
): Process<string> {
  if (name.length > 1 && name.startsWith('#')) return String((values.valueOf(name.slice(1)) ?? '').length);
  const value = name === '@' || name === '*' ? values.given.join(' ') : values.valueOf(name);
  if (!otherwise) return value ?? '';
  const { operator, word } = otherwise;
  const isThere = value !== undefined && !(operator.startsWith(':') && value === '');
  if (operator.endsWith('+')) return isThere ? yield* textOfWord(word, values) : '';
  if (isThere) return value;
  const text = yield* textOfWord(word, values);
  if (operator.endsWith('=')) values.set(name, text);
  return text;
}

/** Whether a text fits a pattern of `case`: `*`, `?` and `[…]`, unless they are quoted. @throws ShellSyntaxError */
export function* fits(text: string, pattern: Word, values: Values): Process<boolean> {
  let [source, open] = ['', ''];
  const length = new Length();
  for (const part of pattern) {
    const piece = length.with(yield* textOfPart(part, values));
    if (part.kind === 'text' && !part.isQuoted) {
      open += piece;
      continue;
    }
    source += globSource(open) + literalSource(piece);
    open = '';
  }
  const isFitting = fitsSource(text, source + globSource(open));
  if (isFitting === undefined) throw new ShellSyntaxError('Bad pattern');
  return isFitting;
}
