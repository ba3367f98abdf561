/**
 * Conversions between the versions of built-in kinds. Objects are stored in one version and shown in
 * whichever was asked for; a pair of functions per kind leads to the stored version and back.
 * Specification: "Deprecation rules" 2.
 */
import { splitGroupVersion } from '../../api/catalog/builtin-kinds.ts';
import type { ApiObject } from '../../api/object.ts';

/** One kind that is served in several versions with different shapes. */
export interface Conversion {
  /** `apiVersion` that is stored. */
  readonly storage: string;
  /** From and to every other version, by `apiVersion`. */
  readonly versions: Readonly<Record<string, VersionPair>>;
}

export interface VersionPair {
  toStorage(object: ApiObject): ApiObject;
  fromStorage(object: ApiObject): ApiObject;
}

const CONVERSIONS: Readonly<Record<string, Conversion>> = {};

/** The stored version of a kind, where it is not the preferred one. */
export const storageApiVersionOf = (group: string, kind: string): string | undefined =>
  CONVERSIONS[`${kind}.${group}`]?.storage;

/** The object in another version; versions of equal shape differ only in their `apiVersion`. */
export function convertBuiltin(object: ApiObject, apiVersion: string): ApiObject {
  const conversion = CONVERSIONS[`${object.kind}.${splitGroupVersion(apiVersion).group}`] ?? CONVERSIONS[`${object.kind}.${splitGroupVersion(object.apiVersion).group}`];
  if (!conversion) return { ...object, apiVersion };
  const from = conversion.versions[object.apiVersion];
  const stored = from ? from.toStorage(object) : object;
  const to = conversion.versions[apiVersion];
  return to ? to.fromStorage(stored) : { ...stored, apiVersion };
}
