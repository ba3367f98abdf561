/** ControllerRevision: an immutable snapshot of whatever its controller puts in, with a number. */
import { goBytes, GoSyntax } from '../../../../api/go-text.ts';
import { compactJson } from '../../../../api/codec/encode.ts';
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
    validateUpdate: (object, old) => [
      ...notNegative(object.revision, REVISION),
      ...(textOf(object) === textOf(old) ? [] : [invalid(DATA, goRaw(textOf(object)), IMMUTABLE)]),
    ],
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

/** The data as text: it is compared as it was written. */
const textOf = ({ data }: ControllerRevision): string | undefined =>
  data === undefined || data === null ? undefined : compactJson(data);

const UTF8 = new TextEncoder();

function goRaw(text: string | undefined): GoSyntax {
  const list = text === undefined ? '(nil)' : `{${goBytes(UTF8.encode(text))}}`;
  return new GoSyntax(`runtime.RawExtension{Raw:[]uint8${list}, Object:runtime.Object(nil)}`, text ?? 'null');
}
