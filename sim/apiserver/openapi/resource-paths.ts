/** Paths and operations of one resource with its subresources, as the server routes them. */
import { findKind, type GroupVersionKind } from '../../api/catalog/builtin-kinds.ts';
import type { JsonObject } from '../../api/object.ts';
import { groupVersionOf, type ServedResource, type ServedSubresource } from '../discovery/served.ts';
import {
  ANY_MEDIA_TYPE,
  DELETE_BODY,
  OBJECT_MEDIA_TYPES,
  OK,
  OK_CREATED_OR_ACCEPTED,
  OK_OR_ACCEPTED,
  OK_OR_CREATED,
  operation,
  PATCH_BODY,
  PATCH_MEDIA_TYPES,
  STATUS_ANSWER,
  STREAM_MEDIA_TYPES,
  WATCH_ANSWER,
  type Method,
  type OperationFields,
} from './operation.ts';
import {
  DELETE_COLLECTION_PARAMETERS,
  DELETE_PARAMETERS,
  LIST_PARAMETERS,
  optionParameters,
  PATCH_PARAMETERS,
  pathParameter,
  PRETTY,
  WRITE_PARAMETERS,
} from './parameters.ts';
import { nameOfKind, nameOfList } from './schema-names.ts';

export type Paths = ReadonlyMap<string, JsonObject>;

/** Words that operation ids and tags are made of. */
interface Names {
  /** `CoreV1`, `RbacAuthorizationV1` */
  readonly prefix: string;
  /** `core_v1`, `rbacAuthorization_v1` */
  readonly tag: string;
}

/** `rbac.authorization.k8s.io` → `RbacAuthorization`; the core group is `Core`. */
export function groupWord(group: string): string {
  if (group === '') return 'Core';
  return group
    .replace(/\.k8s\.io$/, '')
    .split(/[.-]/)
    .map(capital)
    .join('');
}

export const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

export const tagOfGroup = (group: string): string => {
  const word = groupWord(group);
  return word.charAt(0).toLowerCase() + word.slice(1);
};

export const rootOf = (group: string, version: string): string =>
  `${group ? '/apis' : '/api'}/${groupVersionOf(group, version)}`;

