/**
 * What a definition's rules must be: complete, compilable, and cheap enough for any object that the schema allows.
 * Where the schema itself is wrong, rules are not compiled.
 */
import { append } from '../../../api/append.ts';
import { boundOf, sizesIn } from '../../../api/cel/schema/declare.ts';
import { UNBOUNDED } from '../../../api/cel/cost/range.ts';
import { GoSyntax } from '../../../api/go-text.ts';
import type { FieldError } from '../../../api/status.ts';
import type { ValidationRule } from '../../../api/types/apiextensions-k8s-io-v1.ts';
import { forbidden, invalid, notSupported, required, tooMany } from '../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../api/validation/field-path.ts';
import { isMap, itemsOf, type JSONSchemaProps } from '../json-schema.ts';
import { ruleJson } from '../schema-json.ts';
import { goRule } from '../schema-text.ts';
import { unreadable } from '../structural-schema.ts';
import { type CompiledRule, type NodeRules, rulesOf } from './compiled-rules.ts';
import { rulePath } from './rule-path.ts';

export const KEYWORD = 'x-kubernetes-validations';
const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const hasBreak = (text: string): boolean => /[\n\r]/.test(text);

/** Of rules as they are written, not of what they say. */
export function writtenRuleErrors(schema: JSONSchemaProps, path: FieldPath): readonly FieldError[] {
  return (schema[KEYWORD] ?? []).flatMap((rule, index) => [
    ...textErrors(rule, path.child(KEYWORD).index(index)),
    ...memberErrors(rule, schema, path.child(KEYWORD).index(index)),
  ]);
}

function textErrors({ rule = '', message = '' }: ValidationRule, at: FieldPath): readonly FieldError[] {
  const text = message.trim();
  if (rule.trim() === '') return [required(at.child('rule'), 'rule is not specified')];
  if (message !== '' && text === '')
    return [invalid(at.child('message'), message, 'message must be non-empty if specified')];
  if (hasBreak(text)) return [invalid(at.child('message'), message, 'message must not contain line breaks')];
  if (hasBreak(rule.trim()) && text === '')
    return [required(at.child('message'), 'message must be specified if rule contains line breaks')];
  return [];
}

function memberErrors(rule: ValidationRule, schema: JSONSchemaProps, at: FieldPath): readonly FieldError[] {
  const { messageExpression = '', reason, fieldPath = '' } = rule;
  const errors: FieldError[] = [];
  if (messageExpression !== '' && messageExpression.trim() === '')
    errors.push(required(at.child('messageExpression'), 'messageExpression must be non-empty if specified'));
  if (reason !== undefined && !REASONS.includes(reason))
    errors.push(notSupported(at.child('reason'), reason, REASONS));
  if (fieldPath === '') return errors;
  const place = at.child('fieldPath');
  if (fieldPath.trim() === '')
    errors.push(invalid(place, fieldPath, 'fieldPath must be non-empty if specified'));
  if (hasBreak(fieldPath)) errors.push(invalid(place, fieldPath, 'fieldPath must not contain line breaks'));
  // Where the part itself cannot be read, nobody follows a path into it.
  if (unreadable(schema) === undefined && rulePath(fieldPath, schema) === undefined)
    errors.push(invalid(place, fieldPath, 'fieldPath must be a valid path'));
  return errors;
}

const MOST_PER_RULE = 10_000_000;
const MOST_PER_DEFINITION = 100_000_000;
const MOST_NAMED = 4;

export interface RuleCheck {
  /** Errors in the schema that have been found before. */
  readonly schemaErrors: readonly FieldError[];
  /** The schema is as it was: rules that have become too expensive stay. */
  readonly isUnchanged: boolean;
  /** Texts that are in force already may use more than new ones. */
  readonly stored: StoredRules;
}

export interface StoredRules {
  readonly rules: ReadonlySet<string>;
  readonly messages: ReadonlySet<string>;
}

export function storedRulesOf(schemas: readonly JSONSchemaProps[]): StoredRules {
  const rules = schemas.flatMap((schema) => [...holdingRules(schema)].flatMap((part) => part[KEYWORD] ?? []));
  return {
    rules: new Set(rules.map(({ rule }) => rule)),
    messages: new Set(rules.flatMap(({ messageExpression }) => messageExpression || [])),
  };
}

