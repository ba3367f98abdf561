/**
 * Conversions between the versions of built-in kinds. Objects are stored in one version and shown in
 * whichever was asked for; a pair of functions per version leads to the stored one and back.
 * Specification: "Deprecation rules" 2.
 */
import type { BuiltinTypes } from '../../api/catalog/builtin-types.ts';
import type { ApiObject } from '../../api/object.ts';
import type { Conversion } from './conversion.ts';

export interface ConversionRules {
  /** Absent: all versions have one shape. */
  readonly conversion?: Conversion | undefined;
  /** Those of the server's release. */
  readonly types: BuiltinTypes;
}

/** The object in another version; versions of equal shape differ only in their `apiVersion`. */
export function converted(
  object: ApiObject,
  apiVersion: string,
  { conversion, types }: ConversionRules,
): ApiObject {
  if (object.apiVersion === apiVersion) return object;
  if (!conversion) return { ...object, apiVersion };
  const from = conversion.versions[object.apiVersion];
  const stored = from ? from.toStorage(object, types) : object;
  const to = conversion.versions[apiVersion];
  return to ? to.fromStorage(stored, types) : { ...stored, apiVersion };
}
