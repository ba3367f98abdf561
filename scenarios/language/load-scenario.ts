/**
 * From the text of a scenario file to a scenario, or to a list of everything that is wrong with it: YAML, keys,
 * types, variables that nothing defines, streams that nothing opens, kinds that do not exist.
 */
import { isMap, isScalar, LineCounter, parseAllDocuments, type Document, type Node } from 'yaml';
import { checkMeaning } from './check-meaning.ts';
import type { Position, Problem } from './problem.ts';
import { ValueReader, type Finding, type Path } from './read-value.ts';
import { scenarioShape, type Scenario } from './scenario-shape.ts';

/** A scenario that can be run. */
export interface LoadedScenario {
  readonly file: string;
  readonly text: string;
  readonly scenario: Scenario;
  /** Where something is written; the nearest parent's place when the path itself is not there. */
  locate(path: Path): Position;
}

export type LoadResult =
  | { readonly kind: 'loaded'; readonly loaded: LoadedScenario }
  | {
      readonly kind: 'invalid';
      readonly file: string;
      readonly text: string;
      readonly problems: readonly Problem[];
    };

/** The scenario of this name in a file, or the only one; of several without a name it is the first. */
export function loadScenario(file: string, text: string, name?: string): LoadResult {
  const results = loadScenarios(file, text);
  const found = results.find(
    (result) => result.kind === 'loaded' && result.loaded.scenario.metadata.name === name,
  );
  return found ?? results.find(({ kind }) => kind === 'invalid') ?? results[0] ?? emptyFile(file, text);
}

/** One for each document of a file, in their order; those that hold nothing are left out. */
export function loadScenarios(file: string, text: string): readonly LoadResult[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  const all = (Array.isArray(documents) ? (documents as Document.Parsed[]) : []).filter(
    (document) => document.contents !== null || document.errors.length > 0,
  );
  if (all.length === 0) return [emptyFile(file, text)];
  return all.map((document) => loadDocument({ file, text, lines }, document));
}

const emptyFile = (file: string, text: string): LoadResult => ({
  kind: 'invalid',
  file,
  text,
  problems: [
    {
      file,
      line: 1,
      column: 1,
      length: 1,
      message: 'the file is empty',
      expected: 'a document with `kind: Scenario`',
    },
  ],
});

interface Source {
  readonly file: string;
  readonly text: string;
  readonly lines: LineCounter;
}

function loadDocument({ file, text, lines }: Source, document: Document.Parsed): LoadResult {
  const invalid = (findings: readonly Finding[]): LoadResult => ({
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
  const broken = syntaxFindings(document);
  if (broken.length > 0) return invalid(broken);
  const reader = new ValueReader(document);
  const value = reader.read(scenarioShape, document.contents, []);
  if (reader.findings.length > 0) return invalid(reader.findings);
  const scenario = value as Scenario;
  const findings = checkMeaning(scenario, document, text);
  if (findings.length > 0) return invalid(findings);
  return { kind: 'loaded', loaded: { file, text, scenario, locate: locator(document, lines) } };
}

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

function locator(document: Document.Parsed, lines: LineCounter): (path: Path) => Position {
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
