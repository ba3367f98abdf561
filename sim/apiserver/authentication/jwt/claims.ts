/** The claims of a token: each by itself as it was written, and all together as expressions see them. */
import { numberOf, parseNodes, type JsonNode, wellFormed } from '../../../api/codec/json-nodes.ts';
import { DecodeError } from '../../../api/codec/decode-error.ts';
import { ValueList, ValueMap } from '../../../api/cel/values/containers.ts';
import { type CelValue, Double } from '../../../api/cel/values/value.ts';

export class Claims {
  readonly #nodes: ReadonlyMap<string, JsonNode>;
  #value: CelValue | undefined;

  private constructor(nodes: ReadonlyMap<string, JsonNode>) {
    this.#nodes = nodes;
  }

  /** Undefined: the text is no object of JSON. */
  static read(text: string): Claims | undefined {
    try {
      const node = parseNodes(text);
      return node.kind === 'object'
        ? new Claims(new Map(node.names.map((name, index) => [name, node.nodes[index] ?? NONE])))
        : undefined;
    } catch (error) {
      if (error instanceof DecodeError) return undefined;
      throw error;
    }
  }

  /** Undefined: there is no such claim. */
  get(name: string): JsonNode | undefined {
    return this.#nodes.get(name);
  }

  get value(): CelValue {
    return (this.#value ??= new ValueMap(
      [...this.#nodes].map(([name, node]) => [name, valueOf(node)] as const),
    ));
  }
}

const NONE: JsonNode = { kind: 'null', start: 0, end: 0 };
const LARGEST = 2n ** 63n - 1n;
const SMALLEST = -(2n ** 63n);

/** A number is whole where it is written so, and fits. */
function valueOf(node: JsonNode): CelValue {
  switch (node.kind) {
    case 'null':
      return null;
    case 'boolean':
      return node.value;
    case 'string':
      return wellFormed(node.value);
    case 'number':
      return numberValue(node.text);
    case 'array':
      return new ValueList(node.nodes.map(valueOf));
    case 'object':
      return new ValueMap(
        node.nodes.map((each, index) => [wellFormed(node.names[index] ?? ''), valueOf(each)] as const),
      );
  }
}

function numberValue(text: string): CelValue {
  if (/[.eE]/.test(text)) return new Double(Number(text));
  const whole = BigInt(text);
  if (whole > LARGEST || whole < SMALLEST) return new Double(Number(text));
  const exact = numberOf(text);
  return typeof exact === 'bigint' || typeof exact === 'number' ? exact : new Double(Number(text));
}

/** What Go calls a value of JSON. */
export const goWordOf = (node: JsonNode): string => (node.kind === 'boolean' ? 'bool' : node.kind);

/** A text or a list of texts. @throws DecodeError in the words of Go's decoder */
export function textsOf(node: JsonNode): readonly string[] {
  if (node.kind === 'null') return [];
  if (node.kind === 'array' && node.nodes.every(({ kind }) => kind === 'string' || kind === 'null'))
    return node.nodes.map((each) => (each.kind === 'string' ? wellFormed(each.value) : ''));
  if (node.kind === 'string') return [wellFormed(node.value)];
  throw new DecodeError(`json: cannot unmarshal ${goWordOf(node)} into Go value of type string`);
}

/** @throws DecodeError in the words of Go's decoder */
export function textOf(node: JsonNode): string {
  if (node.kind === 'null') return '';
  if (node.kind === 'string') return wellFormed(node.value);
  throw new DecodeError(`json: cannot unmarshal ${goWordOf(node)} into Go value of type string`);
}
