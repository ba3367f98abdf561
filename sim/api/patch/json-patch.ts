/**
 * JSON patch, with the manners of the library behind the real server: `replace` of a missing member adds it, a
 * negative index counts from the end, text before the first slash of a path is passed over, numbers and strings
 * are compared as they are spelled. Every failure while applying has one answer, a 422 that names nothing.
 * Specification: "Patches".
 */

import type { Json } from '../object.ts';
import { ApiError, badRequest } from '../status.ts';
import { jsonTypeWord, undecodablePatch, UNPROCESSABLE, unprocessablePatch } from './patch-error.ts';
import type { RawValue } from './raw-json.ts';
import { escapeHtml } from '../go-text.ts';
import { hugeNumberOf } from '../codec/strict-json.ts';
import { RawNode, rawEquals, writeRaw } from './raw-json.ts';

export const MAX_JSON_PATCH_OPERATIONS = 10_000;

/** Bytes (of JSON) that the `copy` operations of one patch may add. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

export interface JsonPatch {
  readonly operations: readonly RawOperation[];
  /** Members that operations do not have, such as `[0].note`: findings of field validation. */
  readonly unknownFields: readonly string[];
}

type RawOperation = ReadonlyMap<string, RawValue>;

const TEXT_MEMBERS: ReadonlySet<string> = new Set(['op', 'path', 'from']);
const MEMBERS: ReadonlySet<string> = new Set([...TEXT_MEMBERS, 'value']);

/**
 * Reads a patch from its text, which must be well-formed JSON; `null` is the patch of no operations.
 * Throws ApiError: 400 for another shape, 413 for too many operations, which only requests are kept from. Unchecked, the
 * patch is taken as the library takes it, which looks at members only when it carries them out.
 */
export const readJsonPatch = (text: string, { isOfRequest = true, isChecked = true } = {}): JsonPatch => {
  const root = RawNode.of(text);
  const items = root === null ? [] : root.array();
  const types = isChecked ? CHECKED : UNCHECKED;
  if (items === undefined) throw types.undecodable(JSON.parse(text) as Json, types.patch);
  const unknownFields: string[] = [];
  const operations = items.map((item, at) => readOperation(item, at, { types, unknownFields }));
  if (isOfRequest && operations.length > MAX_JSON_PATCH_OPERATIONS)
    throw tooManyOperations(operations.length);
  return { operations, unknownFields };
};

const misfit = (value: Json, target: string): string =>
  `json: cannot unmarshal ${jsonTypeWord(value)} into ${target}`;

interface PatchTypes {
  readonly patch: string;
  readonly operation: string;
  undecodable(value: Json, target: string): ApiError;
}

const CHECKED: PatchTypes = {
  patch: 'Go value of type []handlers.jsonPatchOp',
  operation: 'Go value of type handlers.jsonPatchOp',
  undecodable: (value, target) => undecodablePatch(misfit(value, target)),
};
const UNCHECKED: PatchTypes = {
  patch: 'Go value of type jsonpatch.Patch',
  operation: 'Go value of type jsonpatch.Operation',
  undecodable: (value, target) => badRequest(misfit(value, target)),
};

interface Reading {
  readonly types: PatchTypes;
  readonly unknownFields: string[];
}

