/**
 * Conversions between the versions of built-in kinds. Objects are stored in one version and shown in
 * whichever was asked for; a pair of functions per kind leads to the stored version and back.
 * Specification: "Deprecation rules" 2.
 */
import { splitGroupVersion } from '../../api/catalog/builtin-kinds.ts';
import type { ApiObject } from '../../api/object.ts';
import type { Conversion } from './conversion.ts';
import { EVENT_CONVERSION } from './event.ts';
import { AUTOSCALER_CONVERSION } from './horizontal-pod-autoscaler.ts';
import { FLOW_SCHEMA_CONVERSION, PRIORITY_LEVEL_CONVERSION } from './flow-control.ts';

const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  'Event.': EVENT_CONVERSION,
  'Event.events.k8s.io': EVENT_CONVERSION,
  'HorizontalPodAutoscaler.autoscaling': AUTOSCALER_CONVERSION,
  'FlowSchema.flowcontrol.apiserver.k8s.io': FLOW_SCHEMA_CONVERSION,
  'PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io': PRIORITY_LEVEL_CONVERSION,
};

/** The stored version of a kind, where it is not the preferred one. */
export const storageApiVersionOf = (group: string, kind: string): string | undefined =>
  CONVERSIONS[`${kind}.${group}`]?.storage;

/** The object in another version; versions of equal shape differ only in their `apiVersion`. */
export function convertBuiltin(object: ApiObject, apiVersion: string): ApiObject {
  const conversion =
    CONVERSIONS[`${object.kind}.${splitGroupVersion(apiVersion).group}`] ??
    CONVERSIONS[`${object.kind}.${splitGroupVersion(object.apiVersion).group}`];
  if (!conversion) return { ...object, apiVersion };
  const from = conversion.versions[object.apiVersion];
  const stored = from ? from.toStorage(object) : object;
  const to = conversion.versions[apiVersion];
  return to ? to.fromStorage(stored) : { ...stored, apiVersion };
}
