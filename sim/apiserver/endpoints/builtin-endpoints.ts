/** Paths of built-in resources that do something of their own. */
import type { Endpoint } from '../endpoints.ts';
import { bindingEndpoint } from './pod-binding.ts';
import { evictionEndpoint } from './pod-eviction.ts';
import { scaleEndpoint } from './scale.ts';

export const BUILTIN_ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  bindings: bindingEndpoint,
  'pods/binding': bindingEndpoint,
  'pods/eviction': evictionEndpoint,
  'deployments.apps/scale': scaleEndpoint,
  'replicasets.apps/scale': scaleEndpoint,
  'statefulsets.apps/scale': scaleEndpoint,
  'replicationcontrollers/scale': scaleEndpoint,
};
