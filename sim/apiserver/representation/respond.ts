/**
 * From a verb's result to the response: in the version of the path and in the view and encoding that
 * were negotiated. First-party requests get the objects themselves.
 */
import { encodePrettyJson } from '../../api/codec/encode.ts';
import type { ApiObject, ListMeta } from '../../api/object.ts';
import { ApiError, plainError } from '../../api/status.ts';
import { type Show, showAtOnce } from '../conversion/show.ts';
import { goType } from '../custom-resources/go-type.ts';
import type { Exchange } from '../request/exchange.ts';
import { encodedObject, encodeFresh, type TypedForm } from './encode.ts';
import { jsonHead, jsonItems, partialItems, protobufHead, protobufItems } from './list-bytes.ts';
import { MEDIA_TYPE_OF, type Negotiated, type View } from './negotiate.ts';
import type { Page } from './page.ts';
import { isPrettyWanted } from './pretty.ts';
import { partialList, partialObject } from './partial-metadata.ts';
import { encodedTable, includeObjectOf, tableOf, type TableSource } from './table.ts';
import type { ViewObject } from './view-object.ts';

const PLAIN: Negotiated = { encoding: 'json', view: undefined, isStream: false };

/** `object` is in any version of the routed resource; default of `show`: what can be done in process. */
export function respondObject(
  exchange: Exchange,
  status: number,
  object: ApiObject,
  show: Show = showAtOnce(exchange),
): void {
  const { version } = exchange.routed;
  const { view } = exchange.accepted ?? PLAIN;
  if (exchange.request.wire) checkNoList(exchange, object);
  if (view?.kind === 'Table' && exchange.request.wire) {
    const source = { objects: [object], metadata: versionOnly(object), show };
    respondView(exchange, status, tableOf(exchange, source, view));
    return;
  }
  respondTyped(exchange, status, show(object), version);
}

/** An object of whatever type, such as a Scale or a review. */
export function respondTyped(exchange: Exchange, status: number, object: ApiObject, form: TypedForm): void {
  if (!exchange.request.wire) {
    exchange.respond(status, { kind: 'object', object });
    return;
  }
  const { encoding, view } = exchange.accepted ?? PLAIN;
  if (view) {
    respondView(exchange, status, viewOfObject(exchange, object, { view, form }));
    return;
  }
  const isPretty = encoding === 'json' && isPrettyWanted(exchange.request, exchange.accepted);
  const bytes = isPretty ? encodeFresh(object, encoding, form, true) : encodedObject(object, encoding, form);
  exchange.respond(status, { kind: 'bytes', bytes }, [['content-type', MEDIA_TYPE_OF[encoding]]]);
}

/** A successful deletion whose object is not shown. */
export function respondSuccess(exchange: Exchange, object: ApiObject): void {
  // There is no table of it, but what should be in one is looked at.
  if (exchange.accepted?.view?.kind === 'Table') includeObjectOf(exchange);
  const { group, resource } = exchange.routed.resource;
  const { name = '', uid = '' } = object.metadata;
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(group && { group }), kind: resource, ...(uid && { uid }) },
  };
  respondPlain(exchange, 200, status, 'meta.k8s.io/v1.Status');
}

/** Built-in objects without views: Status, discovery documents. */
export function respondPlain(
  exchange: Exchange,
  status: number,
  object: object,
  typeKey: string,
  more: readonly (readonly [string, string])[] = [],
): void {
  if (!exchange.request.wire) {
    exchange.respond(status, { kind: 'object', object }, more);
    return;
  }
  const { encoding } = exchange.accepted ?? PLAIN;
  const apiVersion: unknown = Reflect.get(object, 'apiVersion');
  const kind: unknown = Reflect.get(object, 'kind');
  const form: TypedForm = {
    apiVersion: typeof apiVersion === 'string' ? apiVersion : '',
    kind: typeof kind === 'string' ? kind : '',
    schema: encoding === 'protobuf' ? exchange.types.structOf(typeKey) : undefined,
  };
  const isPretty = encoding === 'json' && isPrettyWanted(exchange.request, exchange.accepted);
  const bytes = encodeFresh(object, encoding, form, isPretty);
  exchange.respond(status, { kind: 'bytes', bytes }, [['content-type', MEDIA_TYPE_OF[encoding]], ...more]);
}

