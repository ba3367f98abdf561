/**
 * Which lines of the sources a stretch of a run executed: what V8 counts in the bundle, told in lines of the files that it was made
 * of. Lines that make nothing (types, comments) are none.
 */
import { readFileSync } from 'node:fs';
import { Session, type Profiler } from 'node:inspector';
import { SourceMap } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Place {
  readonly from: number;
  readonly to: number;
  /** `file:line`, lines from 1. */
  readonly line: string;
}

/** They seem to be where the whole class is, as a module where all is that it holds. */
const INITIALIZERS: ReadonlySet<string> = new Set(['<instance_members_initializer>', '<static_initializer>']);

export class ReachedLines {
  readonly #session = new Session();
  readonly #root: string;
  readonly #places = new Map<string, readonly Place[]>();
  /** Functions that were told of once: one that was not called since is not told of again. */
  readonly #functions = new Map<string, Map<string, Profiler.CoverageRange>>();

  constructor(root: string) {
    this.#root = root;
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** Executed since it was asked last. */
  take(): ReadonlySet<string> {
    const reached = new Set<string>();
    this.#session.post('Profiler.takePreciseCoverage', (error, found) => {
      if (error) throw error;
      for (const { url, functions } of found.result)
        if (url.startsWith('file:') && url.endsWith('.mjs')) this.#addReached(url, functions, reached);
    });
    return reached;
  }

  #addReached(url: string, functions: readonly Profiler.FunctionCoverage[], reached: Set<string>): void {
    const places = this.#placesOf(url);
    const known = this.#functions.get(url) ?? new Map<string, Profiler.CoverageRange>();
    this.#functions.set(url, known);
    const called = new Set<string>();
    const told = functions.filter(
      ({ functionName, ranges }) => !INITIALIZERS.has(functionName) && ranges[0]?.startOffset !== 0,
    );
    for (const { ranges } of told) {
      const [whole] = ranges;
      if (!whole) continue;
      const key = `${whole.startOffset}-${whole.endOffset}`;
      known.set(key, { ...whole, count: 0 });
      called.add(key);
    }
    const idle = [...known].filter(([key]) => !called.has(key)).map(([, range]) => range);
    // Inner ranges come after those that they are in.
    const ranges = [...told.flatMap((each) => each.ranges), ...idle].toSorted(
      (a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset,
    );
    const open: Profiler.CoverageRange[] = [];
    let next = 0;
    for (const { from, to, line } of places) {
      for (let range = ranges[next]; range && range.startOffset <= from; range = ranges[++next])
        open.push(range);
      while ((open.at(-1)?.endOffset ?? Infinity) <= from) open.pop();
      const innermost = innermostOf(open, from);
      if ((innermost && innermost.count > 0) || beginsExecuted(ranges, next, to)) reached.add(line);
    }
  }

  #placesOf(url: string): readonly Place[] {
    const known = this.#places.get(url);
    if (known) return known;
    const places = placesOf(fileURLToPath(url), this.#root);
    this.#places.set(url, places);
    return places;
  }
}

function innermostOf(open: Profiler.CoverageRange[], at: number): Profiler.CoverageRange | undefined {
  for (let index = open.length - 1; index >= 0; index--) {
    const range = open[index];
    if (range && range.endOffset > at) return range;
  }
  return undefined;
}

/** A function on one line begins amid it. */
function beginsExecuted(ranges: readonly Profiler.CoverageRange[], from: number, to: number): boolean {
  for (let at = from; at < ranges.length; at++) {
    const range = ranges[at];
    if (!range || range.startOffset >= to) return false;
    if (range.count > 0) return true;
  }
  return false;
}

/** Lines of a bundled file, by where they stand, in order. */
function placesOf(path: string, root: string): readonly Place[] {
  const text = readFileSync(path, 'utf8');
  const map = new SourceMap(
    JSON.parse(readFileSync(`${path}.map`, 'utf8')) as ConstructorParameters<typeof SourceMap>[0],
  );
  let from = 0;
  return text.split('\n').flatMap((code, number): Place[] => {
    const start = from;
    from += code.length + 1;
    const indent = code.search(/[^\s})\];,]/);
    if (indent < 0) return [];
    const entry = map.findEntry(number, indent);
    if (!('originalSource' in entry) || entry.generatedLine !== number) return [];
    const file = relative(root, resolve(dirname(path), entry.originalSource));
    return file.startsWith('sim/')
      ? [{ from: start + indent, to: from, line: `${file}:${entry.originalLine + 1}` }]
      : [];
  });
}
