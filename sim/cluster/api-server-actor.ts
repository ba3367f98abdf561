/**
 * An API server as an actor of the simulated network: its ports, and what survives its crashes (the storage does,
 * its caches do not). The server's side of `sim/client/protocol.ts`.
 */
import { RELEASE_1_31 } from '../api/release/release-1-31.ts';
import type { Release } from '../api/release/release.ts';
import { internalError, type Status } from '../api/status.ts';
import type { ApiServer } from '../apiserver/api-server.ts';
import { type RequestInfo, requestInfoOf } from '../apiserver/request/request-info.ts';
import {
  type ApiRequest,
  type ApiResponse,
  bytesOfBody,
  QueryParameters,
  type ResponseStream,
} from '../apiserver/request/request.ts';
import {
  API_PORT,
  type ApiAnswer,
  type ApiCall,
  WATCH_PORT,
  type WatchReply,
  type WatchRequest,
} from '../client/protocol.ts';
import { WIRE_PORT } from '../client/wire-port.ts';
import { noteSeveralReleases } from '../apiserver/stores/versioned-storage.ts';
import type { Actor } from '../engine/actor.ts';
import type { Connection } from '../engine/connection.ts';
import type { Context } from '../engine/context.ts';
import { begin, isProcess, type Process } from '../engine/process.ts';
import { type Asker, serveCalls } from '../engine/request-reply.ts';
import type { Simulation } from '../engine/simulation.ts';
import { seconds } from '../engine/time.ts';
import type { Component } from '../apiserver/surroundings.ts';
import { type ControlPlaneOptions, createApiServer } from './control-plane.ts';
import { engineSurroundings, type Turns, type UrlCalls, type YamlReads } from './engine-surroundings.ts';
import type { FaultyServer, ServerSettings, WatchSelection } from './faulty-server.ts';
import { refusalOf, type RequestEffect, type RequestFaults } from './request-faults.ts';
import type { StorageMembers } from './storage-members.ts';
import { WireSession, type WireWorld } from './wire-server.ts';

export interface ApiServerSettings extends Omit<ControlPlaneOptions, 'surroundings'> {
  readonly requestFaults?: RequestFaults;
  readonly members?: StorageMembers;
  /** Ends an actor, from within an event of another one. */
  readonly crash?: (actor: string) => void;
  /** Breaks the connections of two actors, from within an event of one of them. */
  readonly breakOff?: (a: string, b: string) => void;
  /** The way to real URLs; without it there is none. */
  readonly urlCalls?: UrlCalls;
  /** Who reads large YAML beside everything else; without it there is nobody. */
  readonly yamlReads?: YamlReads;
  readonly turns?: Turns;
  /** Where calls of webhooks to services lead instead, by `namespace/name` or `namespace/name:port`. */
  readonly webhookForwards?: ReadonlyMap<string, string>;
}

/** How long a server waits for a storage that does not answer. */
const STORAGE_TIMEOUT = seconds(7);

const HEALTH = { running: 'well', paused: 'silent', crashed: 'absent' } as const;

export class ApiServerActor implements FaultyServer {
  readonly actor: Actor;
  readonly #simulation: Simulation;
  #settings: ApiServerSettings;
  #server: ApiServer | undefined;
  #hasChangedRelease = false;
  readonly #watches = new Set<ServedWatch>();

