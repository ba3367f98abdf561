/**
 * One simulated cluster as a port serves it: API servers, and as many nodes and controllers as were asked for. A reset makes a new one with the same settings; whoever serves requests always asks for the present one.
 */
import { defectError, type Status } from '../api/status.ts';
import type { ApiServer } from '../apiserver/api-server.ts';
import { requestInfoOf } from '../apiserver/request/request-info.ts';
import type { ServerAccess } from '../apiserver/configuration/server-access.ts';
import type { ReloadedPart } from '../apiserver/metrics/reload-metrics.ts';
import type { ApiRequest, ApiResponse } from '../apiserver/request/request.ts';
import type { StoredObject } from '../apiserver/stores/stored-object.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { RequestEffect } from '../cluster/request-faults.ts';
import type { ApiServerActor } from '../cluster/api-server-actor.ts';
import { type AssemblyOptions, assembleCluster } from '../cluster/create-cluster.ts';
import { invariant } from '../engine/invariant.ts';
import type { Process } from '../engine/process.ts';
import { milliseconds } from '../engine/time.ts';
import { Simulation } from '../engine/simulation.ts';
import type { Storage } from '../storage/storage.ts';
import type { AccessFiles } from './access-files.ts';
import { ClientLedger, type ClientName } from './control/client-ledger.ts';
import type { MachineFaults } from './control/machine-faults.ts';
import type { ControlledRequestFault } from './control/request-faults.ts';
import {
  NO_SERVER_FAULTS,
  ServerConnections,
  serverFor,
  type ServerFaults,
} from './control/server-faults.ts';
import { WatchRules } from './control/watch-rules.ts';
import { WatchedStream } from './control/watched-stream.ts';
import { RealTimeDriver, type Speed } from './real-time-driver.ts';
import { realUrlCalls } from './url-calls.ts';
import type { ProxyCertificate } from './url-dial.ts';
import type { YamlReader } from './yaml-reader.ts';

export interface WorldOptions extends Omit<AssemblyOptions, 'storage'> {
  readonly seed: number;
  /** Milliseconds since 1970 at which it begins; default: now. */
  readonly epochMs?: number;
  /** As the driver takes it. */
  readonly speed: Speed;
  /** What aggregated servers outside know this one by. */
  readonly proxyCertificate?: ProxyCertificate;
  /** Reads large YAML off the main thread. */
  readonly yamlReader?: YamlReader;
  /** Files that say who comes in and who decides; see `AccessFiles`. */
  readonly access?: AccessFiles;
  /** Hears of defects of the simulator; the request gets a 500, and the world goes on. */
  readonly onDefect: (error: unknown) => void;
}

/** The log says what it was: it is nobody else's business. */
const DEFECT: ApiResponse = {
  status: 500,
  headers: [['content-type', 'application/json']],
  body: { kind: 'object', object: defectError().status },
};

export class World {
  readonly simulation: Simulation;
  readonly driver: RealTimeDriver;
  readonly storage: Storage<StoredObject>;
  readonly cluster: Cluster;
  readonly onDefect: (error: unknown) => void;
  readonly #endAccess: (() => void) | undefined;
  /** Actors that are cut off from everybody else at present. */
  partitioned: ReadonlySet<string> = new Set();
  /** What is wrong with machines at present, by the name of the node. */
  machineFaults: ReadonlyMap<string, MachineFaults> = new Map();
  /** Which requests come to grief at present. */
  requestFaults: readonly ControlledRequestFault[] = [];
  /** Which clients other servers than the first answer at present, and how late servers are. */
  serverFaults: ServerFaults = NO_SERVER_FAULTS;
  /** Of clients to the servers that answer them. */
  readonly connections = new ServerConnections();
  /** What clients hear of their watches at present. */
  readonly watchRules = new WatchRules();
  /** What each client has asked and was told. */
  readonly clients = new ClientLedger();

