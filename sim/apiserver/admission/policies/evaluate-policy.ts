/** Asks a policy's expressions about one request: pure, within the budgets, and in the words of the real server. */
import type { Activation } from '../../../api/cel/evaluate/frame.ts';
import type { Program } from '../../../api/cel/compile.ts';
import {
  CelError,
  type CelValue,
  isError,
  type MapValue,
  type Result,
} from '../../../api/cel/values/value.ts';
import { goLength, goQuote } from '../../../api/go-text.ts';
import type {
  Validation,
  ValidatingAdmissionPolicySpec,
} from '../../../api/types/admissionregistration-k8s-io-v1.ts';
import type { CompiledPolicy } from '../../../api/policies/compiled-policy.ts';
import type { PolicyExpression } from '../../../api/policies/compile-policy-expression.ts';

const MOST_PER_CALL = 1_000_000;
const MOST_PER_BINDING = 10_000_000;
const MOST_FOR_CONDITIONS = 2_500_000;
const LONGEST_MESSAGE = 5 * 1024;
const OUT_OF_BUDGET =
  'validation failed due to running out of cost budget, no further validation rules will be run';

export interface Denial {
  readonly index: number;
  readonly message: string;
  readonly reason: string;
}

export interface Verdict {
  readonly denials: readonly Denial[];
  /** Failures that the policy wants to be ignored. */
  readonly ignored: readonly string[];
  /** Why its match conditions kept it from being asked. */
  readonly notAsked?: 'excluded' | 'failed';
  /** Published in the audit event. */
  readonly annotations: readonly { readonly key: string; readonly value: string }[];
  /** Annotations that could not be worked out deny whatever the binding's actions are. */
  readonly annotationProblems: readonly string[];
}

const NOTHING: Verdict = { denials: [], ignored: [], annotations: [], annotationProblems: [] };

/** Values of what expressions may name; `namespaceObject` is unknown to match conditions. */
export interface PolicyInput {
  readonly object: CelValue;
  readonly oldObject: CelValue;
  readonly params: CelValue;
  readonly request: CelValue;
  readonly namespaceObject: CelValue;
  /** Undefined: nobody can be asked. */
  readonly authorizer: CelValue | undefined;
  readonly requestResource: CelValue | undefined;
}

/** Texts are worked out without it: also variables that they name fail if they ask it, whatever checks have made of them. */
const withoutAuthorizer = (input: PolicyInput): PolicyInput => ({
  ...input,
  authorizer: undefined,
  requestResource: undefined,
});

export function evaluatePolicy(
  spec: ValidatingAdmissionPolicySpec,
  policy: CompiledPolicy,
  input: PolicyInput,
): Verdict {
  const isIgnored = spec.failurePolicy === 'Ignore';
  const failed = (message: string): Verdict =>
    isIgnored
      ? { ...NOTHING, ignored: [message] }
      : { ...NOTHING, denials: [{ index: 0, message, reason: '' }] };
  const conditions = conditionsHold(policy.matchConditions, input);
  if (typeof conditions === 'string')
    return isIgnored ? { ...NOTHING, notAsked: 'failed' } : { ...failed(conditions), notAsked: 'failed' };
  if (!conditions) return { ...NOTHING, notAsked: 'excluded' };
  const checks = evaluateAll(
    policy,
    input,
    policy.validations.map(({ condition }) => condition),
    MOST_PER_BINDING,
  );
  if (checks.problem !== undefined) return failed(checks.problem);
  const bare = withoutAuthorizer(input);
  const messages = evaluateAll(
    policy,
    bare,
    policy.validations.map(({ message }) => message),
    checks.left,
  );
  const denials: Denial[] = [];
  const ignored: string[] = [];
  for (const [index, { validation }] of policy.validations.entries()) {
    const denial = denialOf(checks.outcomes[index], messages, index, validation);
    if (denial?.isFailure && isIgnored) ignored.push(denial.message);
    else if (denial) denials.push({ index, ...denial });
  }
  return { denials, ignored, ...annotationsOf(policy, bare, isIgnored) };
}

