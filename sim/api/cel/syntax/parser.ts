/**
 * Reads an expression. Precedence, limits and messages are those of cel-go: at the first token that does not fit the
 * whole text is read again by the slower reader that recovers from errors as the real one does and names them all.
 */
import { bytesLiteral, doubleLiteral, intLiteral, stringLiteral, uintLiteral } from './literal.ts';
import { type Expression, type MapEntry, OPERATOR, type StructField } from './expression.ts';
import { type Token, tokensOf } from './lexer.ts';
import { expandMacro, type KnownMacros } from './macros.ts';
import { MOST_ERRORS, NOWHERE, type Source, type SourceError } from './source.ts';
import { syntaxErrors } from './errors/recovering-reader.ts';

export interface Parsed {
  /** Meaningless if there are errors. */
  readonly expression: Expression;
  readonly errors: readonly SourceError[];
}

export const LONGEST_EXPRESSION = 100_000;
const DEEPEST = 250;

/** The grammar does not allow the token. */
class UnexpectedToken extends Error {}
class TooDeep extends Error {}

export function parse(source: Source, options: KnownMacros): Parsed {
  const size = source.characters.length;
  if (size > LONGEST_EXPRESSION) {
    const message = `expression code point size exceeds limit: size: ${size}, limit ${LONGEST_EXPRESSION}`;
    return failed([{ at: NOWHERE, message }]);
  }
  const { tokens, errors, read } = tokensOf(source);
  // Nobody goes on after so many.
  if (errors.length > MOST_ERRORS) return failed(errors.slice(0, MOST_ERRORS + 1));
  const parser = new Parser(tokens, options);
  try {
    const expression = parser.read();
    return { expression, errors: [...errors, ...parser.errors] };
  } catch (error) {
    if (error instanceof TooDeep) return failed([...errors, { at: NOWHERE, message: error.message }]);
    if (!(error instanceof UnexpectedToken)) throw error;
    const textBetween = (from: Token, to: Token): string =>
      read.slice(from.at, to.kind === 'end' ? to.at : to.at + [...to.text].length).join('');
    return failed([...errors, ...syntaxErrors(tokens, textBetween)]);
  }
}

const failed = (errors: readonly SourceError[]): Parsed => ({
  expression: { kind: 'literal', value: null, at: 0 },
  errors,
});

const RESERVED: ReadonlySet<string> = new Set([
  ...['as', 'break', 'const', 'continue', 'else', 'false', 'for', 'function', 'if', 'import', 'in', 'let'],
  ...['loop', 'package', 'namespace', 'null', 'return', 'true', 'var', 'void', 'while'],
]);

const RELATIONS: Readonly<Record<string, string>> = {
  '<': OPERATOR.less,
  '<=': OPERATOR.lessEquals,
  '>': OPERATOR.greater,
  '>=': OPERATOR.greaterEquals,
  '==': OPERATOR.equals,
  '!=': OPERATOR.notEquals,
  in: OPERATOR.in,
};
const SUMS: Readonly<Record<string, string>> = { '+': OPERATOR.add, '-': OPERATOR.subtract };
const PRODUCTS: Readonly<Record<string, string>> = {
  '*': OPERATOR.multiply,
  '/': OPERATOR.divide,
  '%': OPERATOR.modulo,
};

