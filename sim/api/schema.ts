/**
 * The shape of a type, as every table-driven part of kubesim reads it: decoding, pruning, field
 * validation, the three merge-like patches, server-side apply, protobuf, OpenAPI. Built-in types
 * come from the catalog, custom resources from their OpenAPI schema; both give the same shapes.
 * Pure data; knows nothing of kinds, requests or storage.
 */

export type ScalarName =
  | 'string'
  | 'boolean'
  | 'int32'
  | 'int64'
  | 'float64'
  /** JSON: base64 text. */
  | 'bytes'
  /** RFC 3339 in whole seconds, or null. */
  | 'timestamp'
  /** RFC 3339 with six decimals, or null. */
  | 'microtime'
  /** Go duration text, such as `1h0m0s`. */
  | 'duration'
  | 'quantity'
  | 'intOrString';

/** JSON that is kept as it came: `runtime.RawExtension`, `FieldsV1`, apiextensions `JSON`; and values no schema describes. */
export type OpaqueName = 'rawExtension' | 'fieldsV1' | 'json' | 'any';

export interface ScalarSchema {
  readonly kind: 'scalar';
  readonly scalar: ScalarName;
  /** Go type where it is a named one, such as `v1.DeploymentStrategyType`: decoding errors print it. */
  readonly goType?: string;
}

export interface OpaqueSchema {
  readonly kind: 'opaque';
  readonly opaque: OpaqueName;
}

export interface StructSchema {
  readonly kind: 'struct';
  /** Catalog key, such as `apps/v1.DeploymentSpec`; empty for an anonymous struct of a custom resource. */
  readonly key: string;
  /** Go type name, such as `DeploymentSpec`: decoding errors name it. */
  readonly goName: string;
  /** In Go declaration order, inlined members in place: the order in which the server writes members. */
  readonly fields: readonly FieldSchema[];
  readonly fieldsByName: ReadonlyMap<string, FieldSchema>;
  /** `atomic`: server-side apply treats the whole struct as one value. */
  readonly mapType: 'granular' | 'atomic';
  /** Custom resources only: unknown members are kept. */
  readonly preservesUnknownFields: boolean;
  readonly customJson?: CustomJson;
  /** Embedded structs that are messages of their own in protobuf; in JSON their members are among `fields`. */
  readonly inlined: readonly InlinedStruct[];
  /** Name in the OpenAPI documents, such as `io.k8s.api.apps.v1.DeploymentSpec`; absent if it is in none. */
  readonly openApiName?: string;
  /** `x-kubernetes-unions` of the OpenAPI documents. */
  readonly unions?: unknown;
}

/** JSON of a built-in struct that is not simply its members. */
export type CustomJson = 'schemaOrArray' | 'schemaOrBool' | 'schemaOrStringArray' | 'raw';

export interface InlinedStruct {
  readonly proto: number;
  readonly schema: StructSchema;
}

export interface ListSchema {
  readonly kind: 'list';
  readonly items: Schema;
  readonly listType: 'atomic' | 'set' | 'map';
  /** Keys of an associative list (`listType: map`). */
  readonly listMapKeys: readonly string[];
  /** Strategic merge patch. Absent: replace. */
  readonly patchStrategy?: 'merge' | 'replace' | 'retainKeys' | 'merge,retainKeys';
  readonly patchMergeKey?: string;
  /** Go type where it is a named one, such as `v1.ExtraValue`. */
  readonly goType?: string;
  /** In protobuf a message whose only member is the list. */
  readonly protoWrapped?: boolean;
}

export interface MapSchema {
  readonly kind: 'map';
  readonly values: Schema;
  readonly mapType: 'granular' | 'atomic';
  /** Go type where it is a named one, such as `v1.ResourceList`. */
  readonly goType?: string;
}

export type Schema = ScalarSchema | OpaqueSchema | StructSchema | ListSchema | MapSchema;

export interface FieldSchema {
  readonly name: string;
  readonly schema: Schema;
  /** The Go member is a pointer: absent and zero differ. */
  readonly pointer: boolean;
  /** Go's `omitempty`: a zero value is not written (which does nothing for a struct that is not a pointer). */
  readonly omitEmpty: boolean;
  /** OpenAPI: the member must be there. */
  readonly required: boolean;
  /** Default of the OpenAPI schema; server-side apply fills list-map keys with it. */
  readonly default?: unknown;
  readonly enum?: readonly string[];
  /** Default and enum of the elements of a list or map, where OpenAPI gives them. */
  readonly itemDefault?: unknown;
  readonly itemEnum?: readonly string[];
  /** Strategic merge patch of a struct-typed member (`retainKeys`). */
  readonly patchStrategy?: string;
  /** Protobuf field number; 0: not in the message itself (JSON only, or in the message of an inlined struct). */
  readonly proto: number;
}
