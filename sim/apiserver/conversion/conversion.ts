/** What a pair of conversions is: from every other version to the stored one, and back. */
import type { BuiltinTypes } from '../../api/catalog/builtin-types.ts';
import type { ApiObject } from '../../api/object.ts';

/** One kind that is served in several versions with different shapes. */
export interface Conversion {
  /** `apiVersion` that is stored. */
  readonly storage: string;
  /** From and to every other version, by `apiVersion`. */
  readonly versions: Readonly<Record<string, VersionPair>>;
}

export interface VersionPair {
  toStorage(object: ApiObject, types: BuiltinTypes): ApiObject;
  fromStorage(object: ApiObject, types: BuiltinTypes): ApiObject;
}
