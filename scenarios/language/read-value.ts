/** Reads YAML nodes by the shapes of the language, and collects every mistake with its place. */
import { isAlias, isMap, isScalar, isSeq, type Document, type Node, type YAMLMap } from 'yaml';
import { parseDuration } from './duration.ts';
import { describeShape, type Json, type Shape, type StructShape } from './shape.ts';
import { didYouMean } from './suggest.ts';

/** A mistake at a place in the document's text, in characters from its start. */
export interface Finding {
  readonly offset: number;
  readonly length: number;
  readonly message: string;
  readonly expected?: string;
}

/** Where in the document: `['spec', 'steps', 3]`. */
export type Path = readonly (string | number)[];

export class ValueReader {
  readonly findings: Finding[] = [];
  readonly #document: Document;

  constructor(document: Document) {
    this.#document = document;
  }

  /** The value; undefined with at least one finding when there is none. */
  read(shape: Shape, node: Node | null | undefined, path: Path): unknown {
    const resolved = isAlias(node) ? node.resolve(this.#document) : node;
    if (!resolved) {
      this.#report(node, `${pathText(path)} is empty`, describeShape(shape));
      return undefined;
    }
    switch (shape.kind) {
      case 'struct':
        return this.#struct(shape, resolved, path);
      case 'later':
        return this.#struct(shape.shape(), resolved, path);
      case 'list':
        if (!isSeq(resolved)) return this.#mismatch(shape, resolved, path);
        return resolved.items.map((item, index) => this.read(shape.item, item as Node, [...path, index]));
      case 'map':
        if (!isMap(resolved)) return this.#mismatch(shape, resolved, path);
        return Object.fromEntries(
          this.#pairs(resolved).map(({ name, value }) => [
            name,
            this.read(shape.value, value, [...path, name]),
          ]),
        );
      case 'json':
        return this.#json(shape, resolved, path);
      case 'either': {
        const option = shape.options.find((candidate) => fits(candidate, resolved));
        return option ? this.read(option, resolved, path) : this.#mismatch(shape, resolved, path);
      }
      default:
        return this.#scalar(shape, resolved, path);
    }
  }

  #struct(shape: StructShape, node: Node, path: Path): unknown {
    if (!isMap(node)) return this.#mismatch(shape, node, path);
    const value: Record<string, unknown> = {};
    const known = Object.keys(shape.fields);
    const isVerb = (name: string): boolean => shape.verbs?.includes(name) ?? false;
    let hasUnknown = false;
    for (const { name, key, value: member } of this.#pairs(node)) {
      const field = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
      if (!field) {
        hasUnknown = true;
        const what =
          shape.verbs && known.every(isVerb) ? `unknown ${shape.verbWord ?? 'verb'}` : 'unknown key';
        this.#report(
          key,
          `${what} \`${name}\` in ${pathText(path)}${hintOf(shape, name) || didYouMean(name, known)}`,
          `one of ${known.join(', ')}`,
        );
        continue;
      }
      value[name] = this.read(field.shape, member, [...path, name]);
    }
    for (const [name, { isRequired, shape: missing }] of Object.entries(shape.fields)) {
      if (isRequired && !node.has(name))
        this.#report(
          node,
          `${pathText(path)} has no \`${name}\`${hintOf(shape, name)}`,
          `${name}: ${describeShape(missing)}`,
        );
    }
    if (shape.verbs && !hasUnknown)
      this.#oneVerb(
        shape,
        node,
        path,
        known.filter((name) => isVerb(name) && node.has(name)),
      );
    return value;
  }

  #oneVerb(shape: StructShape, node: Node, path: Path, found: readonly string[]): void {
    if (found.length === 1) return;
    const what = shape.verbWord ?? 'verb';
    const message =
      found.length === 0
        ? `${pathText(path)} has no ${what}`
        : `${pathText(path)} has ${found.length} ${what}s: ${found.join(', ')}`;
    this.#report(node, message, `exactly one of ${(shape.verbs ?? []).join(', ')}`);
  }

  #scalar(shape: Shape, node: Node, path: Path): unknown {
    if (!isScalar(node)) return this.#mismatch(shape, node, path);
    const { value } = node;
    switch (shape.kind) {
      case 'text':
        if (typeof value !== 'string') {
          if (value !== null && typeof value !== 'object') {
            this.#report(
              node,
              `${pathText(path)} is ${describeValue(value)}, not text`,
              `text: write it in quotes, "${node.source ?? describeValue(value)}"`,
            );
            return undefined;
          }
          return this.#mismatch(shape, node, path);
        }
        if (shape.pattern && !new RegExp(shape.pattern.source).test(value))
          return this.#mismatch(shape, node, path);
        return value;
      case 'integer':
        return Number.isSafeInteger(value) && Number(value) >= shape.min && Number(value) <= shape.max
          ? value
          : this.#mismatch(shape, node, path);
      case 'flag':
        return typeof value === 'boolean' ? value : this.#mismatch(shape, node, path);
      case 'duration': {
        const micros = typeof value === 'string' || value === 0 ? parseDuration(String(value)) : undefined;
        return micros ?? this.#mismatch(shape, node, path);
      }
      case 'word': {
        if (typeof value === 'string' && shape.words.includes(value)) return value;
        const hint = typeof value === 'string' ? didYouMean(value, shape.words) : '';
        return this.#mismatch(shape, node, path, hint);
      }
      default:
        return this.#mismatch(shape, node, path);
    }
  }

  #json(shape: Shape & { kind: 'json' }, node: Node, path: Path): Json | undefined {
    if (shape.only === 'object' && !isMap(node)) return this.#mismatch(shape, node, path);
    if (isMap(node)) this.#checkKeys(node, path);
    return node.toJS(this.#document, { maxAliasCount: 100 }) as Json;
  }

  #checkKeys(node: YAMLMap, path: Path): void {
    for (const { key } of node.items) {
      if (!isScalar(key) || typeof key.value !== 'string')
        this.#report(key as Node, `a key in ${pathText(path)} is not text`, 'text: write it in quotes');
    }
  }

  #pairs(node: YAMLMap): { readonly name: string; readonly key: Node; readonly value: Node | null }[] {
    return node.items.map(({ key, value }) => ({
      name: isScalar(key) ? String(key.value) : String(key),
      key: key as Node,
      value: value as Node | null,
    }));
  }

  #mismatch(shape: Shape, node: Node, path: Path, hint = ''): undefined {
    const shown = isScalar(node) ? describeValue(node.value) : isSeq(node) ? 'a list' : 'a mapping';
    this.#report(node, `${pathText(path)} is ${shown}${hint}`, describeShape(shape));
    return undefined;
  }

  #report(node: Node | null | undefined, message: string, expected?: string): void {
    const [start, end] = node?.range ?? [0, 0];
    // A mapping's mistake is shown at its first key, not over all its lines.
    const length = isScalar(node) ? Math.max(1, end - start) : 1;
    this.findings.push({ offset: start, length, message, ...(expected !== undefined && { expected }) });
  }
}

const hintOf = ({ hints }: StructShape, name: string): string => {
  const hint = hints?.[name];
  return hint === undefined ? '' : `; ${hint}`;
};

function fits(shape: Shape, node: Node): boolean {
  switch (shape.kind) {
    case 'struct':
    case 'map':
    case 'later':
      return isMap(node);
    case 'list':
      return isSeq(node);
    case 'integer':
      return isScalar(node) && typeof node.value === 'number';
    case 'flag':
      return isScalar(node) && typeof node.value === 'boolean';
    case 'json':
      return true;
    default:
      return isScalar(node) && typeof node.value === 'string';
  }
}

/** `spec.steps[3].expect`; the document itself has no path. */
export function pathText(path: Path): string {
  if (path.length === 0) return 'the scenario';
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  );
}

function describeValue(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  return JSON.stringify(value) ?? 'nothing';
}
