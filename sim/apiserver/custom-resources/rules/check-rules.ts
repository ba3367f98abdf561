/**
 * Runs the rules of a schema over an object, within a budget. What an update leaves as it was passes with a
 * warning even if it breaks a rule, unless the rule looks at the old value.
 */
import { type Activation } from '../../../api/cel/evaluate/frame.ts';
import type { Outcome, Program } from '../../../api/cel/compile.ts';
import { schemaValue } from '../../../api/cel/schema/json-values.ts';
import { withResourceFields } from '../../../api/cel/schema/declare.ts';
import { isError, Optional, type Result } from '../../../api/cel/values/value.ts';
import { goLength, goQuote } from '../../../api/go-text.ts';
import type { FieldError } from '../../../api/status.ts';
import type { ValidationRule } from '../../../api/types/apiextensions-k8s-io-v1.ts';
import {
  duplicate,
  fieldErrorText,
  forbidden,
  invalid,
  required,
} from '../../../api/validation/field-error.ts';
import { FieldPath } from '../../../api/validation/field-path.ts';
import { isEqualJson } from '../../verbs/equal-json.ts';
import { itemsByKeys } from '../keyed-items.ts';
import { additionalOf, isMap, itemsOf, type JSONSchemaProps, propertyOf } from '../json-schema.ts';
import { type CompiledRule, rulesOf } from './compiled-rules.ts';
import { rulePath } from './rule-path.ts';
import { hasRules } from './has-rules.ts';

const MOST_PER_CALL = 1_000_000;
export const MOST_PER_OBJECT = 10_000_000;
const LONGEST_MESSAGE = 5 * 1024;

export interface RuleTask {
  readonly value: unknown;
  /** What was there before; undefined: nothing. */
  readonly old?: unknown;
  readonly schema: JSONSchemaProps;
  readonly path?: FieldPath;
  readonly isResource: boolean;
  /** Errors of unchanged values are only warned of. */
  readonly ratchets: boolean;
  /** Hears of errors that do not count. */
  readonly warn: (text: string) => void;
  /** Hears of each value that is judged. */
  readonly judged?: () => void;
}

export function ruleErrors(task: RuleTask): readonly FieldError[] {
  const { value, schema, path, isResource, ratchets } = task;
  if (!hasRules(schema)) return [];
  const run = new Run(task.warn, task.judged);
  const old = task.old ?? undefined;
  run.check({
    value,
    old,
    schema,
    rules: schema,
    path,
    isResource,
    // Without a counterpart nothing is as it was.
    same: ratchets ? { value, old } : undefined,
    parent: undefined,
  });
  return run.errors;
}

/** A value and what stood in its place, to be compared. */
interface Pair {
  readonly value: unknown;
  readonly old: unknown;
}

interface Node extends Pair {
  readonly schema: JSONSchemaProps;
  /** The schema whose rules apply: another one inside `allOf`. */
  readonly rules: JSONSchemaProps;
  readonly path: FieldPath | undefined;
  readonly isResource: boolean;
  readonly same: Pair | undefined;
  readonly parent: Pair | undefined;
}

class Run {
  readonly errors: FieldError[] = [];
  readonly #warn: (text: string) => void;
  readonly #judged: (() => void) | undefined;
  #budget = MOST_PER_OBJECT;
  #isOver = false;

  constructor(warn: (text: string) => void, judged: (() => void) | undefined) {
    this.#warn = warn;
    this.#judged = judged;
  }

