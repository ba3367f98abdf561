/** One call of one webhook: the review goes out, a verified answer or the reason why there is none comes back. */
import { DecodeError } from '../../../api/codec/decode-error.ts';
import { decodeStruct } from '../../../api/codec/decode.ts';
import { byKey, goQuote } from '../../../api/go-text.ts';
import { objectBody } from '../../../api/http-call.ts';
import type { Process } from '../../../engine/process.ts';
import type { ResourceVersion } from '../../registry/resource.ts';
import type { AdmissionAttributes, AdmissionContext } from '../admission.ts';
import {
  type ReceivedReview,
  type Review,
  type ReviewAnswer,
  reviewOf,
  reviewVersionOf,
  verifiedAnswer,
} from './admission-review.ts';
import { documentOf } from './answer-document.ts';
import { callTarget, problemOf } from './call-target.ts';
import { callingFailed, denied, dryRunUnsupported, WebhookFailure } from './call-failure.ts';
import { REVIEW_SCHEMA } from './review-schema.ts';
import type { Shown } from './shown-objects.ts';
import type { WebhookInForce, WebhookKind } from './webhook-source.ts';
import { targetOf } from './webhook-target.ts';

const DEFAULT_TIMEOUT_SECONDS = 10;
const MS_PER_SECOND = 1000;

export interface WebhookCall {
  readonly attributes: AdmissionAttributes;
  readonly hook: WebhookInForce;
  readonly kind: WebhookKind;
  /** In which the webhook sees the object. */
  readonly version: ResourceVersion;
  readonly shown: Shown;
}

/**
 * The answer of a webhook that lets the request through; its warnings and annotations are noted.
 * @throws WebhookFailure where the call failed, ApiError where the webhook refuses
 */
export function* callWebhook(call: WebhookCall): Process<ReviewAnswer> {
  const { attributes, hook, kind, version, shown } = call;
  const { context } = attributes;
  const { name, sideEffects, admissionReviewVersions } = hook.webhook;
  if (attributes.isDryRun && sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun')
    throw dryRunUnsupported(name);
  const reviewVersion = reviewVersionOf(admissionReviewVersions ?? []);
  if (!reviewVersion)
    throw new WebhookFailure(
      'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
    );
  const uid = context.uuid();
  const review = reviewOf({ attributes, matched: version, shown, version: reviewVersion, uid });
  const answer = verifiedAnswer(review, yield* ask(context, hook, review), kind);
  for (const [key, value] of Object.entries(answer.auditAnnotations).toSorted(byKey))
    context.annotate(`${name}/${key}`, value);
  for (const warning of answer.warnings) if (IS_SHOWN.test(warning)) context.warn(warning);
  if (!answer.isAllowed) throw denied(name, answer.explanation);
  return answer;
}

/** What a header cannot hold is left out. */
// oxlint-disable-next-line no-control-regex -- they are what it is about
const IS_SHOWN = /^[^\0-\u001f\u007f]+$/;

function* ask(
  context: AdmissionContext,
  { webhook }: WebhookInForce,
  review: Review,
): Process<ReceivedReview> {
  const { surroundings } = context;
  const ownMs = (webhook.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * MS_PER_SECOND;
  const timeoutMs = Math.min(ownMs, context.deadlineMs - surroundings.wallMs());
  const target = targetOf(context, webhook.clientConfig ?? {});
  const query = timeoutMs > 0 ? `?timeout=${Math.ceil(timeoutMs / MS_PER_SECOND)}s` : '';
  const url = `${target.origin}${target.path}${query}`;
  const outcome =
    timeoutMs > 0
      ? yield* callTarget(
          surroundings,
          target,
          { method: 'POST', path: `${target.path}${query}`, headers: HEADERS, body: objectBody(review.body) },
          timeoutMs,
        )
      : ({ kind: 'timeout' } as const);
  if (outcome.kind !== 'answer') {
    const whole = outcome.kind === 'unreachable' && outcome.phase === 'body';
    const why = problemOf(outcome, target.address);
    throw callingFailed(
      whole
        ? `unexpected error when reading response body. Please retry. Original error: ${why}`
        : `Post ${goQuote(url)}: ${why}`,
    );
  }
  const document = documentOf(outcome.answer);
  if (document.kind === 'problem') throw callingFailed(document.text);
  const { kind, apiVersion } = document.type;
  checkType(review, { kind, apiVersion });
  try {
    const decoded = decodeStruct(REVIEW_SCHEMA, document.value) as Pick<ReceivedReview, 'response'>;
    return { kind, apiVersion, ...(decoded.response && { response: decoded.response }) };
  } catch (error) {
    throw error instanceof DecodeError ? callingFailed(error.message) : error;
  }
}

const HEADERS = {
  'user-agent': 'kube-apiserver-admission',
  accept: 'application/json, */*',
  'content-type': 'application/json',
} as const;

const GROUP = 'admission.k8s.io';
const KNOWN_KINDS: readonly string[] = ['', 'AdmissionReview'];

/** A type that is said has to be known; one that is not is the wanted one. */
function checkType(
  { version }: Review,
  { kind, apiVersion }: { readonly kind: string; readonly apiVersion: string },
): void {
  const wanted = `${GROUP}/${version}`;
  const said = apiVersion || wanted;
  if (said === wanted && KNOWN_KINDS.includes(kind)) return;
  const [, short = ''] = /(?:^|\/)([^/]*)$/.exec(said) ?? [];
  const isOther = kind === 'AdmissionReview' && (said === `${GROUP}/v1` || said === `${GROUP}/v1beta1`);
  if (isOther || (kind === 'Status' && said === 'v1'))
    throw callingFailed(`converting (${short}.${kind}) to (${version}.AdmissionReview): unknown conversion`);
  throw callingFailed(
    `no kind ${goQuote(kind || 'AdmissionReview')} is registered for version ${goQuote(said)} in scheme "pkg/runtime/scheme.go:100"`,
  );
}
