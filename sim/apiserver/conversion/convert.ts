/**
 * Conversions between the versions of built-in kinds. Objects are stored in one version and shown in
 * whichever was asked for; a pair of functions per version leads to the stored one and back.
 * Specification: "Deprecation rules" 2.
 */
import type { ApiObject } from '../../api/object.ts';
import type { Conversion } from './conversion.ts';

/** The object in another version; versions of equal shape differ only in their `apiVersion`. */
export function converted(
  object: ApiObject,
  apiVersion: string,
  conversion: Conversion | undefined,
): ApiObject {
  if (object.apiVersion === apiVersion) return object;
  if (!conversion) return { ...object, apiVersion };
  const from = conversion.versions[object.apiVersion];
  const stored = from ? from.toStorage(object) : object;
  const to = conversion.versions[apiVersion];
  return to ? to.fromStorage(stored) : { ...stored, apiVersion };
}