/** JSON for people, whatever was asked for. */
export function respondIndented(exchange: Exchange, object: object): void {
  if (exchange.request.wire) exchange.respondText(200, encodePrettyJson(object), MEDIA_TYPE_OF.json);
  else exchange.respond(200, { kind: 'object', object });
}

export function respondList(exchange: Exchange, page: Page, show: Show): void {
  const { resource, version } = exchange.routed;
  const { encoding, view } = exchange.accepted ?? PLAIN;
  const { wire } = exchange.request;
  // Only texts can be made pretty.
  const isPretty = encoding !== 'protobuf' && isPrettyWanted(exchange.request, exchange.accepted);
  const pieces = wire && !isPretty ? listPieces(exchange, page, show) : undefined;
  if (pieces) {
    exchange.respond(200, { kind: 'bytes', ...pieces }, [['content-type', MEDIA_TYPE_OF[encoding]]]);
    return;
  }
  const items = view?.kind === 'Table' ? page.items : shownItems(exchange, page, show);
  if (view && wire) {
    respondView(
      exchange,
      200,
      viewOfList(exchange, { objects: items, metadata: listMeta(page, false), show }, view),
    );
    return;
  }
  const list = {
    kind: version.listKind,
    apiVersion: version.apiVersion,
    metadata: listMeta(page, resource.isCustom),
    items: resource.isCustom || !wire ? items : items.map(withoutType),
  };
  if (!wire) {
    exchange.respond(200, { kind: 'object', object: list });
    return;
  }
  const form: TypedForm = { apiVersion: version.apiVersion, kind: version.listKind, schema: undefined };
  const bytes = encodeFresh(list, encoding, form, isPretty);
  exchange.respond(200, { kind: 'bytes', bytes }, [['content-type', MEDIA_TYPE_OF[encoding]]]);
}

const TEXT = new TextEncoder();

interface ListPieces {
  readonly head: Uint8Array;
  readonly bytes: Uint8Array;
}

/** The lists that clients ask for most, out of what is kept of their items; undefined: another form is wanted. */
function listPieces(exchange: Exchange, page: Page, show: Show): ListPieces | undefined {
  const keep = { exchange, page, show };
  const { resource, version } = exchange.routed;
  const { encoding, view } = exchange.accepted ?? PLAIN;
  const { listKind: kind, apiVersion } = version;
  if (encoding === 'json' && !view) {
    return {
      head: jsonHead({ kind, apiVersion, metadata: listMeta(page, resource.isCustom) }, 'items'),
      bytes: keptTail(keep, apiVersion, (items) => jsonItems(items, version, resource.isCustom)),
    };
  }
  if (encoding === 'json' && view?.kind === 'PartialObjectMetadataList') {
    const form = `${view.group}/${view.version}`;
    return {
      head: jsonHead({ kind: view.kind, apiVersion: form, metadata: listMeta(page, false) }, 'items'),
      bytes: keptTail(keep, form, (items) => partialItems(items, view, exchange.routed.resource.strategy)),
    };
  }
  if (encoding === 'json' && view?.kind === 'Table') {
    const { head, rows } = encodedTable(
      exchange,
      { objects: page.items, metadata: listMeta(page, false), show },
      view,
    );
    return { head: TEXT.encode(head), bytes: TEXT.encode(rows) };
  }
  if (encoding !== 'protobuf' || view) return undefined;
  const schema = exchange.types.structOf(`${apiVersion}.${kind}`);
  const bytes = keptTail(keep, `${apiVersion} protobuf`, (items) => protobufItems(schema, items, version));
  return { head: protobufHead({ apiVersion, kind, schema }, listMeta(page, false), bytes.length), bytes };
}

/** In the version of the path. */
function shownItems(
  { routed: { resource, version } }: Exchange,
  { items }: Page,
  show: Show,
): readonly ApiObject[] {
  if (version.apiVersion === resource.storageApiVersion && !resource.isCustom) return items;
  return items.map((item) => show(item));
}

