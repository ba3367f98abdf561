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
  /** Somebody has said no, whatever others say. */
  readonly isDenied?: boolean;
  /** Why; empty if there is nothing to say. */
  readonly reason: string;
  /** What went wrong while it was decided. */
  readonly problem?: string;
}

/** Everything that a user may do in a namespace, and what could not be found out. */
export interface KnownRules {
  readonly rules: readonly PolicyRule[];
  readonly problems: readonly string[];
  /** Somebody may allow more, and cannot say what. */
  readonly isIncomplete?: boolean;
}

export interface Authorizer {
  /** @throws AnswerAwaited where somebody outside has to be asked first, see `awaited-answer.ts` */
  authorize(attributes: AccessAttributes): AccessDecision;
  rulesFor(user: UserInfo, namespace: string): KnownRules;
  /** Of several: what roles alone give, which is all that anybody can pass on. */
  rightsFor?(user: UserInfo, namespace: string): KnownRules;
  /** Of one that asks outside: the same for one request, which remembers what it was told. */
  forRequest?(): Authorizer;
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
