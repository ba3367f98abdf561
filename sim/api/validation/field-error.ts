/**
 * Findings of validation and the 422 they add up to. The builders write a finding's text exactly as
 * the real server does: type, value in Go's syntax, detail. Specification: "Errors".
 */

import type { FieldError, FieldErrorReason, Status } from '../status.ts';
import { ApiError } from '../status.ts';
import { escapeHtml, GoSyntax, goNumberOrBoolean, goQuote } from '../go-text.ts';
import { counted } from './error-budget.ts';
import type { FieldPath } from './field-path.ts';
import { pathText } from './field-path.ts';

/** What a message shows: strings are quoted, numbers and booleans bare, null and undefined `"null"`, anything else as `GoSyntax`. */
export type BadValue = string | number | boolean | null | undefined | GoSyntax;

const TYPE_TEXT: Readonly<Record<FieldErrorReason, string>> = {
  FieldValueNotFound: 'Not found',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  InternalError: 'Internal error',
  FieldValueTypeInvalid: 'Invalid value',
};

const valueText = (value: BadValue): string => {
  if (value === null || value === undefined) return '"null"';
  if (typeof value === 'string') return goQuote(value);
  return value instanceof GoSyntax ? value.text : goNumberOrBoolean(value);
};

type Path = FieldPath | undefined;

const withoutValue = (reason: FieldErrorReason, path: Path, detail: string): FieldError =>
  counted({
    reason,
    field: pathText(path),
    message: detail ? `${TYPE_TEXT[reason]}: ${detail}` : TYPE_TEXT[reason],
  });

const withValue = (reason: FieldErrorReason, path: Path, value: BadValue, detail: string): FieldError =>
  counted({
    reason,
    field: pathText(path),
    message: `${TYPE_TEXT[reason]}: ${valueText(value)}${detail && `: ${detail}`}`,
    ...shownAsJson(reason, value, detail),
  });

const shownAsJson = (
  reason: FieldErrorReason,
  value: BadValue,
  detail: string,
): Pick<FieldError, 'withJsonValue'> =>
  hasJson(value)
    ? { withJsonValue: () => `${TYPE_TEXT[reason]}: ${escapeHtml(jsonOf(value))}${detail && `: ${detail}`}` }
    : {};

const hasJson = (value: BadValue): boolean =>
  value === null || value === undefined || (value instanceof GoSyntax && value.hasJson);

const jsonOf = (value: BadValue): string => (value instanceof GoSyntax && value.json) || 'null';

type InvalidTexts = Required<Pick<Status, 'message' | 'details'>>;

export const required = (path: Path, detail = ''): FieldError =>
  withoutValue('FieldValueRequired', path, detail);

export const forbidden = (path: Path, detail: string): FieldError =>
  withoutValue('FieldValueForbidden', path, detail);

/** The server is at a loss, not the author. */
export const internalProblem = (path: Path, detail: string): FieldError =>
  withoutValue('InternalError', path, detail);

export const invalid = (path: Path, value: BadValue, detail: string): FieldError =>
  withValue('FieldValueInvalid', path, value, detail);

/** As `invalid`, of what the real server takes for a value of the wrong type. */
export const typeInvalid = (path: Path, value: BadValue, detail: string): FieldError =>
  withValue('FieldValueTypeInvalid', path, value, detail);

export const duplicate = (path: Path, value: BadValue, detail = ''): FieldError =>
  withValue('FieldValueDuplicate', path, value, detail);

export const notFoundValue = (path: Path, value: BadValue): FieldError =>
  withValue('FieldValueNotFound', path, value, '');

/** `supported` is shown in the order given. */
export const notSupported = (path: Path, value: BadValue, supported: readonly string[]): FieldError =>
  withValue(
    'FieldValueNotSupported',
    path,
    value,
    supported.length === 0 ? '' : `supported values: ${supported.map(goQuote).join(', ')}`,
  );

/** A text of more than `maxBytes` bytes; the text itself is not shown. */
export const tooLong = (path: Path, maxBytes: number): FieldError =>
  withoutValue('FieldValueTooLong', path, `must have at most ${maxBytes} bytes`);

/** The same in the other words that some rules have until 1.31. */
export const longerThan = (path: Path, maxBytes: number): FieldError =>
  withoutValue('FieldValueTooLong', path, `may not be longer than ${maxBytes}`);

export const tooMany = (path: Path, count: number, maxItems: number): FieldError =>
  withValue('FieldValueTooMany', path, count, `must have at most ${maxItems} items`);

/** What releases from this one on object to; earlier ones let it pass, or say something else. */
export const since = (release: string, errors: readonly FieldError[]): readonly FieldError[] =>
  errors.map((error) => ({ ...error, since: latest(release, error.since) }));

/** What releases before this one object to. */
export const until = (release: string, errors: readonly FieldError[]): readonly FieldError[] =>
  errors.map((error) => ({ ...error, until: earliest(release, error.until) }));

/** What servers object to where a gate is on. */
export const ifOn = (gate: string, errors: readonly FieldError[]): readonly FieldError[] =>
  errors.map((error) => ({ ...error, gates: { ...error.gates, [gate]: true } }));

/** And where it is off. */
export const ifOff = (gate: string, errors: readonly FieldError[]): readonly FieldError[] =>
  errors.map((error) => ({ ...error, gates: { ...error.gates, [gate]: false } }));

const minorOf = (release: string): number => Number(release.slice(release.indexOf('.') + 1));

/** Bounds of a part hold besides those of the whole. */
const latest = (release: string, other = release): string =>
  minorOf(other) > minorOf(release) ? other : release;
const earliest = (release: string, other = release): string =>
  minorOf(other) < minorOf(release) ? other : release;

/** `field: text`, as a line of an aggregate message shows the finding. */
export const fieldErrorText = ({ field, message }: FieldError): string => `${field}: ${message}`;

/** One finding alone, several in brackets; each text once, however often it was found. */
export const aggregateText = (errors: readonly FieldError[]): string => {
  const known = new Set<string>();
  const texts = errors.flatMap((error) => {
    const text = fieldErrorText(error);
    if (known.has(text) && !error.isNeverRepeated) return [];
    known.add(text);
    return [text];
  });
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
};

/**
 * The 422 of a write whose object is invalid. `kind` is the object's kind (a few verbs pass the plural
 * resource, as the real server does). The message shows each finding once; `details.causes` keeps repetitions.
 */
export const invalidError = (
  { group, kind }: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): ApiError => {
  const qualified = group ? `${kind}.${group}` : kind;
  const told = (findings: readonly FieldError[]): InvalidTexts => ({
    message: `${qualified} ${goQuote(name)} is invalid${findings.length > 0 ? `: ${aggregateText(findings)}` : ''}`,
    details: {
      ...(name && { name }),
      ...(group && { group }),
      ...(kind && { kind }),
      ...(findings.length > 0 && {
        causes: findings.map(({ reason, message, field }) => ({ reason, message, field })),
      }),
    },
  });
  const isShownOtherwise = errors.some(({ withJsonValue }) => withJsonValue !== undefined);
  const otherwise = () =>
    told(errors.map((error) => ({ ...error, message: error.withJsonValue?.() ?? error.message })));
  return new ApiError({ reason: 'Invalid', ...told(errors) }, isShownOtherwise ? otherwise : undefined);
};
