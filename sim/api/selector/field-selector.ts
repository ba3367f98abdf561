/**
 * Field selectors of queries: `metadata.name=a,status.phase!=Running`, nothing else; names and values are
 * taken to the letter, with the escapes `\,`, `\=` and `\\`. Which fields a resource knows is its own affair.
 * Specification: "Field selectors".
 */

import { compareStrings } from '../go-text.ts';
import { badRequest } from '../status.ts';

export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** Values of the selectable fields of one object; absent means empty. */
export type SelectableFields = Readonly<Record<string, string>>;

export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
  /** Canonical text; parses to the same selector. */
  readonly text: string;
  readonly isEverything: boolean;
  matches(fields: SelectableFields): boolean;
  /** The value that a field must have, if some requirement says so: `metadata.name` narrows a list to one key. */
  requiredValue(field: string): string | undefined;
}

export const fieldSelectorOf = (requirements: readonly FieldRequirement[]): FieldSelector => ({
  requirements,
  text: requirements
    .map(({ field, operator, value }) => `${field}${operator}${escapeValue(value)}`)
    .join(','),
  isEverything: requirements.length === 0,
  matches: (fields) =>
    requirements.every(({ field, operator, value }) => {
      const actual = Object.hasOwn(fields, field) ? (fields[field] ?? '') : '';
      return (actual === value) === (operator === '=');
    }),
  requiredValue: (name) =>
    requirements.find(({ field, operator }) => operator === '=' && field === name)?.value,
});

export const EVERY_FIELD: FieldSelector = fieldSelectorOf([]);

/** The selector that a query's text stands for; empty terms are skipped. Throws ApiError (400) with the server's text. */
export const parseFieldSelector = (text: string): FieldSelector => {
  if (text === '') return EVERY_FIELD;
  const requirements = termsOf(text)
    .filter((term) => term !== '')
    // Whatever is wrong is told of the first of them in this order.
    .sort(compareStrings)
    .map((term) => requirementOf(term, text));
  return fieldSelectorOf(requirements);
};

/** Parts between commas that no backslash precedes. */
const termsOf = (text: string): string[] => {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === ',') {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
};

const OPERATOR = /!=|==|=/;

const requirementOf = (term: string, text: string): FieldRequirement => {
  const found = OPERATOR.exec(term);
  if (!found) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
  return {
    field: term.slice(0, found.index),
    operator: found[0] === '!=' ? '!=' : '=',
    value: unescapeValue(term.slice(found.index + found[0].length)),
  };
};

const invalidEscape = (sequence: string): Error =>
  badRequest(`invalid field selector: invalid escape sequence: ${sequence}`);

const unescapeValue = (value: string): string => {
  if (!/[\\,=]/.test(value)) return value;
  let plain = '';
  let isEscaped = false;
  for (const character of value) {
    if (isEscaped) {
      if (character !== '\\' && character !== ',' && character !== '=') throw invalidEscape(`\\${character}`);
      plain += character;
      isEscaped = false;
    } else if (character === '\\') isEscaped = true;
    else if (character === '=' || character === ',') {
      throw badRequest(
        `invalid field selector: unescaped character in value: ${character.codePointAt(0) ?? 0}`,
      );
    } else plain += character;
  }
  if (isEscaped) throw invalidEscape('\\');
  return plain;
};

const escapeValue = (value: string): string => value.replace(/[\\,=]/g, '\\$&');
