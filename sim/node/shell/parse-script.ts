/**
 * Reads scripts of the POSIX shell: lists, pipelines, redirections, `if`, `while`, `until`, `for`, `case`, groups,
 * subshells, functions. What is beyond that (jobs with `&`, documents with `<<`) is refused by name.
 */
import { WordReader } from './parse-word.ts';
import type { CaseItem, Command, Pipeline, Redirection, Script, Word } from './syntax.ts';
import { IncompleteScript, notModelled, ShellSyntaxError } from './syntax.ts';

const MAX_DEPTH = 50;
const UNKNOWN: ReadonlySet<string> = new Set(['select', 'time', 'function', 'coproc']);
const RESERVED: ReadonlySet<string> = new Set(
  'if then elif else fi for while until do done case esac in { } !'.split(' '),
);
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
const NAME = /^[A-Za-z_]\w*$/;

/** @throws ShellSyntaxError */
export function parseScript(text: string, depth = 0): Script {
  const parser = new ScriptParser(text, depth);
  const script = parser.list();
  parser.expectEnd();
  return script;
}

class ScriptParser {
  readonly #reader: WordReader;
  #depth: number;

  constructor(text: string, depth: number) {
    this.#depth = depth;
    this.#reader = new WordReader(text, (inner) => parseScript(inner, this.#deeper()));
  }

  #deeper(): number {
    if (this.#depth >= MAX_DEPTH) throw notModelled(`a depth of more than ${MAX_DEPTH}`);
    return this.#depth + 1;
  }

  expectEnd(): void {
    const { rest } = this.#reader;
    if (rest !== '') throw unexpected(/^(?:\w+|;;|&&|\|\||.)/s.exec(rest)?.[0] ?? rest);
  }

