/** The webhook of a definition, asked for objects in another version, and what may come of it. */
import { DecodeError } from '../../../api/codec/decode-error.ts';
import { decodeStruct } from '../../../api/codec/decode.ts';
import type { ApiObject } from '../../../api/object.ts';
import { plainError } from '../../../api/status.ts';
import type { CustomResourceConversion } from '../../../api/types/apiextensions-k8s-io-v1.ts';
import type { Process } from '../../../engine/process.ts';
import { NoReview, postReview } from '../../admission/webhooks/post-review.ts';
import { CONVERSION_SCHEMA } from '../../admission/webhooks/review-schema.ts';
import type { TargetContext } from '../../admission/webhooks/webhook-target.ts';
import type { LeftOut } from '../../registry/resource.ts';
import {
  type ConversionResponse,
  type ConversionReview,
  conversionReviewOf,
  conversionReviewVersionOf,
  ConversionRefused,
  convertedObjectsOf,
  GROUP,
  KIND,
} from './conversion-review.ts';
import { convertedObject, webhookFor } from './converted-object.ts';

const TIMEOUT_MS = 30_000;

export type ConversionWebhook = NonNullable<CustomResourceConversion['webhook']>;

export interface ConversionRequest {
  /** None of them is in the version already. */
  readonly objects: readonly ApiObject[];
  readonly apiVersion: string;
  readonly leaves: LeftOut;
}

/** One for each and in their order. @throws ApiError */
export function* askWebhook(
  context: TargetContext,
  webhook: ConversionWebhook,
  { objects, apiVersion, leaves }: ConversionRequest,
): Process<readonly ApiObject[]> {
  const [first] = objects;
  if (!first) return [];
  const version = conversionReviewVersionOf(webhook.conversionReviewVersions ?? []);
  const sent = objects.map((object) => sentForm(object, leaves));
  const review = conversionReviewOf(sent, apiVersion, { version, uid: context.surroundings.uuid() });
  const answers = yield* answersOf(context, webhook, review, first);
  if (answers.length !== objects.length)
    throw plainError(`${webhookFor(first)} returned ${answers.length} objects, expected ${objects.length}`);
  return objects.map((object, index) => convertedObject({ object, apiVersion }, answers[index]));
}

function sentForm(object: ApiObject, leaves: LeftOut): ApiObject {
  if (leaves === 'nothing' || !(leaves in object.metadata)) return object;
  const { [leaves]: _left, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function* answersOf(
  context: TargetContext,
  { clientConfig }: ConversionWebhook,
  review: ConversionReview,
  first: ApiObject,
): Process<readonly unknown[]> {
  const posted = { group: GROUP, kind: KIND, version: review.version, body: review.body };
  try {
    const { value, type } = yield* postReview(context, clientConfig ?? {}, posted, {
      timeoutMs: TIMEOUT_MS,
      late: ' (Client.Timeout exceeded while awaiting headers)',
    });
    return convertedObjectsOf(review, type, responseOf(value));
  } catch (error) {
    if (!(error instanceof NoReview || error instanceof ConversionRefused || error instanceof DecodeError))
      throw error;
    throw plainError(`${webhookFor(first)} failed: ${error.message}`);
  }
}

const responseOf = (value: unknown): ConversionResponse | undefined =>
  (decodeStruct(CONVERSION_SCHEMA, value) as { readonly response?: ConversionResponse }).response;
