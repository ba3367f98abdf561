/** The API server's surroundings, out of the context of the actor that it runs as. */
import {
  type HttpEndpoint,
  type HttpHeaders,
  type HttpOutcome,
  type OutgoingCall,
  receivedCall,
} from '../api/http-call.ts';
import { HttpCallers } from '../client/http-port.ts';
import { openHttpStream } from '../client/http-stream-port.ts';
import type { Context } from '../engine/context.ts';
import { milliseconds } from '../engine/time.ts';
import type { Process } from '../engine/process.ts';
import type {
  AnswerStream,
  ApiServerSurroundings,
  NodeOutcome,
  NodeRequest,
  PodRequest,
  NodeStream,
  TunnelOutcome,
} from '../apiserver/surroundings.ts';
import type { ReadYaml } from '../apiserver/request/read-yaml.ts';
import { Caller, type CallPort } from '../engine/request-reply.ts';
import { agentActorOf, AGENT_PORT } from '../node/endpoint/agent-port.ts';
import { POD_PORT } from '../node/endpoint/pod-port.ts';
import { openAgentStream } from './agent-connection.ts';

/** Clients say how long some things are to take: none takes longer than 30 years. */
const LONGEST_MS = 30 * 365 * 86_400_000;

/** Who the API server is for the agents. */
const AGENT_CLIENT = { name: 'kube-apiserver-kubelet-client', groups: ['system:masters'] };

/**
 * A call to a real URL. `deliver` is called once, as an event from outside, unless the call was cancelled by the result
 * before. The timeout is one of real time, as is whoever is called.
 */
export type UrlCall<Outcome = HttpOutcome> = (
  endpoint: Extract<HttpEndpoint, { kind: 'url' }>,
  call: OutgoingCall,
  timeoutMs: number,
  deliver: (outcome: Outcome) => void,
) => () => void;

/** An answer that has begun. Each piece is asked for, so that nobody is sent more than is taken. */
export interface OpenedUrl {
  readonly kind: 'opened';
  readonly status: number;
  readonly headers: HttpHeaders;
  /** As `AnswerStream` has it; called anew only when it was told. */
  next(deliver: (piece: Uint8Array | 'broken' | undefined) => void): void;
  close(): void;
}

/** The ways to real URLs, where there are any. */
export interface UrlCalls {
  readonly call: UrlCall;
  /** Of somebody who may answer bit by bit; follows no redirects. */
  readonly open: UrlCall<OpenedUrl | HttpOutcome>;
  /** Of somebody who is to change the protocol. */
  readonly tunnel: UrlCall<TunnelOutcome>;
}

/** Where YAML is read beside the simulation; as with `UrlCalls`, `deliver` is called once, as an event from outside. */
export type YamlReads = (text: string, deliver: (read: ReadYaml) => void) => () => void;

/** Whoever waits outside has a turn; as with `UrlCalls`, `deliver` is called once afterwards, as an event from outside. */
export type Turns = (deliver: () => void) => () => void;

export interface WaysOut {
  readonly turns?: Turns | undefined;
  readonly urlCalls?: UrlCalls | undefined;
  readonly yamlReads?: YamlReads | undefined;
  /** Whether there is an actor of a name. */
  readonly hasActor?: (name: string) => boolean;
  readonly healthOf?: NonNullable<ApiServerSurroundings['healthOf']>;
  /** Where calls to services lead instead, by `namespace/name` or `namespace/name:port`. */
  readonly webhookForwards?: ReadonlyMap<string, string> | undefined;
}

