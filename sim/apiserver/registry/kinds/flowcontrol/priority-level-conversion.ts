/**
 * PriorityLevelConfiguration: v1beta3 cannot tell "no shares given" from zero, so that zero is kept
 * only beside an annotation, which v1 (stored) never shows.
 */
import type { ApiObject } from '../../../../api/object.ts';
import type { PriorityLevelConfiguration } from '../../../../api/types/flowcontrol-apiserver-k8s-io-v1.ts';
import type { Conversion } from '../../../conversion/conversion.ts';

const V1 = 'flowcontrol.apiserver.k8s.io/v1';
const V1BETA3 = 'flowcontrol.apiserver.k8s.io/v1beta3';
export const ZERO_SHARES_ANNOTATION = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';

export const PRIORITY_LEVEL_CONVERSION: Conversion = {
  storage: V1,
  versions: { [V1BETA3]: { toStorage: withoutMark, fromStorage: withMark } },
};

function withoutMark(object: ApiObject): ApiObject {
  const { annotations } = object.metadata;
  if (annotations?.[ZERO_SHARES_ANNOTATION] === undefined) return { ...object, apiVersion: V1 };
  const { [ZERO_SHARES_ANNOTATION]: _mark, ...rest } = annotations;
  const { annotations: _annotations, ...metadata } = object.metadata;
  return {
    ...object,
    apiVersion: V1,
    metadata: Object.keys(rest).length > 0 ? withAnnotations(object, rest) : metadata,
  };
}

function withMark(object: ApiObject): ApiObject {
  const { spec } = object as PriorityLevelConfiguration;
  if (spec?.limited?.nominalConcurrencyShares !== 0) return { ...object, apiVersion: V1BETA3 };
  const annotations = { ...object.metadata.annotations, [ZERO_SHARES_ANNOTATION]: '' };
  return { ...object, apiVersion: V1BETA3, metadata: withAnnotations(object, annotations) };
}

/** Annotations stand behind the labels, before everything that follows in declaration order. */
function withAnnotations(
  { metadata }: ApiObject,
  annotations: Readonly<Record<string, string>>,
): ApiObject['metadata'] {
  const { ownerReferences, finalizers, managedFields, annotations: _old, ...head } = metadata;
  return {
    ...head,
    annotations,
    ...(ownerReferences && { ownerReferences }),
    ...(finalizers && { finalizers }),
    ...(managedFields && { managedFields }),
  };
}
