/**
 * What the library behind the real server says of the first operation of a JSON patch that cannot be carried out. Only
 * admission webhooks are told; see `json-patch.ts` for what counts as a failure.
 */
import type { Json } from '../object.ts';
import { ApiError } from '../status.ts';
import { applyJsonPatchText, type JsonPatch } from './json-patch.ts';

const MISSING = 'missing value';
const BAD_INDEX = 'invalid index referenced';

export function patchProblem(document: string, { operations }: JsonPatch): string {
  let text = document;
  for (const operation of operations) {
    try {
      text = applyJsonPatchText(text, { operations: [operation], unknownFields: [] });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return problemOf(JSON.parse(text) as Json, {
        op: textOf(operation.get('op')),
        path: textOf(operation.get('path')),
        from: textOf(operation.get('from')),
      });
    }
  }
  return MISSING;
}

const textOf = (value: { write(): string } | null | undefined): string | undefined => {
  const parsed = value ? (JSON.parse(value.write()) as Json) : undefined;
  return typeof parsed === 'string' ? parsed : undefined;
};

interface Failed {
  readonly op: string | undefined;
  readonly path: string | undefined;
  readonly from: string | undefined;
}

function problemOf(document: Json, { op = 'unknown', path, from }: Failed): string {
  if (!WORDS.has(op)) return `Unexpected kind: ${op}`;
  const isFrom = op === 'move' || op === 'copy';
  if (isFrom && from === undefined) return `${op} operation failed to decode from: ${MISSING}`;
  const first = isFrom ? (from ?? '') : path;
  if (first === undefined) return `${op} operation failed to decode path: ${MISSING}`;
  const shown = op === 'add' || op === 'remove' ? JSON.stringify(first) : first;
  const at = placeOf(document, first);
  if (!at) return `${op} operation ${MISSING_TEXT[op] ?? ''} ${shown}: ${MISSING}`;
  const own = keyProblem(at, op);
  if (own !== undefined && op === 'replace')
    return `replace operation does not apply: doc is missing key: ${first}: ${MISSING}`;
  if (own !== undefined) return `error in ${op} for path: '${op === 'move' ? at.key : first}': ${own}`;
  if (op === 'test') return `testing value ${first} failed: test failed`;
  // What moves into itself is gone before it arrives.
  const movesAway = op === 'move' && path?.startsWith(`${first}/`) === true;
  if (isFrom && path !== undefined && (movesAway || !placeOf(document, path)))
    return `${op} operation does not apply: doc is missing destination path: ${path}: ${MISSING}`;
  return `error in ${op} for path: '${path ?? ''}': ${MISSING}`;
}

const WORDS: ReadonlySet<string> = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);

const MISSING_TEXT: Readonly<Record<string, string>> = {
  add: 'does not apply: doc is missing path:',
  remove: 'does not apply: doc is missing path:',
  replace: 'does not apply: doc is missing path:',
  test: 'does not apply: is missing path:',
  move: 'does not apply: doc is missing from path:',
  copy: 'does not apply: doc is missing from path:',
};

interface Place {
  readonly container: Json;
  readonly key: string;
}

/** Undefined: what the path leads through is not there. */
function placeOf(document: Json, path: string): Place | undefined {
  const segments = path.split('/').slice(1).map(unescaped);
  const key = segments.pop();
  if (key === undefined) return undefined;
  let container: Json | undefined = document;
  for (const segment of segments) container = memberOf(container, segment);
  return typeof container === 'object' && container !== null ? { container, key } : undefined;
}

const unescaped = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');

function memberOf(value: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(value)) return value[Number(key) < 0 ? value.length + Number(key) : Number(key)] as Json;
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Readonly<Record<string, Json>>)[key];
}

function keyProblem({ container, key }: Place, op: string): string | undefined {
  if (!Array.isArray(container)) {
    if (op !== 'remove' && op !== 'move') return undefined;
    return Object.hasOwn(container as object, key)
      ? undefined
      : `Unable to remove nonexistent key: ${key}: ${MISSING}`;
  }
  if (!/^[+-]?\d+$/.test(key)) {
    const why = `strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`;
    return op === 'add' ? `value was not a proper array index: '${key}': ${why}` : why;
  }
  const end = op === 'add' ? container.length : container.length - 1;
  const index = Number(key);
  return index > end || index < -end - 1
    ? `Unable to access invalid index: ${index}: ${BAD_INDEX}`
    : undefined;
}
