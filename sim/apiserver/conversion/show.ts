/**
 * The stage between what is stored and what is encoded: objects in the version of the path. In process it costs a
 * call for each object that is really shown; where somebody else has to be asked, a process is returned that asks
 * once for all of them. Whoever encodes is handed the result and knows nothing of either.
 */
import type { ApiObject } from '../../api/object.ts';
import { invariant } from '../../engine/invariant.ts';
import type { Process } from '../../engine/process.ts';
import type { Resource } from '../registry/resource.ts';
import { copied } from '../registry/storage-form.ts';
import type { DraftObject } from '../registry/strategy.ts';
import type { Exchange } from '../request/exchange.ts';

/** An object of the routed resource in the version of the path. */
export type Show = (object: ApiObject) => ApiObject;

/** A process has to be waited for; most resources have nothing to wait for. @throws ApiError */
export function showing(exchange: Exchange, objects: readonly ApiObject[]): Show | Process<Show> {
  return showsAtOnce(exchange) ? showAtOnce(exchange) : showAfterAsking(exchange, objects);
}

/** An object of the routed resource in a version; a process where somebody else has to be asked. @throws ApiError */
export function inVersion(
  { routed: { resource }, server: { surroundings } }: Exchange,
  object: ApiObject,
  apiVersion: string,
): ApiObject | Process<ApiObject> {
  return !resource.askConverted || object.apiVersion === apiVersion
    ? resource.convert(object, apiVersion)
    : only(resource.askConverted([object], apiVersion, surroundings));
}

/** A draft as it is to be stored. @throws ApiError */
export function* inStorageVersion(exchange: Exchange, draft: DraftObject): Process<DraftObject> {
  const { resource } = exchange.routed;
  const { storageApiVersion, askConverted } = resource;
  if (!askConverted || draft.apiVersion === storageApiVersion) return draft;
  return copied(yield* settled(inVersion(exchange, draft as ApiObject, storageApiVersion))) as DraftObject;
}

/** What a cache has is encoded as the storage has it before anything is made of it. @throws ApiError */
export function* readFromCache(exchange: Exchange, object: ApiObject): Process<void> {
  const { resource } = exchange.routed;
  yield* settled(inVersion(exchange, object, resource.storageApiVersion));
}

/** The storage is read, and what it has is decoded. @throws ApiError */
export function* readAgain(exchange: Exchange, stored: ApiObject): Process<void> {
  yield* settled(inVersion(exchange, stored, exchange.routed.version.apiVersion));
}

/** Owners of fields are named in a version. @throws ApiError */
export function* convertedForFields(
  { routed: { resource }, server: { surroundings } }: Exchange,
  object: ApiObject,
  apiVersion: string,
): Process<ApiObject | undefined> {
  if (!resource.askConverted) return undefined;
  const [made] = yield* resource.askConverted([object], apiVersion, surroundings, 'managedFields');
  return made;
}

function* only(asking: Process<readonly ApiObject[]>): Process<ApiObject> {
  const [object] = yield* asking;
  invariant(object !== undefined, 'a converter answers with as many objects as it was asked for');
  return object;
}

/** The value, or what a process comes to. */
export function* settled<T extends object>(given: T | Process<T>): Process<T> {
  return isProcess(given) ? yield* given : given;
}

/** Objects are JSON: none of their members is a function. */
const isProcess = <T extends object>(given: T | Process<T>): given is Process<T> =>
  'next' in given && typeof given.next === 'function';

/** Whether nobody has to be asked. */
export const showsAtOnce = ({ routed: { resource } }: Exchange): boolean =>
  resource.askConverted === undefined;

export const showAtOnce =
  ({ routed: { resource, version } }: Exchange): Show =>
  (object) =>
    resource.convert(object, version.apiVersion);

const PATIENCE_MS = 3_000;

/**
 * The same of what a cache has: copies are waited for a while before somebody is asked. `whole`: what it was selected
 * from, where the cache has to have all of that. @throws ApiError
 */
export function showingCached(
  exchange: Exchange,
  objects: readonly ApiObject[],
  whole?: readonly ApiObject[],
): Show | Process<Show> {
  const { copies } = exchange.routed.resource;
  return copies ? showCopies(exchange, objects, copies, whole) : showing(exchange, objects);
}

function* showCopies(
  exchange: Exchange,
  objects: readonly ApiObject[],
  copies: NonNullable<Resource['copies']>,
  whole: readonly ApiObject[] | undefined,
): Process<Show> {
  const { resource, version } = exchange.routed;
  const { server } = exchange;
  const { apiVersion } = version;
  const store = server.storeOf(resource);
  const isCached = (object: ApiObject): boolean =>
    store.cache.get(store.key(object.metadata.namespace ?? '', object.metadata.name ?? ''))?.value === object;
  const foreign = (whole ?? objects).filter((object) => object.apiVersion !== apiVersion);
  yield* copies.await(foreign.filter(isCached), apiVersion, server.surroundings, PATIENCE_MS);
  if (whole && foreign.some((object) => !copies.of(object, apiVersion)))
    return yield* showOneByOne(exchange, foreign);
  const rest = foreign.filter((object) => !copies.of(object, apiVersion));
  const ask = yield* showAfterAsking(exchange, rest);
  return (object) => copies.of(object, apiVersion) ?? ask(object);
}

/** As the storage is read where the cache is behind: whatever is selected, all of it is converted. @throws ApiError */
function* showOneByOne(exchange: Exchange, foreign: readonly ApiObject[]): Process<Show> {
  const shown = new Map<ApiObject, Show>();
  for (const object of foreign) shown.set(object, yield* showAfterAsking(exchange, [object]));
  return (object) => (shown.get(object) ?? showAtOnce(exchange))(object);
}

/** The same of an event, which waits until it can be shown; undefined: it never will be. */
export function* showingEvent(exchange: Exchange, object: ApiObject): Process<ApiObject | undefined> {
  const { resource, version } = exchange.routed;
  const { apiVersion } = version;
  if (resource.copies && object.apiVersion !== apiVersion)
    return yield* resource.copies.eventually(object, apiVersion, exchange.server.surroundings);
  const show = showing(exchange, [object]);
  return (typeof show === 'function' ? show : yield* show)(object);
}

function* showAfterAsking(exchange: Exchange, objects: readonly ApiObject[]): Process<Show> {
  const { resource, version } = exchange.routed;
  const { apiVersion } = version;
  const foreign = objects.filter((object) => object.apiVersion !== apiVersion);
  const { surroundings } = exchange.server;
  const answers =
    foreign.length === 0 || !resource.askConverted
      ? []
      : yield* resource.askConverted(foreign, apiVersion, surroundings);
  const shown = new Map(foreign.map((object, index) => [object, answers[index]]));
  return (object) => {
    if (object.apiVersion === apiVersion) return resource.convert(object, apiVersion);
    const answer = shown.get(object);
    invariant(answer !== undefined, 'whoever encodes shows what was converted', { apiVersion });
    return answer;
  };
}
