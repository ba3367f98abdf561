/** Values of `$((…))`: whole numbers of 64 bits, as the shell counts. */
import { ShellSyntaxError } from './syntax.ts';

const TOKEN = /\s*(?:(0[xX][\da-fA-F]+|\d+)|([A-Za-z_]\w*)|(\|\||&&|[=!<>]=|<<|>>|[-+*/%()<>!~&|^?:]))/y;

const LEVELS: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['|'],
  ['^'],
  ['&'],
  ['==', '!='],
  ['<', '<=', '>', '>='],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
];

const MAX_DEPTH = 100;

/** `valueOf`: of variables. @throws ShellSyntaxError */
export function arithmetic(text: string, valueOf: (name: string) => string): bigint {
  const expression = new Expression(text, valueOf);
  return text.trim() === '' ? 0n : expression.value();
}

class Expression {
  readonly #tokens: string[] = [];
  readonly #valueOf: (name: string) => string;
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string, valueOf: (name: string) => string) {
    this.#text = text;
    this.#valueOf = valueOf;
    TOKEN.lastIndex = 0;
    for (let end = text.trimEnd().length; TOKEN.lastIndex < end;) {
      const match = TOKEN.exec(text);
      if (!match) throw this.#problem();
      this.#tokens.push(match[0].trim());
    }
  }

  #problem(): ShellSyntaxError {
    return new ShellSyntaxError(`arithmetic expression: expecting primary: "${this.#text.trim()}"`);
  }

  value(): bigint {
    const value = this.#choice();
    if (this.#at < this.#tokens.length) throw this.#problem();
    return value;
  }

  #choice(): bigint {
    const condition = this.#binary(0);
    if (this.#tokens[this.#at] !== '?') return condition;
    this.#at++;
    if (++this.#depth > MAX_DEPTH) throw this.#problem();
    const first = this.#choice();
    if (this.#tokens[this.#at++] !== ':') throw this.#problem();
    const second = this.#choice();
    this.#depth--;
    return condition === 0n ? second : first;
  }

  #binary(level: number): bigint {
    const operators = LEVELS[level];
    if (!operators) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const operator = this.#tokens[this.#at] ?? '';
      if (!operators.includes(operator)) return left;
      this.#at++;
      left = applied(operator, left, this.#binary(level + 1));
    }
  }

  #unary(): bigint {
    const token = this.#tokens[this.#at++];
    if (token === undefined || ++this.#depth > MAX_DEPTH) throw this.#problem();
    const value = this.#valueBehind(token);
    this.#depth--;
    return value;
  }

  #valueBehind(token: string): bigint {
    if (token === '-') return wrapped(-this.#unary());
    if (token === '+') return this.#unary();
    if (token === '!') return this.#unary() === 0n ? 1n : 0n;
    if (token === '~') return ~this.#unary();
    if (token === '(') {
      const inner = this.#choice();
      if (this.#tokens[this.#at++] !== ')') throw this.#problem();
      return inner;
    }
    const text = /^\d/.test(token) ? token : this.#valueOf(token).trim() || '0';
    return numberIn(text) ?? this.#wrong();
  }

  #wrong(): never {
    throw this.#problem();
  }
}

const NUMBER = /^(-?)(?:(0[xX][\da-fA-F]+)|(0[0-7]*)|([1-9]\d*))$/;

/** Of what begins with 0 the digits are of base 8, of what begins with 0x of base 16. */
function numberIn(text: string): bigint | undefined {
  const [, sign, hexadecimal, octal, decimal] = NUMBER.exec(text) ?? [];
  const digits = hexadecimal ?? (octal === undefined ? decimal : `0o${octal}`);
  if (digits === undefined) return undefined;
  return wrapped(sign === '-' ? -BigInt(digits) : BigInt(digits));
}

const BITS = 64;
/** A machine looks at no more of by how much it shifts. */
const SHIFT_BITS = 6;
const wrapped = (value: bigint): bigint => BigInt.asIntN(BITS, value);

function applied(operator: string, left: bigint, right: bigint): bigint {
  switch (operator) {
    case '+':
      return wrapped(left + right);
    case '-':
      return wrapped(left - right);
    case '*':
      return wrapped(left * right);
    case '/':
    case '%':
      if (right === 0n) throw new ShellSyntaxError('division by zero');
      return wrapped(operator === '/' ? left / right : left % right);
    case '<<':
      return wrapped(left << BigInt.asUintN(SHIFT_BITS, right));
    case '>>':
      return left >> BigInt.asUintN(SHIFT_BITS, right);
    case '&':
      return left & right;
    case '|':
      return left | right;
    case '^':
      return left ^ right;
    default:
      return compared(operator, left, right) ? 1n : 0n;
  }
}

function compared(operator: string, left: bigint, right: bigint): boolean {
  switch (operator) {
    case '&&':
      return left !== 0n && right !== 0n;
    case '||':
      return left !== 0n || right !== 0n;
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    default:
      return left >= right;
  }
}
