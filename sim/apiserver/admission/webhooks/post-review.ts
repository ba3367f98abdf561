/**
 * A review on its way to whoever is asked and back: the URL as messages name it, the call, and the document of the
 * answer, of which the type is known to be the wanted one. What it means is for those who ask.
 */
import { goQuote } from '../../../api/go-text.ts';
import { type HttpAnswer, type HttpBody, type HttpOutcome, objectBody } from '../../../api/http-call.ts';
import type { WebhookClientConfig } from '../../../api/types/admissionregistration-k8s-io-v1.ts';
import type { Process } from '../../../engine/process.ts';
import type { ApiServerSurroundings } from '../../surroundings.ts';
import type { BodyType } from '../../verbs/read-body.ts';
import { documentOf } from './answer-document.ts';
import { callTarget, problemOf } from './call-target.ts';
import { type TargetContext, targetOf, type WebhookTarget } from './webhook-target.ts';

export interface PostedReview {
  readonly group: string;
  /** Instead of those with which admission asks. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the review, and of its answer. */
  readonly version: string;
  readonly kind: string;
  readonly body: object;
  /** Whether whoever asks knows a kind that is no review; default: none. */
  readonly knows?: (type: BodyType) => boolean;
}

/** No document of the wanted type came back; the message says why. */
export class NoReview extends Error {
  override readonly name = 'NoReview';
  /** Of the answer, if there was one that told a failure. */
  readonly code: number | undefined;
  /** Nobody answered in time. */
  readonly isLate: boolean;

  constructor(message: string, code?: number, isLate = false) {
    super(message);
    this.code = code;
    this.isLate = isLate;
  }
}

export interface ReviewDocument {
  readonly value: unknown;
  /** As the document says it. */
  readonly type: BodyType;
}

const MS_PER_SECOND = 1000;

export interface Patience {
  readonly timeoutMs: number;
  /** As the URL says it; default: in whole seconds. */
  readonly timeoutText?: string;
  /** What else Go says of one who answers too late. */
  readonly late?: string;
}

/** @throws NoReview */
export const postReview = (
  context: TargetContext,
  client: WebhookClientConfig,
  review: PostedReview,
  patience: Patience,
): Process<ReviewDocument> => postTo(context.surroundings, targetOf(context, client), review, patience);

/** The same to whoever is known already. @throws NoReview */
export function* postTo(
  surroundings: ApiServerSurroundings,
  target: WebhookTarget,
  review: PostedReview,
  { timeoutMs, timeoutText, late = '' }: Patience,
): Process<ReviewDocument> {
  const query = timeoutMs > 0 ? `?timeout=${timeoutText ?? `${Math.ceil(timeoutMs / MS_PER_SECOND)}s`}` : '';
  const path = `${target.path}${query}`;
  const { headers = HEADERS, body } = review;
  const outcome =
    timeoutMs > 0
      ? yield* answerTo(surroundings, target, { path, headers, body: objectBody(body) }, timeoutMs)
      : ({ kind: 'timeout' } as const);
  if (outcome.kind !== 'answer') {
    const whole = outcome.kind === 'unreachable' && outcome.phase === 'body';
    const why = `${problemOf(outcome, target.address)}${outcome.kind === 'timeout' ? late : ''}`;
    throw new NoReview(
      whole ? brokenBody(why) : `Post ${goQuote(urlOf(outcome) ?? `${target.origin}${path}`)}: ${why}`,
      undefined,
      outcome.kind === 'timeout',
    );
  }
  const document = documentOf(outcome.answer);
  if (document.kind === 'problem') {
    const { status } = outcome.answer;
    throw new NoReview(document.text, status >= LEAST_FAILURE ? status : undefined);
  }
  checkType(review, document.type);
  return document;
}

/** A stream of HTTP/2 that was reset is told apart from other ends. */
const brokenBody = (why: string): string =>
  why.startsWith('stream error: ')
    ? `stream error when reading response body, may be caused by closed connection. Please retry. Original error: ${why}`
    : `unexpected error when reading response body. Please retry. Original error: ${why}`;

const urlOf = (outcome: HttpOutcome): string | undefined =>
  outcome.kind === 'unreachable' ? outcome.at : undefined;

const LEAST_FAILURE = 300;
const MOST_RETRIES = 10;

/** Who says when to come again is asked again then. */
function* answerTo(
  surroundings: ApiServerSurroundings,
  target: WebhookTarget,
  asked: Pick<PostedReview, 'headers'> & { readonly path: string; readonly body: HttpBody },
  timeoutMs: number,
): Process<HttpOutcome> {
  const until = surroundings.wallMs() + timeoutMs;
  for (let retries = 0; ; retries += 1) {
    const leftMs = until - surroundings.wallMs();
    if (leftMs <= 0) return { kind: 'timeout' };
    const call = { method: 'POST', ...asked } as const;
    const outcome = yield* callTarget(surroundings, target, call, leftMs);
    const waitMs = outcome.kind === 'answer' ? retryAfterMs(outcome.answer) : undefined;
    if (waitMs === undefined || retries >= MOST_RETRIES) return outcome;
    yield* surroundings.sleepMs(Math.min(waitMs, Math.max(until - surroundings.wallMs(), 0)));
  }
}

function retryAfterMs({ status, headers = {} }: HttpAnswer): number | undefined {
  const text = headers['retry-after'];
  if (text === undefined || !/^\d+$/.test(text) || (status !== 429 && status < 500)) return undefined;
  return Number(text) * MS_PER_SECOND;
}

const HEADERS = {
  'user-agent': 'kube-apiserver-admission',
  accept: 'application/json, */*',
  'content-type': 'application/json',
} as const;

/** A type that is said has to be known; one that is not is the wanted one. */
function checkType(review: PostedReview, { kind, apiVersion }: BodyType): void {
  const { group, version, kind: wantedKind, knows } = review;
  const wanted = `${group}/${version}`;
  const said = apiVersion || wanted;
  if (said === wanted && (kind === '' || kind === wantedKind)) return;
  const [, short = ''] = /(?:^|\/)([^/]*)$/.exec(said) ?? [];
  const isOther = kind === wantedKind && (said === `${group}/v1` || said === `${group}/v1beta1`);
  if (isOther || (kind === 'Status' && said === 'v1') || knows?.({ kind, apiVersion: said }))
    throw new NoReview(`converting (${short}.${kind}) to (${version}.${wantedKind}): unknown conversion`);
  throw new NoReview(
    `no kind ${goQuote(kind || wantedKind)} is registered for version ${goQuote(said)} in scheme "pkg/runtime/scheme.go:100"`,
  );
}
