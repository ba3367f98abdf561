/** The paths of one resource with its subresources, as the server routes them. */
import type { JsonObject } from '../../api/object.ts';
import type { ServedResource } from '../discovery/served.ts';
import type { BuiltinSchemas } from './builtin-schemas.ts';
import { namesOf, rootOf, scoped, type Names } from './operation-names.ts';
import { OK, operation, STREAM_MEDIA_TYPES, WATCH_ANSWER } from './operation.ts';
import { LIST_PARAMETERS, pathParameter, PRETTY } from './parameters.ts';
import {
  collectionOperations,
  listOperation,
  objectOperations,
  subresourceOperations,
  type Operations,
} from './resource-operations.ts';

export type Paths = ReadonlyMap<string, JsonObject>;

/** All paths of a resource. @param hasWatchPaths custom resources have no paths of the form `/watch/…` */
export function resourcePaths(
  row: ServedResource,
  { schemas, hasWatchPaths }: { readonly schemas: BuiltinSchemas; readonly hasWatchPaths: boolean },
): Paths {
  const names = namesOf(row.group, row.version, schemas);
  const root = rootOf(row.group, row.version);
  const paths = new Map<string, JsonObject>();
  const add = (path: string, operations: Operations): void => {
    if (Object.keys(operations).length > 0) {
      paths.set(path, { ...operations, parameters: pathParameters(path, operations) });
    }
  };
  const scope = row.namespaced ? '/namespaces/{namespace}' : '';
  add(`${root}${scope}/${row.resource}`, collectionOperations(row, names));
  add(`${root}${scope}/${row.resource}/{name}`, objectOperations(row, names));
  if (row.namespaced && row.verbs.includes('list')) {
    add(`${root}/${row.resource}`, { get: listOperation(row, names, `${row.kind}ForAllNamespaces`) });
  }
  for (const subresource of row.subresources) {
    const path = `${root}${scope}/${row.resource}/{name}/${subresource.name}`;
    add(path, subresourceOperations(row, subresource, names, ''));
    if (subresource.name === 'proxy') {
      add(`${path}/{path}`, subresourceOperations(row, subresource, names, 'WithPath'));
    }
  }
  if (hasWatchPaths && row.verbs.includes('watch')) addWatchPaths(row, names, root + '/watch', add);
  return paths;
}

function addWatchPaths(
  row: ServedResource,
  names: Names,
  root: string,
  add: (path: string, operations: Operations) => void,
): void {
  const scope = row.namespaced ? '/namespaces/{namespace}' : '';
  const watch = (action: string, subject: string) => ({
    get: operation({
      id: `watch${names.prefix}${subject}`,
      tag: names.tag,
      action,
      kind: row,
      answer: WATCH_ANSWER,
      success: OK,
      produces: STREAM_MEDIA_TYPES,
    }),
  });
  add(`${root}${scope}/${row.resource}`, watch('watchlist', `${scoped(row)}List`));
  if (row.verbs.includes('get')) add(`${root}${scope}/${row.resource}/{name}`, watch('watch', scoped(row)));
  if (row.namespaced) add(`${root}/${row.resource}`, watch('watchlist', `${row.kind}ListForAllNamespaces`));
}

/** What holds for every operation of a path; in watch paths the options of a list, too. */
function pathParameters(path: string, operations: Operations): readonly JsonObject[] {
  const isWatch = path.includes('/watch/');
  const isConnect = Object.values(operations).some((each) => each?.['x-kubernetes-action'] === 'connect');
  return [
    ...(isWatch ? LIST_PARAMETERS : []),
    ...(path.includes('{name}') ? [pathParameter('name', 'Name of the object.')] : []),
    ...(path.includes('{namespace}') ? [pathParameter('namespace', 'Namespace of the object.')] : []),
    ...(path.endsWith('{path}') ? [pathParameter('path', 'Path within the target.')] : []),
    ...(isConnect ? [] : [PRETTY]),
  ];
}
