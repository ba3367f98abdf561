/** What may come of calling a webhook instead of a verdict, in the words of the real server. */
import { ApiError, internalError, OUT_OF_TIME, type Status } from '../../../api/status.ts';
import { goQuote } from '../../../api/go-text.ts';

/** The call failed: the webhook's failure policy says what that means. */
export class WebhookFailure extends Error {
  override readonly name = 'WebhookFailure';
  /** As metrics count it. */
  readonly code: number;

  constructor(message: string, code = 400) {
    super(message);
    this.code = code;
  }
}

/** The webhook says no, or may not be asked at all. */
export class WebhookRejection extends ApiError {}

export const callingFailed = (why: string, code?: number): WebhookFailure =>
  new WebhookFailure(`failed to call webhook: ${why}`, code);

export const answerInvalid = (why: string): WebhookFailure =>
  new WebhookFailure(`received invalid webhook response: ${why}`, 503);

/** Who asked is told, where failures count. */
export const failedClosed = (webhook: string, { message }: WebhookFailure): ApiError =>
  internalError(`failed calling webhook ${goQuote(webhook)}: ${message}`);

export const dryRunUnsupported = (webhook: string): WebhookRejection =>
  new WebhookRejection({
    reason: 'BadRequest',
    message: `admission webhook ${goQuote(webhook)} does not support dry run`,
  });

export const outOfTime = (): ApiError =>
  new ApiError({
    reason: 'Timeout',
    message: OUT_OF_TIME,
    details: {},
  });

/** What the webhook may say of its refusal. */
export interface Explanation {
  readonly metadata?: Status['metadata'];
  readonly status?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly details?: Status['details'];
  readonly code?: number;
}

const LEAST_CODE = 400;
/** Greater ones cannot be sent. */
const GREATEST_CODE = 999;

export function denied(webhook: string, explanation: Explanation = {}): WebhookRejection {
  const { metadata, message = '', reason = '', details, code = 0 } = explanation;
  const by = `admission webhook ${goQuote(webhook)} denied the request`;
  const why = message || reason;
  return new WebhookRejection({
    reason: reason as Status['reason'] & string,
    message: why ? `${by}: ${why}` : `${by} without explanation`,
    code: code > GREATEST_CODE ? 500 : Math.max(code, LEAST_CODE),
    ...(details && { details }),
    ...(metadata && { metadata }),
  });
}
