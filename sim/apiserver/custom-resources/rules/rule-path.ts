/** `fieldPath` of a rule: which member below its node an error is reported at. */
import { FieldPath } from '../../../api/validation/field-path.ts';
import { additionalOf, type JSONSchemaProps, propertyOf } from '../json-schema.ts';

/** Tokens: `.`, `[`, `]`, names, and quoted keys. */
const TOKEN = /'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]]+/gs;

/** The path as errors show it; undefined if it names no member of the schema. */
export function rulePath(text: string, schema: JSONSchemaProps): string | undefined {
  const tokens = text.match(TOKEN) ?? [];
  let at: JSONSchemaProps | undefined = schema;
  let path: FieldPath | undefined;
  for (let index = 0; index < tokens.length;) {
    const isQuoted = tokens[index] === '[';
    const token = tokens[index + 1];
    if ((!isQuoted && tokens[index] !== '.') || token === undefined || !at) return undefined;
    const name = isQuoted ? unquoted(token) : token;
    if (name === undefined || (isQuoted && tokens[index + 2] !== ']')) return undefined;
    const inner: JSONSchemaProps | true | undefined = at.properties ? propertyOf(at, name) : additionalOf(at);
    if (inner === undefined) return undefined;
    path = at.properties ? (path?.child(name) ?? FieldPath.of(name)) : keyed(path, name);
    at = inner === true ? undefined : inner;
    index += isQuoted ? 3 : 2;
  }
  return path?.text ?? '';
}

const keyed = (path: FieldPath | undefined, name: string): FieldPath =>
  path?.key(name) ?? FieldPath.of(`[${name}]`);

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

function unquoted(token: string): string | undefined {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) return undefined;
  let isWrong = false;
  const text = token.slice(1, -1).replace(/\\(.)/gs, (_escape, letter: string) => {
    const character = ESCAPES[letter];
    if (character === undefined) isWrong = true;
    return character ?? '';
  });
  return isWrong ? undefined : text;
}
