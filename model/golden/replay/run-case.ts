/** Runs the steps of one case against a server and returns what it answered. */
import { fromBase64 } from './binary-envelope.ts';
import { Cleaner, type Send } from './cleanup.ts';
import type {
  Condition,
  GoldenCase,
  Query,
  RawResponse,
  RequestStep,
  Step,
  Variables,
  WatchEvent,
  WatchOpen,
  WatchRead,
} from './golden-case.ts';
import { matchesFilter } from './item-filter.ts';
import { isEqualJson } from './json-object.ts';
import { findAll, getAt } from './json-pointer.ts';
import type { Transcript } from './normalise.ts';
import type { Answer, Call, ServerUnderTest } from './server-under-test.ts';
import { substitute } from './substitute.ts';
import { type ReadEnd, WatchReader } from './watch-reader.ts';

const REPEAT_TIMEOUT_MS = 10_000;
const REPEAT_INTERVAL_MS = 100;
const READ_TIMEOUT_MS = 5_000;
const USER_AGENT = 'golden/1.0';
const UTF8_ENCODER = new TextEncoder();
const UTF8 = new TextDecoder();

/** How a case is run on a server that has other users. */
export interface RunSettings {
  /** Begins the names of the case's namespace and of its objects outside of it. */
  readonly mark?: string;
  /** Whether the server has no controller that finishes the deletion of a namespace. */
  readonly finalizesNamespaces: boolean;
}

const ALONE: RunSettings = { finalizesNamespaces: true };

/** @throws Error if the namespace or the setup of the case cannot be made */
export function runCase(
  golden: GoldenCase,
  server: ServerUnderTest,
  unique: string,
  settings: RunSettings = ALONE,
): Transcript {
  return new CaseRun(server, unique, settings).run(golden);
}

class CaseRun {
  readonly #server: ServerUnderTest;
  readonly #variables: Variables;
  readonly #namespace: string;
  readonly #watches = new Map<string, WatchReader>();
  readonly #cleaner: Cleaner;
  #waitsInVain = false;

  constructor(server: ServerUnderTest, unique: string, { mark, finalizesNamespaces }: RunSettings) {
    this.#server = server;
    this.#namespace = mark === undefined ? `golden-n${unique}` : `${mark}-${unique}`;
    this.#variables = { unique: mark === undefined ? `u${unique}` : `${mark}-u${unique}` };
    const send: Send = (method, path, body) => this.#sendAsAdmin(method, path, body);
    this.#cleaner = new Cleaner(send, finalizesNamespaces);
  }

