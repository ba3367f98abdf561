/** Telling failures of calls apart. */
import { ApiError, type StatusReason } from '../api/status.ts';
import { NoAnswer } from './no-answer.ts';

/** What a call throws: the server said no, or said nothing. Anything else is a bug. */
export type CallFailure = ApiError | NoAnswer;

export const isCallFailure = (error: unknown): error is CallFailure =>
  error instanceof ApiError || error instanceof NoAnswer;

export const hasReason = (error: unknown, ...reasons: readonly StatusReason[]): error is ApiError =>
  error instanceof ApiError && reasons.includes(error.reason);

export const isNotFound = (error: unknown): error is ApiError => hasReason(error, 'NotFound');
export const isAlreadyExists = (error: unknown): error is ApiError => hasReason(error, 'AlreadyExists');
export const isConflict = (error: unknown): error is ApiError => hasReason(error, 'Conflict');
/** Nobody knows whether it was done: no answer came in time, or the server gave up. */
export const isTimeout = (error: unknown): error is CallFailure =>
  (error instanceof NoAnswer && error.kind === 'timeout') || hasReason(error, 'Timeout', 'ServerTimeout');
/** Something is wrong with the server, not with the request: status 500 and above. */
export const isServerError = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code >= 500;
export const isTooManyRequests = (error: unknown): error is ApiError => hasReason(error, 'TooManyRequests');
export const isUnsupportedMediaType = (error: unknown): error is ApiError =>
  hasReason(error, 'UnsupportedMediaType');
export const isForbidden = (error: unknown): error is ApiError => hasReason(error, 'Forbidden');
export const isInvalid = (error: unknown): error is ApiError => hasReason(error, 'Invalid');
/** Seconds after which the server wants to be asked again; undefined: it does not say. */
export const retryAfter = (error: unknown): number | undefined =>
  error instanceof ApiError ? error.status.details?.retryAfterSeconds : undefined;
/** The history that was asked for is gone: list again. */
export const isGone = (error: unknown): error is ApiError => hasReason(error, 'Expired', 'Gone');
