/** ControllerRevision: an immutable snapshot of whatever its controller puts in, with a number. */
import { escapeHtml, goBytes, GoSyntax } from '../../../../api/go-text.ts';
import { encodeJson } from '../../../../api/codec/encode.ts';
import { heldTextOf, madeRawText } from '../../../../api/codec/raw-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { ControllerRevision } from '../../../../api/types/apps-v1.ts';
import { invalid, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { IMMUTABLE, notNegative } from '../../../../api/validation/numbers.ts';
import { ownerCell } from '../owner-cell.ts';
import { defineKind } from '../../define-kind.ts';

const DATA = FieldPath.of('data');
const REVISION = FieldPath.of('revision');

export const controllerRevisionKind = defineKind<ControllerRevision>({
  group: 'apps',
  resource: 'controllerrevisions',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    metadataChecks: ['change', 'object'],
    validate: (object) => [...notNegative(object.revision, REVISION), ...validateData(object)],
    validateUpdate: (object, old) => [...notNegative(object.revision, REVISION), ...dataErrors(object, old)],
    tableRow: ({ metadata, revision }, clock) => ({
      cells: [metadata.name, ownerCell(metadata), revision, clock.age(metadata.creationTimestamp)],
    }),
  },
});

function validateData({ data }: ControllerRevision): readonly FieldError[] {
  if (data === undefined || data === null) return [required(DATA, 'data is mandatory')];
  if (typeof data === 'object' && !Array.isArray(data)) return [];
  return [required(DATA, 'data must be a valid JSON object')];
}

/** Data is compared as text. */
function dataErrors({ data }: ControllerRevision, { data: old }: ControllerRevision): readonly FieldError[] {
  const before = textOf(old);
  const after = changedText(data, old);
  return after === before ? [] : [invalid(DATA, goRaw(after), IMMUTABLE)];
}

type Data = ControllerRevision['data'] | undefined;

const textOf = (data: Data): string | undefined =>
  data === undefined || data === null ? undefined : heldTextOf(data);

/** What Go holds after the change: a patch that says nothing of the data writes it anew. */
function changedText(data: Data, old: Data): string | undefined {
  if (data === undefined || data === null || old === undefined || old === null) return textOf(data);
  // Only as values do they come along with the rest.
  if (data === old) return madeRawText(data);
  const text = heldTextOf(data);
  return text === encodeJson(old) ? escapeHtml(withoutBlanks(heldTextOf(old))) : text;
}

/** Those between tokens. */
const withoutBlanks = (json: string): string =>
  json.replace(/("(?:[^"\\]|\\.)*")|[ \t\n\r]+/g, (_, text: string | undefined) => text ?? '');

const UTF8 = new TextEncoder();

function goRaw(text: string | undefined): GoSyntax {
  const list = text === undefined ? '(nil)' : `{${goBytes(UTF8.encode(text))}}`;
  return new GoSyntax(`runtime.RawExtension{Raw:[]uint8${list}, Object:runtime.Object(nil)}`, text ?? 'null');
}
