/**
 * Options of create, update and patch, read from the query and checked.
 * Specification: "Query parameters", "Dry run", "Field validation".
 */
import { append } from '../../api/append.ts';
import { badRequest, type FieldError } from '../../api/status.ts';
import { FieldPath } from '../../api/validation/field-path.ts';
import { forbidden, invalidError, notSupported, required } from '../../api/validation/field-error.ts';
import { goStringSlice } from '../../api/go-text.ts';
import { validateFieldManager } from '../../api/validation/object-meta.ts';
import { isTrueParameter } from '../request/request-info.ts';
import type { Exchange } from '../request/exchange.ts';
import type { QueryParameters } from '../request/request.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface WriteOptions {
  readonly isDryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly force: boolean;
}

type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions';

const LEVELS: readonly string[] = ['', 'Ignore', 'Strict', 'Warn'];

const NO_OPTIONS: WriteOptions = {
  isDryRun: false,
  fieldManager: '',
  fieldValidation: 'Warn',
  force: false,
};

/** What a server does in silence that cannot tell of unknown fields. */
const SILENT_OPTIONS: WriteOptions = { ...NO_OPTIONS, fieldValidation: 'Ignore' };

/** @throws ApiError Invalid, BadRequest */
export function writeOptionsOf(
  { request: { query }, server: { machinery } }: Pick<Exchange, 'request' | 'server'>,
  kind: OptionsKind,
  { isApply = false } = {},
): WriteOptions {
  const { unknownFields, dryRuns } = machinery;
  if (query.isEmpty && !isApply) return unknownFields === 'told' ? NO_OPTIONS : SILENT_OPTIONS;
  checkDryRuns(query, dryRuns);
  const errors: FieldError[] = [];
  const fieldManager = query.first('fieldManager') ?? '';
  const fieldValidation = unknownFields === 'ignored' ? '' : (query.first('fieldValidation') ?? '');
  if (kind === 'PatchOptions') append(errors, applyErrors(query, fieldManager, isApply));
  append(errors, [
    ...validateFieldManager(fieldManager, () => FieldPath.of('fieldManager')),
    ...dryRunErrors(query.all('dryRun')),
  ]);
  if (!LEVELS.includes(fieldValidation)) {
    errors.push(notSupported(FieldPath.of('fieldValidation'), fieldValidation, LEVELS));
  }
  if (errors.length > 0) throw invalidError({ group: 'meta.k8s.io', kind }, '', errors);
  return {
    isDryRun: query.has('dryRun'),
    fieldManager,
    fieldValidation: unknownFields === 'told' ? levelOf(fieldValidation) : 'Ignore',
    force: isTrueParameter(query.first('force')),
  };
}

const levelOf = (text: string): FieldValidation => (text === 'Ignore' || text === 'Strict' ? text : 'Warn');

/** @throws ApiError BadRequest */
export function checkDryRuns(query: QueryParameters, dryRuns: boolean): void {
  if (!dryRuns && query.has('dryRun')) throw badRequest('the dryRun alpha feature is disabled');
}

function applyErrors(query: QueryParameters, fieldManager: string, isApply: boolean): FieldError[] {
  if (isApply) {
    return fieldManager === '' ? [required(FieldPath.of('fieldManager'), 'is required for apply patch')] : [];
  }
  return query.has('force')
    ? [forbidden(FieldPath.of('force'), 'may not be specified for non-apply patch')]
    : [];
}

/** Every value has to be `All`, and there is at most one distinct one. */
export function dryRunErrors(values: readonly string[]): FieldError[] {
  if (values.every((value) => value === 'All')) return [];
  return [notSupported(FieldPath.of('dryRun'), goStringSlice(values), ['All'])];
}
