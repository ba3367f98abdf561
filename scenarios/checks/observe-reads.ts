/**
 * Looks at a simulated cluster from outside and tells the rules about reads what was written, and what every client was
 * told by its lists and watches: users, informers and agents alike, over whichever server, through crashes and
 * partitions. It changes nothing in the cluster: a run with it has the digest of the run without.
 */
import type { ObservedItem, ObservedPage } from '../../model/history.ts';
import type { ReadRules } from '../../model/reads/read-rules.ts';
import type { ApiObject, Cluster } from '../../sim/index.ts';
import { askedFor, type ReadCall, type ReadRequest } from './read-request.ts';

/** An end of a connection, the same for all its messages. */
interface ConnectionEnd {
  readonly remote: string;
  readonly isOpen: boolean;
}

interface Stream {
  readonly number: number;
  readonly openedAt: number;
  readonly client: string;
  readonly end: ConnectionEnd;
  readonly request: ReadRequest;
}

/** What is written reaches whoever watches within so long, where nothing hinders it. */
const PATIENCE = 30_000_000;
/** Slower links than this hinder. */
const SLOW_MICROS = 1_000_000;

export class ReadObserver {
  readonly #cluster: Cluster;
  readonly #rules: ReadRules;
  readonly #asked = new WeakMap<object, Asked>();
  readonly #opening = new WeakMap<ConnectionEnd, ReadCall>();
  readonly #streams = new Map<ConnectionEnd, Stream>();
  #lastStream = 0;
  #lastFaultAt = -PATIENCE;

  constructor(cluster: Cluster, rules: ReadRules) {
    this.#cluster = cluster;
    this.#rules = rules;
    cluster.storage.watch({
      prefix: '',
      onEvents: (events, revision) => {
        for (const event of events) {
          const before = event.previous?.value;
          const after = event.kind === 'put' ? event.entry.value : undefined;
          const key = event.kind === 'put' ? event.entry.key : (event.previous?.key ?? '');
          const change = { revision, key, before, after };
          rules.observe({ at: cluster.now, kind: 'written', change });
        }
      },
    });
    cluster.faults.listen(() => {
      this.#lastFaultAt = cluster.now;
    });
    cluster.simulation.eachActor((actor) => {
      if (actor.name.startsWith('apiserver/')) return;
      actor.overhear({
        sent: (message, end) => this.#sent(message, end),
        received: (message, end) => this.#received(actor.name, message, end),
      });
    });
  }

  /** Time has gone by: streams that nothing hinders should have brought what was written a while ago. */
  look(): void {
    const { now, watchCacheLag, isStorageWhole } = this.#cluster;
    if (now - this.#lastFaultAt < PATIENCE || watchCacheLag > 0 || !isStorageWhole) return;
    for (const stream of this.#streams.values()) {
      if (!stream.end.isOpen) this.#close(stream);
      else if (now - stream.openedAt >= PATIENCE && this.#isUnhindered(stream))
        this.#rules.expect(stream.number, now - PATIENCE, now);
    }
  }

  #sent(message: unknown, end: ConnectionEnd): void {
    const { kind, call, body } = message as Sent;
    if (kind === 'open' && call) {
      this.#ask(call, end);
      this.#opening.set(end, call);
    } else if (body?.method === 'GET') this.#ask(body, end);
  }

  #ask(call: ReadCall, { remote }: ConnectionEnd): void {
    const server = this.#cluster.apiServers.find(({ name }) => name === remote)?.server;
    this.#asked.set(call, { revision: this.#cluster.storage.revision, server });
  }