export function engineSurroundings(
  context: Context,
  { urlCalls, yamlReads, turns, hasActor, healthOf, webhookForwards }: WaysOut = {},
): ApiServerSurroundings {
  const values = context.site('values');
  const agents = new NodeCallers(context, AGENT_PORT);
  const pods = new NodeCallers(context, POD_PORT);
  const endpointChoice = context.site('endpoint of a service');
  const callers = new HttpCallers(context);
  return {
    ...(healthOf && { healthOf }),
    reachesUrls: urlCalls !== undefined,
    actorOf: (host) => (hasActor ? namesOf(host).find(hasActor) : undefined),
    forwardOf: ({ namespace, name, port }) =>
      webhookForwards?.get(`${namespace}/${name}:${port}`) ?? webhookForwards?.get(`${namespace}/${name}`),
    ...(turns && { giveWay: () => outside(context, turns) }),
    ...(yamlReads && {
      readYaml: (text: string) =>
        outside(context, (deliver: (read: ReadYaml) => void) => yamlReads(text, deliver)),
    }),
    wallMs: () => context.wallMs(),
    uuid: () => values.uuid(),
    uint32: () => values.uint32(),
    choose: (count) => endpointChoice.int(0, count - 1),
    sleepMs: (ms) => context.sleep(milliseconds(ms)),
    waitFor: (subscribe, timeoutMs) => waitFor(context, subscribe, timeoutMs),
    start(process: Process<void>): () => void {
      const task = context.spawn('beside a request', process);
      return () => task.cancel();
    },
    call(endpoint: HttpEndpoint, call: OutgoingCall, timeoutMs: number): Process<HttpOutcome> {
      return endpoint.kind === 'actor'
        ? callers.call(endpoint, receivedCall(call), milliseconds(timeoutMs))
        : callUrl(context, urlCalls, endpoint, call, timeoutMs);
    },
    openCall: (endpoint, call, timeoutMs) =>
      endpoint.kind === 'actor'
        ? openHttpStream(context, endpoint, receivedCall(call), milliseconds(timeoutMs))
        : openUrl(context, urlCalls, endpoint, call, timeoutMs),
    ...(urlCalls && {
      openTunnel: (endpoint, call, timeoutMs) => openTunnel(context, urlCalls, endpoint, call, timeoutMs),
    }),
    reachNode: (node, request, timeoutMs) => reachNode(agents.of(node), request, timeoutMs),
    reachPod: (node, request, timeoutMs) => reachPod(pods.of(node), request, timeoutMs),
    streamFromNode: (node, request, timeouts) => streamFromNode(context, node, request, timeouts),
    after(ms: number, run: () => void): () => void {
      const alarm = context.alarm(milliseconds(Math.min(ms, LONGEST_MS)), run);
      return () => alarm.cancel();
    },
  };
}

/** Who serves for a service goes by its whole host name, or the first part of it; guests have a name space of their own. */
function namesOf(host: string): readonly string[] {
  const [, name, namespace] = /^([^.]+)\.([^.]+)\.svc$/.exec(host) ?? [];
  const names = name === undefined || namespace === undefined ? [host] : [host, `${name}.${namespace}`, name];
  return [...names, ...names.map((each) => `guest/${each}`)];
}

// Generators are functions of the module: each that is made at run time comes with a hidden class of its own, which keeps
// the world that it sees from being collected.

function* waitFor(
  context: Context,
  subscribe: (wake: () => void) => () => void,
  timeoutMs: number,
): Process<boolean> {
  const woken = context.deferred();
  const unsubscribe = subscribe(() => woken.resolve(undefined));
  try {
    const answer = yield* context.within(milliseconds(timeoutMs), woken.wait());
    return !answer.isLate;
  } finally {
    unsubscribe();
  }
}

type CallerTo<Port> = Port extends CallPort<infer Call, infer Answer> ? Caller<Call, Answer> : never;

function* reachNode(
  agent: CallerTo<typeof AGENT_PORT>,
  request: NodeRequest,
  timeoutMs: number,
): Process<NodeOutcome> {
  const outcome = yield* agent.call({ ...request, user: AGENT_CLIENT }, milliseconds(timeoutMs));
  return outcome.kind === 'reply' ? { kind: 'answer', ...outcome.reply } : outcome;
}