  check(node: Node): void {
    const { value, schema, rules } = node;
    if (value === null || value === undefined) return;
    if (this.#judged && hasRules(rules)) this.#judged();
    this.#evaluate(node);
    for (const part of rules.allOf ?? []) {
      if (this.#isOver) return;
      if (hasRules(part)) this.check({ ...node, rules: part, same: undefined, parent: node.parent });
    }
    if (this.#isOver) return;
    if (Array.isArray(value)) this.#elements(node, value);
    else if (isMap(value)) this.#members(node, value, schema);
  }

  #elements(node: Node, value: readonly unknown[]): void {
    const { schema, rules, path, old } = node;
    const items = itemsOf(schema);
    const inner = itemsOf(rules);
    if (!items || !inner) return;
    const sameKeys = itemsByKeys(schema, old);
    for (const [index, item] of value.entries()) {
      if (this.#isOver) return;
      const before = isMap(item) ? sameKeys?.(item) : undefined;
      this.check({
        value: item,
        old: before,
        schema: items,
        rules: inner,
        path: path?.index(index),
        isResource: items['x-kubernetes-embedded-resource'] === true,
        ...below(node, { value: item, old: before }),
      });
    }
  }

  #members(node: Node, value: Readonly<Record<string, unknown>>, schema: JSONSchemaProps): void {
    const { rules, path, old } = node;
    const additional = additionalOf(schema);
    for (const name of Object.keys(value)) {
      if (this.#isOver) return;
      const declared = propertyOf(schema, name);
      const part = declared ?? (additional === true ? undefined : additional);
      const ruled = declared ? propertyOf(rules, name) : asSchema(additionalOf(rules));
      if (!part || !ruled) continue;
      const before = isMap(old) && Object.hasOwn(old, name) ? old[name] : undefined;
      const pair = { value: value[name], old: before };
      const isTopType = node.parent === undefined && (name === 'apiVersion' || name === 'kind');
      this.check({
        ...pair,
        schema: part,
        rules: ruled,
        path: declared ? (path?.child(name) ?? FieldPath.of(name)) : path?.key(name),
        isResource: part['x-kubernetes-embedded-resource'] === true,
        ...(isTopType ? { same: undefined, parent: undefined } : below(node, pair)),
      });
    }
  }

  #evaluate(node: Node): void {
    const { rules, schema, path, isResource } = node;
    if ((rules['x-kubernetes-validations'] ?? []).length === 0) return;
    const shownType = schema.type ?? '';
    const { rules: compiled, declared } = rulesOf(
      rules === schema ? schema : merged(schema, rules),
      isResource,
    );
    if (!declared) {
      const detail =
        'rule compiler initialization error: failed to convert to declType for CEL validation rules';
      this.errors.push(invalid(path, shownType, detail));
      return;
    }
    if (this.#budget <= 0) return this.#end(invalid(path, shownType, OUT_OF_BUDGET));
    const activations = activationsOf(node);
    for (const rule of compiled) {
      this.#run(rule, node, activations);
      if (this.#isOver) return;
    }
  }

  #end(error: FieldError): void {
    this.errors.push(error);
    this.#isOver = true;
  }

  #run(compiled: CompiledRule, node: Node, { required: strict, optional }: Activations): void {
    const { rule, program, problem, usesOldSelf } = compiled;
    const shownType = node.schema.type ?? '';
    if (problem !== undefined) {
      this.errors.push(invalid(node.path, shownType, `rule compile error: ${problem}`));
      return;
    }
    if (!program) return;
    const isOptional = rule.optionalOldSelf === true;
    if (usesOldSelf && node.old === undefined && !isOptional) return;
    const outcome = program.run(isOptional ? optional : strict, MOST_PER_CALL);
    if (outcome.cost > this.#budget) return this.#end(invalid(node.path, shownType, OUT_OF_BUDGET));
    this.#budget -= outcome.cost;
    if (isError(outcome.result)) return this.#failed(rule, node, outcome, outcome.result.message);
    if (outcome.result === true) return;
    const at = placeOf(rule, node);
    const { error, isLast } = this.#broken(compiled, node, at, strict);
    if (!usesOldSelf && isUnchanged(node.same ?? node.parent)) this.#warn(fieldErrorText(error));
    else this.errors.push(error);
    this.#isOver ||= isLast;
  }

  #failed(rule: ValidationRule, { path, schema }: Node, { isExhausted }: Outcome, problem: string): void {
    const shownType = schema.type ?? '';
    const name = ruleName(rule);
    if (isExhausted) {
      const detail = `'${problem}': no further validation rules will be run due to call cost exceeds limit for rule: ${name}`;
      return this.#end(invalid(path, shownType, detail));
    }
    const detail = problem.startsWith('no such overload')
      ? `'${problem}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`
      : `${problem} evaluating rule: ${name}`;
    this.errors.push(invalid(path, shownType, detail));
  }

  #broken(
    { rule, message }: CompiledRule,
    { schema }: Node,
    at: FieldPath | undefined,
    activation: Activation,
  ): { readonly error: FieldError; readonly isLast: boolean } {
    const shownType = schema.type ?? '';
    const written = rule.message ? rule.message.trim() : `failed rule: ${ruleName(rule)}`;
    if (!message) return { error: errorBy(rule, at, shownType, written), isLast: false };
    const told = this.#message(message, rule.messageExpression ?? '', activation);
    if (told.kind === 'over') return { error: invalid(at, shownType, told.text), isLast: true };
    return { error: errorBy(rule, at, shownType, told.kind === 'text' ? told.text : written), isLast: false };
  }

  #message(
    program: Program,
    expression: string,
    activation: Activation,
  ): { readonly kind: 'text' | 'over'; readonly text: string } | { readonly kind: 'none' } {
    const { result, cost, isExhausted } = program.run(activation, MOST_PER_CALL);
    if (cost > this.#budget) {
      const text =
        'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run';
      return { kind: 'over', text };
    }
    if (isExhausted) {
      const text = `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${goQuote(expression)}`;
      return { kind: 'over', text };
    }
    this.#budget -= cost;
    const text = typeof result === 'string' ? result.trim() : '';
    return text === '' || text.includes('\n') || goLength(text) > LONGEST_MESSAGE
      ? { kind: 'none' }
      : { kind: 'text', text };
  }
}

