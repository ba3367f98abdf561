/**
 * The one place that knows the YAML library. Reads the first document of a text as the server does:
 * YAML 1.1 meanings, keys turned into strings, repeated keys reported and the last one kept, merge
 * keys, aliases within Go's limits. Quoted texts stay strings.
 */
import { Composer, isAlias, isMap, isScalar, isSeq, LineCounter, Parser, Scalar } from 'yaml';
import type { Document, Node, Pair, YAMLMap } from 'yaml';
import { decodeBase64 } from './base64.ts';
import { DecodeError } from './decode-error.ts';
import { byKey, goQuote } from '../go-text.ts';
import { withMovedLines } from './loose-quotes.ts';
import { isNestedTooDeep, MAX_KEPT_DEPTH } from './nesting.ts';
import { parsePlainly } from './strict-json.ts';
import { parsePlainYaml } from './plain-yaml.ts';
import { isYamlTooDeep, MAX_LEVELS } from './yaml-nesting.ts';
import { setMember } from './json-nodes.ts';
import { isTolerated, isUnclosed, longKeyMessage, yamlErrorMessage } from './yaml-errors.ts';
import { problemOfEscapes, problemOfHead } from './yaml-problems.ts';
import { resolvePlainScalar, type ResolvedScalar } from './yaml-scalar.ts';

export interface ParsedYaml {
  /** A JSON value. */
  readonly value: unknown;
  /** `line 8: key "a" already set in map`, in the order of the text. */
  readonly duplicates: readonly string[];
}

const tooDeep = (levels: number): DecodeError => new DecodeError(`yaml: exceeded max depth of ${levels}`);
/** Characters of a key that has no mark of its own. */
const MOST_OF_KEY = 1024;
const FEW_DECODED = 400_000;
const MANY_DECODED = 4_000_000;

/** Share of decoded nodes that may come from aliases: large documents get less. */
const allowedAliasShare = (decoded: number): number => {
  if (decoded <= FEW_DECODED) return 0.99;
  if (decoded >= MANY_DECODED) return 0.1;
  return 0.99 - 0.89 * ((decoded - FEW_DECODED) / (MANY_DECODED - FEW_DECODED));
};

/** What Go's reader refuses wherever it stands. */
const CONTROL_CHARACTER = /[^\t\n\r -~\u0085\u00a0-\ufffd]/;

/** What no YAML has, not even in quotes. */
export const hasControlCharacter = (text: string): boolean => CONTROL_CHARACTER.test(text);

const firstDocument = (text: string, lines: LineCounter): Document.Parsed | undefined => {
  const parser = new Parser(lines.addNewLine);
  const composer = new Composer({
    schema: 'failsafe',
    version: '1.1',
    uniqueKeys: false,
    keepSourceTokens: false,
    lineCounter: lines,
  });
  for (const document of composer.compose(parser.parse(text))) return document;
  return undefined;
};

/** A mapping key as JSON knows it: numbers and booleans become their text. Undefined: nothing is no key. */
const keyText = ({ kind, ...rest }: ResolvedScalar & { readonly value?: unknown }): string | undefined =>
  kind === 'null' ? undefined : String(rest.value);

/** As Go writes it in Go's own syntax. */
function goSyntax(value: unknown): string {
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (typeof value !== 'object' || value === null) return '<nil>';
  const members = Object.entries(value).sort(byKey);
  return `map[interface {}]interface {}{${members.map(([name, member]) => `${goQuote(name)}:${goSyntax(member)}`).join(', ')}}`;
}

class Converter {
  readonly duplicates: string[] = [];
  readonly #lines: LineCounter;
  readonly #text: string;
  readonly #anchors = new Map<string, Node>();
  readonly #open = new Set<Node>();
  #decoded = 0;
  #fromAliases = 0;
  #aliasDepth = 0;

  constructor(lines: LineCounter, text: string) {
    this.#lines = lines;
    this.#text = text;
  }

  convert(node: Node | null): unknown {
    if (node === null) return null;
    this.#count();
    if (isAlias(node)) return this.#alias(node.source);
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isScalar(node)) return jsonOf(resolved(node));
    // Aliases make a value deeper than its text is.
    if (this.#open.size >= MAX_KEPT_DEPTH) throw tooDeep(MAX_KEPT_DEPTH);
    this.#open.add(node);
    const value = isMap(node) ? this.#map(node) : isSeq(node) ? this.#list(node.items) : null;
    this.#open.delete(node);
    return value;
  }

