/** Names of what pods may ask for. Pure. */
import { qualifiedName } from '../validation/names.ts';

/** Kubernetes' own. */
export const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');

/** Resources of device plugins and the like. */
export const isExtended = (name: string): boolean =>
  !isNative(name) && !name.startsWith('requests.') && qualifiedName(`requests.${name}`).length === 0;
