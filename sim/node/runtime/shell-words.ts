/**
 * The little of a shell's grammar that commands in simulated containers may use: words with quotes and variables,
 * assignments, and `;`, `&&`, `||` and `|` between commands. Whatever else a shell knows is refused by name.
 */
export interface ShellCommand {
  /** Not yet expanded: `expanded` gives the words. */
  readonly words: readonly ShellWord[];
  /** Whether it depends on the command before. */
  readonly when: 'always' | 'succeeded' | 'failed';
  /** What it writes goes to the next command. */
  readonly isPiped?: true;
}

/** Parts of one word, one after the other. */
export type ShellWord = readonly ShellPart[];

type ShellPart =
  | { readonly kind: 'text'; readonly text: string }
  /** In quotes its value stays one word. */
  | { readonly kind: 'variable'; readonly name: string; readonly isQuoted: boolean };

/** The script uses something that is not modelled, or a quote has no end. */
export class ShellSyntaxError extends Error {
  override readonly name = 'ShellSyntaxError';
}

const OPERATORS: Readonly<Record<string, ShellCommand['when']>> = {
  ';': 'always',
  '\n': 'always',
  '&&': 'succeeded',
  '||': 'failed',
};
/** A quoted text, an escaped character, a variable, an operator, blanks, or a plain run of characters. */
const TOKEN = /'[^']*'|"(?:[^"\\]|\\.)*"|\\.|\$(?:\w+|\{\w+\}|\?)|&&|\|\||[;\n|]|[ \t]+|[^'"\\$;&|\s]+|./gs;
const VARIABLE = /^\$\{?(\w+|\?)\}?$/;
const QUOTED_PART = /\\.|\$(?:\w+|\{\w+\}|\?)|[^\\$]+|./gs;
const UNKNOWN = /[$`<>(){}*?#]/;

/** @throws ShellSyntaxError */
export function parseShell(script: string): readonly ShellCommand[] {
  const commands: ShellCommand[] = [];
  let when: ShellCommand['when'] = 'always';
  let words: ShellWord[] = [];
  let word: ShellPart[] | undefined;
  const endWord = (): void => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endCommand = (isPiped: boolean): void => {
    endWord();
    refuseKeyword(words[0]);
    if (isPiped && words.length === 0) throw new ShellSyntaxError('Syntax error: "|" unexpected');
    if (words.length > 0) commands.push({ words, when, ...(isPiped && { isPiped }) });
    words = [];
  };
  for (const [token] of script.matchAll(TOKEN)) {
    const operator = token === '|' ? 'always' : OPERATORS[token];
    if (operator) {
      endCommand(token === '|');
      when = operator;
    } else if (token.trim() === '') endWord();
    else word = [...(word ?? []), ...partsOf(token)];
  }
  endCommand(false);
  if (commands.at(-1)?.isPiped) throw new ShellSyntaxError('Syntax error: end of file unexpected');
  return commands;
}

const KEYWORDS: ReadonlySet<string> = new Set(
  'if then elif else fi for while until do done case esac function select time ! [[ set trap eval source . cd export read local return shift'.split(
    ' ',
  ),
);

/** What a shell would do itself and this one does not is no missing program. */
function refuseKeyword(word: ShellWord | undefined): void {
  const [part] = word ?? [];
  if (word?.length === 1 && part?.kind === 'text' && KEYWORDS.has(part.text)) refuseUnknown(part.text);
}

const ASSIGNMENT = /^([A-Za-z_]\w*)=/;

/** The name of the variable that a word sets, with what stands behind its `=`. */
export function assignmentOf([first, ...rest]: ShellWord):
  { readonly name: string; readonly value: ShellWord } | undefined {
  if (first?.kind !== 'text') return undefined;
  const name = ASSIGNMENT.exec(first.text)?.[1];
  if (name === undefined) return undefined;
  // A value is one word, whatever is in it.
  const value = [text(first.text.slice(name.length + 1)), ...rest].map((part) =>
    part.kind === 'variable' ? { ...part, isQuoted: true } : part,
  );
  return { name, value };
}

/** The words of a command; a variable outside of quotes may become several, or none. */
export function expanded(words: readonly ShellWord[], valueOf: (name: string) => string): readonly string[] {
  return words.flatMap((word) => {
    const done: string[] = [];
    let present: string | undefined;
    for (const part of word) {
      if (part.kind === 'text' || part.isQuoted) {
        present = (present ?? '') + (part.kind === 'text' ? part.text : valueOf(part.name));
        continue;
      }
      const value = valueOf(part.name);
      const [first = '', ...rest] = value.trim().split(/\s+/);
      if (value.trim() === '') continue;
      if (/^\s/.test(value) && present !== undefined) {
        done.push(present);
        present = undefined;
      }
      present = (present ?? '') + first;
      for (const next of rest) {
        done.push(present);
        present = next;
      }
    }
    return present === undefined ? done : [...done, present];
  });
}

const text = (value: string): ShellPart => ({ kind: 'text', text: value });

function partsOf(token: string): readonly ShellPart[] {
  if (token === "'" || token === '"') throw new ShellSyntaxError('Syntax error: Unterminated quoted string');
  if (token.startsWith("'")) return [text(token.slice(1, -1))];
  if (token.startsWith('"')) return [text(''), ...quotedParts(token.slice(1, -1))];
  if (token.startsWith('\\')) return [text(token.slice(1))];
  const name = VARIABLE.exec(token)?.[1];
  if (name !== undefined) return [{ kind: 'variable', name, isQuoted: false }];
  refuseUnknown(UNKNOWN.exec(token)?.[0] ?? (token === '&' ? token : undefined));
  return [text(token)];
}

function quotedParts(content: string): readonly ShellPart[] {
  return [...content.matchAll(QUOTED_PART)].map(([part]): ShellPart => {
    if (part.startsWith('\\')) return text(part.replace(/^\\(["\\$`])/, '$1'));
    const name = VARIABLE.exec(part)?.[1];
    if (name !== undefined) return { kind: 'variable', name, isQuoted: true };
    refuseUnknown(/[$`]/.exec(part)?.[0]);
    return text(part);
  });
}

function refuseUnknown(found: string | undefined): void {
  if (found !== undefined) throw new ShellSyntaxError(`${found} is not modelled in simulated containers`);
}
