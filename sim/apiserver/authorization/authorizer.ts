/** The question that authorization answers, and who answers it. Specification: "Authentication" 3 and 4. */
import type { UserInfo } from '../request.ts';

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

export interface Authorizer {
  authorize(attributes: AccessAttributes): AccessDecision;
}

export const ALWAYS_ALLOW: Authorizer = { authorize: () => ({ isAllowed: true, reason: '' }) };
export const ALWAYS_DENY: Authorizer = {
  authorize: () => ({ isAllowed: false, reason: 'Everything is forbidden.' }),
};
