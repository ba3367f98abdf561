/**
 * Somebody outside who is asked what a user may do, by a SubjectAccessReview over HTTPS. Conditions say which questions
 * are put to him, answers are kept for a while, and a policy says what it means that he cannot be asked.
 * Specification: not shown (Kubernetes 1.31).
 */
import { DecodeError } from '../../api/codec/decode-error.ts';
import { decodeStruct } from '../../api/codec/decode.ts';
import type { StructSchema } from '../../api/schema.ts';
import type { Process } from '../../engine/process.ts';
import { NoReview, postTo } from '../admission/webhooks/post-review.ts';
import type { WebhookTarget } from '../admission/webhooks/webhook-target.ts';
import type { AuthorizationMetrics } from '../metrics/authorization-metrics.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';
import type { AccessAttributes, KnownRules } from './authorizer.ts';
import type { Answers, ChainMember, MemberDecision } from './authorizer-chain.ts';
import { AnswerAwaited } from './awaited-answer.ts';
import { conditionsMatch, type MatchCondition } from './match-conditions.ts';
import { isKept, reviewBody, reviewSpec, type ReviewVersion } from './subject-access-review.ts';

export interface WebhookRules {
  readonly name: string;
  readonly version: ReviewVersion;
  readonly timeoutMs: number;
  /** As the URL of the call says it, such as `2s`. */
  readonly timeoutText: string;
  readonly allowedTtlMs: number;
  readonly refusedTtlMs: number;
  readonly isFailureDenied: boolean;
  readonly conditions: readonly MatchCondition[];
  /** Names the file that says who is asked; who that is comes with the rules. */
  readonly kubeConfigFile: string;
}

export interface WebhookParts {
  readonly surroundings: ApiServerSurroundings;
  readonly metrics: AuthorizationMetrics | undefined;
  readonly target: WebhookTarget;
  readonly headers: Readonly<Record<string, string>>;
  readonly schema: StructSchema;
  /** Whether there is such a kind at all. */
  readonly knowsKind: (type: { readonly kind: string; readonly apiVersion: string }) => boolean;
}

/** What is said in the status of the answer. */
interface ReviewStatus {
  readonly allowed?: boolean;
  readonly denied?: boolean;
  readonly reason?: string;
}

const MOST_KEPT = 8192;
const NO_RULES: KnownRules = {
  rules: [],
  problems: ['webhook authorizer does not support user rule resolution'],
  isIncomplete: true,
};
const GROUP = 'authorization.k8s.io';
const FIRST_PAUSE_MS = 500;
const PAUSE_FACTOR = 1.5;
const JITTER = 0.2;
const MOST_TRIES = 5;

export class WebhookAuthorizer implements ChainMember {
  readonly type = 'Webhook';
  readonly name: string;
  readonly #rules: WebhookRules;
  readonly #parts: WebhookParts;
  readonly #kept = new Map<string, { readonly answer: MemberDecision; readonly untilMs: number }>();

  constructor(rules: WebhookRules, parts: WebhookParts) {
    this.name = rules.name;
    this.#rules = rules;
    this.#parts = parts;
  }

