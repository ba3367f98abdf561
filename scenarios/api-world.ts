/** A world of one API server: no nodes, no network between the user and the server. */
import {
  bytesOfBody,
  createApiServer,
  engineSurroundings,
  FeatureGates,
  formatRecord,
  MemoryStorage,
  microseconds,
  QueryParameters,
  Simulation,
  type Actor,
  type ApiRequest,
  type ApiResponse,
  type ApiServer,
  type Process,
  type ResponseStream,
  type StoredObject,
  type TraceRecord,
  type UserInfo,
} from '../sim/index.ts';
import type { Choice, Snapshot } from '../reports/run-record.ts';
import { applyFault } from './faults.ts';
import type { ClusterSpec, Fault } from './language/scenario-shape.ts';
import type { Json } from './language/shape.ts';
import type { Answer, MakeWorld, World, WorldOptions, WorldRecord, WorldRequest, WorldWatch } from './world.ts';

export const createApiWorld: MakeWorld = (options) => new ApiWorld(options);

const ADMINISTRATOR: UserInfo = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
/** A request that takes longer has no answer. */
const REQUEST_TIMEOUT_MICROS = 60_000_000;
const NO_ANSWER: Answer = { status: 0, headers: {}, warnings: [], body: { message: 'no answer within 60s' } };

class ApiWorld implements World {
  readonly #simulation: Simulation;
  readonly #storage = new MemoryStorage<StoredObject>();
  readonly #actor: Actor;
  readonly #server: ApiServer;

  constructor({ cluster, seed, replay, keeps = 256, observer }: WorldOptions) {
    this.#simulation = new Simulation({
      seed,
      ...(replay && { replay }),
      trace: {
        keeps,
        ...(observer && { observer: { recorded: (trace) => observer.recorded(trace.digestLane, () => recordOf(trace.last)) } }),
      },
    });
    this.#actor = this.#simulation.actor('apiserver/0');
    this.#server = createApiServer({ ...serverOptions(cluster), surroundings: engineSurroundings(this.#actor.context), storage: this.#storage });
  }

  get now(): number {
    return this.#simulation.now;
  }

  get nowText(): string {
    return new Date(this.#simulation.epochMs + Math.floor(this.now / 1_000)).toISOString();
  }

  request(request: WorldRequest): Answer {
    const response = this.#respond(apiRequest(request, true));
    return response ? answerOf(response) : NO_ANSWER;
  }

  watch(request: WorldRequest): { readonly answer: Answer; readonly watch?: WorldWatch } {
    const response = this.#respond(apiRequest(request, false));
    if (!response) return { answer: NO_ANSWER };
    if (response.body.kind !== 'stream') return { answer: answerOf(response) };
    return { answer: { ...answerOf(response), body: undefined }, watch: new StreamWatch(response.body.stream) };
  }

  #respond(request: ApiRequest): ApiResponse | undefined {
    const server = this.#server;
    let response: ApiResponse | undefined;
    function* handle(): Process<void> {
      response = yield* server.handle(request);
    }
    this.#actor.spawn('request', handle);
    const limit = microseconds(this.now + REQUEST_TIMEOUT_MICROS);
    while (response === undefined && this.#simulation.step(limit));
    return response;
  }

  advance(micros: number): void {
    this.#simulation.runFor(microseconds(micros));
  }

  fault(fault: Fault): void {
    applyFault(fault, { simulation: this.#simulation, lagWatchCache: (ms) => this.#server.setWatchCacheLag(ms) });
  }

  tail(count: number): readonly WorldRecord[] {
    return this.#simulation.trace.records(count).map(recordOf);
  }

  get recordCount(): number {
    return this.#simulation.trace.length;
  }

  get digest(): string {
    return this.#simulation.trace.digest;
  }

  get choices(): readonly Choice[] {
    return this.#simulation.choices.log();
  }

  objects(): Snapshot {
    const { entries } = this.#storage.range({ prefix: '' });
    return Object.fromEntries(entries.map(({ value }) => [nameOf(value), value]));
  }

  close(): void {
    this.#server.close();
  }
}

function serverOptions(cluster: ClusterSpec): Omit<Parameters<typeof createApiServer>[0], 'surroundings' | 'storage'> {
  const { authorizationMode, compactionInterval, watchCacheLag, featureGates, runtimeConfig } = cluster;
  return {
    ...(authorizationMode && { authorizationMode }),
    compactionIntervalMs: (compactionInterval ?? 300_000_000) / 1_000,
    ...(watchCacheLag !== undefined && { watchCacheLagMs: watchCacheLag / 1_000 }),
    ...(featureGates && { featureGates: FeatureGates.parse(assignments(featureGates)) }),
    ...(runtimeConfig && { runtimeConfig: assignments(runtimeConfig) }),
  };
}

const assignments = (flags: Readonly<Record<string, boolean>>): string =>
  Object.entries(flags)
    .map(([name, isOn]) => `${name}=${isOn}`)
    .join(',');

function apiRequest({ method, path, query = {}, headers = {}, body, user }: WorldRequest, wire: boolean): ApiRequest {
  const isSent = body !== undefined;
  return {
    method,
    path,
    query: QueryParameters.of(query),
    headers: { 'user-agent': 'kubesim', ...(isSent && { 'content-type': 'application/json' }), ...lowerCased(headers) },
    ...(isSent && { body: { kind: 'bytes', bytes: new TextEncoder().encode(JSON.stringify(body)) } }),
    user: user === undefined ? ADMINISTRATOR : { name: user, groups: ['system:authenticated'] },
    wire,
  };
}

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function answerOf({ status, headers, body }: ApiResponse): Answer {
  const joined: Record<string, string> = {};
  const warnings: string[] = [];
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    joined[key] = joined[key] === undefined ? value : `${joined[key]}, ${value}`;
    if (key === 'warning') warnings.push(warningText(value));
  }
  return { status, headers: joined, warnings, body: bodyOf(body) };
}

/** `299 - "text"`: the text, unescaped. */
function warningText(header: string): string {
  const quoted = /^[0-9]{3} \S+ "((?:[^"\\]|\\.)*)"/.exec(header);
  return quoted ? (quoted[1] ?? '').replace(/\\(.)/g, '$1') : header;
}

