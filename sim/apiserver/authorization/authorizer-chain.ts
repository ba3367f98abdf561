/**
 * Several authorizers in an order: the first that allows or denies decides, the others have no opinion. Members of
 * `system:masters` are never refused. Specification: not shown (Kubernetes 1.31: AuthorizationConfiguration).
 */
import type { AuthorizationMetrics } from '../metrics/authorization-metrics.ts';
import type { UserInfo } from '../request/request.ts';
import type { AccessAttributes, AccessDecision, Authorizer, KnownRules } from './authorizer.ts';

export interface MemberDecision {
  readonly decision: 'allowed' | 'denied' | 'no opinion';
  readonly reason: string;
  readonly problem?: string;
}

/** What one request has been told so far, by the question. */
export type Answers = Map<string, MemberDecision | 'matched'>;

export interface ChainMember {
  readonly type: string;
  readonly name: string;
  /** @throws AnswerAwaited */
  decide(attributes: AccessAttributes, answers: Answers): MemberDecision;
  rulesFor(user: UserInfo, namespace: string): KnownRules;
}

const MASTERS = 'system:masters';

interface ChainParts {
  /** Knows the roles, whether it is a member or not. */
  readonly rbac: Authorizer;
  readonly metrics: AuthorizationMetrics | undefined;
}

export class AuthorizerChain implements Authorizer {
  readonly #parts: ChainParts;
  #members: readonly ChainMember[];

  constructor(members: readonly ChainMember[], parts: ChainParts) {
    this.#members = members;
    this.#parts = parts;
  }

  /** From now on these decide. */
  change(members: readonly ChainMember[]): void {
    this.#members = members;
  }

  authorize(attributes: AccessAttributes): AccessDecision {
    return this.#decide(attributes, new Map());
  }

  forRequest(): Authorizer {
    const answers: Answers = new Map();
    return {
      authorize: (attributes) => this.#decide(attributes, answers),
      rulesFor: (user, namespace) => this.rulesFor(user, namespace),
      rightsFor: (user, namespace) => this.rightsFor(user, namespace),
    };
  }

  rulesFor(user: UserInfo, namespace: string): KnownRules {
    const all = this.#members.map((member) => member.rulesFor(user, namespace));
    return {
      rules: all.flatMap(({ rules }) => rules),
      problems: all.flatMap(({ problems }) => problems),
      isIncomplete: all.some(({ isIncomplete }) => isIncomplete),
    };
  }

  rightsFor(user: UserInfo, namespace: string): KnownRules {
    return this.#parts.rbac.rulesFor(user, namespace);
  }

  #decide(attributes: AccessAttributes, answers: Answers): AccessDecision {
    if (attributes.user.groups.includes(MASTERS)) return { isAllowed: true, reason: '' };
    const reasons: string[] = [];
    const problems: string[] = [];
    for (const member of this.#members) {
      const { decision, reason, problem } = member.decide(attributes, answers);
      if (problem !== undefined) problems.push(problem);
      if (reason !== '') reasons.push(reason);
      if (decision === 'no opinion') continue;
      const { type, name } = member;
      this.#parts.metrics?.decided({ type, name, decision });
      const isAllowed = decision === 'allowed';
      return { isAllowed, isDenied: !isAllowed, reason, ...(problem !== undefined && { problem }) };
    }
    const told = aggregated(problems);
    return { isAllowed: false, reason: reasons.join('\n'), ...(told !== undefined && { problem: told }) };
  }
}

/** One alone, several in brackets, each once. */
function aggregated(problems: readonly string[]): string | undefined {
  const [first, ...more] = new Set(problems);
  return more.length > 0 ? `[${[first, ...more].join(', ')}]` : first;
}

/** One that knows only what it allows, as a member. */
export const memberOf = (type: string, authorizer: Authorizer): ChainMember => ({
  type,
  name: type.toLowerCase(),
  decide: (attributes) => {
    const { isAllowed, reason } = authorizer.authorize(attributes);
    return { decision: isAllowed ? 'allowed' : 'no opinion', reason };
  },
  rulesFor: (user, namespace) => authorizer.rulesFor(user, namespace),
});
