/** One call of one webhook: the review goes out, a verified answer or the reason why there is none comes back. */
import { DecodeError } from '../../../api/codec/decode-error.ts';
import { decodeStruct } from '../../../api/codec/decode.ts';
import { byKey } from '../../../api/go-text.ts';
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
import { callingFailed, denied, dryRunUnsupported, WebhookFailure } from './call-failure.ts';
import { NoReview, postReview } from './post-review.ts';
import { REVIEW_SCHEMA } from './review-schema.ts';
import type { Shown } from './shown-objects.ts';
import type { WebhookInForce, WebhookKind } from './webhook-source.ts';

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
  const { caBundle } = webhook.clientConfig ?? {};
  if (caBundle && !HAS_CERTIFICATE.test(atob(caBundle)))
    throw new WebhookFailure(
      'could not get REST client: unable to load root certificates: no valid certificate authority data seen',
    );
  const ownMs = (webhook.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * MS_PER_SECOND;
  const timeoutMs = Math.min(ownMs, context.deadlineMs - surroundings.wallMs());
  const posted = { group: GROUP, kind: 'AdmissionReview', version: review.version, body: review.body };
  try {
    const { value, type } = yield* postReview(context, webhook.clientConfig ?? {}, posted, { timeoutMs });
    const { kind, apiVersion } = type;
    const decoded = decodeStruct(REVIEW_SCHEMA, value) as Pick<ReceivedReview, 'response'>;
    return { kind, apiVersion, ...(decoded.response && { response: decoded.response }) };
  } catch (error) {
    if (error instanceof NoReview) throw callingFailed(error.message, error.code);
    throw error instanceof DecodeError ? callingFailed(error.message) : error;
  }
}

const HAS_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/;
const GROUP = 'admission.k8s.io';
