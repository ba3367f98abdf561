/**
 * JSON read exactly: every member (also repeated ones) in the order of the text, numbers as they
 * are written. Slower than `JSON.parse`; used where that would lose something, and to say in Go's
 * words what is wrong with a text. Accepts and refuses exactly what Go's decoder does.
 */
import { DecodeError } from './decode-error.ts';
import { goQuoteByte } from '../go-text.ts';

interface NodePlace {
  /** Where the value begins and ends in the text. */
  readonly start: number;
  readonly end: number;
}

export interface ObjectNode extends NodePlace {
  readonly kind: 'object';
  readonly names: readonly string[];
  readonly nodes: readonly JsonNode[];
}

export interface ArrayNode extends NodePlace {
  readonly kind: 'array';
  readonly nodes: readonly JsonNode[];
}

export type JsonNode =
  | ObjectNode
  | ArrayNode
  | (NodePlace & { readonly kind: 'string'; readonly value: string })
  | (NodePlace & { readonly kind: 'number'; readonly text: string })
  | (NodePlace & { readonly kind: 'boolean'; readonly value: boolean })
  | (NodePlace & { readonly kind: 'null' });

/** Deeper texts are refused, as Go does. */
export const MAX_DEPTH = 10_000;

/** The refusal of a text that opens one bracket too many. */
export const tooDeep = (bracket: number): DecodeError =>
  new DecodeError(`invalid character ${goQuoteByte(bracket)} exceeded max depth`);

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Half surrogate pairs become U+FFFD. */
export const wellFormed = (text: string): string => text.replaceAll(LONE_SURROGATE, '\ufffd');

