/**
 * API outcomes that are not successes. An `ApiError` carries the whole `Status` object that a client
 * receives; one table maps reasons to HTTP codes. Never used for bugs (see engine/invariant) nor for
 * simulated faults (which are data). Specification: "Errors".
 */

import { goQuote } from './go-text.ts';

export type StatusReason =
  | ''
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Invalid'
  | 'ServerTimeout'
  | 'StoreReadError'
  | 'Timeout'
  | 'TooManyRequests'
  | 'BadRequest'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'InternalError'
  | 'Expired'
  | 'ServiceUnavailable';

/** HTTP code of each reason; '' (unknown) is 500. */
export const HTTP_CODE_OF_REASON: Readonly<Record<StatusReason, number>> = {
  '': 500,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Invalid: 422,
  ServerTimeout: 500,
  StoreReadError: 500,
  Timeout: 504,
  TooManyRequests: 429,
  BadRequest: 400,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  InternalError: 500,
  Expired: 410,
  ServiceUnavailable: 503,
};

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: StatusReason;
  readonly details?: StatusDetails;
  readonly code: number;
}

export interface StatusFields {
  readonly reason: StatusReason;
  readonly message: string;
  readonly details?: StatusDetails;
  /** Only where it differs from the reason's own code. */
  readonly code?: number;
  /** List metadata of the Status: the inconsistent-continue token of an expired list. */
  readonly metadata?: Status['metadata'];
}

/** A refused or failed API call: thrown inside the API server, returned as a value by clients. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: Status;
  /** What releases say instead that print values in messages as JSON. */
  readonly withJsonValues: (() => Pick<Status, 'message' | 'details'>) | undefined;

  constructor(
    { reason, message, details, code, metadata = {} }: StatusFields,
    withJsonValues?: () => Pick<Status, 'message' | 'details'>,
  ) {
    // Where a server made it tells its client nothing: who looks for the own line gets it from `Cluster`.
    const frames = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = frames;
    this.withJsonValues = withJsonValues;
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata,
      status: 'Failure',
      message,
      ...(reason && { reason }),
      ...(details && { details }),
      code: code ?? HTTP_CODE_OF_REASON[reason],
    };
  }

  get reason(): StatusReason {
    return this.status.reason ?? '';
  }

  get code(): number {
    return this.status.code;
  }
}

/** Group and plural resource name, as messages print them: `deployments.apps`, `configmaps`. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

export const groupResourceText = ({ group, resource }: GroupResource): string =>
  group ? `${resource}.${group}` : resource;

const resourceDetails = ({ group, resource }: GroupResource, name: string): StatusDetails => ({
  ...(name && { name }),
  ...(group && { group }),
  kind: resource,
});

export const notFound = (resource: GroupResource, name: string): ApiError =>
  new ApiError({
    reason: 'NotFound',
    message: `${groupResourceText(resource)} ${goQuote(name)} not found`,
    details: resourceDetails(resource, name),
  });

export const alreadyExists = (resource: GroupResource, name: string): ApiError =>
  new ApiError({
    reason: 'AlreadyExists',
    message: `${groupResourceText(resource)} "${name}" already exists`,
    details: resourceDetails(resource, name),
  });

export const conflict = (resource: GroupResource, name: string, why: string): ApiError =>
  new ApiError({
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${groupResourceText(resource)} "${name}": ${why}`,
    details: resourceDetails(resource, name),
  });

export const forbidden = (resource: GroupResource, name: string, why: string): ApiError =>
  new ApiError({
    reason: 'Forbidden',
    message: name
      ? `${groupResourceText(resource)} "${name}" is forbidden: ${why}`
      : `${groupResourceText(resource)} is forbidden: ${why}`,
    details: resourceDetails(resource, name),
  });

/** What whoever asks is told when the time of the request is over. */
export const OUT_OF_TIME = 'Timeout: request did not complete within the allotted timeout';

export const badRequest = (message: string): ApiError => new ApiError({ reason: 'BadRequest', message });

/** 500 as `apierrors.NewInternalError` writes it. */
export const internalError = (message: string): ApiError =>
  new ApiError({
    reason: 'InternalError',
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
  });

/** The simulator itself is at fault. Its log says how, which is nobody else's business. */
export const defectError = (): ApiError =>
  internalError('a defect of the simulator, which its log describes');

/** 500 without a reason: what a real server answers for a Go error that is no API error. */
export const plainError = (message: string): ApiError => new ApiError({ reason: '', message });

/** One finding of validation: becomes a cause of a 422. */
export interface FieldError {
  /** `FieldValueInvalid`, `FieldValueRequired`, … */
  readonly reason: FieldErrorReason;
  /** Path as Kubernetes prints it: `spec.template.spec.containers[0].name`. */
  readonly field: string;
  /** Text after the field: `Invalid value: "x": must be …`. */
  readonly message: string;
  /** The same with the value as JSON, where that differs: later releases print it so. */
  readonly withJsonValue?: () => string;
  /** Shows an address that is another each time: a message tells it as often as it is found. */
  readonly isNeverRepeated?: true;
  /** Releases before this one, such as `1.34`, do not object to it. */
  readonly since?: string;
  /** This release and later ones do not object to it. */
  readonly until?: string;
  /** Servers where one of these gates is otherwise do not object to it. */
  readonly gates?: Readonly<Record<string, boolean>>;
}

export type FieldErrorReason =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'InternalError'
  | 'FieldValueTypeInvalid';
