/**
 * Looks at a simulated cluster from outside and tells the rules about the API what every client asked servers for and
 * what they answered, also where the answer is lost, and everything that was stored. It changes nothing in the cluster: a run with it has the digest of the
 * run without.
 */
import { type Exchange, placeIn, type Place } from '../../model/api/exchange.ts';
import { at, isMapping } from '../../model/api/json.ts';
import type { StoredChange } from '../../model/api/object-marks.ts';
import type { ApiObject, Cluster } from '../../sim/index.ts';
import { type Message, WireCalls } from './wire-calls.ts';

/** A request under way. */
interface Asked {
  readonly at: number;
  readonly revision: number;
  readonly key: string | undefined;
  readonly place: Place;
  readonly isRepeated: boolean;
  /** Its client has sent another one since that a server has heard before it. */
  readonly isOvertaken: boolean;
  isAlone: boolean;
}

/** What servers say of themselves, and events, of which there are many. */
const UNSTORED = /^\/registry\/(events|masterleases)\//;

/** Kinds that servers write by themselves, and reviews that are nothing stored. */
const UNWATCHED = /^\/apis\/(authentication|authorization)\.k8s\.io\/|\/events(\/|$)/;

/** Rules that are told. */
export interface ExchangeListener {
  stored(instant: number, key: string, change: StoredChange): void;
  answered(exchange: Exchange): void;
  /** A client lists or watches what has keys with this prefix. */
  read?(client: string, prefix: string): void;
}

export function observeExchanges(cluster: Cluster, rules: ExchangeListener): void {
  new ExchangeObserver(cluster, rules).listen();
}

const NOBODY: ReadonlySet<Asked> = new Set();

/** No server works at a request for longer. */
const LONGEST = 40_000_000;

class ExchangeObserver {
  readonly #cluster: Cluster;
  readonly #rules: ExchangeListener;
  readonly #wire = new WireCalls();
  readonly #asked = new WeakMap<object, Asked>();
  readonly #sentAt = new WeakMap<object, number>();
  /** When the newest write was sent that was heard, by client and key. */
  readonly #newest = new Map<string, number>();
  /** Writes that may still happen, by key. Those of servers that crash stay for a while. */
  readonly #underWay = new Map<string, Set<Asked>>();

  constructor(cluster: Cluster, rules: ExchangeListener) {
    this.#cluster = cluster;
    this.#rules = rules;
  }

