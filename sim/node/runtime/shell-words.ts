/**
 * The little of a shell's grammar that commands in simulated containers may use: words with quotes, and `;`, `&&`, `||`
 * between commands. Whatever else a shell knows is refused by name.
 */
export interface ShellCommand {
  readonly words: readonly string[];
  /** Whether it depends on the command before. */
  readonly when: 'always' | 'succeeded' | 'failed';
}

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
/** A quoted text, an escaped character, an operator, blanks, or a plain run of characters. */
const TOKEN = /'[^']*'|"(?:[^"\\]|\\.)*"|\\.|&&|\|\||[;\n]|[ \t]+|[^'"\\;&|\s]+|./gs;
const UNKNOWN = /[$`<>(){}*?#]/;

/** @throws ShellSyntaxError */
export function parseShell(script: string): readonly ShellCommand[] {
  const commands: ShellCommand[] = [];
  let when: ShellCommand['when'] = 'always';
  let words: string[] = [];
  let word: string | undefined;
  const endWord = (): void => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endCommand = (): void => {
    endWord();
    if (words.length > 0) commands.push({ words, when });
    words = [];
  };
  for (const [token] of script.matchAll(TOKEN)) {
    const operator = OPERATORS[token];
    if (operator) {
      endCommand();
      when = operator;
    } else if (token.trim() === '') endWord();
    else word = (word ?? '') + textOf(token);
  }
  endCommand();
  return commands;
}

function textOf(token: string): string {
  if (token.startsWith("'") && token.length > 1) return token.slice(1, -1);
  if (token.startsWith('\\')) return token.slice(1);
  const isQuoted = token.startsWith('"') && token.length > 1;
  const text = isQuoted ? token.slice(1, -1).replaceAll(/\\(["\\$`])/g, '$1') : token;
  if (token === "'" || token === '"') throw new ShellSyntaxError('Syntax error: Unterminated quoted string');
  const found = isQuoted ? /[$`]/.exec(token.replaceAll(/\\./g, '')) : UNKNOWN.exec(token);
  if (found || token === '&' || token === '|')
    throw new ShellSyntaxError(`${found?.[0] ?? token} is not modelled in simulated containers`);
  return text;
}