  /** Serves from the next step of the simulation on. */
  constructor(simulation: Simulation, name: string, settings: ApiServerSettings) {
    this.#simulation = simulation;
    this.#settings = settings;
    this.actor = simulation.actor(name, { start: (context) => this.#serve(context) });
  }

  get name(): string {
    return this.actor.name;
  }

  /** Of its present life; undefined before the first step, and while it is down. */
  get server(): ApiServer | undefined {
    return this.actor.state === 'crashed' ? undefined : this.#server;
  }

  get watchCacheLagMs(): number {
    return this.#settings.watchCacheLagMs ?? 0;
  }

  /** In this life and in later ones. */
  setWatchCacheLag(milliseconds: number): void {
    this.#settings = { ...this.#settings, watchCacheLagMs: milliseconds };
    this.server?.setWatchCacheLag(milliseconds);
  }

  /** Whether it has ever been of another release than it is now. */
  get hasChangedRelease(): boolean {
    return this.#hasChangedRelease;
  }

  /** Of its next life. */
  get release(): Release {
    return this.#settings.release ?? RELEASE_1_31;
  }

  /** @throws FeatureGateError where the gates that it has mean nothing in the release */
  reconfigure(settings: ServerSettings): void {
    const { featureGates } = this.#settings;
    const gates = settings.release && featureGates?.under(settings.release.gates);
    this.#settings = { ...this.#settings, ...(gates && { featureGates: gates }), ...settings };
    if (!settings.release) return;
    noteSeveralReleases(this.#settings.storage);
    this.#hasChangedRelease = true;
  }

  endWatches({ actor, resource, expired = false }: WatchSelection): void {
    for (const watch of [...this.#watches])
      if (
        (actor === undefined || watch.remote === actor) &&
        (resource === undefined || watch.resource === resource)
      )
        watch.end(expired);
  }

  *#serve(context: Context): Process<void> {
    // The caches of the life before are gone with it; only the storage they were told by still knows them.
    this.#server?.close();
    this.#watches.clear();
    const { urlCalls, yamlReads, turns, webhookForwards, members } = this.#settings;
    const hasActor = (name: string): boolean => this.#simulation.findActor(name) !== undefined;
    const server = createApiServer({
      ...this.#settings,
      ...(members && { cacheSource: members.sourceOf(this.name) }),
      surroundings: engineSurroundings(context, {
        urlCalls,
        yamlReads,
        turns,
        webhookForwards,
        hasActor,
        healthOf: (component) => this.#healthOf(component),
      }),
    });
    this.#server = server;
    const { requestFaults } = this.#settings;
    serveCalls(context, API_PORT, (call, asker) => {
      const effect = requestFaults?.strike(call, asker.remote, this.name);
      if (effect) return this.#struck(context, call, asker, effect);
      return this.#answer(context, server, call, asker.remote);
    });
    context.listen(WATCH_PORT, (connection) => this.#serveWatch(context, server, connection));
    context.listen(WIRE_PORT, (connection) =>
      new WireSession(context, connection, this.#wireWorld(server, connection.remote)).serve(),
    );
  }

  /** Of the one on the same machine: they are numbered alike, and where there are fewer, the first is everybody's. */
  #healthOf(component: Component): 'well' | 'silent' | 'absent' {
    const [, number = '0'] = this.name.split('/');
    const found = [number, '0'].map((each) => this.#simulation.findActor(`${component}/${each}`));
    const state = found.find((actor) => actor !== undefined)?.state ?? 'crashed';
    return HEALTH[state];
  }

  #wireWorld(server: ApiServer, remote: string): WireWorld {
    const { requestFaults } = this.#settings;
    return {
      server,
      strike: (info, by) => requestFaults?.strikeOne(info, { ...by, actor: remote, server: this.name }),
      suffer: (effect) => this.#suffer(effect, remote),
      trouble: (request) => this.troubleWith(request),
      watches: ({ resource }, end) => {
        const served = {
          remote,
          resource,
          end: (isExpired: boolean) => end(isExpired ? EXPIRED_BYTES : undefined),
        };
        this.#watches.add(served);
        return () => void this.#watches.delete(served);
      },
    };
  }

  /** What a request is answered while the storage that it needs is in trouble; undefined: it is not. */
  troubleWith(request: ApiRequest): Process<Status> | undefined {
    const { members } = this.#settings;
    if (!members || !requestInfoOf(request).isResourceRequest) return undefined;
    const needs = request.method !== 'GET' || !request.query.first('resourceVersion');
    const trouble = needs ? members.troubleOf(this.name) : undefined;
    return trouble === undefined ? undefined : lateRefusal(this.actor.context, trouble);
  }

  #answer(context: Context, server: ApiServer, call: ApiCall, peer: string): ApiAnswer | Process<ApiAnswer> {
    const { members } = this.#settings;
    const trouble = members && needsStorage(call) ? members.troubleOf(this.name) : undefined;
    if (trouble !== undefined) return withoutStorage(context, call, trouble);
    return answerCall(context, server, call, peer);
  }

  #struck(
    context: Context,
    call: ApiCall,
    asker: Asker,
    effect: RequestEffect,
  ): ApiAnswer | Process<ApiAnswer> {
    if (effect.kind === 'fail') return refuse(context, call, effect.answer);
    const { server } = this;
    const isDone = effect.kind === 'lose' || effect.when === 'after';
    const answer = isDone && server ? this.#answer(context, server, call, asker.remote) : undefined;
    return this.#unanswered(context, { call, asker, effect }, answer);
  }

  /** Does what is to be done, and says nothing. */
  *#unanswered(
    context: Context,
    {
      call,
      asker,
      effect,
    }: { readonly call: ApiCall; readonly asker: Asker; readonly effect: RequestEffect },
    answer: ApiAnswer | Process<ApiAnswer> | undefined,
  ): Process<ApiAnswer> {
    const withheld = isProcess(answer) ? yield* answer : answer;
    context.trace('unanswered', call.path, {
      method: call.method,
      by: call.user.name,
      done: answer !== undefined,
    });
    if (withheld) asker.withhold({ body: withheld, to: call });
    this.#suffer(effect, asker.remote);
    return yield* context.deferred<ApiAnswer>().wait();
  }

  #suffer(effect: RequestEffect, peer: string): void {
    if (effect.kind === 'crash') this.#settings.crash?.(effect.victim ?? peer);
    if (effect.kind === 'lose' && effect.resets) this.#settings.breakOff?.(this.name, peer);
  }

  *#serveWatch(
    context: Context,
    server: ApiServer,
    connection: Connection<WatchRequest, WatchReply>,
  ): Process<void> {
    const first = yield* connection.receive();
    if (first?.kind !== 'open') return;
    const { call } = first;
    const effect = this.#settings.requestFaults?.strike(call, connection.remote, this.name);
    if (effect?.kind === 'fail') {
      connection.send({ kind: 'refused', answer: refuse(context, call, effect.answer) });
      return;
    }
    if (effect?.kind === 'crash') {
      this.#settings.crash?.(effect.victim ?? connection.remote);
      return;
    }
    if (effect) return;
    const request = requestOf(call, connection.remote);
    const response = yield* server.handle(request);
    if (response.body.kind !== 'stream') {
      connection.send({ kind: 'refused', answer: answerOf(response, call) });
      return;
    }
    connection.send({ kind: 'opened', warnings: warningsOf(response.headers) });
    const { stream } = response.body;
    const pump = context.spawn('watch', sendEvents(context, { stream, connection, of: call.path }));
    const end = (isExpired: boolean): void => {
      pump.cancel();
      if (isExpired) connection.send({ kind: 'event', event: EXPIRED, of: call.path });
      connection.close();
    };
    const { resource } = requestInfoOf(request);
    const served: ServedWatch = { remote: connection.remote, resource, end };
    this.#watches.add(served);
    try {
      yield* answerPings(connection);
    } finally {
      this.#watches.delete(served);
      pump.cancel();
      stream.close();
    }
  }
}

