/**
 * A request handler for clients of another dialect: requests are put into the real words on their way in,
 * responses into the client's on their way out.
 */
import type { BuiltinTypes } from '../api/catalog/builtin-types.ts';
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
} from '../apiserver/request/request.ts';
import { framesInWords, protobufInWords, type ProtobufWords } from './dialect-protobuf.ts';
import { inOtherWords, inwardWords, outwardWords, type Words } from './dialect-words.ts';
import type { RequestHandler } from './request-handler.ts';

const UTF8 = new TextDecoder();
const TRANSLATED_HEADERS = ['accept', 'content-type'];
const SELECTORS = ['labelSelector', 'fieldSelector'];

/** `types`: those of the server's release. */
export function inDialect(handler: RequestHandler, dialect: Dialect, types: BuiltinTypes): RequestHandler {
  const toReal = inwardWords(dialect);
  const inward: ProtobufWords = { types, words: toReal, realApiVersion: toReal.apiVersion };
  const outward: ProtobufWords = {
    types,
    words: outwardWords(dialect),
    realApiVersion: (apiVersion) => apiVersion,
  };
  return {
    ...handler,
    handle: (request, respond, breakOff) =>
      handler.handle(
        inwardRequest(request, inward),
        (response) => respond(outwardResponse(request, response, outward)),
        breakOff,
      ),
  };
}

function inwardRequest(request: ApiRequest, translation: ProtobufWords): ApiRequest {
  const { words } = translation;
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
      body: { kind: 'bytes', bytes: translated(body.bytes, contentType, translation) },
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

function outwardResponse(
  request: ApiRequest,
  response: ApiResponse,
  translation: ProtobufWords,
): ApiResponse {
  const { words } = translation;
  const headers = response.headers.map(([name, value]) => [name, headerValue(name, value, words)] as const);
  const contentType = response.headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  const { body } = response;
  if (isOpenApi(request) && (body.kind === 'bytes' || body.kind === 'text')) {
    const text = body.kind === 'text' ? body.text : UTF8.decode(bytesOfBody(body));
    return { ...response, headers, body: { kind: 'text', text: words.mediaType(text) } };
  }
  if (body.kind === 'bytes') {
    const bytes = bytesOfBody(body);
    return {
      ...response,
      headers,
      body: { kind: 'bytes', bytes: translated(bytes, contentType, translation) },
    };
  }
  if (body.kind === 'text')
    return { ...response, headers, body: { kind: 'text', text: textInWords(body.text, contentType, words) } };
  if (body.kind === 'stream') {
    const isJson = contentType.includes('json');
    const stream = new TranslatedStream(body.stream, (piece) =>
      isJson ? linesInWords(piece, words) : framesInWords(piece, translation),
    );
    return { ...response, headers, body: { kind: 'stream', stream } };
  }
  return { ...response, headers };
}

function headerValue(name: string, value: string, words: Words): string {
  if (name === 'content-type') return words.mediaType(value);
  return name === 'warning' ? words.prose(value) : value;
}

/** The documents about the API name paths, groups and media types in many places, and no user's data. */
const isOpenApi = ({ path }: ApiRequest): boolean => path.startsWith('/openapi/');

function translated(bytes: Uint8Array, contentType: string, translation: ProtobufWords): Uint8Array {
  if (contentType.includes('protobuf')) return protobufInWords(bytes, translation);
  if (!/json|yaml/.test(contentType)) return bytes;
  return Buffer.from(textInWords(UTF8.decode(bytes), contentType, translation.words));
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

const linesInWords = (piece: Uint8Array, words: Words): Uint8Array =>
  Buffer.from(
    UTF8.decode(piece)
      .split('\n')
      .map((line) => (line === '' ? line : textInWords(line, 'json', words)))
      .join('\n'),
  );

/** Each piece is one event, or several whole ones. */
class TranslatedStream implements ResponseStream {
  readonly #stream: ResponseStream;
  readonly #say: (piece: Uint8Array) => Uint8Array;

  constructor(stream: ResponseStream, say: (piece: Uint8Array) => Uint8Array) {
    this.#stream = stream;
    this.#say = say;
  }

  subscribe(onReady: () => void): void {
    this.#stream.subscribe(onReady);
  }

  read(): StreamPiece | undefined {
    const piece = this.#stream.read();
    return piece instanceof Uint8Array ? this.#say(piece) : piece;
  }

  get ended(): boolean {
    return this.#stream.ended;
  }

  close(): void {
    this.#stream.close();
  }
}
