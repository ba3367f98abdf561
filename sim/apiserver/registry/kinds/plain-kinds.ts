/** Kinds that the generic strategy is enough for, and those that are asked but never stored. */
import { nameIsDnsSubdomain } from '../../../api/validation/names.ts';
import {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  subjectAccessReview,
} from '../../endpoints/access-reviews.ts';
import { binding } from '../../endpoints/binding.ts';
import { selfSubjectReview, tokenReview } from '../../endpoints/identity-reviews.ts';
import { selfSubjectRulesReview } from '../../endpoints/rules-review.ts';
import type { KindDefinition } from '../define-kind.ts';
import { componentStatusKind } from './core/component-status.ts';
import { tellingMetadata } from './telling-lists.ts';

const AUTHENTICATION = 'authentication.k8s.io';
const AUTHORIZATION = 'authorization.k8s.io';

/** Messages show the whole metadata of a review as Go has it. */
const TELLING_METADATA = {
  nameCheck: nameIsDnsSubdomain,
  tellingEmptyLists: tellingMetadata('metadata'),
};

export const PLAIN_KINDS: readonly KindDefinition[] = [
  { resource: 'bindings', endpoints: { '': binding } },
  componentStatusKind,
  { group: AUTHENTICATION, resource: 'selfsubjectreviews', endpoints: { '': selfSubjectReview } },
  { group: AUTHENTICATION, resource: 'tokenreviews', endpoints: { '': tokenReview } },
  {
    group: AUTHORIZATION,
    resource: 'subjectaccessreviews',
    endpoints: { '': subjectAccessReview },
    strategy: TELLING_METADATA,
  },
  {
    group: AUTHORIZATION,
    resource: 'localsubjectaccessreviews',
    endpoints: { '': localSubjectAccessReview },
    strategy: TELLING_METADATA,
  },
  {
    group: AUTHORIZATION,
    resource: 'selfsubjectaccessreviews',
    endpoints: { '': selfSubjectAccessReview },
    strategy: TELLING_METADATA,
  },
  { group: AUTHORIZATION, resource: 'selfsubjectrulesreviews', endpoints: { '': selfSubjectRulesReview } },
];
