import type { GroupVersionKind } from '../../api/catalog/builtin-kinds.ts';
import type { JsonObject } from '../../api/object.ts';
import { gvkJson, META_PREFIX, refTo } from './schema-names.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head' | 'options';

export interface OperationFields {
  readonly id: string;
  readonly tag: string;
  /** `list`, `get`, `post`, `connect`, …: the extension `x-kubernetes-action`. */
  readonly action?: string;
  readonly kind?: GroupVersionKind;
  /** Schema name of the answer; `string` for text. */
  readonly answer: string;
  /** Status codes of success, with their words. */
  readonly success: Readonly<Record<string, string>>;
  readonly parameters?: readonly JsonObject[];
  /** Schema name of the body. */
  readonly body?: string;
  readonly bodyIsOptional?: boolean;
  /** Media types of the body; any if absent. */
  readonly consumes?: readonly string[];
  /** Media types of the answer. */
  readonly produces: readonly string[];
}

export const OBJECT_MEDIA_TYPES: readonly string[] = [
  'application/json',
  'application/vnd.kubernetes.protobuf',
  'application/yaml',
];

export const STREAM_MEDIA_TYPES: readonly string[] = [
  'application/json',
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf',
  'application/vnd.kubernetes.protobuf;stream=watch',
  'application/yaml',
];

export const ANY_MEDIA_TYPE: readonly string[] = ['*/*'];

export const PATCH_MEDIA_TYPES: readonly string[] = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
];

/** One operation of a version 3 document. */
export function operation(fields: OperationFields): JsonObject {
  const { id, tag, action, kind, answer, success, parameters, body, produces } = fields;
  const content = contentOf(produces, answer);
  const answers = Object.entries(success).map(([code, description]) => [code, { description, content }]);
  return {
    tags: [tag],
    operationId: id,
    ...(parameters && parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        content: contentOf(fields.consumes ?? ANY_MEDIA_TYPE, body),
        ...(!fields.bodyIsOptional && { required: true }),
      },
    }),
    responses: { ...Object.fromEntries(answers), '401': { description: 'Unauthorized' } },
    ...(action && { 'x-kubernetes-action': action }),
    ...(kind && { 'x-kubernetes-group-version-kind': gvkJson(kind) }),
  };
}

const contentOf = (mediaTypes: readonly string[], name: string): JsonObject => {
  const schema = name === 'string' ? { type: 'string' } : refTo(name);
  return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }]));
};

export const PATCH_BODY = `${META_PREFIX}Patch`;
export const DELETE_BODY = `${META_PREFIX}DeleteOptions`;
export const STATUS_ANSWER = `${META_PREFIX}Status`;
export const WATCH_ANSWER = `${META_PREFIX}WatchEvent`;

export const OK = { '200': 'OK' };
export const OK_OR_CREATED = { '200': 'OK', '201': 'Created' };
export const OK_OR_ACCEPTED = { '200': 'OK', '202': 'Accepted' };
export const OK_CREATED_OR_ACCEPTED = { '200': 'OK', '201': 'Created', '202': 'Accepted' };
