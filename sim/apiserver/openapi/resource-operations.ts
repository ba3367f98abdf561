/** The operations on the objects of a resource and on its subresources. */
import type { GroupVersionKind } from '../../api/catalog/builtin-kinds.ts';
import type { JsonObject } from '../../api/object.ts';
import type { ServedResource, ServedSubresource } from '../discovery/served.ts';
import { capital, scoped, type Names } from './operation-names.ts';
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
  type Method,
  type OperationFields,
} from './operation.ts';
import {
  DELETE_COLLECTION_PARAMETERS,
  DELETE_PARAMETERS,
  LIST_PARAMETERS,
  optionParameters,
  PATCH_PARAMETERS,
  WRITE_PARAMETERS,
} from './parameters.ts';

export type Operations = Partial<Record<Method, JsonObject>>;

/** @param subject what is listed, as the operation id says it */
export function listOperation(row: ServedResource, names: Names, subject: string): JsonObject {
  return operation({
    id: `list${names.prefix}${subject}`,
    tag: names.tag,
    action: 'list',
    kind: row,
    answer: names.schemas.nameOfList(row),
    success: OK,
    parameters: LIST_PARAMETERS,
    produces: STREAM_MEDIA_TYPES,
  });
}

export function collectionOperations(row: ServedResource, names: Names): Operations {
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

const baseOf = (row: ServedResource, { tag, schemas }: Names) => ({
  tag,
  kind: row as GroupVersionKind,
  answer: schemas.nameOfKind(row),
  isBuiltin: schemas.isBuiltin(row),
  produces: OBJECT_MEDIA_TYPES,
});

type Base = Pick<OperationFields, 'id' | 'tag' | 'answer' | 'produces'> & {
  readonly kind: GroupVersionKind;
  readonly isBuiltin: boolean;
};

const createOperation = (base: Base): JsonObject =>
  operation({
    ...base,
    action: 'post',
    success: OK_CREATED_OR_ACCEPTED,
    parameters: WRITE_PARAMETERS,
    body: base.answer,
  });

const readOperation = (base: Base): JsonObject => operation({ ...base, action: 'get', success: OK });

const replaceOperation = (base: Base): JsonObject =>
  operation({
    ...base,
    action: 'put',
    success: OK_OR_CREATED,
    parameters: WRITE_PARAMETERS,
    body: base.answer,
  });

const patchOperation = (base: Base): JsonObject =>
  operation({
    ...base,
    action: 'patch',
    success: OK_OR_CREATED,
    parameters: PATCH_PARAMETERS,
    body: PATCH_BODY,
    // Only built-in kinds know strategic merge rules.
    consumes: PATCH_MEDIA_TYPES.filter((mediaType) => base.isBuiltin || !mediaType.includes('strategic')),
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

export function objectOperations(row: ServedResource, names: Names): Operations {
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

export function subresourceOperations(
  row: ServedResource,
  subresource: ServedSubresource,
  names: Names,
  suffix: string,
): Operations {
  const subject = scoped(row) + capital(subresource.name) + suffix;
  if (subresource.kind.endsWith('Options')) return connectOperations(subresource, names, subject);
  const has = (verb: string) => subresource.verbs.includes(verb);
  const as = (verb: string): Base => ({
    tag: names.tag,
    kind: subresource,
    answer: names.schemas.nameOfKind(subresource),
    isBuiltin: names.schemas.isBuiltin(subresource),
    produces: OBJECT_MEDIA_TYPES,
    id: `${verb}${names.prefix}${subject}`,
  });
  if (subresource.name === 'log') return { get: logOperation(subresource, names, as('read')) };
  return {
    ...(has('get') && { get: readOperation(as('read')) }),
    ...(has('patch') && { patch: patchOperation(as('patch')) }),
    ...(has('create') && { post: createOperation(as('create')) }),
    ...(has('update') && { put: replaceOperation(as('replace')) }),
  };
}

const LOG_OPTIONS = 'PodLogOptions';

const logOperation = ({ group, version }: ServedSubresource, { schemas }: Names, base: Base): JsonObject =>
  operation({
    ...base,
    action: 'get',
    answer: 'string',
    success: OK,
    parameters: optionParameters(LOG_OPTIONS, schemas.membersOf({ group, version, kind: LOG_OPTIONS })),
    produces: ['text/plain', ...OBJECT_MEDIA_TYPES],
  });

function connectOperations(subresource: ServedSubresource, names: Names, subject: string): Operations {
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
      parameters: optionParameters(subresource.kind, names.schemas.membersOf(subresource)),
      produces: ANY_MEDIA_TYPE,
    }),
  ]);
  return Object.fromEntries(operations) as Operations;
}
