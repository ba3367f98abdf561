/**
 * A PUT that says again what its sender said before, but for a time that any other is as good as: the renewals of
 * leases, nearly all that an idle cluster writes. What a whole examination has found of the one before holds for it too,
 * so that only the time is looked at; a property test holds the two together.
 *
 * It refuses, and leaves to the whole way, whatever differs in anything else, whatever somebody else has written
 * meanwhile, and everything as long as somebody may have something to say of it: an authorizer, a webhook, a policy.
 */
import { readManager, renewedManager } from '../../api/apply/managers.ts';
import type { ApiObject, JsonObject, ManagedFieldsEntry } from '../../api/object.ts';
import { formatTime, isUsualMicroTime } from '../../api/time-format.ts';
import type { Resource } from '../registry/resource.ts';
import { deepFreeze } from '../registry/storage-form.ts';
import type { RenewedTime } from '../registry/strategy.ts';
import type { Exchange } from '../request/exchange.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { ApiRequest, ApiResponse, UserInfo } from '../request/request.ts';
import type { ServerView } from '../request/server-view.ts';
import type { ResourceStore } from '../stores/resource-store.ts';
import { isSurelySmall } from '../stores/write-size.ts';
import { managerOf } from './managed-fields.ts';

/** Of whom the last PUT to a path was, and what came of it. */
interface Precedent {
  readonly user: UserInfo;
  readonly userAgent: string | undefined;
  readonly info: RequestInfo;
  readonly resource: Resource;
  readonly store: ResourceStore;
  readonly key: string;
  readonly renewed: RenewedTime;
  /** As it is stored. */
  object: ApiObject;
}

/** Beyond so many paths it begins anew. */
const CAPACITY = 16_384;

export class RepeatedUpdates {
  readonly #server: ServerView;
  readonly #onRepeated: (info: RequestInfo) => void;
  readonly #precedents = new Map<string, Precedent>();

  constructor(server: ServerView, onRepeated: (info: RequestInfo) => void) {
    this.#server = server;
    this.#onRepeated = onRepeated;
  }

  /** What a repetition is answered; undefined: it is none. */
  answer(request: ApiRequest): ApiResponse | undefined {
    const { body, user } = request;
    if (request.method !== 'PUT' || body?.kind !== 'object') return undefined;
    const precedent = this.#precedents.get(request.path);
    if (!precedent || precedent.user !== user || precedent.userAgent !== request.headers['user-agent'])
      return undefined;
    if (!isPlain(request) || !this.#isUnjudged(precedent)) return undefined;
    const time = timeOfRepetition(body.object as JsonObject, precedent);
    return time === undefined ? undefined : this.#renew(precedent, time);
  }

  /** Notes what came of a PUT that was examined as a whole. */
  learn(exchange: Exchange, { status, body }: ApiResponse): void {
    const { request, info, target, hasWarnings, user } = exchange;
    if (status !== 200 || body.kind !== 'object' || !target || info.subresource !== '' || hasWarnings) return;
    const { resource, version } = target;
    const { renewedTime: renewed } = resource.strategy;
    if (!renewed || user !== request.user || version.apiVersion !== resource.storageApiVersion) return;
    const store = this.#server.storeOf(resource);
    const key = store.key(info.namespace, info.name);
    const object = body.object as ApiObject;
    if (store.get(key)?.value !== object || !mayBeRepeated(object, renewed, managerOf(exchange, ''))) return;
    if (this.#precedents.size >= CAPACITY) this.#precedents.clear();
    const userAgent = request.headers['user-agent'];
    this.#precedents.set(request.path, { user, userAgent, info, resource, store, key, renewed, object });
  }

  #isUnjudged({ resource, info }: Precedent): boolean {
    const { allowsEverything, admission, foreignServices } = this.#server;
    return (
      allowsEverything &&
      admission.isIdle('UPDATE', resource, this.#server) &&
      foreignServices.find(info.group, info.version) === undefined
    );
  }

  #renew(precedent: Precedent, time: string): ApiResponse | undefined {
    const { store, key, object } = precedent;
    const entry = store.get(key);
    if (entry?.value !== object || store.isStale(object)) return undefined;
    const now = formatTime(this.#server.surroundings.wallMs());
    const done = store.replace(key, entry.modRevision, (revision) =>
      renewedObject(precedent, { time, now, revision: String(revision) }),
    );
    if (!done) return undefined;
    store.checkedMetadata.add(key, done.metadata);
    precedent.object = done;
    this.#onRepeated(precedent.info);
    return { status: 200, headers: NO_HEADERS, body: { kind: 'object', object: done } };
  }
}

const NO_HEADERS: ApiResponse['headers'] = [];

/** Nothing is asked for beside the update itself. */
function isPlain({ query, headers, wire }: ApiRequest): boolean {
  return !wire && query.isEmpty && headers['content-type'] === undefined && headers['accept'] === undefined;
}

/** One manager, who owns the time: it stays the only one, and owns what it owns. */
function mayBeRepeated(object: ApiObject, { member, leaf }: RenewedTime, manager: string): boolean {
  const { metadata } = object;
  const [entry, another] = metadata.managedFields ?? [];
  if (!entry || another || metadata.deletionTimestamp !== undefined || !isSurelySmall(object)) return false;
  const { operation, subresource = '', fieldsV1 } = entry;
  const owned = fieldsV1?.[`f:${member}`] as JsonObject | undefined;
  return (
    operation === 'Update' && subresource === '' && entry.manager === manager && `f:${leaf}` in (owned ?? {})
  );
}

/** The time that is sent, if all the rest is the very same. */
function timeOfRepetition(
  body: JsonObject,
  { object, renewed: { member, leaf } }: Precedent,
): string | undefined {
  const before = object as JsonObject;
  if (!differsAtMostIn(member, body, before)) return undefined;
  const [part, old] = [body[member] as JsonObject, before[member] as JsonObject];
  if (typeof part !== 'object' || part === null || !differsAtMostIn(leaf, part, old)) return undefined;
  const time = part[leaf];
  return typeof time === 'string' && time !== old[leaf] && isUsualMicroTime(time) ? time : undefined;
}

/** Whether two objects have the same members, and of them all but one are identical. */
function differsAtMostIn(name: string, one: JsonObject, other: JsonObject): boolean {
  let count = 0;
  for (const each in one) {
    if (each !== name && one[each] !== other[each]) return false;
    count++;
  }
  for (const each in other) {
    if (!(each in one)) return false;
    count--;
  }
  return count === 0;
}

function renewedObject(
  { object, renewed: { member, leaf } }: Precedent,
  { time, now, revision }: { readonly time: string; readonly now: string; readonly revision: string },
): ApiObject {
  const metadata = { ...object.metadata, resourceVersion: revision };
  metadata.managedFields = entriesAt(now, object.metadata.managedFields ?? []);
  const part: JsonObject = { ...(object[member] as JsonObject), [leaf]: time };
  return deepFreeze({ ...object, metadata, [member]: part });
}

/** The same entry of another time. */
function entriesAt(now: string, entries: readonly ManagedFieldsEntry[]): readonly ManagedFieldsEntry[] {
  return entries.map((entry) => {
    const manager = readManager(entry);
    return entry.time === now || !manager
      ? entry
      : (renewedManager(manager, manager.fields, now).entry ?? entry);
  });
}
