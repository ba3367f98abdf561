/** Rules of one schema node (`x-kubernetes-validations`), compiled once for as long as the schema lives. */
import { compile, type CompileFailure, type Program } from '../../../api/cel/compile.ts';
import { environmentWith } from '../../../api/cel/environment.ts';
import { declare, type Declared, fieldsIn, LARGEST_REQUEST } from '../../../api/cel/schema/declare.ts';
import type { Environment } from '../../../api/cel/types/declarations.ts';
import { type CelType, optionalOf } from '../../../api/cel/types/type.ts';
import type { ValidationRule } from '../../../api/types/apiextensions-k8s-io-v1.ts';
import type { JSONSchemaProps } from '../json-schema.ts';

export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Undefined: it does not compile. */
  readonly program: Program | undefined;
  readonly problem: string | undefined;
  readonly message: Program | undefined;
  readonly messageProblem: string | undefined;
  readonly usesOldSelf: boolean;
  /** What is wrong with it where it is new: it needs what only expressions that are in force may use. */
  readonly problemIfNew?: string;
  readonly messageProblemIfNew?: string;
}

export interface NodeRules {
  readonly rules: readonly CompiledRule[];
  /** Undefined: expressions cannot know what the node holds. */
  readonly declared: Declared | undefined;
  /** How many such values one request can hold, if nothing else bounds them. */
  readonly mostPerRequest: number;
}

/** The real server draws the number anew for each rule. */
const SELF_TYPE = 'selfType1';

type Known = WeakMap<JSONSchemaProps, NodeRules>;
const plain: Known = new WeakMap();
const resources: Known = new WeakMap();

export function rulesOf(schema: JSONSchemaProps, isResource: boolean): NodeRules {
  const known = isResource ? resources : plain;
  const before = known.get(schema);
  if (before) return before;
  const made = compiledNode(schema, isResource);
  known.set(schema, made);
  return made;
}

/** What may be null is none. */
const isTruth = (type: CelType | undefined): boolean => type?.kind === 'bool' && !type.isWrapper;

function compiledNode(schema: JSONSchemaProps, isResource: boolean): NodeRules {
  const rules = schema['x-kubernetes-validations'] ?? [];
  const declared = declare(schema, SELF_TYPE, isResource);
  if (!declared) return { rules: [], declared, mostPerRequest: 0 };
  const fieldsOf = fieldsIn(declared);
  const { type } = declared;
  const environments = (oldSelf: CelType): Environments => {
    const variables = new Map([
      ['self', type],
      ['oldSelf', oldSelf],
    ]);
    return {
      fresh: environmentWith(variables, { fieldsOf }),
      stored: environmentWith(variables, { fieldsOf, areStored: true }),
    };
  };
  const required = environments(type);
  const optional = environments(optionalOf(type));
  return {
    rules: rules.map((rule) => inForce(rule, rule.optionalOldSelf ? optional : required)),
    declared,
    mostPerRequest: Math.trunc(LARGEST_REQUEST / (declared.leastBytes + 1)),
  };
}

interface Environments {
  readonly fresh: Environment;
  readonly stored: Environment;
}

/** What new expressions may say stored ones may, too: only what fails is compiled twice. */
function inForce(rule: ValidationRule, { fresh, stored }: Environments): CompiledRule {
  const compiled = compiledRule(rule, fresh);
  const { problem } = compiled;
  const ofMessage = problem !== undefined && rule.messageExpression;
  const { messageProblem } = ofMessage ? compiledMessage(ofMessage, fresh) : compiled;
  if (problem === undefined && messageProblem === undefined) return compiled;
  return {
    ...compiledRule(rule, stored),
    ...(problem !== undefined && { problemIfNew: problem }),
    ...(messageProblem !== undefined && { messageProblemIfNew: messageProblem }),
  };
}

function compiledRule(rule: ValidationRule, environment: Environment): CompiledRule {
  const nothing = {
    rule,
    program: undefined,
    message: undefined,
    messageProblem: undefined,
    usesOldSelf: false,
  };
  if (rule.rule.trim() === '') return { ...nothing, problem: undefined };
  const compiled = compile(rule.rule, environment);
  if (compiled.kind === 'failure') {
    const isTyped = compiled.stage === 'check' || isTruth(compiled.type);
    const problem = isTyped ? failureText(compiled) : 'cel expression must evaluate to a bool';
    return { ...nothing, problem };
  }
  const { program } = compiled;
  if (!isTruth(program.type)) return { ...nothing, problem: 'cel expression must evaluate to a bool' };
  const made = { ...nothing, program, problem: undefined, usesOldSelf: program.uses('oldSelf') };
  return rule.messageExpression ? { ...made, ...compiledMessage(rule.messageExpression, environment) } : made;
}

const failureText = ({ stage, message }: CompileFailure): string =>
  stage === 'check' ? `compilation failed: ${message}` : `program instantiation failed: ${message}`;

function compiledMessage(
  text: string,
  environment: Environment,
): Pick<CompiledRule, 'message' | 'messageProblem'> {
  const compiled = compile(text, environment);
  const isText = (compiled.kind === 'program' ? compiled.program.type : compiled.type)?.kind === 'string';
  if (compiled.kind === 'failure') {
    const words = compiled.stage === 'check' ? 'compilation' : 'instantiation';
    if (compiled.stage === 'check' || isText)
      return { message: undefined, messageProblem: `messageExpression ${words} failed: ${compiled.message}` };
  }
  if (compiled.kind === 'failure' || !isText)
    return { message: undefined, messageProblem: 'messageExpression must evaluate to a string' };
  return { message: compiled.program, messageProblem: undefined };
}
