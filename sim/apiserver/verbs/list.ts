/**
 * GET of a collection: which state is asked for, which part of it, and what goes on the page.
 * Specification: "Resource-version semantics for get and list", "Chunked list".
 */
import type { Process } from '../../engine/process.ts';
import type { ApiObject } from '../../api/object.ts';
import { ApiError, badRequest, plainError } from '../../api/status.ts';
import { type Revision, RevisionError } from '../../storage/storage.ts';
import type { Exchange } from '../request/exchange.ts';
import { checkFieldLabels, type ListOptions, listOptionsOf } from '../options/list-options.ts';
import { parseUint } from '../options/parse-parameter.ts';
import { showingCached } from '../conversion/show.ts';
import type { CopiedState } from '../custom-resources/conversion/converted-copies.ts';
import type { Resource } from '../registry/resource.ts';
import type { Page } from '../representation/page.ts';
import { respondList } from '../representation/respond.ts';
import type { ResourceStore } from '../stores/resource-store.ts';
import type { WatchCache } from '../watch-cache/watch-cache.ts';
import { type Continuation, decodeContinue, encodeContinue, NEWEST } from './continue-token.ts';
import { isOfOneKey, selectionOf, type Selection } from './selection.ts';
import { isUncached, tooLarge, waitUntilFresh } from './wait-until-fresh.ts';

export function* list(exchange: Exchange): Process<void> {
  const options = listOptionsOf(exchange, { isWatch: false });
  const page = yield* readPage(exchange, options);
  const show = showingCached(exchange, page.items, wholeRange(exchange, options));
  respondList(exchange, page, typeof show === 'function' ? show : yield* show);
}

/** All that a list of the newest state is selected from, where copies of it are kept. */
function wholeRange(exchange: Exchange, options: ListOptions): readonly ApiObject[] | undefined {
  const { resource } = exchange.routed;
  const isNewest = options.resourceVersion === '' && options.continueToken === '' && options.limit <= 0;
  if (!resource.copies || !isNewest) return undefined;
  const store = exchange.server.storeOf(resource);
  return store.cache.list({ prefix: store.range(exchange.info.namespace) }).entries.map(({ value }) => value);
}

/** What state a list is to be read from. */
type Source =
  /** The newest, from the storage. */
  | { readonly kind: 'newest' }
  | { readonly kind: 'exact'; readonly revision: number; readonly start?: string }
  /** This server's cache once it has seen the version (0: as it is), without pages. */
  | { readonly kind: 'cache'; readonly atLeast: number | bigint };

/** @throws ApiError */
export function* readPage(exchange: Exchange, options: ListOptions): Process<Page> {
  const { resource, version } = exchange.routed;
  checkFieldLabels(options.fieldSelector, version);
  const store = exchange.server.storeOf(resource);
  const selection = selectionOf(exchange, options);
  // Such a list is never cut into pages, and a version that it names is the least, whatever its limit; but it continues
  // another as any list does.
  const isOfOne = options.continueToken === '' && isOfOneKey(exchange, options);
  const source = sourceOf(options, { store, resource, isOfOne });
  if (source.kind === 'cache') {
    const behind = resource.copies?.behind(version.apiVersion);
    if (behind && behind.revision >= source.atLeast)
      return behindList(behind, store.range(exchange.info.namespace), selection);
    if (isUncached(resource) && source.atLeast > store.cache.revision)
      throw tooLarge(source.atLeast, store, {});
    yield* waitUntilFresh(exchange, store, source.atLeast);
    return wholeList(store, exchange.info.namespace, selection);
  }
  // A cache that has seen everything shows the newest state, too.
  if (source.kind === 'newest' && options.limit <= 0 && store.cache.revision === store.storage.revision) {
    return wholeList(store, exchange.info.namespace, selection);
  }
  if (options.resourceVersionMatch === 'NotOlderThan' || (isOfOne && source.kind === 'newest')) {
    const wanted = parseUint(options.resourceVersion);
    if (typeof wanted !== 'object' && wanted > store.storage.revision)
      yield* waitUntilFresh(exchange, store, wanted);
  }
  const limit = isOfOne ? 0 : options.limit;
  const { countsRemaining } = exchange.server.machinery;
  return pageOf(store, exchange.info.namespace, { source, limit, selection, countsRemaining });
}

/** All selected objects that the cache has. They are looked up when somebody reads them: their bytes may be kept. */
class WholeList implements Page {
  readonly revision: number;
  readonly continueToken = '';
  readonly remainingItemCount = undefined;
  readonly whole?: NonNullable<Page['whole']>;
  readonly #cache: WatchCache;
  readonly #range: string;
  readonly #selection: Selection;
  #items: readonly ApiObject[] | undefined;

  constructor({ cache }: ResourceStore, range: string, selection: Selection) {
    this.revision = cache.revision;
    this.#cache = cache;
    this.#range = range;
    this.#selection = selection;
    if (selection.isEverything) this.whole = { range, writtenAt: cache.lastEventRevision };
  }

  get items(): readonly ApiObject[] {
    return (this.#items ??= this.#read());
  }

  #read(): readonly ApiObject[] {
    const { isEverything, matches } = this.#selection;
    const objects = this.#cache.list({ prefix: this.#range }).entries.map(({ value }) => value);
    return isEverything ? objects : objects.filter(matches);
  }
}

