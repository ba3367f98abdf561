/**
 * The last two readings of every node. They are renewed in rounds while somebody asks; a node whose agent did not answer
 * in a round has no usage until it does.
 */
import type { Node } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { Identity } from '../../client/protocol.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { Caller } from '../../engine/request-reply.ts';
import { type Micros, minutes, seconds } from '../../engine/time.ts';
import {
  AGENT_PORT,
  type AgentAnswer,
  type AgentCall,
  agentActorOf,
} from '../../node/endpoint/agent-port.ts';
import { nodeUsage, type NodeReadings, podUsage, readingsIn, type UsageSample } from './resource-samples.ts';

const RESOLUTION = seconds(15);
/** Between the first two readings. */
const FIRST_PAUSE = seconds(1);
const READ_TIMEOUT = seconds(10);
const PATIENCE = minutes(1);

export class MetricsReadings {
  readonly #client: ApiClient;
  readonly #context: Context;
  readonly #user: Identity;
  readonly #agents = new Map<string, Caller<AgentCall, AgentAnswer>>();
  #before: ReadonlyMap<string, NodeReadings> = new Map();
  #now: ReadonlyMap<string, NodeReadings> = new Map();
  #askedAt: Micros = 0 as Micros;
  /** Resolved when the rounds that are under way have something to tell. */
  #begun: { readonly ready: { resolve(value: undefined): void; wait(): Process<undefined> } } | undefined;

  constructor(client: ApiClient, user: Identity) {
    this.#client = client;
    this.#context = client.context;
    this.#user = user;
  }

  /** Waits until there is something to tell, and keeps it fresh for a while. */
  *fresh(): Process<void> {
    this.#askedAt = this.#context.now();
    if (!this.#begun) {
      this.#begun = { ready: this.#context.deferred<undefined>() };
      this.#context.spawn('readings of agents', this.#rounds(this.#begun.ready));
    }
    yield* this.#begun.ready.wait();
  }

  ofNode(node: string): UsageSample | undefined {
    const now = this.#now.get(node);
    return now && nodeUsage(this.#before.get(node), now);
  }

  /** By container. `pod`: `namespace/name`. */
  ofPod(node: string, pod: string): ReadonlyMap<string, UsageSample> | undefined {
    const now = this.#now.get(node);
    return now && podUsage(this.#before.get(node), now, pod);
  }

  *#rounds(ready: { resolve(value: undefined): void }): Process<void> {
    yield* this.#round();
    yield* this.#context.sleep(FIRST_PAUSE);
    yield* this.#round();
    ready.resolve(undefined);
    while (this.#context.now() - this.#askedAt < PATIENCE) {
      yield* this.#context.sleep(RESOLUTION);
      yield* this.#round();
    }
    this.#begun = undefined;
    this.#before = new Map();
    this.#now = new Map();
  }

  *#round(): Process<void> {
    const names = yield* this.#nodeNames();
    const read = yield* this.#context.all(names.map((name) => this.#read(name)));
    const found = names.flatMap((name, index) => {
      const reading = read[index];
      return reading ? [[name, reading] as const] : [];
    });
    this.#before = this.#now;
    this.#now = new Map(found);
  }

  *#nodeNames(): Process<readonly string[]> {
    try {
      const { items } = yield* this.#client.list<Node>(BUILTIN_HANDLES.nodes, {
        resourceVersion: '0',
        timeout: READ_TIMEOUT,
      });
      return items.map(({ metadata }) => metadata.name ?? '');
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      return [...this.#now.keys()];
    }
  }

  *#read(node: string): Process<NodeReadings | undefined> {
    const call = { method: 'GET', path: '/metrics/resource', query: {}, user: this.#user };
    const outcome = yield* this.#agentOf(node).call(call, READ_TIMEOUT);
    if (outcome.kind !== 'reply' || outcome.reply.status !== 200) return undefined;
    const { body } = outcome.reply;
    return typeof body === 'string' ? readingsIn(body) : undefined;
  }

  #agentOf(node: string): Caller<AgentCall, AgentAnswer> {
    const known = this.#agents.get(node);
    if (known) return known;
    const caller = new Caller(this.#context, { actor: agentActorOf(node), port: AGENT_PORT });
    this.#agents.set(node, caller);
    return caller;
  }
}