const tooManyOperations = (count: number): ApiError =>
  new ApiError({
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_JSON_PATCH_OPERATIONS}, got ${count}`,
  });

const NO_OPERATION: RawOperation = new Map();

const readOperation = (item: RawValue, at: number, { types, unknownFields }: Reading): RawOperation => {
  if (item === null) return NO_OPERATION;
  const members = item.object();
  if (members === undefined) throw types.undecodable(JSON.parse(item.write()) as Json, types.operation);
  if (types === UNCHECKED) return members;
  for (const [name, value] of members) {
    if (!MEMBERS.has(name)) unknownFields.push(`[${at}].${name}`);
    else if (value && TEXT_MEMBERS.has(name)) checkText(name, value);
    else if (value && name === 'value') checkNumbers(value);
  }
  return members;
};

const ofMember = (name: string, type: string): string =>
  `Go struct field jsonPatchOp.${name} of type ${type}`;

function checkText(name: string, value: NonNullable<RawValue>): void {
  if (textOf(value) !== undefined) return;
  throw CHECKED.undecodable(JSON.parse(value.write()) as Json, ofMember(name, 'string'));
}

/** Values are read as if nothing was known of them: numbers are doubles. */
function checkNumbers(value: NonNullable<RawValue>): void {
  const number = hugeNumberOf(value.write());
  if (number !== undefined)
    throw undecodablePatch(`json: cannot unmarshal number ${number} into ${ofMember('value', 'float64')}`);
}

const textOf = (value: RawValue | undefined): string | undefined => {
  if (!value || value.object() || value.array()) return undefined;
  const parsed = JSON.parse(value.write()) as Json;
  return typeof parsed === 'string' ? parsed : undefined;
};

/** The text of the patched document. Throws ApiError (422) if an operation fails; then nothing is changed. */
export const applyJsonPatchText = (document: string, patch: JsonPatch): string => {
  const run = new PatchRun(document);
  for (const operation of patch.operations) run.apply(operation);
  return run.write();
};

/** The same for values that were read already; numbers are then spelled as JavaScript spells them. */
export const applyJsonPatch = (document: Json, patch: Json): Json =>
  JSON.parse(
    applyJsonPatchText(
      escapeHtml(JSON.stringify(document)),
      readJsonPatch(escapeHtml(JSON.stringify(patch))),
    ),
  ) as Json;

/** Copies of copies: whoever does not stop fills all memory. */
export class TooMuchCopied extends ApiError {
  readonly why: string;

  constructor(bytes: number) {
    super(UNPROCESSABLE);
    this.why = `Unable to complete the copy, the accumulated size increase of copy is ${bytes}, exceeding the limit ${MAX_COPIED_BYTES}`;
  }
}

/** A place in a document: an object or array, and a member's name or an index in it. */
interface Place {
  readonly container: Map<string, RawValue> | RawValue[];
  readonly key: string;
}

class PatchRun {
  private document: RawValue;
  private copiedBytes = 0;

  constructor(document: string) {
    this.document = RawNode.of(document);
  }

  write(): string {
    return writeRaw(this.document);
  }

  apply(operation: RawOperation): void {
    switch (textOf(operation.get('op'))) {
      case 'add':
        return add(this.placeAt(operation, 'path'), ownValueOf(operation));
      case 'remove':
        return remove(this.placeAt(operation, 'path'));
      case 'replace':
        return this.replace(operation);
      case 'move':
        return this.move(operation);
      case 'copy':
        return this.copy(operation);
      case 'test':
        return this.test(operation);
      default:
        throw unprocessablePatch();
    }
  }

  private replace(operation: RawOperation): void {
    const value = ownValueOf(operation);
    if (textOf(operation.get('path')) === '') {
      // A whole document can only be an object or array; another value changes nothing and is no failure.
      if (value && (value.object() ?? value.array())) this.document = value;
      return;
    }
    const place = this.placeAt(operation, 'path');
    if (Array.isArray(place.container)) place.container[indexIn(place.container, place.key)] = value;
    else place.container.set(place.key, value);
  }

  private move(operation: RawOperation): void {
    const from = this.placeAt(operation, 'from');
    const value = read(from) ?? null;
    remove(from);
    add(this.placeAt(operation, 'path'), value);
  }

  private copy(operation: RawOperation): void {
    const from = read(this.placeAt(operation, 'from'));
    // What is looked into on the way there is written with its members sorted.
    const place = this.placeAt(operation, 'path');
    const value = from?.copy() ?? null;
    this.copiedBytes += value?.write().length ?? 0;
    if (this.copiedBytes > MAX_COPIED_BYTES) throw new TooMuchCopied(this.copiedBytes);
    add(place, value);
  }

  private test(operation: RawOperation): void {
    const isWhole = textOf(operation.get('path')) === '';
    const actual = isWhole ? this.document : (read(this.placeAt(operation, 'path')) ?? null);
    if (!rawEquals(actual, valueOf(operation))) throw unprocessablePatch();
  }

  private placeAt(operation: RawOperation, member: 'path' | 'from'): Place {
    const segments = textOf(operation.get(member))?.split('/').slice(1).map(unescapeSegment);
    const key = segments?.pop();
    if (segments === undefined || key === undefined) throw unprocessablePatch();
    let value = this.document;
    for (const segment of segments) value = read({ container: containerOf(value), key: segment }) ?? null;
    return { container: containerOf(value), key };
  }
}

/** An absent value is null. */
const valueOf = (operation: RawOperation): RawValue => operation.get('value') ?? null;

/** A copy for the document: later operations may change it there, and the patch may be applied again. */
const ownValueOf = (operation: RawOperation): RawValue => valueOf(operation)?.copy() ?? null;

const unescapeSegment = (segment: string): string =>
  segment.replace(/~[01]/g, (escaped) => (escaped === '~1' ? '/' : '~'));

const containerOf = (value: RawValue): Place['container'] => {
  const container = value?.array() ?? value?.object();
  if (container === undefined) throw unprocessablePatch();
  return container;
};

const INTEGER = /^[+-]?[0-9]{1,15}$/;

/** An index among `length` places; a negative one counts from the end. */
const indexAmong = (length: number, key: string): number => {
  const index = INTEGER.test(key) ? Number(key) : Number.NaN;
  const fromStart = index < 0 ? index + length : index;
  // Also false for what is no number.
  if (!(fromStart >= 0 && fromStart < length)) throw unprocessablePatch();
  return fromStart;
};

const indexIn = (items: readonly RawValue[], key: string): number => indexAmong(items.length, key);

/** Absent members read as undefined; elements must be there. */
const read = ({ container, key }: Place): RawValue | undefined =>
  Array.isArray(container) ? container[indexIn(container, key)] : container.get(key);

const add = ({ container, key }: Place, value: RawValue): void => {
  if (!Array.isArray(container)) container.set(key, value);
  else if (key === '-') container.push(value);
  else container.splice(indexAmong(container.length + 1, key), 0, value);
};

const remove = ({ container, key }: Place): void => {
  if (Array.isArray(container)) container.splice(indexIn(container, key), 1);
  else if (!container.delete(key)) throw unprocessablePatch();
};
