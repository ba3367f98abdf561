/** One YAML document as the description of a scenario, or everything that is wrong with it. */
import { isMap, isScalar, LineCounter, parseDocument, type Document, type Node } from 'yaml';
import { checkMeaning } from './check-meaning.ts';
import type { LoadedScenario, LoadResult } from './loaded-scenario.ts';
import type { Position } from './problem.ts';
import { ValueReader, type Finding, type Path } from './read-value.ts';
import { scenarioShape, type Scenario } from './scenario-shape.ts';
import type { Shape } from './shape.ts';

export interface Source {
  readonly file: string;
  readonly text: string;
  readonly lines: LineCounter;
}

export function loadDocument(source: Source, document: Document.Parsed): LoadResult {
  const read = readDocument(source, document, scenarioShape);
  if (read.kind === 'invalid') return read;
  const { file, text, lines } = source;
  const scenario = read.value as Scenario;
  const findings = checkMeaning(scenario, document, text);
  if (findings.length > 0) return invalid(source, findings);
  return {
    kind: 'loaded',
    loaded: { file, text, scenario, locate: locator(document, lines) },
  };
}

/** The value of a shape that a document holds, or what is wrong with it. */
export function readDocument(
  source: Source,
  document: Document.Parsed,
  shape: Shape,
): { readonly kind: 'read'; readonly value: unknown } | Extract<LoadResult, { kind: 'invalid' }> {
  const broken = syntaxFindings(document);
  if (broken.length > 0) return invalid(source, broken);
  const reader = new ValueReader(document);
  const value = reader.read(shape, document.contents, []);
  return reader.findings.length > 0 ? invalid(source, reader.findings) : { kind: 'read', value };
}

/** A text that was written by a machine, from a value that has been read before. */
export function loadWritten(file: string, text: string): LoadedScenario | undefined {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const read = readDocument({ file, text, lines }, document, scenarioShape);
  if (read.kind === 'invalid') return undefined;
  return { file, text, scenario: read.value as Scenario, locate: locator(document, lines) };
}

export const invalid = (
  { file, text, lines }: Source,
  findings: readonly Finding[],
): Extract<LoadResult, { kind: 'invalid' }> => ({
  kind: 'invalid',
  file,
  text,
  problems: findings.map(({ offset, length, message, expected }) => {
    const { line, col } = lines.linePos(offset);
    return {
      file,
      line,
      column: Math.max(1, col),
      length,
      message,
      ...(expected !== undefined && { expected }),
    };
  }),
});

/** By the codes of the YAML parser. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  BAD_INDENT: 'lines of one mapping or list indented alike',
  TAB_AS_INDENT: 'spaces for indentation',
  MISSING_CHAR: 'quotes and brackets in pairs',
  DUPLICATE_KEY: 'each key once',
  BLOCK_IN_FLOW: 'no block inside brackets',
  MULTILINE_IMPLICIT_KEY: 'a key and its value, `key: value`, with the key on one line',
  UNEXPECTED_TOKEN: 'valid YAML',
};

function syntaxFindings(document: Document.Parsed): Finding[] {
  const findings: Finding[] = document.errors.map(({ pos: [start, end], message, code }) => ({
    offset: start,
    length: Math.max(1, end - start),
    message: `YAML: ${message}`,
    expected: EXPLANATIONS[code] ?? 'valid YAML',
  }));
  // After the first syntax error the parser guesses; what it finds from there on is mostly noise.
  return findings.sort((a, b) => a.offset - b.offset).slice(0, 1);
}

export function locator(document: Document.Parsed, lines: LineCounter): (path: Path) => Position {
  return (path) => {
    for (let length = path.length; length > 0; length--) {
      const node = keyOrNode(document, path.slice(0, length));
      if (!node?.range) continue;
      const { line, col } = lines.linePos(node.range[0]);
      return { line, column: Math.max(1, col) };
    }
    return { line: 1, column: 1 };
  };
}

/** A member is best shown at its key, an item at its start. */
function keyOrNode(document: Document.Parsed, path: Path): Node | undefined {
  const parent = document.getIn(path.slice(0, -1), true);
  const last = path.at(-1);
  if (isMap(parent)) {
    const key = parent.items.find((pair) => isScalar(pair.key) && pair.key.value === last)?.key;
    if (key) return key as Node;
  }
  const node = document.getIn(path, true);
  return node ? (node as Node) : undefined;
}
