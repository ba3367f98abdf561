/** Values of `$((…))`: whole numbers, as the shell counts. */
import { ShellSyntaxError } from './syntax.ts';

const TOKEN = /\s*(?:(\d+)|([A-Za-z_]\w*)|(\|\||&&|[=!<>]=|<<|>>|[-+*/%()<>!~&|^?:]))/y;

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
export function arithmetic(text: string, valueOf: (name: string) => string): number {
  const expression = new Expression(text, valueOf);
  return text.trim() === '' ? 0 : expression.value();
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

  value(): number {
    const value = this.#binary(0);
    if (this.#at < this.#tokens.length) throw this.#problem();
    return value;
  }

  #binary(level: number): number {
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

  #unary(): number {
    const token = this.#tokens[this.#at++];
    if (token === undefined || ++this.#depth > MAX_DEPTH) throw this.#problem();
    const value = this.#valueBehind(token);
    this.#depth--;
    return value;
  }

  #valueBehind(token: string): number {
    if (token === '-') return -this.#unary();
    if (token === '+') return this.#unary();
    if (token === '!') return this.#unary() === 0 ? 1 : 0;
    if (token === '~') return ~this.#unary();
    if (token === '(') {
      const inner = this.#binary(0);
      if (this.#tokens[this.#at++] !== ')') throw this.#problem();
      return inner;
    }
    const text = /^\d/.test(token) ? token : this.#valueOf(token).trim() || '0';
    if (!/^-?\d+$/.test(text)) throw this.#problem();
    return Number(text);
  }
}

function applied(operator: string, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
    case '%':
      if (right === 0) throw new ShellSyntaxError('division by zero');
      return operator === '/' ? Math.trunc(left / right) : left % right;
    case '<<':
      return left << right;
    case '>>':
      return left >> right;
    case '&':
      return left & right;
    case '|':
      return left | right;
    case '^':
      return left ^ right;
    default:
      return compared(operator, left, right) ? 1 : 0;
  }
}

function compared(operator: string, left: number, right: number): boolean {
  switch (operator) {
    case '&&':
      return left !== 0 && right !== 0;
    case '||':
      return left !== 0 || right !== 0;
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
