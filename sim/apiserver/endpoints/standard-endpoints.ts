/** Every path that does something of its own, in one table. */
import type { ServiceAccountTokens } from '../authentication/service-account-tokens.ts';
import type { Endpoint } from './endpoints.ts';
import { binding } from './binding.ts';
import { eviction } from './eviction.ts';
import { podLog } from './pod-log.ts';
import { containerStream, portForward } from './pod-streams.ts';
import { nodeProxy, podProxy, serviceProxy } from './proxy.ts';
import { scale } from './scale.ts';
import { localSubjectAccessReview, selfSubjectAccessReview, subjectAccessReview } from './access-reviews.ts';
import { selfSubjectReview, tokenReview } from './identity-reviews.ts';
import { selfSubjectRulesReview } from './rules-review.ts';
import { tokenRequest } from './token-request.ts';

export const standardEndpoints = (tokens: ServiceAccountTokens): Readonly<Record<string, Endpoint>> => ({
  'subjectaccessreviews.authorization.k8s.io': subjectAccessReview,
  'localsubjectaccessreviews.authorization.k8s.io': localSubjectAccessReview,
  'selfsubjectaccessreviews.authorization.k8s.io': selfSubjectAccessReview,
  'selfsubjectrulesreviews.authorization.k8s.io': selfSubjectRulesReview,
  'selfsubjectreviews.authentication.k8s.io': selfSubjectReview,
  'tokenreviews.authentication.k8s.io': tokenReview(tokens),
  '*/scale': scale,
  bindings: binding,
  'pods/binding': binding,
  'pods/eviction': eviction,
  'pods/log': podLog,
  'pods/exec': containerStream,
  'pods/attach': containerStream,
  'pods/portforward': portForward,
  'pods/proxy': podProxy,
  'services/proxy': serviceProxy,
  'nodes/proxy': nodeProxy,
  'serviceaccounts/token': tokenRequest(tokens),
});
