/** What is to be done for a service so that it has a load balancer, or has none. Pure. */
import type { Service } from '../../api/types/core-v1.ts';
import { addressesOf } from './cloud.ts';

export const CLEANUP_FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';

export type LoadBalancerPlan = 'nothing' | 'ensure' | 'delete';

export const hasCleanup = ({ metadata }: Service): boolean =>
  metadata.finalizers?.includes(CLEANUP_FINALIZER) ?? false;

/** A class of load balancers is for others. */
const wantsOne = ({ spec }: Service): boolean =>
  spec?.type === 'LoadBalancer' && spec.loadBalancerClass === undefined;

/** `ensured`: the form in which it was ensured last, by this manager. */
export function planFor(service: Service, ensured: string | undefined): LoadBalancerPlan {
  const isLeaving = service.metadata.deletionTimestamp !== undefined;
  if (isLeaving || !wantsOne(service)) return hasCleanup(service) ? 'delete' : 'nothing';
  const isWhole = hasCleanup(service) && addressesOf(service).length > 0;
  return isWhole && ensured === formOf(service) ? 'nothing' : 'ensure';
}

/** What a load balancer is made of. */
export const formOf = ({ metadata, spec }: Service): string => JSON.stringify([metadata.uid, spec]);