const SPACES = /[ \t\r\n]*/y;
/** All but quotes, backslashes and control characters. */
const PLAIN_STRING = /[ !#-[\]-\uffff]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const LITERALS = ['true', 'false', 'null'] as const;

interface OpenContainer {
  readonly isObject: boolean;
  readonly start: number;
  readonly names: string[];
  readonly nodes: JsonNode[];
}

class NodeReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Containers are kept on a stack of our own: depth is the client's choice. */
  read(): JsonNode {
    const open: OpenContainer[] = [];
    for (;;) {
      let node = this.#beginValue(open);
      while (node) {
        const container = open.at(-1);
        if (!container) return this.#endOfText(node);
        container.nodes.push(node);
        node = this.#afterElement(open, container);
      }
    }
  }

  /** A whole scalar or empty container; undefined if a container was opened and its first element is next. */
  #beginValue(open: OpenContainer[]): JsonNode | undefined {
    this.#skipSpaces();
    const start = this.#at;
    const char = this.#text[start];
    if (char === '{' || char === '[') return this.#openContainer(open, char === '{');
    if (char === '"') return { kind: 'string', value: this.#string(), start, end: this.#at };
    if (char === '-' || (char !== undefined && char >= '0' && char <= '9')) return this.#number();
    const literal = LITERALS.find((word) => word[0] === char);
    if (!literal) return this.#refuse('looking for beginning of value');
    this.#literal(literal);
    const place = { start, end: this.#at };
    return literal === 'null'
      ? { kind: 'null', ...place }
      : { kind: 'boolean', value: literal === 'true', ...place };
  }

  #openContainer(open: OpenContainer[], isObject: boolean): JsonNode | undefined {
    const start = this.#at;
    if (open.length >= MAX_DEPTH) throw tooDeep(isObject ? 0x7b : 0x5b);
    this.#at++;
    this.#skipSpaces();
    const container = { isObject, start, names: [], nodes: [] };
    if (this.#text[this.#at] === (isObject ? '}' : ']')) {
      this.#at++;
      return this.#close(container);
    }
    open.push(container);
    if (isObject) this.#memberName(container);
    return undefined;
  }

  #close({ isObject, start, names, nodes }: OpenContainer): JsonNode {
    const end = this.#at;
    return isObject ? { kind: 'object', names, nodes, start, end } : { kind: 'array', nodes, start, end };
  }

  /** The closed container, or undefined if another element follows. */
  #afterElement(open: OpenContainer[], container: OpenContainer): JsonNode | undefined {
    this.#skipSpaces();
    const char = this.#text[this.#at];
    if (char === (container.isObject ? '}' : ']')) {
      this.#at++;
      open.pop();
      return this.#close(container);
    }
    if (char !== ',')
      this.#refuse(container.isObject ? 'after object key:value pair' : 'after array element');
    this.#at++;
    if (container.isObject) {
      this.#skipSpaces();
      this.#memberName(container);
    }
    return undefined;
  }

  #memberName(container: { readonly names: string[] }): void {
    if (this.#text[this.#at] !== '"') this.#refuse('looking for beginning of object key string');
    container.names.push(this.#string());
    this.#skipSpaces();
    if (this.#text[this.#at] !== ':') this.#refuse('after object key');
    this.#at++;
  }

  #string(): string {
    const start = this.#at++;
    let hasEscapes = false;
    for (;;) {
      PLAIN_STRING.lastIndex = this.#at;
      PLAIN_STRING.exec(this.#text);
      this.#at = PLAIN_STRING.lastIndex;
      const char = this.#text[this.#at];
      if (char === '"') break;
      if (char !== '\\') this.#refuse('in string literal');
      hasEscapes = true;
      this.#escape();
    }
    this.#at++;
    if (!hasEscapes) return this.#text.slice(start + 1, this.#at - 1);
    return wellFormed(JSON.parse(this.#text.slice(start, this.#at)) as string);
  }

  #escape(): void {
    this.#at++;
    const char = this.#text[this.#at];
    if (char === undefined) this.#refuseEnd('in string escape code');
    if (!'"\\/bfnrtu'.includes(char)) this.#refuse('in string escape code');
    this.#at++;
    if (char !== 'u') return;
    for (let digits = 0; digits < 4; digits++) {
      const digit = this.#text[this.#at];
      if (digit === undefined) this.#refuseEnd('in \\u hexadecimal character escape');
      if (!/[0-9a-fA-F]/.test(digit)) this.#refuse('in \\u hexadecimal character escape');
      this.#at++;
    }
  }

  #number(): JsonNode {
    const start = this.#at;
    NUMBER.lastIndex = start;
    const text = NUMBER.exec(this.#text)?.[0] ?? '-';
    this.#at = start + text.length;
    const next = this.#text[this.#at];
    if (text === '-') this.#refuseNumber('in numeric literal');
    if (next === '.' && /^-?[0-9]+$/.test(text)) {
      this.#at++;
      this.#refuseNumber('after decimal point in numeric literal');
    }
    if ((next === 'e' || next === 'E') && !/[eE]/.test(text)) {
      this.#at++;
      if (/[+-]/.test(this.#text[this.#at] ?? '')) this.#at++;
      this.#refuseNumber('in exponent of numeric literal');
    }
    return { kind: 'number', text, start, end: this.#at };
  }

  #refuseNumber(where: string): never {
    return this.#at >= this.#text.length ? this.#refuseEnd(where) : this.#refuse(where);
  }

  #literal(word: string): void {
    for (const char of word) {
      const where = `in literal ${word} (expecting '${char}')`;
      if (this.#at >= this.#text.length) this.#refuseEnd(where);
      if (this.#text[this.#at] !== char) this.#refuse(where);
      this.#at++;
    }
  }

  #endOfText(node: JsonNode): JsonNode {
    this.#skipSpaces();
    if (this.#at < this.#text.length) this.#refuse('after top-level value');
    return node;
  }

  #skipSpaces(): void {
    SPACES.lastIndex = this.#at;
    SPACES.exec(this.#text);
    this.#at = SPACES.lastIndex;
  }

  #refuse(where: string): never {
    const code = this.#text.codePointAt(this.#at);
    if (code === undefined) throw new DecodeError('unexpected end of JSON input');
    const [firstByte = 0] = new TextEncoder().encode(String.fromCodePoint(code));
    throw new DecodeError(`invalid character ${goQuoteByte(firstByte)} ${where}`);
  }

  /** Inside a token Go reads the end of the text as a blank. */
  #refuseEnd(where: string): never {
    throw new DecodeError(`invalid character ' ' ${where}`);
  }
}

/** Reads a JSON text exactly. @throws DecodeError in the words of Go's decoder */
export const parseNodes = (text: string): JsonNode => new NodeReader(text).read();

/** Of 64 bits, with its sign. */
const LONGEST_INTEGER = 20;

const isSafeInteger = (text: string): boolean => text.length <= 15 || Number.isSafeInteger(Number(text));

/** A number as the API keeps it: whole numbers of 64 bits exactly (as bigint beyond 2^53), others as doubles. */
export const numberOf = (text: string): number | bigint => {
  if (isSafeInteger(text) || !/^-?[0-9]+$/.test(text)) return Number(text);
  if (text.length > LONGEST_INTEGER) return Number(text);
  const exact = BigInt(text);
  return BigInt.asIntN(64, exact) === exact ? exact : Number(text);
};

/** Sets a member so that no name (`__proto__`) can do more than that. */
export const setMember = (object: Record<string, unknown>, name: string, value: unknown): void => {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  else object[name] = value;
};

/** The plain value; of repeated members the last counts. */
export const plainValue = (node: JsonNode): unknown => {
  switch (node.kind) {
    case 'object': {
      const object: Record<string, unknown> = {};
      node.names.forEach((name, index) => {
        const member = node.nodes[index];
        if (member) setMember(object, name, plainValue(member));
      });
      return object;
    }
    case 'array':
      return node.nodes.map(plainValue);
    case 'number':
      return numberOf(node.text);
    case 'null':
      return null;
    case 'string':
    case 'boolean':
      return node.value;
  }
};