/** A text: what went wrong. */
export function conditionsHold(
  conditions: readonly PolicyExpression[],
  input: PolicyInput,
): boolean | string {
  if (conditions.length === 0) return true;
  const activation = activationOf({ ...input, namespaceObject: null }, undefined);
  const { outcomes, problem } = run(conditions, activation, MOST_FOR_CONDITIONS, () => 0);
  if (problem !== undefined) return problem;
  if (outcomes.some((outcome) => outcome?.value === false)) return false;
  const problems = [...new Set(outcomes.flatMap((outcome) => outcome?.problem ?? []))];
  if (problems.length === 0) return true;
  return problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`;
}

interface ExpressionOutcome {
  readonly value?: CelValue;
  readonly problem?: string;
}

interface Outcomes {
  readonly outcomes: readonly (ExpressionOutcome | undefined)[];
  readonly left: number;
  /** Nothing of it counts. */
  readonly problem?: string;
}

/** Variables are worked out when they are first asked for, and once for all of these expressions. */
function evaluateAll(
  policy: CompiledPolicy,
  input: PolicyInput,
  expressions: readonly (PolicyExpression | undefined)[],
  budget: number,
): Outcomes {
  if (policy.variables.length === 0) return run(expressions, activationOf(input, undefined), budget, () => 0);
  const variables = new Variables(policy, (lazy) => activationOf(input, lazy));
  return run(expressions, activationOf(input, variables), budget, () => variables.takeCost());
}

function run(
  expressions: readonly (PolicyExpression | undefined)[],
  activation: Activation,
  budget: number,
  costOfVariables: () => number,
): Outcomes {
  const outcomes: (ExpressionOutcome | undefined)[] = [];
  let left = budget;
  for (const expression of expressions) {
    if (!expression) {
      outcomes.push(undefined);
      continue;
    }
    const { program, problem, text } = expression;
    if (!program) {
      outcomes.push({ problem: `compilation error: ${problem ?? ''}` });
      continue;
    }
    const { result, cost } = program.run(activation, MOST_PER_CALL);
    left -= costOfVariables() + cost;
    if (left < 0) return { outcomes, left: -1, problem: OUT_OF_BUDGET };
    if (isError(result))
      outcomes.push({ problem: `expression '${text}' resulted in error: ${result.message}` });
    else outcomes.push({ value: result });
  }
  return { outcomes, left };
}

function denialOf(
  check: ExpressionOutcome | undefined,
  messages: Outcomes,
  index: number,
  validation: Validation,
): (Omit<Denial, 'index'> & { readonly isFailure: boolean }) | undefined {
  if (!check) return undefined;
  if (check.problem !== undefined) return { message: check.problem, reason: '', isFailure: true };
  if (messages.problem !== undefined)
    return { message: `failed messageExpression: ${messages.problem}`, reason: '', isFailure: true };
  if (check.value === true) return undefined;
  const { message, expression, reason = '' } = validation;
  const told = toldBy(messages.outcomes[index]);
  const written = (message ?? '').trim();
  return { message: told || written || `failed expression: ${expression.trim()}`, reason, isFailure: false };
}

function toldBy(outcome: ExpressionOutcome | undefined): string {
  const text = typeof outcome?.value === 'string' ? outcome.value.trim() : '';
  return goLength(text) > LONGEST_MESSAGE || text.includes('\n') ? '' : text;
}

function annotationsOf(
  policy: CompiledPolicy,
  input: PolicyInput,
  isIgnored: boolean,
): Pick<Verdict, 'annotations' | 'annotationProblems'> {
  const { auditAnnotations } = policy;
  if (auditAnnotations.length === 0) return { annotations: [], annotationProblems: [] };
  const { outcomes, problem } = evaluateAll(
    policy,
    input,
    auditAnnotations.map(({ value }) => value),
    MOST_PER_BINDING,
  );
  const problems = problem === undefined ? outcomes.flatMap((outcome) => outcome?.problem ?? []) : [problem];
  const annotations = auditAnnotations.flatMap(({ key }, index) => {
    const value = outcomes[index]?.value;
    const text = typeof value === 'string' ? value.trim() : '';
    return text === '' ? [] : [{ key, value: text }];
  });
  return { annotations, annotationProblems: isIgnored ? [] : problems };
}

function activationOf(input: PolicyInput, variables: Variables | undefined): Activation {
  return (name) => {
    switch (name) {
      case 'authorizer.requestResource':
        return input.requestResource;
      case 'variables':
        return variables;
      default:
        return Object.hasOwn(input, name) ? input[name as keyof PolicyInput] : undefined;
    }
  };
}

/** The policy's variables, each worked out when it is first asked for. */
class Variables implements MapValue {
  readonly kind = 'map';
  readonly #expressions: ReadonlyMap<string, PolicyExpression>;
  readonly #activation: Activation;
  readonly #known = new Map<string, Result>();
  #cost = 0;

  constructor({ variables }: CompiledPolicy, activationWith: (variables: Variables) => Activation) {
    this.#expressions = new Map(variables.map(({ name, expression }) => [name, expression]));
    this.#activation = activationWith(this);
  }

  get size(): number {
    return this.#expressions.size;
  }

  keys(): readonly CelValue[] {
    return [...this.#expressions.keys()];
  }

  equals(): Result {
    return false;
  }

  /** What variables have cost since it was last asked. */
  takeCost(): number {
    const cost = this.#cost;
    this.#cost = 0;
    return cost;
  }

  find(key: CelValue): Result | undefined {
    if (typeof key !== 'string') return undefined;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const expression = this.#expressions.get(key);
    if (!expression) return undefined;
    const value = this.#evaluate(key, expression);
    this.#known.set(key, value);
    return value;
  }

  #evaluate(name: string, { program, problem }: PolicyExpression): Result {
    if (!program)
      return new CelError(`composited variable ${goQuote(name)} fails to compile: ${problem ?? ''}`);
    const { result, cost } = (program satisfies Program).run(this.#activation, MOST_PER_CALL);
    this.#cost += cost;
    if (!isError(result)) return result;
    return new CelError(`composited variable ${goQuote(name)} fails to evaluate: ${result.message}`);
  }
}
