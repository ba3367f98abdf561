/** Finds the type of every part of an expression, or says where none fits. */
import {
  type CallExpression,
  type ComprehensionExpression,
  type Expression,
  type ListExpression,
  type MapExpression,
  OPERATOR,
  qualifiedName,
  type SelectExpression,
  type StructExpression,
  type StructField,
} from '../syntax/expression.ts';
import { MESSAGES, type MessageType } from '../library/messages.ts';
import type { SourceError } from '../syntax/source.ts';
import { typeOfValue } from '../values/value.ts';
import type { Environment, FunctionDeclaration, Overload } from './declarations.ts';
import {
  BOOL,
  type CelType,
  DYN,
  ERROR,
  isDyn,
  isDynOrError,
  isOptional,
  isSameType,
  listOf,
  mapOf,
  optionalOf,
  parameter,
  signatureText,
  typeText,
  unwrapped,
} from './type.ts';
import { mostGeneral, Substitution, unify } from './unify.ts';

/** What a name or a call stands for. */
export type Reference =
  | { readonly kind: 'variable'; readonly name: string }
  | {
      readonly kind: 'function';
      readonly declaration: FunctionDeclaration;
      readonly overloads: readonly string[];
      /** The target is part of the function's name. */
      readonly isQualified: boolean;
    };

export interface Checked {
  readonly expression: Expression;
  readonly types: ReadonlyMap<Expression, CelType>;
  readonly references: ReadonlyMap<Expression, Reference>;
  readonly errors: readonly SourceError[];
}

export function check(expression: Expression, environment: Environment): Checked {
  const checker = new Checker(environment);
  checker.check(expression);
  return { expression, types: checker.finalTypes(), references: checker.references, errors: checker.errors };
}

class Checker {
  readonly errors: SourceError[] = [];
  readonly references = new Map<Expression, Reference>();
  readonly #types = new Map<Expression, CelType>();
  readonly #environment: Environment;
  readonly #scopes: { readonly name: string; readonly type: CelType }[] = [];
  readonly #substitution = new Substitution();
  #variableCount = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  finalTypes(): ReadonlyMap<Expression, CelType> {
    const types = new Map<Expression, CelType>();
    for (const [expression, type] of this.#types) types.set(expression, this.#substitution.apply(type, true));
    return types;
  }

  check(expression: Expression): CelType {
    const type = this.#typeOf(expression);
    const before = this.#types.get(expression);
    // What a macro uses twice is looked at twice, and has to be of the same type.
    if (before && !isSameType(before, type)) {
      const types = `old:${typeText(before)}, new:${typeText(type)}`;
      this.#report(expression.at, `incompatible type already exists for expression: ${types}`);
      return before;
    }
    this.#types.set(expression, type);
    return type;
  }