  run(golden: GoldenCase): Transcript {
    try {
      if (golden.namespace !== false) this.#createNamespace(this.#namespace);
      for (const [index, step] of (golden.setup ?? []).entries()) {
        const problem = setupProblem(this.#step(step));
        if (problem !== undefined) throw new Error(`setup step ${index + 1}: ${problem}`);
      }
      const responses = golden.steps.map((step) => this.#step(step));
      return { variables: this.#variables, baseUrl: this.#server.baseUrl, responses };
    } finally {
      for (const watch of this.#watches.values()) watch.close();
      for (const step of golden.cleanup ?? []) this.#step(step);
      this.#cleaner.clean();
    }
  }

  #createNamespace(name: string): void {
    this.#sendAsAdmin('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    this.#cleaner.noteNamespace(name);
    this.#variables['ns'] = name;
  }

  #sendAsAdmin(method: string, path: string, body?: unknown): unknown {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    return this.#send({ method, path, ...(body !== undefined && { body, contentType }) }, false).body;
  }

  #step(step: Step): RawResponse | undefined {
    try {
      if (step.request) return this.#request(step, step.request);
      if (step.watchOpen) return this.#openWatch(step.watchOpen);
      if (step.watchRead) return this.#readWatch(step, step.watchRead);
      if (step.watchClose) this.#watches.get(step.watchClose.id)?.close();
      if (step.sleep !== undefined) this.#server.sleep(step.sleep);
      return undefined;
    } catch (error) {
      return { problem: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Sends the request, again and again if the step has conditions, and captures variables. */
  #request(step: Step, authored: RequestStep): RawResponse {
    const conditions = [step.repeatUntil ?? []].flat() as readonly Condition[];
    const timeoutMs = Math.max(0, ...conditions.map((each) => each.timeoutMs ?? REPEAT_TIMEOUT_MS));
    const deadline = this.#server.nowMs() + timeoutMs;
    for (;;) {
      const request = substitute(authored, this.#variables);
      const response = this.#send(request, step.expectBinary ?? false);
      this.#cleaner.noteAnswer(request.method, withQuery(request.path, request.query), response);
      const unmet = conditions.find((condition) => !this.#holds(condition, response));
      if (!unmet) return this.#captured(step, response);
      this.#waitsInVain ||= unmet.inVainAt !== undefined && unmet.inVainAt === response.status;
      if (this.#waitsInVain || this.#server.nowMs() >= deadline) {
        const problem = `still not true after ${timeoutMs} ms: ${JSON.stringify(unmet)}`;
        return { ...this.#captured(step, response), problem };
      }
      this.#server.sleep(conditions[0]?.intervalMs ?? REPEAT_INTERVAL_MS);
    }
  }

  #send(request: RequestStep, isBinary: boolean): RawResponse {
    const answer = this.#server.request(callOf(request));
    return { status: answer.status, headers: answer.headers, ...decodeBody(answer, isBinary) };
  }

  #holds(authored: Condition, response: RawResponse): boolean {
    const { status, pointer, equals } = substitute(authored, this.#variables);
    if (status !== undefined && response.status !== status) return false;
    if (pointer === undefined) return true;
    const values = pointer === '' ? [response.body] : findAll(response.body, pointer).map(({ value }) => value);
    return values.some((value) => isEqualJson(value, equals));
  }

  #captured(step: Step, response: RawResponse): RawResponse {
    const missing: string[] = [];
    for (const [name, source] of Object.entries(step.capture ?? {})) {
      const value = source.startsWith('header:')
        ? response.headers?.find(([header]) => header === source.slice('header:'.length).toLowerCase())?.[1]
        : getAt(response.body, source);
      if (value === undefined) missing.push(`${name} (${source})`);
      this.#variables[name] = value;
    }
    return missing.length === 0 ? response : { ...response, problem: `nothing to capture for ${missing.join(', ')}` };
  }

  #openWatch(authored: WatchOpen): RawResponse {
    const { id, path, query, headers, as } = substitute(authored, this.#variables);
    this.#watches.get(id)?.close();
    const call = callOf({ method: 'GET', path, ...(query && { query }), ...(headers && { headers }), ...(as && { as }) });
    const { answer, stream } = this.#server.stream(call);
    if (!stream) return { status: answer.status, headers: answer.headers, ...decodeBody(answer, false) };
    this.#watches.set(id, new WatchReader(stream, contentTypeOf(answer).includes('protobuf')));
    return { status: answer.status, headers: answer.headers };
  }

  #readWatch(step: Step, read: WatchRead): RawResponse {
    const watch = this.#watches.get(read.id);
    if (!watch) return { events: [], problem: `watch ${read.id} is not open` };
    const filter = step.filterItems && substitute(step.filterItems, this.#variables);
    const timeoutMs = read.timeoutMs ?? (read.quietMs ?? 0) + READ_TIMEOUT_MS;
    const { events, end } = watch.take(this.#server, {
      keep: (event) => {
        if (read.skipTypes?.includes(event.type ?? '')) return false;
        return !filter || event.type === 'BOOKMARK' || event.type === 'ERROR' || matchesFilter(event.object, filter);
      },
      enough: (taken) => isEnough(read, taken),
      quietMs: read.quietMs,
      timeoutMs,
    });
    const problem = unfinishedRead(read, events.length, { end, timeoutMs });
    return { events, ...(end === 'closed' && { closed: true }), ...(problem !== undefined && { problem }) };
  }
}

function isEnough({ events, untilType }: WatchRead, taken: readonly WatchEvent[]): boolean {
  if (events !== undefined && taken.length >= events) return true;
  return untilType !== undefined && taken.at(-1)?.type === untilType;
}

function unfinishedRead(
  read: WatchRead,
  count: number,
  { end, timeoutMs }: { readonly end: ReadEnd; readonly timeoutMs: number },
): string | undefined {
  if (end === 'enough' || end === 'quiet') return undefined;
  if (end === 'closed' && (read.untilClosed || read.quietMs !== undefined)) return undefined;
  const awaited = read.events ?? read.untilType ?? (read.untilClosed ? 'the end' : 'quiet');
  const reason = end === 'closed' ? 'the stream ended' : `time ran out (${timeoutMs} ms)`;
  return `${reason} after ${count} events, waiting for ${awaited}`;
}

/** Why a setup step failed, if it did. An object that is there already does not have to be made. */
function setupProblem(response: RawResponse | undefined): string | undefined {
  if (response?.problem !== undefined) return response.problem;
  if (!response?.status || response.status < 400 || response.status === 409) return undefined;
  return `${response.status} ${JSON.stringify(response.body ?? response.bodyText ?? '')}`;
}

function callOf(request: RequestStep): Call {
  const { method, path, query, headers = {}, as = 'admin', contentType = 'application/json' } = request;
  const body = bodyOf(request);
  const all: Record<string, string | null> = { 'user-agent': USER_AGENT, accept: 'application/json' };
  if (as !== 'anonymous') all['authorization'] = `Bearer ${as}-token`;
  const isTyped = body !== undefined || request.contentType !== undefined;
  if (isTyped && contentType !== '' && (request.bodyBase64 === undefined || request.contentType !== undefined)) {
    all['content-type'] = contentType;
  }
  for (const [name, value] of Object.entries(headers)) all[name.toLowerCase()] = value;
  const sent = Object.fromEntries(Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== null));
  return { method, path: withQuery(path, query), headers: sent, ...(body && { body }) };
}

function bodyOf({ body, bodyText, bodyBase64 }: RequestStep): Uint8Array | undefined {
  if (body !== undefined) return UTF8_ENCODER.encode(JSON.stringify(body));
  if (bodyText !== undefined) return UTF8_ENCODER.encode(bodyText);
  return bodyBase64 === undefined ? undefined : fromBase64(bodyBase64);
}

const contentTypeOf = ({ headers }: Answer): string =>
  headers.find(([name]) => name === 'content-type')?.[1] ?? '';

function decodeBody(answer: Answer, isBinary: boolean): Pick<RawResponse, 'body' | 'bodyText' | 'bodyBytes'> {
  const { bytes } = answer;
  if (bytes.length === 0) return {};
  const contentType = contentTypeOf(answer);
  if (isBinary || contentType.includes('protobuf')) return { bodyBytes: bytes };
  const text = UTF8.decode(bytes);
  if (/\bjson\b/.test(contentType)) {
    try {
      return { body: JSON.parse(text) as unknown };
    } catch {
      // Not what the content type says: the text counts.
    }
  }
  return { bodyText: text };
}

/** A path with parameters appended; an array repeats one. */
function withQuery(path: string, query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((item) => `${encodeURIComponent(name)}=${encodeURIComponent(String(item))}`),
  );
  if (pairs.length === 0) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${pairs.join('&')}`;
}