/** Of what rules say. */
export function compiledRuleErrors(
  schema: JSONSchemaProps,
  path: FieldPath,
  check: RuleCheck,
): readonly FieldError[] {
  const walk = new Walk(check, holdingRules(schema));
  walk.visit({ schema, path, isResource: true, most: 1, isInScope: false, uncorrelatable: undefined });
  return [...walk.errors, ...walk.totalErrors(path)];
}

/** More of them would keep everybody waiting while they are compiled: the real server takes any number. */
const MOST_RULES = 5_000;

/** Undefined: the schemas have no more rules than are taken. */
export function ruleCountError(schemas: readonly JSONSchemaProps[], path: FieldPath): FieldError | undefined {
  let count = 0;
  for (const schema of schemas) for (const part of holdingRules(schema)) count += part[KEYWORD]?.length ?? 0;
  return count > MOST_RULES ? tooMany(path.child(KEYWORD), count, MOST_RULES) : undefined;
}

/** The parts with rules at them or below: most schemas have few, and thousands of others. */
function holdingRules(schema: JSONSchemaProps): ReadonlySet<JSONSchemaProps> {
  const holding = new Set<JSONSchemaProps>();
  const look = (part: JSONSchemaProps): boolean => {
    const { properties, additionalProperties } = part;
    let holds = (part[KEYWORD] ?? []).length > 0;
    for (const name in properties) holds = (properties[name] && look(properties[name])) || holds;
    if (isMap(additionalProperties)) holds = look(additionalProperties) || holds;
    const items = itemsOf(part);
    if (items) holds = look(items) || holds;
    if (holds) holding.add(part);
    return holds;
  };
  look(schema);
  return holding;
}

interface Place {
  readonly schema: JSONSchemaProps;
  readonly path: FieldPath;
  readonly isResource: boolean;
  /** How many values there may be; undefined: nothing bounds them. */
  readonly most: number | undefined;
  readonly isInScope: boolean;
  /** Above stands something whose parts cannot be told from one another. */
  readonly uncorrelatable: FieldPath | undefined;
}

interface Priced {
  readonly path: FieldPath;
  readonly cost: number;
}

class Walk {
  readonly errors: FieldError[] = [];
  readonly #check: RuleCheck;
  readonly #holding: ReadonlySet<JSONSchemaProps>;
  readonly #expensive: Priced[] = [];
  #total = 0;

  constructor(check: RuleCheck, holding: ReadonlySet<JSONSchemaProps>) {
    this.#check = check;
    this.#holding = holding;
  }

