/** The call of a webhook on the clock: what came of it, as metrics count it. */
import type { WebhookCalled } from '../../metrics/admission-metrics.ts';
import type { AdmissionAttributes } from '../admission.ts';
import { WebhookFailure, WebhookRejection } from './call-failure.ts';
import type { WebhookKind } from './webhook-source.ts';

const OK = 200;
const MS_PER_SECOND = 1000;

interface Called {
  readonly name: string;
  readonly failurePolicy?: string;
}

/** Begins now; to be told when the call is done, and what was thrown. */
export function meteredCall(
  { operation, context }: AdmissionAttributes,
  kind: WebhookKind,
  { name, failurePolicy }: Called,
): (error?: unknown) => void {
  const { admissionMetrics, surroundings } = context;
  if (!admissionMetrics) return () => undefined;
  const beganMs = surroundings.wallMs();
  return (error) => {
    const seconds = (surroundings.wallMs() - beganMs) / MS_PER_SECOND;
    admissionMetrics.webhookCalled({ name, kind, operation, seconds, ...outcomeOf(error, failurePolicy) });
  };
}

function outcomeOf(
  error: unknown,
  failurePolicy: string | undefined,
): Pick<WebhookCalled, 'outcome' | 'code'> {
  if (error === undefined) return { outcome: 'allowed', code: OK };
  if (error instanceof WebhookFailure)
    return { outcome: failurePolicy === 'Ignore' ? 'failed open' : 'failed', code: error.code };
  return error instanceof WebhookRejection
    ? { outcome: 'denied', code: error.status.code ?? 0 }
    : { outcome: 'broken', code: 0 };
}