/** All paths of a resource. @param hasWatchPaths custom resources have no paths of the form `/watch/…` */
export function resourcePaths(
  row: ServedResource,
  { hasWatchPaths }: { readonly hasWatchPaths: boolean },
): Paths {
  const names: Names = {
    prefix: groupWord(row.group) + capital(row.version),
    tag: `${tagOfGroup(row.group)}_${row.version}`,
  };
  const root = rootOf(row.group, row.version);
  const paths = new Map<string, JsonObject>();
  const add = (path: string, operations: Partial<Record<Method, JsonObject>>): void => {
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
  add: (path: string, operations: Partial<Record<Method, JsonObject>>) => void,
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

const scoped = ({ namespaced, kind }: ServedResource): string => (namespaced ? `Namespaced${kind}` : kind);

/** What holds for every operation of a path; in watch paths the options of a list, too. */
function pathParameters(
  path: string,
  operations: Partial<Record<Method, JsonObject>>,
): readonly JsonObject[] {
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

function listOperation(row: ServedResource, names: Names, subject: string): JsonObject {
  return operation({
    id: `list${names.prefix}${subject}`,
    tag: names.tag,
    action: 'list',
    kind: row,
    answer: nameOfList(row),
    success: OK,
    parameters: LIST_PARAMETERS,
    produces: STREAM_MEDIA_TYPES,
  });
}

function collectionOperations(row: ServedResource, names: Names): Partial<Record<Method, JsonObject>> {
  const has = (verb: string) => row.verbs.includes(verb);
  const base = baseOf(row, names);
  return {
    ...(has('deletecollection') && {
      delete: operation({
        ...base,
        id: `delete${names.prefix}Collection${scoped(row)}`,
        action: 'deletecollection',
        answer: STATUS_ANSWER,
        success: OK,
        parameters: DELETE_COLLECTION_PARAMETERS,
        body: DELETE_BODY,
        bodyIsOptional: true,
      }),
    }),
    ...(has('list') && { get: listOperation(row, names, scoped(row)) }),
    ...(has('create') && { post: createOperation({ ...base, id: `create${names.prefix}${scoped(row)}` }) }),
  };
}

const baseOf = (row: ServedResource, { tag }: Names) => ({
  tag,
  kind: row as GroupVersionKind,
  answer: nameOfKind(row),
  produces: OBJECT_MEDIA_TYPES,
});

type Base = Pick<OperationFields, 'id' | 'tag' | 'answer' | 'produces'> & { readonly kind: GroupVersionKind };

const createOperation = (base: Base): JsonObject =>
  operation({
    ...base,
    action: 'post',
    success: OK_CREATED_OR_ACCEPTED,
    parameters: WRITE_PARAMETERS,
    body: nameOfKind(base.kind),
  });

const readOperation = (base: Base): JsonObject => operation({ ...base, action: 'get', success: OK });

const replaceOperation = (base: Base): JsonObject =>
  operation({
    ...base,
    action: 'put',
    success: OK_OR_CREATED,
    parameters: WRITE_PARAMETERS,
    body: nameOfKind(base.kind),
  });

const patchOperation = (base: Base): JsonObject =>
  operation({
    ...base,
    action: 'patch',
    success: OK_OR_CREATED,
    parameters: PATCH_PARAMETERS,
    body: PATCH_BODY,
    // Only built-in kinds know strategic merge rules.
    consumes: PATCH_MEDIA_TYPES.filter(
      (mediaType) => findKind(base.kind) || !mediaType.includes('strategic'),
    ),
  });

/** Deleting answers with a Status, but these with the object as it was. */
const ANSWERS_WITH_OBJECT: ReadonlySet<string> = new Set([
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Pod',
  'PodTemplate',
  'ResourceQuota',
  'Service',
  'ServiceAccount',
  'CSIDriver',
  'CSINode',
  'StorageClass',
  'VolumeAttachment',
]);

function objectOperations(row: ServedResource, names: Names): Partial<Record<Method, JsonObject>> {
  const has = (verb: string) => row.verbs.includes(verb);
  const as = (verb: string): Base => ({ ...baseOf(row, names), id: `${verb}${names.prefix}${scoped(row)}` });
  const deletion = (): JsonObject =>
    operation({
      ...as('delete'),
      action: 'delete',
      ...(!ANSWERS_WITH_OBJECT.has(row.kind) && { answer: STATUS_ANSWER }),
      success: OK_OR_ACCEPTED,
      parameters: DELETE_PARAMETERS,
      body: DELETE_BODY,
      bodyIsOptional: true,
    });
  return {
    ...(has('delete') && { delete: deletion() }),
    ...(has('get') && { get: readOperation(as('read')) }),
    ...(has('patch') && { patch: patchOperation(as('patch')) }),
    ...(has('update') && { put: replaceOperation(as('replace')) }),
  };
}

const METHODS_OF_VERB: Readonly<Record<string, readonly Method[]>> = {
  create: ['post'],
  delete: ['delete'],
  get: ['get'],
  patch: ['patch'],
  update: ['put'],
};

function subresourceOperations(
  row: ServedResource,
  subresource: ServedSubresource,
  names: Names,
  suffix: string,
): Partial<Record<Method, JsonObject>> {
  const subject = scoped(row) + capital(subresource.name) + suffix;
  if (subresource.kind.endsWith('Options')) return connectOperations(subresource, names, subject);
  const has = (verb: string) => subresource.verbs.includes(verb);
  const as = (verb: string): Base => ({
    tag: names.tag,
    kind: subresource,
    answer: nameOfKind(subresource),
    produces: OBJECT_MEDIA_TYPES,
    id: `${verb}${names.prefix}${subject}`,
  });
  if (subresource.name === 'log') return { get: logOperation(subresource, as('read')) };
  return {
    ...(has('get') && { get: readOperation(as('read')) }),
    ...(has('patch') && { patch: patchOperation(as('patch')) }),
    ...(has('create') && { post: createOperation(as('create')) }),
    ...(has('update') && { put: replaceOperation(as('replace')) }),
  };
}

const logOperation = ({ group, version }: ServedSubresource, base: Base): JsonObject =>
  operation({
    ...base,
    action: 'get',
    answer: 'string',
    success: OK,
    parameters: optionParameters({ group, version, kind: 'PodLogOptions' }),
    produces: ['text/plain', ...OBJECT_MEDIA_TYPES],
  });

function connectOperations(
  subresource: ServedSubresource,
  names: Names,
  subject: string,
): Partial<Record<Method, JsonObject>> {
  // A proxy passes on any method, a stream is opened by two of them.
  const ofVerbs = subresource.verbs.flatMap((verb) => METHODS_OF_VERB[verb] ?? []);
  const methods: readonly Method[] = subresource.name === 'proxy' ? [...ofVerbs, 'head', 'options'] : ofVerbs;
  const operations = methods.map((method) => [
    method,
    operation({
      id: `connect${names.prefix}${capital(method)}${subject}`,
      tag: names.tag,
      action: 'connect',
      kind: subresource,
      answer: 'string',
      success: OK,
      parameters: optionParameters(subresource),
      produces: ANY_MEDIA_TYPE,
    }),
  ]);
  return Object.fromEntries(operations) as Partial<Record<Method, JsonObject>>;
}