function* reachPod(
  pod: CallerTo<typeof POD_PORT>,
  request: PodRequest,
  timeoutMs: number,
): Process<NodeOutcome> {
  const outcome = yield* pod.call(request, milliseconds(timeoutMs));
  return outcome.kind === 'reply' ? outcome.reply : outcome;
}

function* streamFromNode(
  context: Context,
  node: string,
  request: NodeRequest,
  { dialMs, answerMs }: { readonly dialMs: number; readonly answerMs: number },
): Process<NodeStream | NodeOutcome> {
  const call = { ...request, user: AGENT_CLIENT };
  const timeouts = { dial: milliseconds(dialMs), answer: milliseconds(answerMs) };
  const outcome = yield* openAgentStream(context, agentActorOf(node), call, timeouts);
  return outcome.kind === 'answer' ? { kind: 'answer', ...outcome.answer } : outcome;
}

/** Waits for what is delivered from outside. */
function* outside<T>(context: Context, begin: (deliver: (outcome: T) => void) => () => void): Process<T> {
  const outcome = context.deferred<T>();
  const cancel = begin((value) => outcome.resolve(value));
  try {
    return yield* outcome.wait();
  } finally {
    cancel();
  }
}

const noWayOut = (url: string): HttpOutcome => ({
  kind: 'unreachable',
  message: `${url}: there is no way out of a simulation`,
});

function* callUrl(
  context: Context,
  urlCalls: UrlCalls | undefined,
  endpoint: Extract<HttpEndpoint, { kind: 'url' }>,
  call: OutgoingCall,
  timeoutMs: number,
): Process<HttpOutcome> {
  if (!urlCalls) return noWayOut(endpoint.url);
  return yield* outside(context, (deliver: (outcome: HttpOutcome) => void) =>
    urlCalls.call(endpoint, call, timeoutMs, deliver),
  );
}

function* openUrl(
  context: Context,
  urlCalls: UrlCalls | undefined,
  endpoint: Extract<HttpEndpoint, { kind: 'url' }>,
  call: OutgoingCall,
  timeoutMs: number,
): Process<AnswerStream | HttpOutcome> {
  if (!urlCalls) return noWayOut(endpoint.url);
  const opened = yield* outside(context, (deliver: (outcome: OpenedUrl | HttpOutcome) => void) =>
    urlCalls.open(endpoint, call, timeoutMs, deliver),
  );
  if (opened.kind !== 'opened') return opened;
  const { status, headers } = opened;
  const close = (): void => opened.close();
  return {
    kind: 'stream',
    status,
    headers,
    close,
    *receive(): Process<Uint8Array | 'broken' | undefined> {
      const piece = context.deferred<{ readonly bytes: Uint8Array | 'broken' | undefined }>();
      opened.next((bytes) => piece.resolve({ bytes }));
      return (yield* piece.wait()).bytes;
    },
  };
}

function* openTunnel(
  context: Context,
  urlCalls: UrlCalls,
  endpoint: HttpEndpoint,
  call: OutgoingCall,
  timeoutMs: number,
): Process<TunnelOutcome> {
  // Nobody on the simulated network changes its protocol.
  if (endpoint.kind === 'actor') return { kind: 'declined', status: 200 };
  return yield* outside(context, (deliver: (outcome: TunnelOutcome) => void) =>
    urlCalls.tunnel(endpoint, call, timeoutMs, deliver),
  );
}

/** A connection to each node that was asked. */
class NodeCallers<Call, Answer> {
  readonly #context: Context;
  readonly #port: CallPort<Call, Answer>;
  readonly #callers = new Map<string, Caller<Call, Answer>>();

  constructor(context: Context, port: CallPort<Call, Answer>) {
    this.#context = context;
    this.#port = port;
  }

  of(node: string): Caller<Call, Answer> {
    const known = this.#callers.get(node);
    if (known) return known;
    const caller = new Caller(this.#context, { actor: agentActorOf(node), port: this.#port });
    this.#callers.set(node, caller);
    return caller;
  }
}
