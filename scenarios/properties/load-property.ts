/**
 * Reads a property, and draws scenarios from it: one for each seed, always the same. Two are drawn at once, to find what
 * is wrong with the templates while somebody looks at the file.
 */
import * as fc from 'fast-check';
import { type Document, LineCounter, parseDocument, stringify } from 'yaml';
import { invalid, loadDocument, locator, readDocument, type Source } from '../language/load-document.ts';
import type { LoadedScenario, LoadResult } from '../language/loaded-scenario.ts';
import type { Scenario } from '../language/scenario-shape.ts';
import type { JsonMap } from '../language/shape.ts';
import { ScenarioError } from '../language/variables.ts';
import { propertyDocumentShape, type PropertyDocument } from './property-shape.ts';
import { scenarioArbitrary } from './scenario-arbitrary.ts';
import { writtenScenario } from './written-scenario.ts';

const TRIAL_SEEDS = [1, 2];

export function loadProperty(source: Source, document: Document.Parsed): LoadResult {
  const read = readDocument(source, document, propertyDocumentShape);
  if (read.kind === 'invalid') return read;
  const value = read.value as PropertyDocument;
  const { file, text, lines } = source;
  const problem = tried(source, value);
  if (problem !== undefined) {
    const offset = document.getIn(['spec', 'generate'], true) as
      { range?: [number, number, number] } | undefined;
    return invalid(source, [{ offset: offset?.range?.[0] ?? 0, length: 1, message: problem }]);
  }
  const { metadata, spec } = value;
  const { description, seed, runs } = spec;
  const scenario: Scenario = {
    apiVersion: 'kubesim.dev/v1',
    kind: 'Scenario',
    metadata,
    spec: {
      ...(description !== undefined && { description }),
      ...(seed !== undefined && { seed }),
      ...(runs !== undefined && { runs }),
      steps: [],
    },
  };
  const arbitrary = scenarioArbitrary(value);
  return {
    kind: 'loaded',
    loaded: {
      file,
      text,
      scenario,
      locate: locator(document, lines),
      draw: (drawn) => drawnScenario(file, drawn, arbitrary),
      ...(spec.expected === 'failure' && { expectsFailure: true }),
    },
  };
}

/** What is wrong with the first scenarios that it draws. */
function tried({ file }: Source, value: PropertyDocument): string | undefined {
  try {
    const arbitrary = scenarioArbitrary(value);
    for (const seed of TRIAL_SEEDS) {
      const text = stringify(sampleOf(arbitrary, seed));
      const lines = new LineCounter();
      const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
      const result = loadDocument({ file, text, lines }, document);
      if (result.kind === 'loaded') continue;
      const [first] = result.problems;
      return `what it draws is no scenario: ${first?.message ?? ''}${first?.expected === undefined ? '' : `; expected: ${first.expected}`}`;
    }
    return undefined;
  } catch (error) {
    if (error instanceof ScenarioError) return error.message;
    throw error;
  }
}

const sampleOf = (arbitrary: fc.Arbitrary<JsonMap>, seed: number): JsonMap =>
  fc.sample(arbitrary, { seed, numRuns: 1 })[0] ?? {};

function drawnScenario(file: string, seed: number, arbitrary: fc.Arbitrary<JsonMap>): LoadedScenario {
  return writtenScenario(`${file} (drawn with seed ${seed})`, sampleOf(arbitrary, seed));
}