/** What follows a list's head; that of a whole collection is kept until something is written. */
function keptTail(
  { exchange, page, show }: { readonly exchange: Exchange; readonly page: Page; readonly show: Show },
  form: string,
  make: (items: readonly ApiObject[]) => Uint8Array,
): Uint8Array {
  const { resource } = exchange.routed;
  const { keptLists } = exchange.server.storeOf(resource);
  // What a custom resource shows changes with its definition, too.
  const whole = resource.isCustom ? undefined : page.whole;
  const key = whole && `${whole.range} ${form}`;
  const kept = whole && key !== undefined ? keptLists.get(key, whole.writtenAt) : undefined;
  if (kept) return kept;
  const bytes = make(shownItems(exchange, page, show));
  if (whole && key !== undefined) keptLists.keep(key, whole.writtenAt, bytes);
  return bytes;
}

function withoutType({ kind: _kind, apiVersion: _apiVersion, ...rest }: ApiObject): object {
  return rest;
}

/** Lists of custom resources always have a `continue`. */
function listMeta({ revision, continueToken, remainingItemCount }: Page, isCustom: boolean): ListMeta {
  return {
    ...(isCustom && { continue: continueToken }),
    ...(revision !== undefined && { resourceVersion: String(revision) }),
    ...(continueToken !== '' && !isCustom && { continue: continueToken }),
    ...(remainingItemCount !== undefined && remainingItemCount > 0 && { remainingItemCount }),
  };
}

/** A view of what is of no resource, or was shown already. */
const asIs: Show = (object) => object;

function viewOfObject(
  exchange: Exchange,
  object: ApiObject,
  { view, form }: { readonly view: View; readonly form: TypedForm },
): ViewObject {
  if (view.kind === 'Table')
    return tableOf(exchange, { objects: [object], metadata: versionOnly(object), show: asIs }, view);
  if (view.kind === 'PartialObjectMetadataList') {
    if (exchange.routed.resource.isCustom) throw plainError(noList(object));
    throw viewMismatch(
      `you requested PartialObjectMetadataList, but the requested object is not a list (*${form.goTypeName ?? exchange.routed.resource.goTypeName})`,
    );
  }
  return partialObject(object, view, exchange.routed.resource.strategy);
}

/** A custom resource passes for a list, until somebody looks for its items. */
const noList = (object: ApiObject): string => {
  if (!('items' in object)) return 'content is not a list';
  return `content is not a list: ${goType(object['items'])}`;
};

/** With `items` it is even taken for one, and is none. */
function checkNoList({ routed: { resource } }: Exchange, object: ApiObject): void {
  if (!resource.isCustom || !Array.isArray(object['items'])) return;
  throw plainError('*unstructured.Unstructured is not a list: no Items field in this object');
}

/** What was not stored has no version. */
const versionOnly = ({ metadata: { resourceVersion } }: ApiObject): ListMeta => ({
  ...(resourceVersion !== undefined && { resourceVersion }),
});

function viewOfList(exchange: Exchange, rows: TableSource, view: View): ViewObject {
  if (view.kind === 'Table') return tableOf(exchange, rows, view);
  if (view.kind === 'PartialObjectMetadata') {
    throw viewMismatch(
      `you requested PartialObjectMetadata, but the requested object is a list (*${exchange.routed.resource.goTypeName}List)`,
    );
  }
  return partialList(rows.objects, rows.metadata, view, exchange.routed.resource.strategy);
}

const viewMismatch = (message: string): ApiError => new ApiError({ reason: 'NotAcceptable', message });

function respondView(exchange: Exchange, status: number, { object, typeKey }: ViewObject): void {
  const { encoding } = exchange.accepted ?? PLAIN;
  if (encoding === 'protobuf' && typeKey === undefined) {
    throw new ApiError({
      reason: 'NotAcceptable',
      message:
        'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    });
  }
  const form: TypedForm = {
    apiVersion: String(Reflect.get(object, 'apiVersion')),
    kind: String(Reflect.get(object, 'kind')),
    schema: encoding === 'protobuf' && typeKey !== undefined ? exchange.types.structOf(typeKey) : undefined,
  };
  const bytes = encodeFresh(
    object,
    encoding,
    form,
    encoding === 'json' && isPrettyWanted(exchange.request, exchange.accepted),
  );
  exchange.respond(status, { kind: 'bytes', bytes }, [['content-type', MEDIA_TYPE_OF[encoding]]]);
}
