/**
 * The document in the answer of somebody whom the server has asked over HTTP, or why there is none, in the words of
 * the real server's client. Specification: not shown (Kubernetes 1.31).
 */
import { bodyBytes, type HttpAnswer } from '../../../api/http-call.ts';
import { goQuote } from '../../../api/go-text.ts';
import { type Body, BodyError, type BodyType, parseBody } from '../../verbs/read-body.ts';

export type AnswerDocument =
  | { readonly kind: 'document'; readonly value: unknown; readonly type: BodyType }
  | { readonly kind: 'problem'; readonly text: string };

const problem = (text: string): AnswerDocument => ({ kind: 'problem', text });
const UTF8 = new TextDecoder();

export function documentOf(answer: HttpAnswer): AnswerDocument {
  const { status } = answer;
  const isGood = status >= 200 && status <= 206;
  try {
    const content = contentOf(answer);
    if (!isGood) return problem(refusalText(answer, content));
    if (!content)
      return problem(`0-length response with status code: ${status} and content type: application/json`);
    const { value, type } = parseBody(content);
    return { kind: 'document', value, type };
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    return problem(isGood ? error.message : refusalOfText(status, textIn(answer)));
  }
}

function contentOf({ body }: HttpAnswer): Exclude<Body, { kind: 'protobuf' }> | undefined {
  if (body?.kind === 'object') return { kind: 'object', value: body.object };
  const text = UTF8.decode(bodyBytes(body));
  if (text === '') return undefined;
  return /^\s*\{/.test(text) ? { kind: 'json', text } : { kind: 'yaml', text, read: undefined };
}

/** A Status speaks for itself; what else the body says counts only where a server is to blame. */
function refusalText(answer: HttpAnswer, content: ReturnType<typeof contentOf>): string {
  const { status } = answer;
  if (content?.kind === 'object' || content?.kind === 'json') {
    const { value, type } = parseBody(content);
    const { message } = value as { readonly message?: unknown };
    if (type.kind === 'Status' && type.apiVersion === 'v1')
      return typeof message === 'string' && message !== '' ? message : 'unknown';
    if (content.kind === 'object') return refusalOfText(status, UNKNOWN);
  }
  return refusalOfText(status, textIn(answer));
}

const UNKNOWN = 'unknown';

/** What the answer calls a text, or calls nothing at all; anything else says nothing. */
function textIn({ headers = {}, body }: HttpAnswer): string {
  const type = headers['content-type'] ?? '';
  return type === '' || /^\s*text\//i.test(type) ? UTF8.decode(bodyBytes(body)) : UNKNOWN;
}

/** Their whole text is the body's. */
const SPEAKING: ReadonlySet<number> = new Set([403, 415]);

const TEXTS: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};
const NOT_ACCEPTABLE = 'the server was unable to respond with a content type that the client supports';
const LONGEST_TEXT = 2048;

function refusalOfText(status: number, whole: string): string {
  const text = whole.slice(0, LONGEST_TEXT).trim();
  if (SPEAKING.has(status)) return text;
  if (status === 406) return text === '' || text === 'unknown' ? NOT_ACCEPTABLE : text;
  const known = TEXTS[status];
  if (known !== undefined) return known;
  if (status < 500)
    return `the server responded with the status code ${status} but did not return more information`;
  return `an error on the server (${goQuote(text)}) has prevented the request from succeeding`;
}
