/** Where old versions may be in use: manifests (YAML, JSON, lists) and audit logs, file by file with their lines. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LineCounter, parseAllDocuments, type Document } from 'yaml';
import type { Parts } from '../../api/life-cycle/migrations/migration.ts';

/** A document of a manifest, or what an audit log says of a request. */
export type Source =
  | {
      readonly kind: 'manifest';
      readonly file: string;
      readonly line: number;
      /** As it stands there. */
      readonly text: string;
      /** The objects in it: of a list its items. */
      readonly objects: readonly Parts[];
      readonly isList: boolean;
    }
  | { readonly kind: 'audit'; readonly file: string; readonly line: number; readonly event: Parts };

/** What cannot be read, with file and line. */
export class UnreadableSource extends Error {
  override readonly name = 'UnreadableSource';
}

const READABLE = /\.(ya?ml|json|jsonl|log)$/;

/** Of files, folders with all that is in them, and `-` for standard input. @throws UnreadableSource */
export function readSources(paths: readonly string[]): readonly Source[] {
  return paths.flatMap((path) => filesAt(path)).flatMap((file) => sourcesIn(file, textOf(file)));
}

function filesAt(path: string): readonly string[] {
  if (path === '-') return [path];
  try {
    if (!statSync(path).isDirectory()) return [path];
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && READABLE.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !file.includes('/node_modules/'))
      .sort();
  } catch (error) {
    throw new UnreadableSource(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new UnreadableSource(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const AUDIT = /^\s*\{.*"kind":\s*"Event".*"apiVersion":\s*"audit\.k8s\.io\//;

export function sourcesIn(file: string, text: string): readonly Source[] {
  const firstLine = text.slice(0, text.indexOf('\n') < 0 ? undefined : text.indexOf('\n'));
  return AUDIT.test(firstLine) ? auditEvents(file, text) : documents(file, text);
}

function auditEvents(file: string, text: string): readonly Source[] {
  return text.split('\n').flatMap((line, index): Source[] => {
    if (line.trim() === '') return [];
    try {
      return [{ kind: 'audit', file, line: index + 1, event: JSON.parse(line) as Parts }];
    } catch (error) {
      throw new UnreadableSource(
        `${file}:${index + 1}: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  });
}

function documents(file: string, text: string): readonly Source[] {
  const lines = new LineCounter();
  const all = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  return (Array.isArray(all) ? (all as Document.Parsed[]) : []).flatMap((document): Source[] => {
    const [error] = document.errors;
    const [start] = document.range ?? [0];
    if (error) {
      const { line, col } = lines.linePos(error.pos[0]);
      throw new UnreadableSource(`${file}:${line}:${col}: ${error.message}`);
    }
    const value: unknown = document.toJS();
    if (typeof value !== 'object' || value === null) return [];
    const from = document.contents?.range?.[0] ?? start;
    const isList = 'items' in value && Array.isArray(value.items);
    return [
      {
        kind: 'manifest',
        file,
        line: lines.linePos(from).line,
        text: text.slice(start, document.range?.[2]),
        objects: (isList ? (value.items as unknown[]) : [value]).filter(isObject),
        isList,
      },
    ];
  });
}

const isObject = (value: unknown): value is Parts =>
  typeof value === 'object' && value !== null && 'apiVersion' in value && 'kind' in value;
