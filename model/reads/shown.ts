/**
 * Whether what a client was shown is an object as it was written. Items of lists leave out what they are; a view
 * (metadata alone, another version of the kind) shows less or in other words, of which only what names the object and its
 * version is compared.
 */
import type { ApiObject } from '../../sim/api/object.ts';

export function showsSame(shown: ApiObject, written: ApiObject): boolean {
  if (shown === written) return true;
  const { metadata } = shown;
  if (metadata.uid !== written.metadata.uid || metadata.resourceVersion !== written.metadata.resourceVersion)
    return false;
  if (isView(shown, written)) return true;
  return isEqual({ ...shown, apiVersion: '', kind: '' }, { ...written, apiVersion: '', kind: '' });
}

/** Custom resources and kinds of several versions may be told in another one; items of lists do not say. */
const isView = (shown: ApiObject, written: ApiObject): boolean =>
  shown.kind === 'PartialObjectMetadata' ||
  (shown.apiVersion !== undefined && shown.apiVersion !== '' && shown.apiVersion !== written.apiVersion);

function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => isEqual(Reflect.get(left, name), Reflect.get(right, name)));
}
