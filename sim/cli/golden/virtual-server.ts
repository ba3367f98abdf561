/**
 * An API server on a virtual clock, alone or with the controllers, behind the interface that replays of
 * recorded answers need: no socket, no real time. A call runs the simulation until it is answered.
 */
import type { Release } from '../../api/release/release.ts';
import { RELEASE_1_31 } from '../../api/release/release-1-31.ts';
import type {
  Answer,
  ByteStream,
  Call,
  ServerUnderTest,
} from '../../../model/golden/replay/server-under-test.ts';
import type { Auditor } from '../../apiserver/audit/auditor.ts';
import { StaticTokens } from '../../apiserver/authentication/static-tokens.ts';
import { FeatureGates } from '../../apiserver/feature-gates.ts';
import {
  type ApiRequest,
  type ApiResponse,
  QueryParameters,
  type ResponseStream,
} from '../../apiserver/request/request.ts';
import type { StoredObject } from '../../apiserver/stores/stored-object.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { assembleCluster, EVERY_CONTROLLER } from '../../cluster/create-cluster.ts';
import { invariant } from '../../engine/invariant.ts';
import type { Process } from '../../engine/process.ts';
import { Simulation } from '../../engine/simulation.ts';
import { type Micros, microseconds, milliseconds, seconds } from '../../engine/time.ts';
import { responsePieces } from '../../host/response-pieces.ts';
import { MemoryStorage } from '../../storage/memory-storage.ts';

export interface VirtualServerOptions {
  /** Default: 1.31. */
  readonly release?: Release | undefined;
  /** As the command line takes them. */
  readonly featureGates?: string;
  readonly runtimeConfig?: string;
  readonly compactionIntervalMs?: number;
  /** Default: the API server is alone. */
  readonly hasControllers?: boolean;
  readonly auditor?: Auditor;
  /** Whether `/metrics` counts requests. */
  readonly metersRequests?: boolean;
  /** Hears of defects, which are then answered; without it they are thrown. */
  readonly onDefect?: (error: unknown) => void;
}

/** The users that the cases speak as. */
const TOKENS = [
  'admin-token,admin,admin-uid,"system:masters"',
  'alice-token,alice,alice-uid,"devs"',
  'bob-token,bob,bob-uid\n',
].join('\n');
/** So long a real client takes from call to call: controllers hear meanwhile of what it did. */
const CLIENT_PAUSE: Micros = milliseconds(5);
const PATIENCE: Micros = seconds(90);
const ADDRESS = '127.0.0.1:6443';
const CHUNKED = ['transfer-encoding', 'chunked'] as const;
const COMPRESSION_THRESHOLD = 128 * 1024;

export class VirtualServer implements ServerUnderTest {
  readonly baseUrl = `http://${ADDRESS}`;
  readonly #simulation = new Simulation({ seed: 1, isGuarded: false, isRecording: false });
  readonly #cluster: Cluster;
  readonly #hasControllers: boolean;