  #typeOf(expression: Expression): CelType {
    switch (expression.kind) {
      case 'literal':
        return typeOfValue(expression.value);
      case 'ident':
        return this.#ident(expression, expression.name);
      case 'select':
        return this.#select(expression);
      case 'call':
        return this.#call(expression);
      case 'list':
        return this.#list(expression);
      case 'map':
        return this.#map(expression);
      case 'struct':
        return this.#struct(expression);
      case 'comprehension':
        return this.#comprehension(expression);
    }
  }

  #report(at: number, message: string): void {
    this.errors.push({ at, message });
  }

  #undeclared(at: number, name: string): CelType {
    this.#report(at, `undeclared reference to '${name}' (in container '')`);
    return ERROR;
  }

  #lookup(written: string): { readonly name: string; readonly type: CelType } | undefined {
    const name = written.startsWith('.') ? written.slice(1) : written;
    const local = this.#scopes.findLast((scope) => scope.name === name);
    if (local) return local;
    const type = this.#environment.variables.get(name);
    return type && { name, type };
  }

  #ident(expression: Expression, name: string): CelType {
    const found = this.#lookup(name);
    if (!found) return this.#undeclared(expression.at, name);
    this.references.set(expression, { kind: 'variable', name: found.name });
    return found.type;
  }

  #select(expression: SelectExpression): CelType {
    const name = qualifiedName(expression);
    const found = name === undefined ? undefined : this.#lookup(name);
    if (found) {
      this.references.set(expression, { kind: 'variable', name: found.name });
      return found.type;
    }
    const type = this.#field(expression, expression.operand, expression.field, false);
    return expression.isTest ? BOOL : this.#substitution.apply(type, false);
  }

  #field(expression: Expression, operand: Expression, field: string, wantsOptional: boolean): CelType {
    const operandType = this.#substitution.apply(this.check(operand), false);
    const target = unwrapped(operandType);
    const type = this.#fieldOf(expression, target, field);
    return wantsOptional || isOptional(operandType) ? optionalOf(type) : type;
  }

  #fieldOf({ at }: Expression, target: CelType, field: string): CelType {
    switch (target.kind) {
      case 'map':
        return target.parameters[1] ?? DYN;
      case 'struct': {
        const fields = this.#environment.fieldsOf(target.name);
        const type = fields?.get(field);
        if (type) return type;
        this.#report(
          at,
          fields ? `undefined field '${field}'` : `unexpected failed resolution of '${target.name}'`,
        );
        return ERROR;
      }
      case 'parameter':
        this.#isAssignable(DYN, target);
        return DYN;
      default:
        if (!isDynOrError(target))
          this.#report(at, `type '${typeText(target)}' does not support field selection`);
        return DYN;
    }
  }

  #call(expression: CallExpression): CelType {
    const { name, target, args, at } = expression;
    if (name === OPERATOR.optionalSelect) return this.#optionalSelect(expression);
    for (const arg of args) this.check(arg);
    const declared = (candidate: string): FunctionDeclaration | undefined =>
      this.#environment.functions.get(candidate.startsWith('.') ? candidate.slice(1) : candidate);
    if (!target) {
      const declaration = declared(name);
      if (!declaration) return this.#undeclared(at, name);
      return this.#resolved(expression, declaration, { args, isMethod: false, isQualified: false });
    }
    const prefix = qualifiedName(target);
    const qualified = prefix === undefined ? undefined : declared(`${prefix}.${name}`);
    if (qualified) return this.#resolved(expression, qualified, { args, isMethod: false, isQualified: true });
    this.check(target);
    const declaration = declared(name);
    if (!declaration) return this.#undeclared(at, name);
    return this.#resolved(expression, declaration, {
      args: [target, ...args],
      isMethod: true,
      isQualified: false,
    });
  }

  #optionalSelect(expression: CallExpression): CelType {
    const [operand, field] = expression.args;
    if (!operand || field?.kind !== 'literal' || typeof field.value !== 'string') return ERROR;
    const type = this.#field(expression, operand, field.value, true);
    const declaration = this.#environment.functions.get(OPERATOR.optionalSelect);
    if (declaration)
      this.references.set(expression, {
        kind: 'function',
        declaration,
        overloads: ['select_optional_field'],
        isQualified: false,
      });
    return this.#substitution.apply(type, false);
  }

  #resolved(
    expression: CallExpression,
    declaration: FunctionDeclaration,
    use: { readonly args: readonly Expression[]; readonly isMethod: boolean; readonly isQualified: boolean },
  ): CelType {
    const types = use.args.map((arg) => this.#types.get(arg) ?? ERROR);
    const isJunction = declaration.name === OPERATOR.and || declaration.name === OPERATOR.or;
    if (isJunction) return this.#junction(expression, declaration, types);
    const overloads: string[] = [];
    let result: CelType | undefined;
    for (const overload of declaration.overloads) {
      if (overload.isMethod !== use.isMethod) continue;
      const found = this.#resultOf(overload, types);
      if (!found) continue;
      overloads.push(overload.id);
      if (!result) result = found;
      else if (!isDyn(result) && !isSameType(found, result)) result = DYN;
    }
    if (!result) {
      const shown = types.map((type) => this.#substitution.apply(type, true));
      this.#report(
        expression.at,
        `found no matching overload for '${declaration.name}' applied to '${signatureText(shown, use.isMethod)}'`,
      );
      return ERROR;
    }
    this.references.set(expression, {
      kind: 'function',
      declaration,
      overloads,
      isQualified: use.isQualified,
    });
    return result;
  }

  #junction(
    expression: CallExpression,
    declaration: FunctionDeclaration,
    types: readonly CelType[],
  ): CelType {
    let isWrong = false;
    for (const [index, arg] of expression.args.entries()) {
      const type = types[index] ?? ERROR;
      if (this.#isAssignable(type, BOOL)) continue;
      this.#report(arg.at, `expected type 'bool' but found '${typeText(type)}'`);
      isWrong = true;
    }
    if (isWrong) return ERROR;
    const overloads = declaration.overloads.map(({ id }) => id);
    this.references.set(expression, { kind: 'function', declaration, overloads, isQualified: false });
    return BOOL;
  }

  /** Undefined: the overload does not take these types. */
  #resultOf(overload: Overload, types: readonly CelType[]): CelType | undefined {
    const { args, result } = overload;
    if (args.length !== types.length) return undefined;
    const names = parameterNames(overload);
    if (names.length === 0) return unify(this.#substitution, types, args) ? result : undefined;
    const fresh = new Substitution();
    for (const name of names) fresh.set(parameter(name), this.#newVariable());
    const wanted = args.map((arg) => fresh.apply(arg, false));
    if (!unify(this.#substitution, types, wanted)) return undefined;
    return this.#substitution.apply(fresh.apply(result, false), false);
  }

  #newVariable(): CelType {
    return parameter(`_var${this.#variableCount++}`);
  }

  #isAssignable(a: CelType, b: CelType): boolean {
    return unify(this.#substitution, [a], [b]);
  }

  /** The one type of all elements; that there is none is found later. */
  #joined(before: CelType | undefined, type: CelType): CelType {
    if (!before) return type;
    return this.#isAssignable(before, type) ? mostGeneral(before, type) : DYN;
  }

  #mismatch(at: number, wanted: CelType, found: CelType): void {
    this.#report(at, `expected type '${typeText(wanted)}' but found '${typeText(found)}'`);
  }

  /** Type of an element written with `?`. */
  #inOptional(expression: Expression, type: CelType): CelType {
    if (!isOptional(type) && !isDyn(type)) this.#mismatch(expression.at, optionalOf(type), type);
    return unwrapped(type);
  }

  #list({ elements, optional }: ListExpression): CelType {
    let joined: CelType | undefined;
    for (const [index, element] of elements.entries()) {
      const type = this.check(element);
      joined = this.#joined(joined, optional.has(index) ? this.#inOptional(element, type) : type);
    }
    return listOf(joined ?? this.#newVariable());
  }

  #map({ entries }: MapExpression): CelType {
    let keys: CelType | undefined;
    let values: CelType | undefined;
    for (const { key, value, isOptional: isMarked } of entries) {
      keys = this.#joined(keys, this.check(key));
      const type = this.check(value);
      values = this.#joined(values, isMarked ? this.#inOptional(value, type) : type);
    }
    return mapOf(keys ?? this.#newVariable(), values ?? this.#newVariable());
  }

  #struct({ typeName, fields, at }: StructExpression): CelType {
    const found = this.#lookup(typeName);
    if (!found) return this.#undeclared(at, typeName);
    const message = found.type.kind === 'type' ? MESSAGES.get(found.name) : undefined;
    if (message) {
      for (const field of fields) this.#initializer(field, message);
      return message.type;
    }
    const type = found.type.kind === 'type' ? (found.type.parameters[0] ?? ERROR) : ERROR;
    if (found.type.kind !== 'type') this.#report(at, `'${found.type.name}' is not a type`);
    else this.#report(at, `'${type.name}' is not a message type`);
    for (const { value } of fields) this.check(value);
    return ERROR;
  }

  #initializer({ at, name, value, isOptional: isMarked }: StructField, { fields }: MessageType): void {
    const given = this.check(value);
    const wanted = fields.get(name);
    if (!wanted) this.#report(at, `undefined field '${name}'`);
    else if (isMarked) {
      if (!this.#isAssignable(optionalOf(wanted), given)) this.#mismatch(value.at, optionalOf(wanted), given);
    } else if (!this.#isAssignable(wanted, given)) {
      const types = `is '${typeText(wanted)}' but provided type is '${typeText(given)}'`;
      this.#report(at, `expected type of field '${name}' ${types}`);
    }
  }

  #comprehension(fold: ComprehensionExpression): CelType {
    this.check(fold.range);
    const accumulated = this.check(fold.initial);
    const range = this.#substitution.apply(this.#types.get(fold.range) ?? ERROR, false);
    const element = this.#elementOf(fold.range, range);
    this.#scopes.push({ name: fold.accumulator, type: accumulated }, { name: fold.variable, type: element });
    this.#assert(fold.condition, BOOL);
    this.#assert(fold.step, accumulated);
    this.#scopes.pop();
    const result = this.check(fold.result);
    this.#scopes.pop();
    return this.#substitution.apply(result, false);
  }

  #elementOf({ at }: Expression, range: CelType): CelType {
    switch (range.kind) {
      case 'list':
      case 'map':
        return range.parameters[0] ?? DYN;
      case 'dyn':
      case 'error':
      case 'parameter':
        this.#isAssignable(DYN, range);
        return DYN;
      default:
        this.#report(
          at,
          `expression of type '${typeText(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return ERROR;
    }
  }

  #assert(expression: Expression, wanted: CelType): void {
    const type = this.check(expression);
    if (!this.#isAssignable(wanted, type)) this.#mismatch(expression.at, wanted, type);
  }
}

const names = new WeakMap<Overload, readonly string[]>();

function parameterNames(overload: Overload): readonly string[] {
  const known = names.get(overload);
  if (known) return known;
  const found = [...new Set([...overload.args, overload.result].flatMap(namesIn))];
  names.set(overload, found);
  return found;
}

const namesIn = (type: CelType): readonly string[] =>
  type.kind === 'parameter' ? [type.name] : type.parameters.flatMap(namesIn);
