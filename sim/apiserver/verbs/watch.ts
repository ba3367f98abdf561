/**
 * A collection as a stream of changes. Specification: "Watch", "Events".
 */
import type { Process } from '../../engine/process.ts';
import { ApiError, badRequest, plainError } from '../../api/status.ts';
import { revision as revisionOf } from '../../storage/revision.ts';
import type { Revision } from '../../storage/storage.ts';
import type { Exchange } from '../request/exchange.ts';
import type { ResourceStore } from '../stores/resource-store.ts';
import { checkFieldLabels, type ListOptions, listOptionsOf } from '../options/list-options.ts';
import { parseUint } from '../options/parse-parameter.ts';
import { showAtOnce, showingEvent, showsAtOnce } from '../conversion/show.ts';
import { watchContentType, watchEncoderOf } from '../representation/encode-watch.ts';
import type { WatchItem } from '../watch-cache/cache-event.ts';
import type { CacheWatch } from '../watch-cache/cache-watch.ts';
import { isOfOneKey, type Selection, selectionOf } from './selection.ts';
import { waitUntilFresh } from './wait-until-fresh.ts';
import { WatchStream } from './watch-stream.ts';

/** Watches without `timeoutSeconds` last this long and up to twice as long, so that they do not all end together. */
const MIN_TIMEOUT_SECONDS = 1_800;

export function* watch(exchange: Exchange): Process<void> {
  const { server } = exchange;
  const { resource, version } = exchange.routed;
  const options = listOptionsOf(exchange, { isWatch: true });
  checkFieldLabels(options.fieldSelector, version);
  checkPathName(exchange, options);
  const store = server.storeOf(resource);
  const start = startOf(options);
  const encoder = watchEncoderOf(exchange, showAtOnce(exchange));
  const timeoutMs = timeoutOf(exchange, options) * 1_000;
  const selection = selectionOf(exchange, options);
  const stream = new WatchStream({
    surroundings: server.surroundings,
    encoder,
    timeoutMs,
    allowsBookmarks: options.allowsBookmarks,
    ...(!showsAtOnce(exchange) && { prepare: (item) => preparedItem(exchange, item) }),
  });
  const open = (): CacheWatch =>
    store.cache.open({
      scope: scopeOf(exchange, store, selection),
      after: start.isInitial && !missesPresent(exchange, options) ? 'initial' : startRevision(start, store),
      marksInitialEnd: options.sendInitialEvents === true && options.allowsBookmarks,
      ...(!selection.isEverything && { selects: selection.matches }),
      trigger: selection.trigger,
      onReady: stream.wake,
    });
  try {
    // Also for this it is too late to answer with a status: the watch begins, and ends with an error.
    if (isMostRecent(options)) yield* waitUntilFresh(exchange, store, store.storage.revision);
    else if (options.sendInitialEvents && start.version > 0)
      yield* waitUntilFresh(exchange, store, start.version);
    stream.attach(open());
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    stream.fail(error.status);
  }
  exchange.respond(200, { kind: 'stream', stream }, [['content-type', watchContentType(exchange)]]);
}

/** Without a version the present objects are those of a consistent read. */
const isMostRecent = ({ resourceVersion, sendInitialEvents }: ListOptions): boolean =>
  resourceVersion === '' && sendInitialEvents !== false;

/** As `Machinery` says. Whoever asks for initial events by name gets them. */
const missesPresent = (exchange: Exchange, options: ListOptions): boolean =>
  exchange.server.machinery.missesNamedEverywhere &&
  options.sendInitialEvents === undefined &&
  options.fieldSelector?.requiredValue('metadata.name') !== undefined &&
  !isOfOneKey(exchange, options);

/** The event with its object as it is to be shown. */
function* preparedItem(exchange: Exchange, item: WatchItem): Process<WatchItem | undefined> {
  if (item.type === 'BOOKMARK') return item;
  const object = yield* showingEvent(exchange, item.object);
  return object && { ...item, object };
}

/** One object, where only one can be meant; otherwise the collection. */
function scopeOf({ info }: Exchange, store: ResourceStore, { name = '' }: Selection): string {
  const isOne = name !== '' && !name.includes('/') && (!store.isNamespaced || info.namespace !== '');
  return isOne ? store.key(info.namespace, name) : store.range(info.namespace);
}

/** On the legacy path of one object a field selector has to name it, too. */
function checkPathName({ info }: Exchange, { fieldSelector }: ListOptions): void {
  if (!info.isLegacyWatch || info.name === '' || !fieldSelector || fieldSelector.isEverything) return;
  if (fieldSelector.requiredValue('metadata.name') !== info.name) {
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  }
}

/** No storage has seen so many changes. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** Without a version and without the present objects a watch starts from now. */
const startRevision = ({ version }: Start, { cache }: ResourceStore): Revision =>
  version === 0 ? cache.revision : revisionOf(typeof version === 'bigint' ? NEVER : version);

interface Start {
  /** First the present objects as ADDED. */
  readonly isInitial: boolean;
  readonly version: number | bigint;
}

function startOf({ resourceVersion: text, sendInitialEvents }: ListOptions): Start {
  const version = text === '' ? 0 : parseUint(text);
  if (typeof version === 'object') {
    throw plainError(`resourceVersion: Invalid value: ${JSON.stringify(text)}: ${version.error}`);
  }
  if (sendInitialEvents !== undefined) return { isInitial: sendInitialEvents, version };
  return { isInitial: version === 0, version };
}

const NANOS_PER_SECOND = 1_000_000_000;

/** Go counts nanoseconds in 64 bits: what does not fit wraps around. */
const asGoDuration = (seconds: number): number =>
  Number(BigInt.asIntN(64, BigInt(seconds) * BigInt(NANOS_PER_SECOND))) / NANOS_PER_SECOND;

function timeoutOf({ server }: Exchange, { timeoutSeconds }: ListOptions): number {
  if (timeoutSeconds !== undefined && timeoutSeconds !== 0) return Math.max(asGoDuration(timeoutSeconds), 0);
  return MIN_TIMEOUT_SECONDS + (server.surroundings.uint32() % MIN_TIMEOUT_SECONDS);
}
