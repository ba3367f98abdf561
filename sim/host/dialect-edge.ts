/**
 * A request handler for clients of another dialect: requests are put into the real words on their way in,
 * responses into the client's on their way out. JSON and YAML are translated whole; of protobuf only the
 * media type is, its bytes stay in the real words.
 */
import { encodeYaml } from '../api/codec/encode-yaml.ts';
import { yamlToJson } from '../api/codec/yaml.ts';
import type { Dialect } from '../api/dialect.ts';
import {
  type ApiRequest,
  type ApiResponse,
  bytesOfBody,
  type QueryParameters,
  type ResponseStream,
  type StreamPiece,
} from '../apiserver/request.ts';
import { inOtherWords, inwardWords, outwardWords, type Words } from './dialect-words.ts';
import type { RequestHandler } from './http-server.ts';

const UTF8 = new TextDecoder();
const TRANSLATED_HEADERS = ['accept', 'content-type'];
const SELECTORS = ['labelSelector', 'fieldSelector'];

export function inDialect(handler: RequestHandler, dialect: Dialect): RequestHandler {
  const inward = inwardWords(dialect);
  const outward = outwardWords(dialect);
  return {
    ...handler,
    handle: (request, respond) =>
      handler.handle(inwardRequest(request, inward), (response) =>
        respond(outwardResponse(response, outward)),
      ),
  };
}

function inwardRequest(request: ApiRequest, words: Words): ApiRequest {
  const headers = { ...request.headers };
  for (const name of TRANSLATED_HEADERS) {
    const value = headers[name];
    if (value !== undefined) headers[name] = words.mediaType(value);
  }
  const { body } = request;
  const contentType = headers['content-type'] ?? 'application/json';
  return {
    ...request,
    path: inwardPath(request.path, words),
    query: inwardQuery(request.query, words),
    headers,
    ...(body?.kind === 'bytes' && {
      body: { kind: 'bytes', bytes: translated(body.bytes, contentType, words) },
    }),
  };
}

/** `/apis/GROUP/…`, also below `/openapi/v3`. */
const inwardPath = (path: string, words: Words): string =>
  path.replace(
    /^((?:\/openapi\/v3)?\/apis\/)([^/]+)/,
    (_match, prefix: string, group: string) => prefix + words.group(group),
  );

function inwardQuery(query: QueryParameters, words: Words): QueryParameters {
  if (!SELECTORS.some((name) => query.has(name))) return query;
  return query.mapped((name, value) => (SELECTORS.includes(name) ? words.prose(value) : value));
}

function outwardResponse(response: ApiResponse, words: Words): ApiResponse {
  const headers = response.headers.map(([name, value]) => [name, headerValue(name, value, words)] as const);
  const contentType = response.headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  const { body } = response;
  if (body.kind === 'bytes') {
    return {
      ...response,
      headers,
      body: { kind: 'bytes', bytes: translated(bytesOfBody(body), contentType, words) },
    };
  }
  if (body.kind === 'text')
    return { ...response, headers, body: { kind: 'text', text: textInWords(body.text, contentType, words) } };
  if (body.kind === 'stream' && contentType.includes('json')) {
    return {
      ...response,
      headers,
      body: { kind: 'stream', stream: new TranslatedStream(body.stream, words) },
    };
  }
  return { ...response, headers };
}

function headerValue(name: string, value: string, words: Words): string {
  if (name === 'content-type') return words.mediaType(value);
  return name === 'warning' ? words.prose(value) : value;
}

function translated(bytes: Uint8Array, contentType: string, words: Words): Uint8Array {
  if (!/json|yaml/.test(contentType)) return bytes;
  return Buffer.from(textInWords(UTF8.decode(bytes), contentType, words));
}

/** What cannot be read is left as it is: the server says what is wrong with it. */
function textInWords(text: string, contentType: string, words: Words): string {
  if (!/json|yaml/.test(contentType)) return words.prose(text);
  try {
    if (contentType.includes('json')) return jsonInWords(text, words);
    return encodeYaml(inOtherWords(yamlToJson(text).value, words));
  } catch {
    return text;
  }
}

/** Printed as it came: indented or not, with or without its last line break. */
function jsonInWords(text: string, words: Words): string {
  const indent = /^[[{]\n( +)/.exec(text)?.[1];
  return (
    JSON.stringify(inOtherWords(JSON.parse(text), words), undefined, indent) +
    (text.endsWith('\n') ? '\n' : '')
  );
}

/** Each piece is one event, or several whole ones. */
class TranslatedStream implements ResponseStream {
  readonly #stream: ResponseStream;
  readonly #words: Words;

  constructor(stream: ResponseStream, words: Words) {
    this.#stream = stream;
    this.#words = words;
  }

  subscribe(onReady: () => void): void {
    this.#stream.subscribe(onReady);
  }

  read(): StreamPiece | undefined {
    const piece = this.#stream.read();
    if (!(piece instanceof Uint8Array)) return piece;
    const lines = UTF8.decode(piece).split('\n');
    return Buffer.from(
      lines.map((line) => (line === '' ? line : textInWords(line, 'json', this.#words))).join('\n'),
    );
  }

  get ended(): boolean {
    return this.#stream.ended;
  }

  close(): void {
    this.#stream.close();
  }
}
