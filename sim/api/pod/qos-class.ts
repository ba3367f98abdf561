/** The quality of service class of a pod, from what its containers ask for and are limited to. */
import type { PodSpec } from '../types/core-v1.ts';
import { isEqualQuantity, isZero } from '../quantity.ts';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

const COUNTED = ['cpu', 'memory'];

export function qosClassOf(spec: PodSpec): QosClass {
  const all = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(
    ({ resources = {} }) => resources,
  );
  const isAnyAsked = all.some(({ limits = {}, requests = {} }) =>
    COUNTED.some((name) => isSet(limits[name]) || isSet(requests[name])),
  );
  if (!isAnyAsked) return 'BestEffort';
  const isGuaranteed = all.every(({ limits = {}, requests = {} }) =>
    COUNTED.every((name) => {
      const limit = limits[name];
      const request = requests[name];
      return (
        limit !== undefined && isSet(limit) && (request === undefined || isEqualQuantity(request, limit))
      );
    }),
  );
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

const isSet = (amount: string | undefined): boolean => amount !== undefined && !isZero(amount);
