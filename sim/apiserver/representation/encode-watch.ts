/**
 * Watch events in the negotiated view and encoding. An event's bytes are made once for each form and
 * shared by all watchers that are told of it. Specification: "Watch event".
 */
import { canonical } from '../../api/codec/canonical.ts';
import { encodeJson } from '../../api/codec/encode.ts';
import { encodeWatchFrame, wrapEnvelope } from '../../api/codec/envelope.ts';
import { encodeProtobuf } from '../../api/codec/protobuf.ts';
import type { ApiObject } from '../../api/object.ts';
import type { Status } from '../../api/status.ts';
import type { Show } from '../conversion/show.ts';
import type { ResourceVersion } from '../registry/resource.ts';
import type { Exchange } from '../request/exchange.ts';
import type { StreamPiece } from '../request/request.ts';
import type { WatchItem } from '../watch-cache/cache-event.ts';
import { encodedObject, encodeFresh } from './encode.ts';
import { MEDIA_TYPE_OF, negotiateStream, type Negotiated, type View } from './negotiate.ts';
import { encodedPartial, partialForm, partialObject } from './partial-metadata.ts';
import { includeObjectOf, tableOf } from './table.ts';
import { WarmBytes } from './warm-bytes.ts';

export interface WatchEncoder {
  /** Undefined: nothing can be shown in the form that was asked for, which ends the watch without a word. */
  item(item: WatchItem): StreamPiece | undefined;
  error(status: Status): StreamPiece;
}

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';
const TEXT = new TextEncoder();

export function watchContentType(exchange: Exchange): string {
  const { encoding } = streamOf(exchange);
  return encoding === 'protobuf' ? `${MEDIA_TYPE_OF.protobuf};stream=watch` : MEDIA_TYPE_OF[encoding];
}

const streamOf = ({ accepted }: Exchange): Negotiated => negotiateStream(accepted);

/** `showObject`: as the version of the path has it. */
export function watchEncoderOf(exchange: Exchange, showObject: Show): WatchEncoder {
  const { request } = exchange;
  const show = (item: WatchItem): ApiObject =>
    item.type === 'BOOKMARK' ? bookmarkOf(exchange, item) : showObject(item.object);
  if (!request.wire) {
    return {
      item: (item) => ({ type: item.type, object: show(item) }),
      error: (status) => ({ type: 'ERROR', object: status }),
    };
  }
  const { encoding, view } = streamOf(exchange);
  // An event is of one object, and that is no list.
  if (view?.kind === 'PartialObjectMetadataList')
    return { item: () => undefined, error: (status) => jsonLine('ERROR', encodeJson(status)) };
  if (encoding === 'protobuf') return protobufEncoder(exchange, show, view);
  if (!view) return jsonEncoder(exchange, show);
  // Refused before the watch begins: its events have nobody to refuse them.
  if (view.kind === 'Table') includeObjectOf(exchange);
  let isFirst = true;
  return {
    item: (item) => {
      const object = show(item);
      const meta = { resourceVersion: object.metadata.resourceVersion ?? '' };
      if (view.kind !== 'Table')
        return jsonLine(item.type, encodedPartial(object, view, exchange.routed.resource.strategy));
      const source = item.type === 'BOOKMARK' ? object : item.object;
      const table = tableOf(
        exchange,
        { objects: [source], metadata: meta, show: showObject },
        view,
        isFirst,
      ).object;
      isFirst = false;
      return jsonLine(item.type, encodeJson(table));
    },
    error: (status) => jsonLine('ERROR', encodeJson(status)),
  };
}

const jsonLine = (type: string, object: string): Uint8Array =>
  TEXT.encode(`{"type":"${type}","object":${object}}\n`);

function jsonEncoder(exchange: Exchange, show: (item: WatchItem) => ApiObject): WatchEncoder {
  const { version } = exchange.routed;
  return {
    item: shared(version, `json ${version.apiVersion}`, (item) =>
      framed(item.type, encodedObject(show(item), 'json', version)),
    ),
    error: (status) => jsonLine('ERROR', encodeJson(status)),
  };
}

/** `object` ends with a line break, which moves behind the closing brace. */
function framed(type: string, object: Uint8Array): Uint8Array {
  const head = TEXT.encode(`{"type":"${type}","object":`);
  const bytes = new Uint8Array(head.length + object.length + 1);
  bytes.set(head);
  bytes.set(object, head.length);
  bytes[bytes.length - 2] = 0x7d;
  bytes[bytes.length - 1] = 0x0a;
  return bytes;
}

/** `view`: as metadata; Tables are refused before. */
function protobufEncoder(
  exchange: Exchange,
  show: (item: WatchItem) => ApiObject,
  view: View | undefined,
): WatchEncoder {
  const { version, resource } = exchange.routed;
  const form = view ? `${view.group}/${view.version}` : version.apiVersion;
  const encoded = (object: ApiObject): Uint8Array =>
    view
      ? encodeFresh(
          partialObject(object, view, resource.strategy).object,
          'protobuf',
          partialForm(exchange.types, view),
        )
      : encodedObject(object, 'protobuf', version);
  return {
    item: shared(version, `protobuf ${form}`, (item) => encodeWatchFrame(item.type, encoded(show(item)))),
    error: (status) =>
      encodeWatchFrame(
        'ERROR',
        wrapEnvelope({
          apiVersion: 'v1',
          kind: 'Status',
          raw: encodeProtobuf(exchange.types.structOf('meta.k8s.io/v1.Status'), status),
        }),
      ),
  };
}

/** Servers of different releases have different ones for a stored object. */
interface KeptFrame {
  readonly version: ResourceVersion;
  readonly bytes: Uint8Array;
}

/** Whoever is told of the same object by the same type of event is told the same bytes. Bookmarks are for one watch. */
function shared(
  version: ResourceVersion,
  form: string,
  encode: (item: WatchItem) => Uint8Array,
): (item: WatchItem) => Uint8Array {
  const byType = {
    ADDED: cacheFor(`ADDED ${form}`),
    MODIFIED: cacheFor(`MODIFIED ${form}`),
    DELETED: cacheFor(`DELETED ${form}`),
  };
  return (item) => {
    if (item.type === 'BOOKMARK') return encode(item);
    const cache = byType[item.type];
    const known = cache.get(item.object);
    if (known?.version === version) return known.bytes;
    const bytes = encode(item);
    cache.keep(item.object, { version, bytes });
    return bytes;
  };
}

type Kept = WarmBytes<ApiObject, KeptFrame>;

const caches = new Map<string, Kept>();
/** Watchers are told at about the same time. */
const FORM_BYTES = 16 * 1024 * 1024;

function cacheFor(form: string): Kept {
  const known = caches.get(form);
  if (known) return known;
  const cache: Kept = new WarmBytes(({ bytes }) => bytes.length, FORM_BYTES);
  caches.set(form, cache);
  return cache;
}

function bookmarkOf(exchange: Exchange, item: Extract<WatchItem, { type: 'BOOKMARK' }>): ApiObject {
  const { version } = exchange.routed;
  const object = {
    kind: version.kind,
    apiVersion: version.apiVersion,
    metadata: {
      resourceVersion: String(item.revision),
      creationTimestamp: null,
      ...(item.endsInitialEvents && { annotations: { [INITIAL_EVENTS_END]: 'true' } }),
    },
  };
  return canonical(version.schema, object) as ApiObject;
}