  constructor(
    { seed, speed, yamlReader, proxyCertificate, epochMs = Date.now(), ...options }: WorldOptions,
    storage: Storage<StoredObject>,
  ) {
    this.simulation = new Simulation({ seed, epochMs, isGuarded: false });
    let isStarting = true;
    const early: unknown[] = [];
    const onDefect = (error: unknown): void => {
      if (isStarting) early.push(error);
      else options.onDefect(error);
    };
    this.driver = new RealTimeDriver(this.simulation, { speed, onDefect });
    this.storage = storage;
    this.onDefect = options.onDefect;
    this.cluster = assembleCluster(this.simulation, {
      identity: 'apiserver-0',
      controllers: [],
      scheduler: false,
      urlCalls: realUrlCalls((work) => this.#inject(work), proxyCertificate),
      turns: (deliver) => {
        const turn = setImmediate(() => this.#inject(deliver));
        return () => clearImmediate(turn);
      },
      ...(yamlReader && {
        yamlReads: (text, deliver) => yamlReader.read(text, (read) => this.#inject(() => deliver(read))),
      }),
      ...options,
      storage,
    });
    this.cluster.driveBy('the control path');
    // The server begins with the first steps: nobody is served before all of them, however long they take.
    this.driver.advance(milliseconds(0));
    isStarting = false;
    this.#endAccess = options.access?.onChange((part, isValid, done) =>
      this.#inject(() => this.#changeAccess(part, isValid, done)),
    );
    // A world that could not begin, as on a disk that takes nothing, is none.
    if (early.length > 0) throw early[0];
  }

  /** Of what comes back from outside: nobody is there to hear what goes wrong with it. */
  #inject(work: () => void): void {
    try {
      this.driver.act(work);
    } catch (error) {
      this.onDefect(error);
    }
  }

  /** The first, which never crashes: it answers everybody for whom there is no route. */
  get server(): ApiServer {
    const server = this.cluster.apiServers[0]?.server;
    invariant(server !== undefined, 'a served world has an API server');
    return server;
  }

  /** Calls back once in any case: a defect is an answer too. */
  handle(request: ApiRequest, respond: (response: ApiResponse) => void, breakOff?: () => void): void {
    const { onDefect, driver } = this;
    driver.stir();
    const told = respond;
    const client = this.#clientOf(request);
    const asked = this.#askedBy(client, request);
    const answering = this.#answering(client);
    const hangUp = (): void => {
      asked(undefined);
      breakOff?.();
    };
    const connection = this.connections.open(answering, hangUp, breakOff);
    respond = (response): void => {
      driver.stir();
      asked(response.status);
      told(this.#watched(client, request, connection.answered(response)));
    };
    const refuse = (error: unknown): void => {
      onDefect(error);
      respond(DEFECT);
    };
    try {
      driver.act(() => {
        const effect = this.#effectOn(request, answering?.name);
        if (effect?.kind === 'fail') return respond(refused(effect.answer));
        if (effect?.kind === 'crash' && effect.victim !== undefined) this.crash(effect.victim);
        const server = answering?.server;
        if (!server || (effect?.kind === 'crash' && effect.when === 'before')) {
          connection.close();
          return hangUp();
        }
        if (effect) {
          respond = (): void => {
            connection.close();
            hangUp();
          };
        }
        answering.actor.spawn('request', () => serveOne(answering, server, request, { respond, refuse }));
      });
    } catch (error) {
      refuse(error);
    }
  }

  /** Within an event. Whoever is talking to it hears that the connection is gone. */
  crash(actor: string): void {
    this.cluster.faults.crash(actor);
    this.connections.breakAll(actor);
  }

  #answering(client: ClientName): ApiServerActor | undefined {
    const { apiServers } = this.cluster;
    const name = serverFor(this.serverFaults, client);
    return name === undefined ? apiServers[0] : apiServers.find((each) => each.name === name);
  }

  /** Requests from outside have no actor of their own. */
  #effectOn(request: ApiRequest, server = ''): RequestEffect | undefined {
    const { requestFaults } = this.cluster;
    if (this.requestFaults.length === 0) return undefined;
    const by = { ...this.#clientOf(request), actor: OUTSIDE, server };
    return requestFaults.strikeOne(requestInfoOf(request), by);
  }

  #clientOf({ user, headers }: ApiRequest): ClientName {
    const token = /^bearer +(\S+)$/i.exec(headers['authorization'] ?? '')?.[1];
    const known = user ?? (token === undefined ? undefined : this.server.userOfToken(token));
    return { user: known?.name ?? 'system:anonymous', userAgent: headers['user-agent'] ?? '' };
  }