  #received(client: string, message: unknown, end: ConnectionEnd): void {
    const { kind, event, to, body } = message as Received;
    if (kind === 'event') {
      const stream = this.#streams.get(end);
      if (stream && event) this.#tell(stream, event);
    } else if (kind === 'opened') this.#open(client, end);
    else if (to?.method === 'GET' && body?.status === 200) this.#answer(client, to, body.body);
  }

  #open(client: string, end: ConnectionEnd): void {
    const call = this.#opening.get(end);
    const request = call && this.#requestOf(client, call, end.remote);
    if (!request?.start) return;
    // Streams that broke ended before; what they brought counts for where this one goes on.
    for (const other of this.#streams.values()) if (!other.end.isOpen) this.#close(other);
    const stream = { number: ++this.#lastStream, openedAt: this.#cluster.now, client, end, request };
    this.#streams.set(end, stream);
    const { reader, interest, start } = request;
    const opened = { stream: stream.number, reader, interest, start };
    this.#rules.observe({ at: this.#cluster.now, kind: 'watch-opened', ...opened });
  }

  #tell(stream: Stream, { type, object }: Told): void {
    const item = itemOf(type, object, stream.request);
    if (item === 'strange') this.#streams.delete(stream.end);
    else if (item && 'object' in item && this.#cluster.hasSeveralReleases)
      this.#rules.observe({
        at: this.#cluster.now,
        kind: 'watch-told',
        stream: stream.number,
        item: { ...item, object: inOwnWords(item.object) },
      });
    else if (item)
      this.#rules.observe({ at: this.#cluster.now, kind: 'watch-told', stream: stream.number, item });
  }

  #close(stream: Stream): void {
    this.#streams.delete(stream.end);
    this.#rules.observe({ at: this.#cluster.now, kind: 'watch-ended', stream: stream.number });
  }

  #answer(client: string, call: ReadCall, body: unknown): void {
    const request = this.#requestOf(client, call);
    const list = request?.bound && listIn(body);
    if (!request?.bound || !list) return;
    const { reader, interest, bound, continues } = request;
    const next = list.metadata.continue;
    const page: ObservedPage = {
      keys: list.items.map((item) => request.keyOf(item)),
      objects: this.#cluster.hasSeveralReleases ? list.items.map(inOwnWords) : list.items,
      revision: Number(list.metadata.resourceVersion),
      hasMore: next !== undefined && next !== '',
      remaining: list.metadata.remainingItemCount,
    };
    const going = { ...(continues !== undefined && { continues }), ...(page.hasMore && { next }) };
    this.#rules.observe({ at: this.#cluster.now, kind: 'listed', reader, interest, bound, page, ...going });
  }

  #requestOf(client: string, call: ReadCall, server?: string): ReadRequest | undefined {
    const { revision = 0, server: former } = this.#asked.get(call) ?? {};
    const isSteady = !/^(user|guest)\//.test(client);
    return askedFor({
      call,
      revision,
      client,
      life: this.#cluster.simulation.findActor(client)?.context.incarnation ?? 1,
      isSteady,
      // What a server has said may come after it crashed, and nobody else need be up.
      directoryOf: (...path) => this.#directory(path, server) ?? directoryBy(former, path),
    });
  }

  /** Directory of a resource in the storage; any server that is up knows. */
  #directory(path: ResourcePath, name?: string): Place | undefined {
    for (const { name: its, server } of this.#cluster.apiServers) {
      const found = name === undefined || its === name ? directoryBy(server, path) : undefined;
      if (found) return found;
    }
    return name === undefined ? undefined : this.#directory(path);
  }

  #isUnhindered({ client, end }: Stream): boolean {
    const { simulation } = this.#cluster;
    const ends = [simulation.findActor(client), simulation.findActor(end.remote)];
    if (ends.some((actor) => actor?.state !== 'running')) return false;
    const { network } = simulation;
    return [network.linkBetween(client, end.remote), network.linkBetween(end.remote, client)].every(
      ({ state, latency }) => state === 'healthy' && latency.max <= SLOW_MICROS,
    );
  }
}

type Server = Cluster['apiServers'][number]['server'];
/** Group, version and resource. */
type ResourcePath = readonly [string, string, string];

/** A call, when it was sent. */
interface Asked {
  /** Of the storage. */
  readonly revision: number;
  /** To whom. */
  readonly server: Server;
}

interface Place {
  readonly directory: string;
  readonly isNamespaced: boolean;
}

interface Sent {
  readonly kind?: string;
  readonly call?: ReadCall;
  readonly body?: ReadCall;
}

interface Told {
  readonly type: string;
  readonly object: ApiObject;
}

interface Received {
  readonly kind?: string;
  readonly event?: Told;
  readonly to?: ReadCall;
  readonly body?: { readonly status: number; readonly body: unknown };
}

function directoryBy(server: Server, path: ResourcePath): Place | undefined {
  const found = server?.registry.find(...path);
  return found && { directory: found.resource.storagePrefix, isNamespaced: found.resource.isNamespaced };
}

/** Undefined: it says nothing about objects. `strange`: the stream is in a form that is not read here. */
function itemOf(type: string, object: ApiObject, request: ReadRequest): ObservedItem | 'strange' | undefined {
  const revision = Number(object.metadata.resourceVersion);
  if (type === 'BOOKMARK') return { type, revision };
  if (object.kind === 'Table') return 'strange';
  if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED')
    return { type, key: request.keyOf(object), object, revision };
  return undefined;
}

/** As a release shows what another one may have written: with its own defaults, and without what it does not know. */
const inOwnWords = (object: ApiObject): ApiObject => ({
  ...object,
  apiVersion: `${object.apiVersion ?? ''} of a release`,
});

interface List {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly ApiObject[];
}

function listIn(body: unknown): List | undefined {
  const value: unknown = typeof body === 'string' ? parsed(body) : body;
  if (typeof value !== 'object' || value === null || !('items' in value) || !('metadata' in value))
    return undefined;
  return value as List;
}

/** Whoever speaks as over a wire gets a text. */
function parsed(text: string): unknown {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
