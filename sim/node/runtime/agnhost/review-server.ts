/**
 * The servers of reviews in Kubernetes' test image: `agnhost webhook` is asked before objects are stored, `agnhost
 * crd-conversion-webhook` converts custom resources. Their certificates are not looked at. Pure.
 */
import type { Container } from '../../../api/types/core-v1.ts';
import { agnhostWords, valueOfFlag } from './agnhost-image.ts';
import { type ReviewedRequest, verdictOf } from './admission-verdicts.ts';
import { conversionOf, type ConversionRequest } from './example-conversion.ts';

export interface ReviewServer {
  readonly port: number;
  answer(path: string, body: unknown): ReviewAnswer;
}

export interface ReviewAnswer {
  readonly status: number;
  readonly body: string;
  readonly contentType: string;
  /** Sent so much later (0); `Infinity`: never. */
  readonly afterSeconds?: number;
}

interface Review<Request> {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly request?: Request & { readonly uid?: string };
}

const HTTPS_PORT = 443;
const PLAIN_TEXT = 'text/plain; charset=utf-8';
const NOT_FOUND: ReviewAnswer = { status: 404, body: '404 page not found\n', contentType: PLAIN_TEXT };
const READY: ReviewAnswer = { status: 200, body: 'ok', contentType: PLAIN_TEXT };

/** The server that a container is, by image and arguments; undefined: it is none. */
export function reviewServerOf(container: Container): ReviewServer | undefined {
  const [program, ...flags] = agnhostWords(container) ?? [];
  const port = Number(valueOfFlag(flags, '--port') ?? HTTPS_PORT);
  if (program === 'webhook') {
    const sidecarImage = valueOfFlag(flags, '--sidecar-image');
    return { port, answer: (path, body) => admissionAnswer(path, body, sidecarImage) };
  }
  return program === 'crd-conversion-webhook' ? { port, answer: conversionAnswer } : undefined;
}

function admissionAnswer(path: string, body: unknown, sidecarImage: string | undefined): ReviewAnswer {
  if (path === '/readyz') return READY;
  const review = reviewIn<ReviewedRequest>(body);
  const verdict = verdictOf(path, review.request ?? {}, sidecarImage);
  if (!verdict) return NOT_FOUND;
  if (!review.request) return undecodable();
  const { allowed, status, patch, afterSeconds } = verdict;
  const response = {
    uid: review.request.uid,
    allowed,
    ...(status && { status: { metadata: {}, ...status } }),
    ...(patch && { patchType: 'JSONPatch', patch: btoa(JSON.stringify(patch)) }),
  };
  return { ...answerWith(review, response), ...(afterSeconds !== undefined && { afterSeconds }) };
}

function conversionAnswer(path: string, body: unknown): ReviewAnswer {
  if (path !== '/crdconvert') return NOT_FOUND;
  const review = reviewIn<ConversionRequest>(body);
  if (!review.request) return undecodable();
  return answerWith(review, { uid: review.request.uid, ...conversionOf(review.request) });
}

const reviewIn = <Request>(body: unknown): Review<Request> =>
  typeof body === 'object' && body !== null ? body : {};

/** In the version in which it was asked. */
const answerWith = ({ apiVersion, kind }: Review<unknown>, response: object): ReviewAnswer => ({
  status: 200,
  body: JSON.stringify({ kind, apiVersion, response }),
  contentType: 'application/json',
});

const undecodable = (): ReviewAnswer => ({
  status: 400,
  body: 'Request could not be decoded\n',
  contentType: PLAIN_TEXT,
});