  /** Notes a request with what it comes to first: whoever is cut off while it is answered has asked once. */
  #askedBy(
    client: ClientName,
    { method, path, query, body, headers }: ApiRequest,
  ): (status: number | undefined) => void {
    const atMicros = this.simulation.now;
    const text = query.toString();
    const contentType = headers['content-type'];
    let isNoted = false;
    return (status) => {
      if (isNoted) return;
      isNoted = true;
      this.clients.note(client, {
        kind: 'request',
        atMicros,
        method,
        path: text === '' ? path : `${path}?${text}`,
        ...(status !== undefined && { status }),
        ...(body?.kind === 'bytes' && isText(body.bytes) && { body: UTF8.decode(body.bytes) }),
        ...(contentType !== undefined && { contentType }),
      });
    };
  }

  /** Events of watches are noted, and subject to the rules that there are. */
  #watched(client: ClientName, request: ApiRequest, response: ApiResponse): ApiResponse {
    const { body } = response;
    const { verb, resource } = requestInfoOf(request);
    if (body.kind !== 'stream' || verb !== 'watch') return response;
    const { simulation, clients } = this;
    const stream = new WatchedStream(body.stream, {
      client,
      resource,
      rules: this.watchRules,
      nowMs: () => simulation.now / 1_000,
      heard: (bytes) =>
        clients.note(client, { kind: 'events', atMicros: simulation.now, of: request.path, bytes }),
      after: (ms, ring) => void this.cluster.user.context.alarm(milliseconds(ms), ring),
    });
    return { ...response, body: { kind: 'stream', stream } };
  }

  #changeAccess(part: ReloadedPart, isValid: boolean, done: (isDone: boolean) => void): void {
    for (const { server, actor } of this.cluster.apiServers) {
      const access = server?.access;
      if (!access) continue;
      if (!isValid) access.noteReload(part, false);
      else actor.spawn('change of access', () => changed(access, part, done));
    }
  }

  /** Ends all watches and stops the clock. */
  end(): void {
    this.#endAccess?.();
    this.endWatches();
    this.driver.stop();
  }

  endWatches(): void {
    this.driver.act(() => {
      for (const { server } of this.cluster.apiServers) server?.close();
    });
  }
}

function* changed(access: ServerAccess, part: ReloadedPart, done: (isDone: boolean) => void): Process<void> {
  done(yield* access.change(part));
}

const UTF8 = new TextDecoder();
/** Bodies beyond this are not kept. */
const MOST_KEPT_BYTES = 64 * 1024;

/** JSON and YAML: protobuf begins with a byte that no text has. */
const isText = (bytes: Uint8Array): boolean =>
  bytes.length <= MOST_KEPT_BYTES && !bytes.subarray(0, 4).includes(0);

/** Whoever asks through the port. */
const OUTSIDE = 'outside';

function refused(answer: Status): ApiResponse {
  const { retryAfterSeconds } = answer.details ?? {};
  return {
    status: answer.code,
    headers: [
      ['content-type', 'application/json'],
      ...(retryAfterSeconds === undefined ? [] : [['retry-after', String(retryAfterSeconds)] as const]),
    ],
    body: { kind: 'object', object: answer },
  };
}

interface Callbacks {
  readonly respond: (response: ApiResponse) => void;
  readonly refuse: (error: unknown) => void;
}

function* serveOne(
  actor: ApiServerActor,
  server: ApiServer,
  request: ApiRequest,
  { respond, refuse }: Callbacks,
): Process<void> {
  try {
    const trouble = actor.troubleWith(request);
    if (trouble) {
      respond(refused(yield* trouble));
      return;
    }
    respond(yield* server.handle(request));
  } catch (error) {
    refuse(error);
  }
}
