/** Where old versions may be in use: manifests (YAML, JSON, lists) and audit logs, file by file with their lines. */
import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LineCounter, parseAllDocuments, type Document } from 'yaml';
import type { Parts } from '../../api/life-cycle/migrations/migration.ts';
import { systemReason } from '../start-problem.ts';

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
    throw new UnreadableSource(`${path}: ${systemReason(error)}`);
  }
}

function textOf(file: string): string {
  const bytes = bytesOf(file);
  const text = bytes.toString('utf8');
  const isText = !text.includes('\0') && (!text.includes(REPLACEMENT) || isUtf8(bytes));
  if (isText) return text;
  throw new UnreadableSource(`${file}: expected text in UTF-8`);
}

/** What stands in for bytes that mean nothing. */
const REPLACEMENT = '\uFFFD';

function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    throw new UnreadableSource(`${file}: ${systemReason(error)}`);
  }
}

/** Of logs and of lists of them, whichever member comes first. */
const AUDIT_VERSION = /^audit\.k8s\.io\//;
const AUDIT_LINE = /^\s*\{.*"apiVersion":\s*"audit\.k8s\.io\//m;

/** A log has an object on each line, its first ones may be of something else. */
export function sourcesIn(file: string, text: string): readonly Source[] {
  return AUDIT_LINE.test(text) && !isOneDocument(text) ? logLines(file, text) : documents(file, text);
}

/** Such as a list of events, on however many lines. */
function isOneDocument(text: string): boolean {
  const trimmed = text.trim();
  if (!trimmed.includes('\n')) return false;
  try {
    JSON.parse(trimmed);
    return true;
  } catch {
    return false;
  }
}

function logLines(file: string, text: string): readonly Source[] {
  return text.split('\n').flatMap((line, index): readonly Source[] => {
    if (line.trim() === '') return [];
    const place = { file, line: index + 1 };
    const value = parsedLine(line, place);
    return sourcesOf([value], { ...place, text: `${line}\n`, isList: false });
  });
}

function parsedLine(line: string, place: { readonly file: string; readonly line: number }): Parts {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value as Parts;
  } catch {
    // Said below.
  }
  throw new UnreadableSource(
    `${place.file}:${place.line}: expected a JSON object, as on the other lines of the log: ${line.trim().slice(0, SHOWN)}`,
  );
}

/** Characters of a line that is no JSON. */
const SHOWN = 60;

type Written = Omit<Extract<Source, { readonly kind: 'manifest' }>, 'kind' | 'objects'>;

/** Events of audit logs apart from the objects among which they are. */
function sourcesOf(values: readonly unknown[], written: Written): readonly Source[] {
  const objects = values.filter(isObject);
  const events = objects.filter(({ apiVersion }) => AUDIT_VERSION.test(String(apiVersion)));
  const others = objects.filter((object) => !events.includes(object));
  const { file, line } = written;
  return [
    ...events.map((event): Source => ({ kind: 'audit', file, line, event })),
    ...(events.length > 0 && others.length === 0
      ? []
      : [{ kind: 'manifest' as const, ...written, objects: others }]),
  ];
}

function documents(file: string, text: string): readonly Source[] {
  const lines = new LineCounter();
  const all = readable(file, 1, () =>
    parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' }),
  );
  return (Array.isArray(all) ? (all as Document.Parsed[]) : []).flatMap((document): readonly Source[] => {
    const [error] = document.errors;
    const [start] = document.range ?? [0];
    if (error) {
      const { line, col } = lines.linePos(error.pos[0]);
      throw new UnreadableSource(`${file}:${line}:${col}: ${error.message}`);
    }
    const from = document.contents?.range?.[0] ?? start;
    const value = readable(file, lines.linePos(from).line, (): unknown => document.toJS());
    if (typeof value !== 'object' || value === null) return [];
    const isList = 'items' in value && Array.isArray(value.items);
    return sourcesOf(isList ? (value.items as unknown[]) : [value], {
      file,
      line: lines.linePos(from).line,
      text: text.slice(start, document.range?.[2]),
      isList,
    });
  });
}

/** Documents may be deeper than anybody can read, and aliases of aliases more than fit in a memory. */
function readable<T>(file: string, line: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw new UnreadableSource(`${file}:${line}: nested too deep`);
    if (error instanceof ReferenceError) throw new UnreadableSource(`${file}:${line}: ${error.message}`);
    throw error;
  }
}

const isObject = (value: unknown): value is Parts =>
  typeof value === 'object' && value !== null && 'apiVersion' in value && 'kind' in value;