class Parser {
  readonly errors: SourceError[] = [];
  readonly #tokens: readonly Token[];
  readonly #hasOptionals: boolean;
  readonly #macros: KnownMacros;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], known: KnownMacros) {
    this.#tokens = tokens;
    this.#hasOptionals = known.hasOptionals;
    this.#macros = known;
  }

  read(): Expression {
    const expression = this.#expression();
    if (this.#token.kind !== 'end') throw new UnexpectedToken();
    return expression;
  }

  get #token(): Token {
    return this.#tokens[this.#at] ?? { kind: 'end', text: '<EOF>', at: 0 };
  }

  #next(): Token {
    const token = this.#token;
    this.#at++;
    return token;
  }

  #is(symbol: string, ahead = 0): boolean {
    const token = this.#tokens[this.#at + ahead];
    return token?.kind === 'symbol' && token.text === symbol;
  }

  #take(symbol: string): boolean {
    if (!this.#is(symbol)) return false;
    this.#at++;
    return true;
  }

  #expect(symbol: string): Token {
    if (!this.#is(symbol)) throw new UnexpectedToken();
    return this.#next();
  }

  #identifier(): Token {
    if (this.#token.kind !== 'identifier') throw new UnexpectedToken();
    return this.#next();
  }

  /** Counts how deep one rule stands in itself. */
  #deeper(depth: number): number {
    if (depth > DEEPEST) throw new TooDeep(`expression recursion limit exceeded: ${DEEPEST}`);
    return depth;
  }

  /** Counts the links of a chain: the tree of its operands is as deep. */
  #longer(depth: number): number {
    if (depth > DEEPEST) throw new TooDeep('max recursion depth exceeded');
    return depth;
  }

  #expression(): Expression {
    this.#depth = this.#deeper(this.#depth + 1);
    const condition = this.#junction('||', OPERATOR.or, () =>
      this.#junction('&&', OPERATOR.and, () => this.#relation()),
    );
    let expression = condition;
    if (this.#is('?')) {
      const { at } = this.#next();
      const yes = this.#junction('||', OPERATOR.or, () =>
        this.#junction('&&', OPERATOR.and, () => this.#relation()),
      );
      this.#expect(':');
      expression = {
        kind: 'call',
        name: OPERATOR.conditional,
        args: [condition, yes, this.#expression()],
        at,
      };
    }
    this.#depth--;
    return expression;
  }

  /** Terms of one junction stand side by side, however many they are. */
  #junction(symbol: string, name: string, operand: () => Expression): Expression {
    const args = [operand()];
    let at = NOWHERE;
    while (this.#is(symbol)) {
      at = this.#next().at;
      args.push(operand());
    }
    const [only] = args;
    return args.length === 1 && only ? only : { kind: 'call', name, args, at };
  }

  #relation(): Expression {
    return this.#leftToRight(RELATIONS, () => this.#sum());
  }

  #sum(): Expression {
    return this.#leftToRight(SUMS, () => this.#leftToRight(PRODUCTS, () => this.#unary()));
  }

  #leftToRight(operators: Readonly<Record<string, string>>, operand: () => Expression): Expression {
    let left = operand();
    for (let depth = 1; this.#token.kind === 'symbol';) {
      const name = Object.hasOwn(operators, this.#token.text) ? operators[this.#token.text] : undefined;
      if (name === undefined) break;
      depth = this.#longer(depth + 1);
      const { at } = this.#next();
      left = { kind: 'call', name, args: [left, operand()], at };
    }
    return left;
  }

  #unary(): Expression {
    const first = this.#token;
    if (this.#is('!') || (this.#is('-') && !this.#isSignedNumber())) {
      let count = 0;
      while (this.#take(first.text)) count++;
      const member = this.#member();
      if (count % 2 === 0) return member;
      const name = first.text === '!' ? OPERATOR.not : OPERATOR.negate;
      return { kind: 'call', name, args: [member], at: first.at };
    }
    return this.#member();
  }

  #isSignedNumber(): boolean {
    const next = this.#tokens[this.#at + 1]?.kind;
    return next === 'int' || next === 'float';
  }

  #member(): Expression {
    let operand = this.#primary();
    for (let depth = 1; ; depth = this.#longer(depth + 1)) {
      if (this.#is('.')) operand = this.#selection(operand, this.#next());
      else if (this.#is('[')) operand = this.#index(operand, this.#next());
      else return operand;
    }
  }

  #selection(operand: Expression, { at }: Token): Expression {
    if (this.#take('?')) {
      const field = this.#identifier();
      if (!this.#hasOptionals) return this.#report(at, "unsupported syntax '.?'");
      const name: Expression = { kind: 'literal', value: field.text, at: field.at };
      return { kind: 'call', name: OPERATOR.optionalSelect, args: [operand, name], at };
    }
    const field = this.#identifier();
    if (this.#is('(')) return this.#call(field.text, this.#next(), operand);
    return { kind: 'select', operand, field: field.text, isTest: false, at };
  }

  #index(operand: Expression, { at }: Token): Expression {
    const isOptional = this.#take('?');
    const index = this.#expression();
    this.#expect(']');
    if (isOptional && !this.#hasOptionals) return this.#report(at, "unsupported syntax '[?'");
    const name = isOptional ? OPERATOR.optionalIndex : OPERATOR.index;
    return { kind: 'call', name, args: [operand, index], at };
  }

  #call(name: string, { at }: Token, target?: Expression): Expression {
    const args: Expression[] = [];
    if (!this.#is(')')) {
      do args.push(this.#expression());
      while (this.#take(','));
    }
    this.#expect(')');
    const expansion = expandMacro({ name, target, args, at }, this.#macros);
    if (!expansion) return { kind: 'call', name, ...(target && { target }), args, at };
    return 'problem' in expansion ? this.#report(expansion.at, expansion.problem) : expansion.expression;
  }

  #report(at: number, message: string): Expression {
    this.errors.push({ at, message });
    return { kind: 'literal', value: null, at };
  }

  #primary(): Expression {
    const token = this.#token;
    switch (token.kind) {
      case 'identifier':
        return this.#named(this.#next(), token.at, '');
      case 'symbol':
        return this.#symbolic(token);
      case 'end':
        throw new UnexpectedToken();
      default:
        return this.#literal(this.#next(), token.at, false);
    }
  }

  #symbolic(token: Token): Expression {
    this.#at++;
    switch (token.text) {
      case '(': {
        const inner = this.#expression();
        this.#expect(')');
        return inner;
      }
      case '[':
        return this.#list(token);
      case '{':
        return { kind: 'map', entries: this.#entries(), at: token.at };
      case '.':
        return this.#named(this.#identifier(), token.at, '.');
      case '-':
        if (this.#token.kind !== 'int' && this.#token.kind !== 'float') throw new UnexpectedToken();
        return this.#literal(this.#next(), token.at, true);
      case 'true':
      case 'false':
        return { kind: 'literal', value: token.text === 'true', at: token.at };
      case 'null':
        return { kind: 'literal', value: null, at: token.at };
      default:
        throw new UnexpectedToken();
    }
  }

  #named(first: Token, at: number, dot: string): Expression {
    const start = this.#at;
    const names = [first.text];
    while (this.#is('.') && this.#tokens[this.#at + 1]?.kind === 'identifier') {
      this.#at++;
      names.push(this.#next().text);
    }
    if (this.#is('{')) {
      const open = this.#next();
      return { kind: 'struct', typeName: dot + names.join('.'), fields: this.#fields(), at: open.at };
    }
    this.#at = start;
    if (RESERVED.has(first.text)) {
      if (this.#is('(')) this.#call('', this.#next());
      return this.#report(at, `reserved identifier: ${first.text}`);
    }
    if (this.#is('(')) return this.#call(dot + first.text, this.#next());
    return { kind: 'ident', name: dot + first.text, at: first.at };
  }

  #list({ at }: Token): Expression {
    const elements: Expression[] = [];
    const optional = new Set<number>();
    while (!this.#take(']')) {
      if (elements.length > 0 && !this.#take(',')) throw new UnexpectedToken();
      if (elements.length > 0 && this.#take(']')) break;
      if (elements.length === 0 && this.#is(',') && this.#is(']', 1)) {
        this.#at += 2;
        break;
      }
      if (this.#optionalMark()) optional.add(elements.length);
      elements.push(this.#expression());
    }
    return { kind: 'list', elements, optional, at };
  }

  #optionalMark(): boolean {
    const { at } = this.#token;
    if (!this.#take('?')) return false;
    if (!this.#hasOptionals) this.#report(at, "unsupported syntax '?'");
    return true;
  }

  #entries(): MapEntry[] {
    const entries: MapEntry[] = [];
    this.#separated(entries, () => {
      const isOptional = this.#optionalMark();
      const key = this.#expression();
      const { at } = this.#expect(':');
      return { at, key, value: this.#expression(), isOptional };
    });
    return entries;
  }

  #fields(): StructField[] {
    const fields: StructField[] = [];
    this.#separated(fields, () => {
      const isOptional = this.#optionalMark();
      const name = this.#identifier().text;
      const { at } = this.#expect(':');
      return { at, name, value: this.#expression(), isOptional };
    });
    return fields;
  }

  /** Up to the closing brace; one comma may stand before it. */
  #separated<Item>(items: Item[], item: () => Item): void {
    while (!this.#take('}')) {
      if (items.length > 0 && !this.#take(',')) throw new UnexpectedToken();
      if (items.length > 0 && this.#take('}')) return;
      if (items.length === 0 && this.#is(',') && this.#is('}', 1)) {
        this.#at += 2;
        return;
      }
      items.push(item());
    }
  }

  #literal({ kind, text }: Token, at: number, isNegative: boolean): Expression {
    switch (kind) {
      case 'int':
        return this.#known(intLiteral(text, isNegative), at, 'int');
      case 'uint':
        return this.#known(uintLiteral(text), at, 'uint');
      case 'float':
        return this.#known(doubleLiteral(text, isNegative), at, 'double');
      default: {
        const read = kind === 'bytes' ? bytesLiteral(text) : stringLiteral(text);
        if ('problem' in read) return this.#report(at, read.problem);
        return { kind: 'literal', value: read.value, at };
      }
    }
  }

  #known(value: ReturnType<typeof intLiteral>, at: number, type: string): Expression {
    return value === undefined ? this.#report(at, `invalid ${type} literal`) : { kind: 'literal', value, at };
  }
}