  #count(): void {
    this.#decoded++;
    if (this.#aliasDepth > 0) this.#fromAliases++;
    const isMuch = this.#fromAliases > 100 && this.#decoded > 1000;
    if (isMuch && this.#fromAliases / this.#decoded > allowedAliasShare(this.#decoded))
      throw new DecodeError('yaml: document contains excessive aliasing');
  }

  #alias(name: string): unknown {
    const target = this.#anchors.get(name);
    if (!target) throw new DecodeError(`yaml: unknown anchor '${name}' referenced`);
    if (this.#open.has(target)) throw new DecodeError(`yaml: anchor '${name}' value contains itself`);
    this.#aliasDepth++;
    const value = this.convert(target);
    this.#aliasDepth--;
    return value;
  }

  #list(items: readonly unknown[]): unknown[] {
    return items.map((item) => this.convert(item as Node | null));
  }

  #map(node: YAMLMap): unknown {
    const result: Record<string, unknown> = {};
    for (const pair of node.items) {
      this.#checkLength((pair as Pair<Node>).key, node.flow === true);
      this.#pair(pair as Pair<Node, Node | null>, result);
    }
    return result;
  }

  #pair({ key, value }: Pair<Node, Node | null>, result: Record<string, unknown>): void {
    if (isScalar(key) && key.type === 'PLAIN' && key.value === '<<') return this.#merge(value, result);
    if (isScalar(key) && key.anchor !== undefined) this.#anchors.set(key.anchor, key);
    const name = this.#keyOf(key);
    const member = this.convert(value);
    if (name === undefined)
      throw new DecodeError(
        `unsupported map key of type: %!s(<nil>), key: <nil>, value: ${goSyntax(member)}`,
      );
    if (Object.hasOwn(result, name)) {
      const line = this.#lines.linePos(key.range?.[0] ?? 0).line;
      this.duplicates.push(`line ${line}: key ${quotedKey(key)} already set in map`);
    }
    setMember(result, name, member);
  }

  /** A key is known by the colon behind it, which has to come soon. */
  #checkLength(key: Node | null, isFlow: boolean): void {
    const [start = 0, end = 0] = key?.range ?? [];
    if (end - start <= MOST_OF_KEY || /\?\s*$/.test(this.#text.slice(Math.max(0, start - 2), start))) return;
    throw new DecodeError(longKeyMessage(this.#text, start, isFlow));
  }

  #keyOf(key: Node | null): string | undefined {
    this.#count();
    const target = isAlias(key) ? this.#anchors.get(key.source) : key;
    if (target === null || target === undefined) return undefined;
    if (!isScalar(target)) throw new DecodeError('yaml: invalid map key');
    return keyText(resolved(target));
  }

  /** Members of merged maps that are not there yet. */
  #merge(value: Node | null, result: Record<string, unknown>): void {
    const merged = this.convert(value);
    const maps: readonly unknown[] = Array.isArray(merged) ? merged.toReversed() : [merged];
    for (const map of maps) {
      if (typeof map !== 'object' || map === null || Array.isArray(map))
        throw new DecodeError('yaml: map merge requires map or sequence of maps as the value');
      for (const [name, member] of Object.entries(map)) setMember(result, name, member);
    }
  }
}

const quotedKey = (key: Node): string => {
  if (!isScalar(key)) return '';
  const meaning = resolved(key);
  return meaning.kind === 'string' ? goQuote(meaning.value) : String(jsonOf(meaning));
};

const TAG = /^tag:yaml\.org,2002:(.*)$/;

const binaryOf = (text: string): Uint8Array => {
  try {
    return decodeBase64(text);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new DecodeError('yaml: !!binary value contains invalid base64 data');
  }
};

/** The meaning of a scalar with its quotes and tag. */
const resolved = (node: Scalar): ResolvedScalar => {
  const text = typeof node.value === 'string' ? node.value : '';
  const tag = node.tag === undefined ? undefined : TAG.exec(node.tag)?.[1];
  if (tag === 'binary') return { kind: 'string', value: new TextDecoder().decode(binaryOf(text)) };
  if (tag === 'str' || (node.tag !== undefined && tag === undefined)) return { kind: 'string', value: text };
  const isPlain = node.type === undefined || node.type === Scalar.PLAIN;
  if (!isPlain && tag === undefined) return { kind: 'string', value: text };
  return tagged(resolvePlainScalar(text), tag, text);
};

const KIND_OF_TAG: ReadonlyMap<string, ResolvedScalar['kind']> = new Map<string, ResolvedScalar['kind']>([
  ['bool', 'boolean'],
  ['int', 'number'],
  ['float', 'number'],
  ['null', 'null'],
  ['timestamp', 'timestamp'],
]);