  constructor(options: VirtualServerOptions = {}) {
    const {
      release = RELEASE_1_31,
      featureGates = '',
      runtimeConfig,
      compactionIntervalMs,
      hasControllers = false,
      auditor,
      metersRequests = false,
      onDefect,
    } = options;
    this.#hasControllers = hasControllers;
    this.#cluster = assembleCluster(this.#simulation, {
      storage: new MemoryStorage<StoredObject>(),
      release,
      featureGates: FeatureGates.parse(release.gates, featureGates),
      ...(runtimeConfig !== undefined && { runtimeConfig }),
      ...(compactionIntervalMs !== undefined && { compactionIntervalMs }),
      controllers: hasControllers ? EVERY_CONTROLLER : [],
      scheduler: hasControllers,
      identity: 'apiserver-0',
      ...(onDefect && { onDefect }),
      ...(auditor && { auditor }),
      metersRequests,
      authorizationMode: 'RBAC',
      tokenAuthenticators: [StaticTokens.parse(TOKENS)],
    });
    this.#simulation.runUntil(this.#simulation.now);
  }

  nowMs(): number {
    return this.#simulation.now / 1_000;
  }

  sleep(ms: number): void {
    this.#simulation.runFor(milliseconds(ms));
  }

  request(call: Call): Answer {
    const { answer, stream } = this.stream(call);
    if (!stream) return answer;
    // Whoever reads a watch like any other answer waits for its end.
    const pieces: Uint8Array[] = [];
    for (
      const until = this.#simulation.now + PATIENCE;
      !stream.isEnded && this.#simulation.now < until;
      this.sleep(100)
    ) {
      for (let piece = stream.read(); piece; piece = stream.read()) pieces.push(piece);
    }
    return { ...answer, bytes: new Uint8Array(pieces.flatMap((piece) => [...piece])) };
  }

  stream(call: Call): { readonly answer: Answer; readonly stream?: ByteStream } {
    const { status, headers, body } = this.#handle(requestOf(call));
    if (body.kind === 'stream') {
      const answer = { status, headers: [...headers, CHUNKED], bytes: new Uint8Array() };
      return { answer, stream: byteStream(body.stream) };
    }
    const bytes =
      call.method === 'HEAD' || status === 304 ? new Uint8Array() : Buffer.concat(responsePieces(body));
    return { answer: { status, headers: [...headers, ...transportHeaders(call, bytes)], bytes } };
  }

  /** What is due at this instant comes first: most answers need no time, and then none may go by. */
  #handle(request: ApiRequest): ApiResponse {
    const limit = microseconds(this.#simulation.now + PATIENCE);
    const [apiServer] = this.#cluster.apiServers;
    invariant(apiServer?.server !== undefined, 'the API server serves');
    const { actor, server } = apiServer;
    let response: ApiResponse | undefined;
    actor.spawn('request', function* (): Process<void> {
      response = yield* server.handle(request);
    });
    if (this.#hasControllers) this.#simulation.runFor(CLIENT_PAUSE);
    this.#simulation.runUntil(this.#simulation.now);
    while (!response && this.#simulation.step(limit));
    if (!response) throw new Error('no answer within a minute and a half');
    return response;
  }
}

/** What the port adds; the client of a case sees a large answer unpacked. */
function transportHeaders(
  { method, headers }: Call,
  bytes: Uint8Array,
): readonly (readonly [string, string])[] {
  const isPacked = bytes.length >= COMPRESSION_THRESHOLD && headers['accept-encoding']?.includes('gzip');
  if (!isPacked) return method === 'HEAD' ? [] : [['content-length', String(bytes.length)]];
  return [['content-encoding', 'gzip'], ...(method === 'GET' ? [['vary', 'Accept-Encoding'] as const] : [])];
}

function requestOf({ method, path, headers, body }: Call): ApiRequest {
  const mark = path.indexOf('?');
  return {
    method,
    path: mark < 0 ? path : path.slice(0, mark),
    query: QueryParameters.parse(mark < 0 ? '' : path.slice(mark + 1)),
    headers: { host: ADDRESS, ...headers },
    ...(body && body.length > 0 && { body: { kind: 'bytes', bytes: body } }),
    wire: true,
    remoteAddress: '127.0.0.1',
  };
}

/** Reads as a client does: what arrives is taken at once, so that it is there when the server ends the stream. */
function byteStream(stream: ResponseStream): ByteStream {
  const arrived: Uint8Array[] = [];
  let isClosed = false;
  const drain = (): void => {
    for (let piece = stream.read(); piece !== undefined; piece = stream.read()) {
      arrived.push(piece instanceof Uint8Array ? piece : Buffer.from(`${JSON.stringify(piece)}\n`));
    }
  };
  stream.subscribe(drain);
  drain();
  return {
    read: () => arrived.shift(),
    get isEnded() {
      return isClosed || (arrived.length === 0 && stream.ended);
    },
    close() {
      isClosed = true;
      stream.close();
    },
  };
}
