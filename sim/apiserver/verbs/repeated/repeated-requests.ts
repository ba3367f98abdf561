/**
 * Requests that say again what their sender said before, but for times that any others are as good as: renewals of leases
 * and reports of nodes of which nothing has changed, nearly all that an idle cluster writes. What a whole examination has
 * found of the one before holds for them too, so that only the times are looked at; property tests hold the two together.
 *
 * It refuses, and leaves to the whole way, whatever differs in anything else, whatever somebody else has written
 * meanwhile, and everything as long as somebody may have something to say of it: an authorizer, a webhook, a policy.
 */
import { entryAt } from '../../../api/apply/managers.ts';
import type { ApiObject, JsonObject, ManagedFieldsEntry } from '../../../api/object.ts';
import { formatTime } from '../../../api/time-format.ts';
import type { ChainKey } from '../../admission/admission.ts';
import type { Resource } from '../../registry/resource.ts';
import { deepFreeze } from '../../registry/storage-form.ts';
import type { Exchange } from '../../request/exchange.ts';
import type { RequestInfo } from '../../request/request-info.ts';
import type { ApiRequest, ApiResponse, UserInfo } from '../../request/request.ts';
import type { ServerView } from '../../request/server-view.ts';
import type { ResourceStore } from '../../stores/resource-store.ts';
import { isSurelySmall } from '../../stores/write-size.ts';
import { managerOf } from '../managed-fields.ts';
import { RenewedTimeUpdate } from './renewed-time.ts';
import { RenewedTimesPatch } from './renewed-times.ts';
import type { Entries, Repetition } from './repetition.ts';

/** Of whom the last request of a path was, and what came of it. */
interface Precedent {
  readonly method: string;
  readonly user: UserInfo;
  readonly userAgent: string | undefined;
  readonly info: RequestInfo;
  readonly store: ResourceStore;
  readonly key: string;
  /** What plugins are asked about. */
  readonly write: ChainKey;
  readonly repetition: Repetition;
  /** As it is stored. */
  object: ApiObject;
}

/** Beyond so many paths it begins anew. */
const CAPACITY = 16_384;

export class RepeatedRequests {
  readonly #server: ServerView;
  readonly #onRepeated: (info: RequestInfo) => void;
  readonly #precedents = new Map<string, Precedent>();

  constructor(server: ServerView, onRepeated: (info: RequestInfo) => void) {
    this.#server = server;
    this.#onRepeated = onRepeated;
  }

  /** What a repetition is answered; undefined: it is none. */
  answer(request: ApiRequest): ApiResponse | undefined {
    const { body, user, method } = request;
    if ((method !== 'PUT' && method !== 'PATCH') || body?.kind !== 'object') return undefined;
    const precedent = this.#precedents.get(request.path);
    if (!precedent || precedent.method !== method || precedent.user !== user) return undefined;
    if (precedent.userAgent !== request.headers['user-agent']) return undefined;
    if (!isPlain(request, precedent.repetition) || !this.#isUnjudged(precedent)) return undefined;
    const renewed = precedent.repetition.renewed(body.object as JsonObject, precedent.object as JsonObject);
    return renewed && this.#repeat(precedent, renewed);
  }

  /** Notes what came of a request that was examined as a whole. */
  learn(exchange: Exchange, { status, body }: ApiResponse): void {
    const { request, info, target, hasWarnings, user } = exchange;
    if (status !== 200 || body.kind !== 'object' || !target || hasWarnings) return;
    if (request.body?.kind !== 'object' || user !== request.user) return;
    const { resource, version } = target;
    const repetition = repetitionOf(request.method, resource, info.subresource);
    if (!repetition || version.apiVersion !== resource.storageApiVersion) return;
    const store = this.#server.storeOf(resource);
    const key = store.key(info.namespace, info.name);
    const object = body.object as ApiObject;
    if (store.get(key)?.value !== object || !isPlain(request, repetition)) return;
    const entries = entriesOf(object, managerOf(exchange, ''), info.subresource);
    if (!entries || !repetition.begins(request.body.object as JsonObject, object, entries)) return;
    if (this.#precedents.size >= CAPACITY) this.#precedents.clear();
    const { method, headers } = request;
    const userAgent = headers['user-agent'];
    const write = { operation: 'UPDATE', resource, subresource: info.subresource } as const;
    const precedent = { method, user, userAgent, info, store, key, write, repetition, object };
    this.#precedents.set(request.path, precedent);
  }

  #isUnjudged({ write, info }: Precedent): boolean {
    const { allowsEverything, admission, foreignServices } = this.#server;
    return (
      allowsEverything &&
      admission.isIdle(write, this.#server) &&
      foreignServices.find(info.group, info.version) === undefined
    );
  }

  #repeat(precedent: Precedent, renewed: JsonObject): ApiResponse | undefined {
    const { store, key, object, repetition } = precedent;
    const entry = store.get(key);
    if (entry?.value !== object || store.isStale(object)) return undefined;
    const now = formatTime(this.#server.surroundings.wallMs());
    const managedFields = entriesAt(now, object.metadata.managedFields ?? []);
    if (!managedFields) return undefined;
    const done = store.replace(key, entry.modRevision, (revision) => {
      const metadata = { ...object.metadata, resourceVersion: String(revision), managedFields };
      return deepFreeze({ ...object, metadata, [repetition.member]: renewed });
    });
    if (!done) return undefined;
    store.checkedMetadata.add(key, done.metadata);
    precedent.object = done;
    this.#onRepeated(precedent.info);
    return { status: 200, headers: NO_HEADERS, body: { kind: 'object', object: done } };
  }
}

const NO_HEADERS: ApiResponse['headers'] = [];

/** What of a kind may be said again by such a request. */
function repetitionOf(
  method: string,
  { strategy: { renewedTime, subresources } }: Resource,
  subresource: string,
): Repetition | undefined {
  if (method === 'PUT' && subresource === '') return renewedTime && new RenewedTimeUpdate(renewedTime);
  const times = method === 'PATCH' ? subresources?.[subresource]?.renewedTimes : undefined;
  return times && new RenewedTimesPatch(times);
}

/** Nothing is asked for beside the write itself. */
function isPlain({ query, headers, wire }: ApiRequest, { contentType }: Repetition): boolean {
  return !wire && query.isEmpty && headers['content-type'] === contentType && headers['accept'] === undefined;
}

/** The writer's is the last: the newest stands there, and so will the next. */
function entriesOf(object: ApiObject, manager: string, subresource: string): Entries | undefined {
  const { managedFields = [], deletionTimestamp } = object.metadata;
  const own = managedFields.at(-1);
  if (!own || deletionTimestamp !== undefined || !isSurelySmall(object)) return undefined;
  const isOwn =
    own.operation === 'Update' && (own.subresource ?? '') === subresource && own.manager === manager;
  return isOwn ? { own, others: managedFields.slice(0, -1) } : undefined;
}

/** With the last of another time; undefined: by then it would stand before others. */
function entriesAt(
  now: string,
  entries: readonly ManagedFieldsEntry[],
): readonly ManagedFieldsEntry[] | undefined {
  const last = entries.at(-1);
  if (!last || (last.time ?? '') > now) return undefined;
  if (last.time === now) return entries;
  const renewed = entryAt(last, now);
  return renewed && entries.with(entries.length - 1, renewed);
}