interface ServedWatch {
  readonly remote: string;
  readonly resource: string;
  readonly end: (isExpired: boolean) => void;
}

const EXPIRED = {
  type: 'ERROR',
  object: refusalOf({ status: 410 }),
} as const;
const EXPIRED_BYTES = new TextEncoder().encode(`${JSON.stringify(EXPIRED)}\n`);

const infoOf = (call: ApiCall): RequestInfo =>
  requestInfoOf({ ...call, query: QueryParameters.of(call.query) });

/** Writes, and reads of what is surely the latest. */
function needsStorage(call: ApiCall): boolean {
  const { isResourceRequest } = infoOf(call);
  if (call.method !== 'GET') return isResourceRequest;
  return isResourceRequest && (call.query['resourceVersion'] ?? '') === '';
}

/** A leader that is being chosen is told at once; a storage that does not answer is waited for. */
function withoutStorage(context: Context, call: ApiCall, trouble: string): ApiAnswer | Process<ApiAnswer> {
  const answer = refuse(context, call, internalError(trouble).status);
  return trouble.endsWith('timed out') ? late(context, answer) : answer;
}

function* lateRefusal(context: Context, trouble: string): Process<Status> {
  if (trouble.endsWith('timed out')) yield* context.sleep(STORAGE_TIMEOUT);
  return internalError(trouble).status;
}

function* late(context: Context, answer: ApiAnswer): Process<ApiAnswer> {
  yield* context.sleep(STORAGE_TIMEOUT);
  return answer;
}

/** Without a word to the server: a fault. */
function refuse(context: Context, call: ApiCall, refusal: Status): ApiAnswer {
  context.trace(call.method, call.path, { by: call.user.name, refused: refusal.code });
  const seconds = refusal.details?.retryAfterSeconds;
  const headers: ApiAnswer['headers'] = seconds === undefined ? [] : [['retry-after', String(seconds)]];
  return { status: refusal.code, warnings: NO_WARNINGS, ...(call.headers && { headers }), body: refusal };
}