const tagged = (meaning: ResolvedScalar, tag: string | undefined, text: string): ResolvedScalar => {
  const wanted = tag === undefined ? undefined : KIND_OF_TAG.get(tag);
  if (wanted !== undefined && wanted !== meaning.kind)
    throw new DecodeError(`yaml: cannot decode !!str \`${text}\` as a !!${tag}`);
  return meaning;
};

const jsonOf = (meaning: ResolvedScalar): unknown => {
  if (meaning.kind === 'null') return null;
  if (meaning.kind === 'number' && typeof meaning.value === 'number' && !Number.isFinite(meaning.value))
    throw new DecodeError(`json: unsupported value: ${goNotFinite(meaning.value)}`);
  return meaning.value;
};

const goNotFinite = (value: number): string => (Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf');

/** Characters that are read once more, at the most, because of quoted texts that the library does not take. */
const MOST_READ_AGAIN = 1_000_000;
const UNCLOSED = /^Missing closing (["'])quote/;

const converted = (text: string, budget = MOST_READ_AGAIN): ParsedYaml => {
  if (CONTROL_CHARACTER.test(text)) throw new DecodeError('yaml: control characters are not allowed');
  const problem = problemOfHead(text) ?? problemOfEscapes(text);
  if (problem !== undefined) throw new DecodeError(problem);
  const lines = new LineCounter();
  const document = firstDocument(text, lines);
  if (!document) return { value: null, duplicates: [] };
  const errors = document.errors.map(({ code, message, pos: [at] }) => ({ code, message, at }));
  const end = endOfFlow(document, text);
  const error = errors.find(
    (candidate) => !isTolerated(candidate) && (candidate.at < end || isUnclosed(candidate)),
  );
  if (error) {
    const moved = budget >= text.length ? withClosedQuote(text, error) : undefined;
    if (moved !== undefined) return converted(moved, budget - text.length);
    throw new DecodeError(yamlErrorMessage(error, text));
  }
  const converter = new Converter(lines, text);
  const value = converter.convert(document.contents);
  return { value, duplicates: converter.duplicates };
};

/** The text with its quoted text moved so that the library sees where it is closed; undefined: the error is another. */
const withClosedQuote = (
  text: string,
  { message, at }: { readonly message: string; readonly at: number },
): string | undefined => {
  const quote = UNCLOSED.exec(message)?.[1];
  return quote === '"' || quote === "'" ? withMovedLines(text, at, quote) : undefined;
};

/** Whatever stands behind brackets that are the whole document is not looked at. */
const endOfFlow = ({ contents }: Document.Parsed, text: string): number => {
  if ((!isMap(contents) && !isSeq(contents)) || contents.flow !== true) return Infinity;
  const end = contents.range[1];
  return /[\]}]/.test(text[end - 1] ?? '') ? end : Infinity;
};

/**
 * The first document of a YAML text as a JSON value; an empty text is null.
 * @throws DecodeError with the words of Go's parser, beginning with `yaml: `
 */
export const yamlToJson = (text: string): ParsedYaml => plainYamlToJson(text) ?? parseAnyYaml(text);

/** The same of a text that is read as fast as JSON; undefined: it is none. */
export const plainYamlToJson = (text: string): ParsedYaml | undefined => {
  const json = asPlainJson(text);
  return json ? { value: json.value, duplicates: [] } : parsePlainYaml(text);
};

/** The same without any short way. */
export const parseAnyYaml = (text: string): ParsedYaml => {
  if (isYamlTooDeep(text)) throw tooDeep(MAX_LEVELS);
  return converted(text);
};

/** Blank lines and comments, and once among them the mark that a document begins. */
const BEFORE_CONTENT = /^(?: *(?:#.*)?\n)*(?:---\n)?(?: *(?:#.*)?\n)*/;

const contentStart = (text: string): number => BEFORE_CONTENT.exec(text)?.[0].length ?? 0;

/** Long keys and escaped surrogates, which YAML does not take. */
const NOT_AS_JSON = /\\u[dD][89a-fA-F]|"[^"\\]{1022,}"\s*:/;

/** Clients like to send JSON as YAML: it is read much faster as what it is. Undefined: it is no JSON, or means something else. */
const asPlainJson = (text: string): { readonly value: unknown } | undefined => {
  const start = contentStart(text);
  if (text[start] !== '{') return undefined;
  const json = text.slice(start);
  if (isNestedTooDeep(json) || CONTROL_CHARACTER.test(json) || NOT_AS_JSON.test(json)) return undefined;
  try {
    return parsePlainly(json);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
};
