import type { GroupVersionKind } from '../../api/catalog/builtin-kinds.ts';
import type { JsonObject } from '../../api/object.ts';
import type { OpaqueName, ScalarName } from '../../api/schema.ts';

export const META_PREFIX = 'io.k8s.apimachinery.pkg.apis.meta.v1.';

/** Names of the leaf types that are schemas of their own. */
export const LEAF_NAMES: Readonly<Partial<Record<ScalarName | OpaqueName, string>>> = {
  timestamp: `${META_PREFIX}Time`,
  microtime: `${META_PREFIX}MicroTime`,
  duration: `${META_PREFIX}Duration`,
  quantity: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
  intOrString: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
  rawExtension: 'io.k8s.apimachinery.pkg.runtime.RawExtension',
  fieldsV1: `${META_PREFIX}FieldsV1`,
  json: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON',
};

const REF_PREFIX = '#/components/schemas/';

export const refTo = (name: string): { readonly $ref: string } => ({ $ref: REF_PREFIX + name });

/** The name that a reference points to. */
export const nameOfRef = (ref: string): string => ref.slice(REF_PREFIX.length);

/** `example.com`, `v1`, `Widget` → `com.example.v1.Widget`. */
export const customName = ({ group, version, kind }: GroupVersionKind): string =>
  [...group.split('.').reverse(), version, kind].join('.');

/** A group, version and kind as the extension `x-kubernetes-group-version-kind` writes them. */
export const gvkJson = ({ group, version, kind }: GroupVersionKind): JsonObject => ({ group, kind, version });