  /** Up to the end, or to a word or sign that ends it and is left there. */
  list(): Script {
    const pipelines: Pipeline[] = [];
    let when: Pipeline['when'] = 'always';
    for (;;) {
      this.#reader.skipLines();
      if (this.#isAtEndOfList()) {
        if (when !== 'always')
          throw this.#reader.isAtEnd ? endUnexpected() : unexpected(this.#reader.rest[0]);
        return pipelines;
      }
      pipelines.push(this.#pipeline(when));
      when = this.#separator();
    }
  }

  #separator(): Pipeline['when'] {
    if (this.#reader.take('&&')) return 'succeeded';
    if (this.#reader.take('||')) return 'failed';
    if (!this.#reader.startsWith(';;') && this.#reader.take(';') && this.#reader.startsWith(';'))
      throw unexpected(';');
    if (this.#reader.startsWith('&')) throw notModelled('&');
    return 'always';
  }

  #isAtEndOfList(): boolean {
    const reader = this.#reader;
    if (reader.isAtEnd || reader.startsWith(')') || reader.startsWith(';;')) return true;
    return ['then', 'elif', 'else', 'fi', 'do', 'done', 'esac', '}'].includes(reader.peekWord());
  }

  #pipeline(when: Pipeline['when']): Pipeline {
    const isNegated = this.#reader.takeWord('!');
    const commands = [this.#command()];
    while (!this.#reader.startsWith('||') && this.#reader.take('|')) {
      this.#reader.skipLines();
      commands.push(this.#command());
    }
    return { commands, isNegated, when };
  }

  #command(): Command {
    this.#depth = this.#deeper();
    try {
      return this.#compound() ?? this.#simple();
    } finally {
      this.#depth--;
    }
  }

  #compound(): Command | undefined {
    const reader = this.#reader;
    if (reader.take('(')) {
      const body = this.list();
      this.#expect(')');
      return { kind: 'subshell', body, redirections: this.#redirections() };
    }
    const word = reader.peekWord();
    if (UNKNOWN.has(word)) throw notModelled(word);
    switch (word) {
      case '{':
        return { kind: 'group', body: this.#between('{', '}'), redirections: this.#redirections() };
      case 'if':
        return this.#if();
      case 'while':
      case 'until': {
        const condition = this.#between(word, 'do');
        const body = this.#until('done');
        return { kind: word, condition, body, redirections: this.#redirections() };
      }
      case 'for':
        return this.#for();
      case 'case':
        return this.#case();
      default:
        return undefined;
    }
  }

  /** Behind `opening`, up to and with `closing`. */
  #between(opening: string, closing: string): Script {
    this.#reader.takeWord(opening);
    return this.#until(closing);
  }

  #until(closing: string): Script {
    const body = this.list();
    this.#expect(closing);
    if (body.length === 0) throw unexpected(closing);
    return body;
  }

  #expect(word: string): void {
    const reader = this.#reader;
    if (word === ')' ? reader.take(')') : reader.takeWord(word)) return;
    if (reader.isAtEnd) throw endUnexpected(word);
    throw new ShellSyntaxError(
      `Syntax error: "${reader.peekWord() || (reader.rest[0] ?? '')}" unexpected (expecting "${word}")`,
    );
  }

  #if(): Command {
    const branches = [{ condition: this.#between('if', 'then'), body: this.list() }];
    while (this.#reader.takeWord('elif'))
      branches.push({ condition: this.#until('then'), body: this.list() });
    const otherwise = this.#reader.takeWord('else') ? this.list() : undefined;
    this.#expect('fi');
    const redirections = this.#redirections();
    return { kind: 'if', branches, redirections, ...(otherwise && { otherwise }) };
  }

  #for(): Command {
    const reader = this.#reader;
    reader.takeWord('for');
    const name = reader.peekWord();
    if (!NAME.test(name) || !reader.takeWord(name))
      throw reader.isAtEnd ? endUnexpected() : new ShellSyntaxError('Syntax error: Bad for loop variable');
    reader.skipLines();
    let words: Word[] | undefined;
    if (reader.takeWord('in')) {
      words = [];
      for (let word = reader.word(); word; word = reader.word()) words.push(word);
    }
    reader.take(';');
    reader.skipLines();
    this.#expect('do');
    const body = this.#until('done');
    const redirections = this.#redirections();
    return { kind: 'for', name, body, redirections, ...(words && { words }) };
  }

  #case(): Command {
    const reader = this.#reader;
    reader.takeWord('case');
    const word = reader.word();
    if (!word) throw reader.isAtEnd ? endUnexpected() : unexpected(reader.rest[0]);
    reader.skipLines();
    this.#expect('in');
    const items: CaseItem[] = [];
    for (reader.skipLines(); !reader.takeWord('esac'); reader.skipLines()) items.push(this.#caseItem());
    return { kind: 'case', word, items, redirections: this.#redirections() };
  }

  #caseItem(): CaseItem {
    const reader = this.#reader;
    reader.take('(');
    const patterns: Word[] = [];
    do {
      const pattern = reader.word();
      if (!pattern) throw reader.isAtEnd ? endUnexpected('esac') : unexpected(reader.rest[0]);
      patterns.push(pattern);
    } while (reader.take('|'));
    this.#expect(')');
    const body = this.list();
    if (!reader.take(';;') && reader.isAtEnd) throw endUnexpected('esac');
    return { patterns, body };
  }

  #simple(): Command {
    const reader = this.#reader;
    const [assignments, words]: [Word[], Word[]] = [[], []];
    const redirections = [...this.#redirections()];
    const first = reader.peekWord();
    if (RESERVED.has(first)) throw unexpected(first);
    for (;;) {
      const isAssignment = words.length === 0 && ASSIGNMENT.test(reader.rest);
      const word = reader.word();
      if (!word) break;
      (isAssignment ? assignments : words).push(word);
      if (words.length === 1 && NAME.test(first) && reader.take('(')) return this.#function(first);
      for (const more of this.#redirections()) redirections.push(more);
    }
    if (words.length + assignments.length + redirections.length === 0)
      throw reader.isAtEnd ? endUnexpected() : unexpected(reader.rest[0]);
    return { kind: 'simple', assignments: assignments.map(assignmentOf), words, redirections };
  }

  #function(name: string): Command {
    this.#expect(')');
    this.#reader.skipLines();
    return { kind: 'function', name, body: this.#command(), redirections: [] };
  }

  #redirections(): readonly Redirection[] {
    const found: Redirection[] = [];
    for (let sign = this.#reader.redirection(); sign; sign = this.#reader.redirection()) {
      const target = this.#reader.word();
      if (!target) throw this.#reader.isAtEnd ? endUnexpected() : unexpected(this.#reader.rest[0]);
      found.push({ ...sign, target });
    }
    return found;
  }
}

/** The first part is `name=…`. */
function assignmentOf([first, ...rest]: Word): { readonly name: string; readonly value: Word } {
  const text = first?.kind === 'text' ? first.text : '';
  const [name = ''] = text.split('=', 1);
  // A value is one word, whatever is in it.
  const parts = [{ kind: 'text', text: text.slice(name.length + 1), isQuoted: true } as const, ...rest];
  return { name, value: parts.map((part) => ({ ...part, isQuoted: true })) };
}

const unexpected = (what = ''): ShellSyntaxError =>
  new ShellSyntaxError(`Syntax error: ${what === '\n' ? 'newline' : `"${what}"`} unexpected`);

const endUnexpected = (expected?: string): ShellSyntaxError =>
  new IncompleteScript(
    `Syntax error: end of file unexpected${expected === undefined ? '' : ` (expecting "${expected}")`}`,
  );