function bodyOf(body: ApiResponse['body']): Json | undefined {
  switch (body.kind) {
    case 'none':
    case 'stream':
      return undefined;
    case 'object':
      return body.object as Json;
    case 'text':
      return parsed(body.text);
    case 'bytes':
      return parsed(new TextDecoder().decode(bytesOfBody(body)));
  }
}

/** Events are JSON through and through; their TypeScript types are just more precise. */
const jsonOf = (event: object): Json => event as Json;

/** JSON where it is JSON; otherwise the text. */
function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

class StreamWatch implements WorldWatch {
  readonly #stream: ResponseStream;
  readonly #events: Json[] = [];
  #isClosed = false;

  constructor(stream: ResponseStream) {
    this.#stream = stream;
    stream.subscribe(() => this.#drain());
    this.#drain();
  }

  get events(): readonly Json[] {
    this.#drain();
    return this.#events;
  }

  get isEnded(): boolean {
    this.#drain();
    return this.#isClosed || this.#stream.ended;
  }

  close(): void {
    this.#isClosed = true;
    this.#stream.close();
  }

  #drain(): void {
    for (let piece = this.#stream.read(); piece !== undefined; piece = this.#stream.read()) {
      if (!(piece instanceof Uint8Array)) this.#events.push(jsonOf(piece));
    }
  }
}

function nameOf({ kind, metadata }: StoredObject): string {
  const { namespace, name } = metadata;
  return `${kind} ${namespace === undefined || namespace === '' ? '' : `${namespace}/`}${name ?? ''}`;
}

function recordOf(record: TraceRecord | undefined): WorldRecord {
  if (!record) return { at: 0, actor: '', kind: '', subject: '', text: '' };
  const { at, actor, kind, subject } = record;
  return { at, actor, kind, subject, text: formatRecord(record) };
}

