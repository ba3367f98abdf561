/** The query of `pods/log`: PodLogOptions. Specification: not shown (Kubernetes 1.31). */
import { badRequest, type FieldError } from '../../api/status.ts';
import { parseTime, TimeFormatError } from '../../api/time-format.ts';
import { forbidden, invalid, invalidError } from '../../api/validation/field-error.ts';
import { FieldPath } from '../../api/validation/field-path.ts';
import { isTrueParameter } from '../request/request-info.ts';
import type { QueryParameters } from '../request/request.ts';
import { integerParameter } from './parse-parameter.ts';

export interface LogOptions {
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly sinceSeconds: number | undefined;
  /** As it was given. */
  readonly sinceTime: string | undefined;
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
}

/** @throws ApiError BadRequest, Invalid */
export function logOptionsOf(query: QueryParameters, podName: string): LogOptions {
  const options: LogOptions = {
    container: query.first('container') ?? '',
    follow: isTrueParameter(query.first('follow')),
    previous: isTrueParameter(query.first('previous')),
    sinceSeconds: integerParameter(query.first('sinceSeconds')),
    sinceTime: timeParameter(query.first('sinceTime')),
    timestamps: isTrueParameter(query.first('timestamps')),
    tailLines: integerParameter(query.first('tailLines')),
    limitBytes: integerParameter(query.first('limitBytes')),
  };
  const errors = problemsOf(options);
  if (errors.length > 0) throw invalidError({ group: '', kind: 'PodLogOptions' }, podName, errors);
  return options;
}

function timeParameter(value: string | undefined): string | undefined {
  if (value === undefined || value === '') return undefined;
  try {
    parseTime(value);
  } catch (error) {
    if (error instanceof TimeFormatError) throw badRequest(error.message);
    throw error;
  }
  return value;
}

function problemsOf({ tailLines, limitBytes, sinceSeconds, sinceTime }: LogOptions): readonly FieldError[] {
  const errors: FieldError[] = [];
  const isBelow = (value: number | undefined, least: number): value is number =>
    value !== undefined && value < least;
  if (isBelow(tailLines, 0))
    errors.push(invalid(FieldPath.of('tailLines'), tailLines, 'must be greater than or equal to 0'));
  if (isBelow(limitBytes, 1))
    errors.push(invalid(FieldPath.of('limitBytes'), limitBytes, 'must be greater than 0'));
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    // A path of one empty name prints like this.
    const path = FieldPath.of('[]');
    errors.push(forbidden(path, 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  } else if (isBelow(sinceSeconds, 1)) {
    errors.push(invalid(FieldPath.of('sinceSeconds'), sinceSeconds, 'must be greater than 0'));
  }
  return errors;
}