  decide(attributes: AccessAttributes, answers: Answers): MemberDecision {
    const question = JSON.stringify(reviewSpec(attributes, 'v1'));
    const key = `${this.name} ${question}`;
    const told = answers.get(key);
    if (told !== undefined && told !== 'matched') return told;
    if (told === undefined) {
      const unasked = this.#unasked(attributes);
      if (unasked) return unasked;
      answers.set(key, 'matched');
    }
    const kept = this.#kept.get(question);
    if (kept && this.#parts.surroundings.wallMs() < kept.untilMs) return kept.answer;
    const ask = function* (this: WebhookAuthorizer): Process<void> {
      answers.set(key, yield* this.#ask(attributes, question));
    };
    throw new AnswerAwaited(() => ask.call(this));
  }

  rulesFor(): KnownRules {
    return NO_RULES;
  }

  /** Undefined: he is to be asked. */
  #unasked(attributes: AccessAttributes): MemberDecision | undefined {
    const { conditions, name, isFailureDenied } = this.#rules;
    if (conditions.length === 0) return undefined;
    const matched = conditionsMatch(conditions, attributes);
    this.#parts.metrics?.matched({
      name,
      outcome: matched === false ? 'excluded' : matched === true ? 'matched' : 'failed',
    });
    if (matched === true) return undefined;
    if (matched === false) return { decision: 'no opinion', reason: '' };
    return { decision: isFailureDenied ? 'denied' : 'no opinion', reason: '', problem: matched };
  }

  *#ask(attributes: AccessAttributes, question: string): Process<MemberDecision> {
    const { isFailureDenied, name, allowedTtlMs, refusedTtlMs } = this.#rules;
    const { surroundings, metrics } = this.#parts;
    const answer = yield* this.#reviewed(attributes);
    if (answer instanceof NoReview) {
      if (!isFailureDenied) metrics?.failedOpen({ name, result: resultOf(answer) });
      const decision = isFailureDenied ? 'denied' : 'no opinion';
      return { decision, reason: '', problem: answer.message };
    }
    const decided = decisionOf(answer);
    if (isKept(attributes)) {
      const ttlMs = answer.allowed === true ? allowedTtlMs : refusedTtlMs;
      this.#keep(question, decided, surroundings.wallMs() + ttlMs);
    }
    return decided;
  }

  /** Who is at a loss himself is asked again, later and later. */
  *#reviewed(attributes: AccessAttributes): Process<ReviewStatus | NoReview> {
    const { surroundings, metrics } = this.#parts;
    let pauseMs = FIRST_PAUSE_MS;
    for (let tries = 1; ; tries += 1) {
      const fromMs = surroundings.wallMs();
      const answer = yield* this.#post(attributes);
      const seconds = (surroundings.wallMs() - fromMs) / 1000;
      const result = answer instanceof NoReview ? resultOf(answer) : 'success';
      metrics?.asked({ name: this.name, result, seconds });
      if (!(answer instanceof NoReview) || !isPassing(answer) || tries >= MOST_TRIES) return answer;
      yield* surroundings.sleepMs(Math.round(pauseMs * (1 + (JITTER * surroundings.uint32()) / 2 ** 32)));
      pauseMs *= PAUSE_FACTOR;
    }
  }

  *#post(attributes: AccessAttributes): Process<ReviewStatus | NoReview> {
    const { version, timeoutMs, timeoutText } = this.#rules;
    const { surroundings, target, headers, schema, knowsKind: knows } = this.#parts;
    const review = {
      group: GROUP,
      version,
      kind: 'SubjectAccessReview',
      body: reviewBody(attributes, version),
      knows,
    };
    try {
      const patience = { timeoutMs, timeoutText };
      const { value } = yield* postTo(surroundings, target, { ...review, headers }, patience);
      const { status = {} } = decodeStruct(schema, value) as { readonly status?: ReviewStatus };
      return status;
    } catch (error) {
      if (error instanceof NoReview) return error;
      if (error instanceof DecodeError) return new NoReview(error.message);
      throw error;
    }
  }

  #keep(question: string, answer: MemberDecision, untilMs: number): void {
    this.#kept.delete(question);
    const [oldest] = this.#kept.size >= MOST_KEPT ? this.#kept.keys() : [];
    if (oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(question, { answer, untilMs });
  }
}

function decisionOf({ allowed = false, denied = false, reason = '' }: ReviewStatus): MemberDecision {
  if (!denied) return { decision: allowed ? 'allowed' : 'no opinion', reason };
  const problem = 'webhook subject access review returned both allow and deny response';
  return { decision: 'denied', reason, ...(allowed && { problem }) };
}

/** Failures that may be over soon: of the server itself, of those behind it, or of too many who ask. */
const isPassing = ({ code }: NoReview): boolean => code === 500 || code === 504 || code === 429;

const resultOf = ({ code, isLate }: NoReview): 'timeout' | 'error' =>
  isLate || code === 504 ? 'timeout' : 'error';