/** The answer itself where the server needs no time for it. */
function answerCall(
  context: Context,
  server: ApiServer,
  call: ApiCall,
  peer: string,
): ApiAnswer | Process<ApiAnswer> {
  const request = requestOf(call, peer);
  const repeated = server.repeat(request);
  if (repeated) return answered(context, call, repeated);
  const handling = begin(server.handle(request));
  return handling.isOver
    ? answered(context, call, handling.value)
    : answerLater(context, call, handling.rest);
}

function* answerLater(context: Context, call: ApiCall, response: Process<ApiResponse>): Process<ApiAnswer> {
  return answered(context, call, yield* response);
}

function answered(context: Context, call: ApiCall, response: ApiResponse): ApiAnswer {
  const answer = answerOf(response, call);
  // What is written belongs to the history of a run, so that runs that differ in it have different digests.
  const { method, path, user, body } = call;
  const { status } = answer;
  const facts = body === undefined ? { by: user.name, status } : { by: user.name, status, body };
  // Whoever writes an object back sends the managed fields that the server has made of earlier writes.
  context.trace(method, path, facts, 'managedFields');
  return answer;
}

function requestOf(
  { method, path, query, contentType, accept, headers: further, body, user, userAgent }: ApiCall,
  peer: string,
): ApiRequest {
  return {
    method,
    path,
    query: QueryParameters.of(query),
    headers:
      accept === undefined ? headersOf(userAgent, contentType, further) : { 'user-agent': userAgent, accept },
    user,
    wire: further !== undefined && query['watch'] === undefined,
    remoteAddress: peer,
    ...(body !== undefined && { body: { kind: 'object', object: body } }),
  };
}

/** Apart, so that the headers of most calls have one shape. */
function headersOf(
  userAgent: string,
  contentType: string | undefined,
  further: ApiCall['headers'],
): Readonly<Record<string, string>> {
  if (further)
    return {
      'user-agent': userAgent,
      ...further,
      ...(contentType !== undefined && { 'content-type': contentType }),
    };
  return contentType === undefined
    ? { 'user-agent': userAgent }
    : { 'user-agent': userAgent, 'content-type': contentType };
}

function answerOf({ status, headers, body }: ApiResponse, call: ApiCall): ApiAnswer {
  const answer = { status, warnings: warningsOf(headers), body: valueOf(body) };
  return call.headers ? { ...answer, headers } : answer;
}

function valueOf(body: ApiResponse['body']): unknown {
  switch (body.kind) {
    case 'object':
      return body.object;
    case 'text':
      return body.text;
    case 'bytes':
      return new TextDecoder().decode(bytesOfBody(body));
    default:
      return undefined;
  }
}

const NO_WARNINGS: readonly string[] = [];

function warningsOf(headers: ApiResponse['headers']): readonly string[] {
  if (headers.length === 0) return NO_WARNINGS;
  return headers.filter(([name]) => name === 'warning').map(([, value]) => unquoted(value));
}

/** `299 - "text"` → text. */
const unquoted = (header: string): string =>
  /^\d+ \S+ "(.*)"$/s.exec(header)?.[1]?.replaceAll(/\\(.)/gs, '$1') ?? header;

interface Pumped {
  readonly stream: ResponseStream;
  readonly connection: Connection<WatchRequest, WatchReply>;
  /** Path of what is watched. */
  readonly of: string;
}

/** Sends what there is, closes at the end, and is woken for more. */
function* sendEvents(context: Context, { stream, connection, of }: Pumped): Process<void> {
  const ready = context.signal();
  stream.subscribe(() => ready.fire());
  for (;;) {
    for (let piece = stream.read(); piece !== undefined; piece = stream.read()) {
      if ('type' in piece)
        connection.send({
          kind: 'event',
          event: piece as Extract<WatchReply, { kind: 'event' }>['event'],
          of,
        });
    }
    if (stream.ended) {
      connection.close();
      return;
    }
    yield* ready.wait();
  }
}

function* answerPings(connection: Connection<WatchRequest, WatchReply>): Process<void> {
  for (;;) {
    const request = yield* connection.receive();
    if (!request) return;
    if (request.kind === 'ping') connection.send({ kind: 'pong' });
  }
}