const OUT_OF_BUDGET =
  'validation failed due to running out of cost budget, no further validation rules will be run';

const asSchema = (schema: JSONSchemaProps | true | undefined): JSONSchemaProps | undefined =>
  schema === true ? undefined : schema;

/** The rules of a part of `allOf` speak of the value as the schema around declares it. */
const mergedSchemas = new WeakMap<JSONSchemaProps, JSONSchemaProps>();
function merged(schema: JSONSchemaProps, rules: JSONSchemaProps): JSONSchemaProps {
  const before = mergedSchemas.get(rules);
  if (before) return before;
  const validations = rules['x-kubernetes-validations'];
  const made = { ...schema, ...(validations && { 'x-kubernetes-validations': validations }) };
  mergedSchemas.set(rules, made);
  return made;
}

/** What is compared below: the parts if both are there, else what is around them. */
function below(node: Node, pair: Pair): Pick<Node, 'same' | 'parent'> {
  if (!node.same) return { same: undefined, parent: node.parent };
  return { same: pair.old === undefined ? undefined : pair, parent: node.same };
}

const isUnchanged = (pair: Pair | undefined): boolean =>
  pair !== undefined && pair.old !== undefined && isEqualJson(pair.value, pair.old);

function placeOf({ fieldPath }: ValidationRule, { path, schema }: Node): FieldPath | undefined {
  const below = fieldPath ? (rulePath(fieldPath, schema) ?? '') : '';
  if (below === '') return path;
  return path?.child(below) ?? FieldPath.of(below);
}

const ruleName = ({ rule, message }: ValidationRule): string => (message ? message : rule).trim();

function errorBy(
  { reason }: ValidationRule,
  at: FieldPath | undefined,
  type: string,
  detail: string,
): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(at, detail);
    case 'FieldValueRequired':
      return required(at, detail);
    case 'FieldValueDuplicate':
      return duplicate(at, type);
    default:
      return invalid(at, type, detail);
  }
}

interface Activations {
  readonly required: Activation;
  readonly optional: Activation;
}

function activationsOf({ value, old, schema, isResource }: Node): Activations {
  const full = isResource ? withResourceFields(schema) : schema;
  const self = schemaValue(value, full);
  const before: Result | undefined = old === undefined ? undefined : schemaValue(old, full);
  const maybe = before === undefined || isError(before) ? Optional.NONE : new Optional(before);
  return {
    required: (name) => (name === 'self' ? self : name === 'oldSelf' ? before : undefined),
    optional: (name) => (name === 'self' ? self : name === 'oldSelf' ? maybe : undefined),
  };
}
