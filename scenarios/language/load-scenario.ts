/**
 * From the text of a scenario file to a scenario, or to a list of everything that is wrong with it: YAML, keys,
 * types, variables that nothing defines, streams that nothing opens, kinds that do not exist.
 */
import { isMap, LineCounter, parseAllDocuments, type Document } from 'yaml';
import { loadProperty } from '../properties/load-property.ts';
import { loadDocument } from './load-document.ts';
import type { LoadedScenario, LoadResult } from './loaded-scenario.ts';

export type { LoadedScenario, LoadResult };

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
  const source = { file, text, lines };
  return all.map((document) =>
    isMap(document.contents) && String(document.contents.get('kind')) === 'Property'
      ? loadProperty(source, document)
      : loadDocument(source, document),
  );
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