const wholeList = (store: ResourceStore, namespace: string, selection: Selection): Page =>
  new WholeList(store, store.range(namespace), selection);

/** In the order of their keys. */
function behindList({ revision, objects }: CopiedState, range: string, selection: Selection): Page {
  const items = [...objects]
    .filter(([key, object]) => key.startsWith(range) && selection.matches(object))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, object]) => object);
  return { items, revision, continueToken: '', remainingItemCount: undefined };
}

interface Listed {
  readonly store: ResourceStore;
  readonly resource: Resource;
  readonly isOfOne: boolean;
}

function sourceOf(options: ListOptions, { store, resource, isOfOne }: Listed): Source {
  const { resourceVersion: text, resourceVersionMatch: match, limit, continueToken } = options;
  if (continueToken !== '') return continuedSource(decodeContinue(continueToken), text);
  if (text === '') return { kind: 'newest' };
  const isPaged = limit > 0;
  const version = parseUint(text);
  if (typeof version === 'object') {
    const why = `${JSON.stringify(text)}: ${version.error}`;
    // Kinds that no cache holds are read from the storage.
    const isStored = match === 'Exact' || (isPaged && match !== 'NotOlderThan');
    if (isStored || resource.strategy.timeToLiveSeconds !== undefined)
      throw badRequest(`invalid resource version: resourceVersion: Invalid value: ${why}`);
    throw plainError(`resourceVersion: Invalid value: ${why}`);
  }
  if (match === 'Exact') return exactly(version, store);
  // What no cache holds is cut into pages all the same.
  if (version === 0)
    return isPaged && isUncached(resource) ? { kind: 'newest' } : { kind: 'cache', atLeast: 0 };
  if (!isPaged) return { kind: 'cache', atLeast: version };
  return match === 'NotOlderThan' || isOfOne ? { kind: 'newest' } : exactly(version, store);
}

/** The storage counts in 63 bits. */
/** The token that ends a first page gives its key with the slash of the path it is in. */
const FIRST_PAGE = '/';
const MAX_STORAGE_REVISION = 2n ** 63n - 1n;

function exactly(version: number | bigint, store: ResourceStore): Source {
  if (typeof version === 'number') return { kind: 'exact', revision: version };
  throw version > MAX_STORAGE_REVISION
    ? tooLarge(version, store, {})
    : plainError('etcdserver: mvcc: required revision is a future revision');
}

function continuedSource({ revision, start }: Continuation, resourceVersion: string): Source {
  if (resourceVersion !== '' && resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  return { kind: 'exact', revision, start };
}

interface PageRequest {
  readonly source: Exclude<Source, { kind: 'cache' }>;
  readonly limit: number;
  readonly selection: Selection;
  readonly countsRemaining: boolean;
}

function pageOf(
  store: ResourceStore,
  namespace: string,
  { source, limit, selection, countsRemaining }: PageRequest,
): Page {
  const prefix = store.range(namespace);
  const { storage } = store;
  const isContinued = source.kind === 'exact' && source.start !== undefined;
  const revision =
    source.kind === 'exact' && source.revision !== NEWEST ? (source.revision as Revision) : storage.revision;
  let startKey = isContinued ? prefix + (source.start ?? '') : undefined;
  const items: ApiObject[] = [];
  for (;;) {
    const wanted = limit > 0 ? limit - items.length : 0;
    const result = readRange(store, { prefix, startKey, limit: wanted, revision }, source);
    for (const { value } of result.entries)
      if (selection.isEverything || selection.matches(value)) items.push(value);
    const last = result.entries.at(-1);
    if (!result.hasMore || !last)
      return { items, revision, continueToken: '', remainingItemCount: undefined };
    startKey = `${last.key}\0`;
    if (items.length < limit) continue;
    const continueToken = encodeContinue({
      revision,
      start: `${isContinued ? '' : FIRST_PAGE}${startKey.slice(prefix.length)}`,
    });
    const isCounted = countsRemaining && selection.isEverything;
    const remainingItemCount = isCounted ? result.count - result.entries.length : undefined;
    return { items, revision, continueToken, remainingItemCount };
  }
}

function readRange(
  { storage }: ResourceStore,
  range: { prefix: string; startKey: string | undefined; limit: number; revision: Revision },
  source: PageRequest['source'],
) {
  const { prefix, startKey, limit, revision } = range;
  try {
    return storage.range({ prefix, limit, revision, ...(startKey !== undefined && { startKey }) });
  } catch (error) {
    if (!(error instanceof RevisionError)) throw error;
    throw error.kind === 'future' ? plainError(error.message) : expired(source);
  }
}

const EXPIRED_PAGE =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

function expired(source: PageRequest['source']): ApiError {
  if (source.kind === 'exact' && source.start !== undefined) {
    return new ApiError({
      reason: 'Expired',
      message: EXPIRED_PAGE,
      metadata: { continue: encodeContinue({ revision: NEWEST, start: source.start }) },
    });
  }
  return new ApiError({
    reason: 'Expired',
    message: 'The resourceVersion for the provided list is too old.',
  });
}
