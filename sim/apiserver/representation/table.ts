/**
 * The server-rendered Table: columns of the kind, a row for each object. Specification: "Table
 * representation".
 */
import { ApiError } from '../../api/status.ts';
import type { PrinterColumn } from '../../api/catalog/printer-columns.ts';
import { encodeJson } from '../../api/codec/encode.ts';
import type { ApiObject, ListMeta } from '../../api/object.ts';
import type { Show } from '../conversion/show.ts';
import type { Exchange } from '../request/exchange.ts';
import type { Resource, ResourceVersion } from '../registry/resource.ts';
import type { TableClock, TableRow } from '../registry/table-row.ts';
import { ageOf } from './age.ts';
import { described } from './column-descriptions.ts';
import type { View } from './negotiate.ts';
import { encodedPartial, partialObject } from './partial-metadata.ts';
import type { ViewObject } from './view-object.ts';

type IncludeObject = 'None' | 'Metadata' | 'Object';

/** What becomes a Table. */
export interface TableSource {
  /** In any version. */
  readonly objects: readonly ApiObject[];
  readonly metadata: ListMeta;
  readonly show: Show;
}

/** `withColumns`: a watch tells them with its first event only, and null with the others. */
export function tableOf(
  exchange: Exchange,
  { objects, metadata, show }: TableSource,
  view: View,
  withColumns = true,
): ViewObject {
  const include = includeObjectOf(exchange);
  const cellsOf = cellsIn(exchange, show);
  const rows = inRowOrder(exchange, objects).map((object) => ({
    ...cellsOf(object),
    object: shownObject(exchange, show(object), include, view),
  }));
  const head = tableHead(exchange, metadata, view, withColumns && showsColumns(exchange, objects));
  if (!withColumns) Reflect.set(head, 'columnDefinitions', null);
  const shownRows = rows.length === 0 && hidesRowsOfNothing(exchange) ? null : rows;
  return { object: { ...head, rows: shownRows }, typeKey: undefined };
}

/** The Table of a list as JSON: everything before the rows, and the rows. */
export function encodedTable(
  exchange: Exchange,
  { objects, metadata, show }: TableSource,
  view: View,
): { readonly head: string; readonly rows: string } {
  const include = includeObjectOf(exchange);
  const cellsOf = cellsIn(exchange, show);
  const rows = inRowOrder(exchange, objects).map((object) => {
    const shown =
      include === 'Metadata'
        ? encodedPartial(show(object), view, exchange.routed.resource.strategy)
        : encodeJson(shownObject(exchange, show(object), include, view));
    return `${encodeJson(cellsOf(object)).slice(0, -1)},"object":${shown}}`;
  });
  const head = encodeJson(tableHead(exchange, metadata, view, showsColumns(exchange, objects)));
  const text = rows.length === 0 && hidesRowsOfNothing(exchange) ? 'null' : `[${rows.join(',')}]`;
  return { head: `${head.slice(0, -1)},"rows":`, rows: `${text}}\n` };
}

/** A page of a list, by what matters most of it. */
function inRowOrder({ routed: { resource } }: Exchange, objects: readonly ApiObject[]): readonly ApiObject[] {
  const { convert, storageApiVersion, strategy } = resource;
  if (!strategy.rowRank || objects.length < 2) return objects;
  const ranked = objects.map((object) => ({
    object,
    rank: strategy.rowRank?.(convert(object, storageApiVersion)) ?? 0,
  }));
  return ranked.sort((one, other) => one.rank - other.rank).map(({ object }) => object);
}

const showsColumns = ({ routed }: Exchange, objects: readonly ApiObject[]): boolean =>
  objects.length > 0 || !routed.resource.strategy.hidesColumnsOfNothing;

/** Kinds without columns of their own have `null` for the rows of an empty list. */
const hidesRowsOfNothing = ({ routed: { resource, version } }: Exchange): boolean =>
  !resource.strategy.tableRow && !resource.strategy.tableColumns && !version.table;

function tableHead(exchange: Exchange, metadata: ListMeta, view: View, withColumns: boolean): object {
  const { resource, version } = exchange.routed;
  const columns = version.table?.columns ?? tableColumns(resource, version);
  return {
    kind: 'Table',
    apiVersion: `${view.group}/${view.version}`,
    metadata,
    ...(withColumns && { columnDefinitions: described(resource, columns) }),
  };
}

/** Many objects are of one age: it is worded once. */
function agesAt(nowMs: number): TableClock['age'] {
  const ages = new Map<string, string>();
  return (timestamp) => {
    const known = ages.get(timestamp ?? '');
    if (known !== undefined) return known;
    const age = ageOf(timestamp, nowMs);
    ages.set(timestamp ?? '', age);
    return age;
  };
}

/**
 * What a row says of an object now, which for an event of a watch is long after the request. Rows of built-in kinds are the same in every
 * version; those of custom resources are declared for one.
 */
function cellsIn(
  { routed: { resource, version }, server }: Exchange,
  show: Show,
): (object: ApiObject) => object {
  const nowMs = server.surroundings.wallMs();
  const clock: TableClock = {
    nowMs,
    age: agesAt(nowMs),
    isReleasedBy: server.features.isReleasedBy,
  };
  return (object) => {
    const { cells, conditions } = version.table?.row(show(object), clock) ?? rowOf(resource, object, clock);
    return conditions ? { cells, conditions } : { cells };
  };
}

export function includeObjectOf({ request }: Exchange): IncludeObject {
  const value = request.query.first('includeObject') ?? '';
  if (value === '' || value === 'Metadata') return 'Metadata';
  if (value === 'None' || value === 'Object') return value;
  throw new ApiError({
    reason: 'BadRequest',
    message: `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  });
}

function shownObject(
  { routed }: Exchange,
  object: ApiObject,
  include: IncludeObject,
  view: View,
): object | null {
  if (include === 'None') return null;
  return include === 'Object' ? object : partialObject(object, view, routed.resource.strategy).object;
}

const DEFAULT_COLUMNS: readonly PrinterColumn[] = [
  { name: 'Name', type: 'string', format: 'name', priority: 0 },
  { name: 'Created At', type: 'date', format: '', priority: 0 },
];

function tableColumns({ strategy }: Resource, { columns }: ResourceVersion): readonly PrinterColumn[] {
  if (strategy.tableColumns) return strategy.tableColumns;
  return strategy.tableRow ? (columns ?? DEFAULT_COLUMNS) : DEFAULT_COLUMNS;
}

/** The time of an object that was not made at any. */
const NO_TIME = '0001-01-01T00:00:00Z';

function rowOf(
  { strategy, convert, storageApiVersion }: Resource,
  object: ApiObject,
  clock: TableClock,
): TableRow {
  const { name = '', creationTimestamp } = object.metadata;
  // Only what a bookmark shows has no name.
  const named = name === '' ? { ...object, metadata: { ...object.metadata, name } } : object;
  return (
    strategy.tableRow?.(convert(named, storageApiVersion), clock) ?? {
      cells: [name, creationTimestamp ?? NO_TIME],
    }
  );
}