  listen(): void {
    const { storage, simulation } = this.#cluster;
    storage.watch({
      prefix: '/registry/',
      onEvents: (events, revision) => {
        for (const event of events) {
          const before = this.#inOneForm(event.previous?.value);
          const after = this.#inOneForm(event.kind === 'put' ? event.entry.value : undefined);
          const key = event.kind === 'put' ? event.entry.key : event.key;
          if (UNSTORED.test(key)) continue;
          const change = { revision, before, after, ...(this.#hasOvertaken(key) && { isOvertaken: true }) };
          this.#rules.stored(this.#cluster.now, key, change);
        }
      },
    });
    simulation.eachActor((actor) => {
      if (!actor.name.startsWith('apiserver/')) {
        actor.overhear({
          sent: (message) => {
            const { body: call } = message as Message;
            if (call?.path !== undefined && call.method !== 'GET') this.#sentAt.set(call, this.#cluster.now);
          },
        });
        return;
      }
      const answered = (message: unknown, end: { readonly remote: string }): void =>
        this.#answered(end.remote, this.#wire.sent(message as Message, end));
      actor.overhear({
        received: (message, end) => this.#received(end.remote, this.#wire.received(message as Message, end)),
        sent: answered,
        withheld: answered,
      });
    });
  }

  #hasOvertaken(key: string): boolean {
    for (const asked of this.#underWay.get(key) ?? NOBODY) if (asked.isOvertaken) return true;
    return false;
  }

  #inOneForm(object: ApiObject | undefined): ApiObject | undefined {
    if (!object || !this.#cluster.hasSeveralReleases) return object;
    // In which version it is stored is a fact of its own.
    return { ...this.#cluster.inOneForm(object), apiVersion: `stored as ${object.apiVersion}` };
  }

  #received(client: string, message: Message): void {
    this.#heard(client, message);
    const { call = message.body } = message;
    const place = call?.path === undefined ? undefined : placeIn(call.path);
    if (!place || !this.#rules.read || (place.name !== '' && !message.call)) return;
    const { namespace } = place;
    const prefix = this.#rowOf(place)?.storagePrefix;
    if (prefix !== undefined) this.#rules.read(client, namespace === '' ? prefix : `${prefix}${namespace}/`);
  }

  /** A request has reached a server. */
  #heard(client: string, { body: call }: Message): void {
    if (call?.method === undefined || call.path === undefined || UNWATCHED.test(call.path)) return;
    const place = placeIn(call.path);
    // Lists and watches are the business of other rules.
    if (!place || (place.name === '' && call.method !== 'POST')) return;
    const key = this.#keyOf(place, call.body);
    const { now, storage } = this.#cluster;
    const isRepeated = this.#asked.has(call);
    const isChange = key !== undefined && call.method !== 'GET';
    const isOvertaken = isChange && this.#isOvertaken(`${client} ${key}`, call);
    const asked = {
      at: now,
      revision: storage.revision,
      key,
      place,
      isRepeated,
      isOvertaken,
      isAlone: true,
    };
    this.#asked.set(call, asked);
    if (isChange) this.#begin(key, asked);
  }

  #isOvertaken(about: string, call: object): boolean {
    const sentAt = this.#sentAt.get(call) ?? this.#cluster.now;
    const newest = this.#newest.get(about) ?? 0;
    this.#newest.set(about, Math.max(sentAt, newest));
    return sentAt < newest;
  }

  #begin(key: string, asked: Asked): void {
    const others = this.#underWay.get(key) ?? new Set<Asked>();
    for (const other of others) {
      if (asked.at - other.at > LONGEST) others.delete(other);
      else {
        other.isAlone = false;
        asked.isAlone = false;
      }
    }
    this.#underWay.set(key, others.add(asked));
  }

  /** A server answers, whether that comes through or not. */
  #answered(client: string, { to: call, body: answer }: Message): void {
    const asked = call && this.#asked.get(call);
    if (!call || !asked || answer?.status === undefined) return;
    if (asked.key !== undefined) this.#underWay.get(asked.key)?.delete(asked);
    const body = typeof answer.body === 'string' ? parsed(answer.body) : answer.body;
    const exchange: Exchange = {
      at: this.#cluster.now,
      client,
      ...(call.user && { user: call.user.name }),
      method: call.method,
      place: asked.place,
      key: asked.key ?? this.#keyOf(asked.place, body),
      query: call.query ?? {},
      contentType: call.headers?.['content-type'] ?? '',
      sent: typeof call.body === 'string' ? parsed(call.body) : call.body,
      status: answer.status,
      answer: this.#cluster.hasSeveralReleases && call.method === 'GET' ? inOwnWords(body) : body,
      warnings: answer.warnings ?? [],
      revisionBefore: asked.revision,
      revisionAfter: this.#cluster.storage.revision,
      isAlone: asked.isAlone,
      ...(asked.isRepeated && { isRepeated: true }),
    };
    this.#rules.answered(exchange);
  }

  /** Where the object is stored; what is created without a name, is told by the answer. */
  #keyOf(place: Place, body: unknown): string | undefined {
    const { namespace, name, subresource } = place;
    const found = this.#rowOf(place);
    const called = name === '' && subresource === '' ? at(body, 'metadata', 'name') : name;
    if (!found || typeof called !== 'string' || called === '') return undefined;
    return `${found.storagePrefix}${found.isNamespaced ? `${namespace}/` : ''}${called}`;
  }

  #rowOf({ group, version, resource }: Place) {
    return this.#cluster.apiServers
      .map(({ server }) => server?.registry.find(group, version, resource))
      .find((row) => row !== undefined)?.resource;
  }
}

/** As a release shows what another one may have written: with its own defaults, and without what it does not know. */
const inOwnWords = (body: unknown): unknown =>
  isMapping(body) && typeof body['apiVersion'] === 'string' && isMapping(body['metadata'])
    ? { ...body, apiVersion: `${body['apiVersion']} of a release` }
    : body;

function parsed(text: string): unknown {
  if (!text.startsWith('{') && !text.startsWith('[')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isMapping(value) || Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
