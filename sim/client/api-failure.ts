/** Telling failures of calls apart. */
import { ApiError, type StatusReason } from '../api/status.ts';
import { NoAnswer } from './no-answer.ts';

/** What a call throws: the server said no, or said nothing. Anything else is a bug. */
export type CallFailure = ApiError | NoAnswer;

export const isCallFailure = (error: unknown): error is CallFailure => error instanceof ApiError || error instanceof NoAnswer;

export const hasReason = (error: unknown, ...reasons: readonly StatusReason[]): error is ApiError =>
  error instanceof ApiError && reasons.includes(error.reason);

export const isNotFound = (error: unknown): error is ApiError => hasReason(error, 'NotFound');
export const isAlreadyExists = (error: unknown): error is ApiError => hasReason(error, 'AlreadyExists');
export const isConflict = (error: unknown): error is ApiError => hasReason(error, 'Conflict');
/** The history that was asked for is gone: list again. */
export const isGone = (error: unknown): error is ApiError => hasReason(error, 'Expired', 'Gone');
