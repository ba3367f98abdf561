/**
 * What label and field selectors select, written a second time from their documentation, for the rules. A selector that
 * this cannot read selects nothing that could be judged (`undefined`): the server has refused it, or knows better.
 * Specification: "Query parameters".
 */
import type { ApiObject } from '../../sim/api/object.ts';

type Predicate = (object: ApiObject) => boolean;

const EVERYTHING = { selects: undefined };

/** Both selectors of a request; undefined where one cannot be read. No selector selects everything. */
export function selectionOf(
  labels = '',
  fields = '',
): { readonly selects: Predicate | undefined } | undefined {
  if (labels === '' && fields === '') return EVERYTHING;
  const parts = [...labelParts(labels).map(labelTerm), ...fieldParts(fields).map(fieldTerm)];
  const terms: Predicate[] = [];
  for (const part of parts) {
    if (!part) return undefined;
    terms.push(part);
  }
  return { selects: terms.length === 0 ? undefined : (object) => terms.every((term) => term(object)) };
}

/** Splits at commas outside of parentheses. */
const labelParts = (text: string): string[] =>
  text.trim() === '' ? [] : text.split(/,(?![^(]*\))/).map((part) => part.trim());

const LABEL_SET = /^([^\s()!=<>,]+)\s+(in|notin)\s*\(([^()]*)\)$/;
const LABEL_EQUAL = /^([^\s()!=<>,]+)\s*(==|=|!=)\s*([^\s()!=<>,]*)$/;
const LABEL_THERE = /^(!?)\s*([^\s()!=<>,]+)$/;

function labelTerm(part: string): Predicate | undefined {
  const set = LABEL_SET.exec(part);
  if (set) {
    const [, name = '', operator, list = ''] = set;
    const values = list.split(',').map((value) => value.trim());
    const wanted = operator === 'in';
    return (object) => {
      const value = labelOf(object, name);
      return value === undefined ? !wanted : values.includes(value) === wanted;
    };
  }
  const equal = LABEL_EQUAL.exec(part);
  if (equal) {
    const [, name = '', operator, value = ''] = equal;
    const wanted = operator !== '!=';
    return (object) => (labelOf(object, name) === value) === wanted;
  }
  const there = LABEL_THERE.exec(part);
  if (!there) return undefined;
  const [, not, name = ''] = there;
  return (object) => (labelOf(object, name) !== undefined) === (not === '');
}

const labelOf = ({ metadata }: ApiObject, name: string): string | undefined => metadata.labels?.[name];

/** Splits at commas; a backslash takes the next character as it is. */
const fieldParts = (text: string): string[] => (text === '' ? [] : (text.match(/(?:\\.|[^,\\])+/g) ?? []));

function fieldTerm(part: string): Predicate | undefined {
  const match = /^((?:\\.|[^=!\\])+)(==|=|!=)(.*)$/s.exec(part);
  if (!match) return undefined;
  const [, path = '', operator, text = ''] = match;
  const value = text.replace(/\\(.)/gs, '$1');
  const wanted = operator !== '!=';
  return (object) => (fieldOf(object, path) === value) === wanted;
}

/** Switches count as off where they are not set. */
const SWITCHES: ReadonlySet<string> = new Set(['spec.unschedulable', 'spec.hostNetwork']);

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

function fieldOf(object: ApiObject, path: string): string {
  let value: unknown = object;
  for (const member of path.split('.')) {
    if (typeof value !== 'object' || value === null) break;
    value = Reflect.get(value, member);
  }
  if (value === undefined || value === null) return SWITCHES.has(path) ? 'false' : '';
  return isScalar(value) ? String(value) : '';
}
