/** The question that authorization answers, and who answers it. Specification: "Authentication" 3 and 4. */
import type { PolicyRule } from '../../api/types/rbac-authorization-k8s-io-v1.ts';
import type { UserInfo } from '../request/request.ts';

export interface AccessAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly isResourceRequest: boolean;
  /** Of requests that are about no resource. */
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

export interface AccessDecision {
  readonly isAllowed: boolean;
  /** Why; empty if there is nothing to say. */
  readonly reason: string;
}

/** Everything that a user may do in a namespace, and what could not be found out. */
export interface KnownRules {
  readonly rules: readonly PolicyRule[];
  readonly problems: readonly string[];
}

export interface Authorizer {
  authorize(attributes: AccessAttributes): AccessDecision;
  rulesFor(user: UserInfo, namespace: string): KnownRules;
}

const EVERYTHING: KnownRules = {
  rules: [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ],
  problems: [],
};

export const ALWAYS_ALLOW: Authorizer = {
  authorize: () => ({ isAllowed: true, reason: '' }),
  rulesFor: () => EVERYTHING,
};
export const ALWAYS_DENY: Authorizer = {
  authorize: () => ({ isAllowed: false, reason: 'Everything is forbidden.' }),
  rulesFor: () => ({ rules: [], problems: [] }),
};