  visit(place: Place): void {
    const { schema, path, most, uncorrelatable } = place;
    if (!this.#holding.has(schema)) return;
    const isResource = place.isResource || schema['x-kubernetes-embedded-resource'] === true;
    const below = { isResource: false, isInScope: true };
    const inner = multiplied(most, mostElements(schema));
    const { additionalProperties } = schema;
    if (isMap(additionalProperties)) {
      const at = path.child('additionalProperties');
      this.visit({ ...below, schema: additionalProperties, path: at, most: inner, uncorrelatable });
    }
    const holding = Object.entries(schema.properties ?? {}).filter(([, part]) => this.#holding.has(part));
    for (const [name, part] of holding.sort(([a], [b]) => (a < b ? -1 : 1))) {
      const at = path.child('properties').key(name);
      this.visit({ ...below, schema: part, path: at, most: inner, uncorrelatable });
    }
    const items = itemsOf(schema);
    if (items) {
      const isKeyed = schema['x-kubernetes-list-type'] === 'map';
      const cut = isKeyed ? uncorrelatable : (uncorrelatable ?? path);
      this.visit({ ...below, schema: items, path: path.child('items'), most: inner, uncorrelatable: cut });
    }
    this.#rules({ ...place, isResource });
  }

  #rules(place: Place): void {
    const { schema, path } = place;
    if ((schema[KEYWORD] ?? []).length === 0) return;
    // What is wrong here or below has to be put right first.
    if (this.#check.schemaErrors.some(({ field }) => field.startsWith(path.text))) return;
    const node = rulesOf(schema, place.isResource);
    if (!node.declared) {
      this.errors.push({
        reason: 'InternalError',
        field: path.child(KEYWORD).text,
        message:
          'Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations',
      });
      return;
    }
    for (const [index, rule] of node.rules.entries())
      this.#rule(rule, place, node, path.child(KEYWORD).index(index));
  }

  #rule(inForce: CompiledRule, place: Place, node: NodeRules, at: FieldPath): void {
    const compiled = this.#asWritten(inForce);
    const { rule, problem, messageProblem } = compiled;
    this.#price(compiled, place, node, at);
    if (problem !== undefined)
      this.errors.push(invalid(at.child('rule'), new GoSyntax(goRule(rule), () => ruleJson(rule)), problem));
    if (messageProblem !== undefined)
      this.errors.push(
        invalid(
          at.child('messageExpression'),
          new GoSyntax(goRule(rule), () => ruleJson(rule)),
          messageProblem,
        ),
      );
    else this.#priceMessage(compiled, node, at);
    if (compiled.usesOldSelf && place.uncorrelatable) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelatable.text}`;
      this.errors.push(invalid(at.child('rule'), rule.rule, detail));
    }
    if (!compiled.usesOldSelf && rule.optionalOldSelf !== undefined) {
      const detail = 'may not be set if oldSelf is not used in rule';
      this.errors.push(invalid(at.child('optionalOldSelf'), rule.optionalOldSelf, detail));
    }
  }

  /** What is new may say less than what is in force. */
  #asWritten(compiled: CompiledRule): CompiledRule {
    const { rule, problemIfNew, messageProblemIfNew } = compiled;
    const { rules, messages } = this.#check.stored;
    if (problemIfNew !== undefined && !rules.has(rule.rule)) {
      const nothing = { program: undefined, message: undefined, messageProblem: undefined };
      return { ...nothing, rule, problem: problemIfNew, usesOldSelf: false };
    }
    if (messageProblemIfNew === undefined || messages.has(rule.messageExpression ?? '')) return compiled;
    return { ...compiled, message: undefined, messageProblem: messageProblemIfNew };
  }

  #price({ program }: CompiledRule, { most }: Place, node: NodeRules, at: FieldPath): void {
    const each = program && node.declared ? program.estimate(sizesIn(node.declared)).max : 0;
    const cost = multiplied(each, most ?? node.mostPerRequest) ?? 0;
    this.#refuse('estimated rule cost', cost, at.child('rule'));
    this.#observe(at.child('rule'), cost);
  }

  #priceMessage({ message }: CompiledRule, node: NodeRules, at: FieldPath): void {
    if (!message || !node.declared) return;
    const cost = message.estimate(sizesIn(node.declared)).max;
    this.#refuse('estimated messageExpression cost', cost, at.child('messageExpression'));
    this.#observe(at.child('messageExpression'), cost);
  }

  #refuse(name: string, cost: number, at: FieldPath): void {
    if (!this.#check.isUnchanged && cost > MOST_PER_RULE)
      this.errors.push(forbidden(at, costText(name, cost, MOST_PER_RULE)));
  }

  #observe(path: FieldPath, cost: number): void {
    this.#total = Math.min(UNBOUNDED, this.#total + cost);
    if (cost >= MOST_PER_DEFINITION / 100) this.#expensive.push({ path, cost });
  }

  totalErrors(path: FieldPath): readonly FieldError[] {
    if (this.#total <= MOST_PER_DEFINITION) return [];
    const named = this.#expensive.toSorted((a, b) => b.cost - a.cost).slice(0, MOST_NAMED);
    const contribution =
      'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    const errors = named.map((priced) => forbidden(priced.path, contribution));
    append(errors, [forbidden(path, costText(name, this.#total, MOST_PER_DEFINITION))]);
    return errors;
  }
}

/** Undefined: nothing bounds them. */
function mostElements(schema: JSONSchemaProps): number | undefined {
  const bounded = (most: number | undefined): number | undefined =>
    most === undefined ? undefined : boundOf(most);
  if (schema.type === 'array') return bounded(schema.maxItems);
  if (schema.type === 'object' && schema.additionalProperties !== undefined)
    return bounded(schema.maxProperties);
  return 1;
}

const multiplied = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : Math.min(UNBOUNDED, a * b);

function costText(name: string, cost: number, limit: number): string {
  const excess = cost / limit;
  const factor = excess > 100 ? 'more than 100x' : `${excess < 1.5 ? excess.toFixed(6) : excess.toFixed(1)}x`;
  return `${name} exceeds budget by factor of ${factor} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}
