/** What scripts of simulated containers are made of, and what is wrong with one. */

/** One after the other; the value of each depends on the values that variables have when it is reached. */
export type Word = readonly WordPart[];

export type WordPart =
  | { readonly kind: 'text'; readonly text: string; readonly isQuoted: boolean }
  /** `$name`, `${name}`, `${name:-word}`. In quotes the value stays one word. */
  | {
      readonly kind: 'variable';
      readonly name: string;
      readonly isQuoted: boolean;
      readonly otherwise?: { readonly operator: string; readonly word: Word };
    }
  /** `$(script)`. */
  | { readonly kind: 'output'; readonly script: Script; readonly isQuoted: boolean }
  /** `$((expression))`. */
  | { readonly kind: 'number'; readonly expression: Word; readonly isQuoted: boolean };

export interface Redirection {
  readonly from: number;
  readonly operator: '>' | '>>' | '<' | '>&';
  /** A path, or the number of a stream. */
  readonly target: Word;
}

export type Command = { readonly redirections: readonly Redirection[] } & (
  | {
      readonly kind: 'simple';
      readonly assignments: readonly Assignment[];
      readonly words: readonly Word[];
    }
  | { readonly kind: 'group' | 'subshell'; readonly body: Script }
  | { readonly kind: 'if'; readonly branches: readonly Branch[]; readonly otherwise?: Script }
  | { readonly kind: 'while' | 'until'; readonly condition: Script; readonly body: Script }
  | { readonly kind: 'for'; readonly name: string; readonly words?: readonly Word[]; readonly body: Script }
  | { readonly kind: 'case'; readonly word: Word; readonly items: readonly CaseItem[] }
  | { readonly kind: 'function'; readonly name: string; readonly body: Command }
);

export interface Assignment {
  readonly name: string;
  readonly value: Word;
}

export interface Branch {
  readonly condition: Script;
  readonly body: Script;
}

export interface CaseItem {
  readonly patterns: readonly Word[];
  readonly body: Script;
}

export interface Pipeline {
  readonly commands: readonly Command[];
  readonly isNegated: boolean;
  /** Whether it depends on the pipeline before. */
  readonly when: 'always' | 'succeeded' | 'failed';
}

export type Script = readonly Pipeline[];

/** The script uses something that is not modelled, or cannot be read. */
export class ShellSyntaxError extends Error {
  override readonly name: string = 'ShellSyntaxError';
}

/** More has to come: somebody who types has not come to the end yet. */
export class IncompleteScript extends ShellSyntaxError {
  override readonly name = 'IncompleteScript';
}

export const notModelled = (what: string): ShellSyntaxError =>
  new ShellSyntaxError(`${what} is not modelled in simulated containers`);
