/**
 * The grammar of label selectors in queries:
 * `a, !b, c=d, e==f, g!=h, i in (j,k), l notin (m), n>1, o<2`.
 * Specification: "Label selectors".
 */

import { badRequest } from '../status.ts';
import { aggregateText } from '../validation/field-error.ts';
import { qualifiedName } from '../validation/names.ts';
import type { LabelOperator, LabelRequirement, LabelSelector } from './label-selector.ts';
import {
  EVERYTHING,
  selectorOfRequirements,
  sortedValues,
  validateLabelRequirement,
} from './label-selector.ts';

type TokenKind = 'end' | 'word' | 'in' | 'notin' | '=' | '==' | '!=' | '!' | '(' | ')' | ',' | '>' | '<';

interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const WHITE_SPACE = ' \t\r\n';
const SYMBOLS = '=!(),><';
/** Passes for the end of the text where a token is due; right after one it only ends that. */
const NUL = '\0';
const ENDS_WORD = `${WHITE_SPACE}${SYMBOLS}${NUL}`;

/** A text that is no selector; becomes the 400's message. */
class SyntaxProblem extends Error {}

const tokensOf = (text: string): readonly Token[] => {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    if (WHITE_SPACE.includes(character)) {
      at++;
      continue;
    }
    if (character === NUL) {
      at++;
      tokens.push(END);
      continue;
    }
    const token = SYMBOLS.includes(character) ? symbolAt(text, at) : wordAt(text, at);
    tokens.push(token);
    at += token.text.length;
    if (text.charAt(at) === NUL) at++;
  }
  return tokens;
};

const symbolAt = (text: string, at: number): Token => {
  const two = text.slice(at, at + 2);
  if (two === '==' || two === '!=') return { kind: two, text: two };
  const one = text.charAt(at);
  return { kind: one as TokenKind, text: one };
};

const wordAt = (text: string, start: number): Token => {
  let end = start;
  while (end < text.length && !ENDS_WORD.includes(text.charAt(end))) end++;
  const word = text.slice(start, end);
  return { kind: word === 'in' || word === 'notin' ? word : 'word', text: word };
};

const END: Token = { kind: 'end', text: '' };

/** The tokens left to read. `in` and `notin` are plain words except where an operator is due. */
class TokenReader {
  private readonly tokens: readonly Token[];
  private at = 0;

  constructor(text: string) {
    this.tokens = tokensOf(text);
  }

  peek(): Token {
    return asWord(this.tokens[this.at] ?? END);
  }

  take(): Token {
    return asWord(this.takeOperator());
  }

  takeOperator(): Token {
    return this.tokens[this.at++] ?? END;
  }
}

const asWord = (token: Token): Token =>
  token.kind === 'in' || token.kind === 'notin' ? { kind: 'word', text: token.text } : token;

/** The selector that a query's text stands for; throws ApiError (400) with the server's text. Empty selects everything. */
export const parseLabelSelector = (text: string): LabelSelector => {
  if (text === '') return EVERYTHING;
  try {
    return selectorOfRequirements(requirementsOf(new TokenReader(text)));
  } catch (problem) {
    if (problem instanceof SyntaxProblem) throw badRequest(problem.message);
    throw problem;
  }
};

const requirementsOf = (reader: TokenReader): readonly LabelRequirement[] => {
  const requirements: LabelRequirement[] = [];
  const first = reader.peek();
  if (first.kind === 'end') return requirements;
  if (first.kind !== 'word' && first.kind !== '!') {
    throw new SyntaxProblem(`found '${first.text}', expected: !, identifier, or 'end of string'`);
  }
  for (;;) {
    requirements.push(requirementOf(reader));
    const separator = reader.take();
    if (separator.kind === 'end') return requirements;
    if (separator.kind !== ',')
      throw new SyntaxProblem(`found '${separator.text}', expected: ',' or 'end of string'`);
    const next = reader.peek();
    if (next.kind !== 'word' && next.kind !== '!') {
      throw new SyntaxProblem(`found '${next.text}', expected: identifier after ','`);
    }
  }
};

const requirementOf = (reader: TokenReader): LabelRequirement => {
  try {
    const requirement = readRequirement(reader);
    const errors = validateLabelRequirement(requirement);
    if (errors.length > 0) throw new SyntaxProblem(aggregateText(errors));
    return requirement;
  } catch (problem) {
    if (!(problem instanceof SyntaxProblem)) throw problem;
    throw new SyntaxProblem(`unable to parse requirement: ${problem.message}`);
  }
};

const readRequirement = (reader: TokenReader): LabelRequirement => {
  let token = reader.take();
  const isNegated = token.kind === '!';
  if (isNegated) token = reader.take();
  if (token.kind !== 'word') throw new SyntaxProblem(`found '${token.text}', expected: identifier`);
  const key = token.text;
  checkKey(key);
  if (isNegated) return { key, operator: '!', values: [] };
  const next = reader.peek().kind;
  if (next === 'end' || next === ',') return { key, operator: 'exists', values: [] };
  const operator = readOperator(reader);
  const values = operator === 'in' || operator === 'notin' ? readSet(reader) : [readValue(reader)];
  return { key, operator, values };
};

/** The key is judged as soon as it is read: before a missing operator is noticed. */
const checkKey = (key: string): void => {
  if (qualifiedName(key).length === 0) return;
  throw new SyntaxProblem(aggregateText(validateLabelRequirement({ key, operator: 'exists', values: [] })));
};

const OPERATORS: Readonly<Partial<Record<TokenKind, LabelOperator>>> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
};

const readOperator = (reader: TokenReader): LabelOperator => {
  const token = reader.takeOperator();
  const operator = OPERATORS[token.kind];
  if (operator === undefined)
    throw new SyntaxProblem(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
  return operator;
};

const readValue = (reader: TokenReader): string => {
  const { kind } = reader.peek();
  if (kind === 'end' || kind === ',') return '';
  const token = reader.take();
  if (token.kind !== 'word') throw new SyntaxProblem(`found '${token.text}', expected: identifier`);
  return token.text;
};

/** `(a,b)`; a missing value, also in `()`, is the empty one. */
const readSet = (reader: TokenReader): readonly string[] => {
  const open = reader.take();
  if (open.kind !== '(') throw new SyntaxProblem(`found '${open.text}' expected: '('`);
  const first = reader.peek();
  if (first.kind === ')') {
    reader.take();
    return [''];
  }
  if (first.kind !== 'word' && first.kind !== ',') {
    throw new SyntaxProblem(`found '${first.text}', expected: ',', ')' or identifier`);
  }
  const values = readValues(reader);
  const close = reader.take();
  if (close.kind !== ')') throw new SyntaxProblem(`found '${close.text}', expected: ')'`);
  return sortedValues(values);
};

const readValues = (reader: TokenReader): readonly string[] => {
  const values: string[] = [];
  for (;;) {
    const token = reader.take();
    const next = reader.peek();
    if (token.kind === 'word') {
      values.push(token.text);
      if (next.kind === ')') return values;
      if (next.kind !== ',') throw new SyntaxProblem(`found '${next.text}', expected: ',' or ')'`);
    } else if (token.kind === ',') {
      if (values.length === 0) values.push('');
      if (next.kind === ')') return [...values, ''];
      if (next.kind === ',') {
        reader.take();
        values.push('');
      }
    } else throw new SyntaxProblem(`found '${token.text}', expected: ',', or identifier`);
  }
};
