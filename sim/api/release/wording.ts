/**
 * How releases word what they refuse, where that is not 1.31's way: values as JSON instead of Go's syntax, and other words
 * for the same. Rules of validation speak as 1.31 does; what is told is translated here at the end.
 */
import { ApiError, type Status } from '../status.ts';

export interface Wording {
  readonly printsValuesAsJson: boolean;
  readonly changes: readonly (readonly [from: RegExp, to: string])[];
}

/** Members that the types of the release do not have yet are not shown in Go's syntax either. */
const BEFORE_1_31: Wording['changes'] = [
  [/, Image:\(\*core\.ImageVolumeSource\)\(nil\)/g, ''],
  [/, SupplementalGroupsPolicy:\(\*core\.SupplementalGroupsPolicy\)\(nil\)/g, ''],
];
const BEFORE_1_30: Wording['changes'] = [
  ...BEFORE_1_31,
  [/, RecursiveReadOnly:\(\*core\.RecursiveReadOnlyMode\)\(nil\)/g, ''],
  [/, AppArmorProfile:\(\*core\.AppArmorProfile\)\(nil\)/g, ''],
];

/** Asked of servers of 1.29 and of 1.32 to 1.36. */
const SINCE_1_32: Wording['changes'] = [
  [/(Too long: )must have at most ([0-9]+ bytes)/g, '$1may not be more than $2'],
  [/(Too long: )may not be longer than ([0-9]+)/g, '$1may not be more than $2 bytes'],
];
const SINCE_1_33: Wording['changes'] = [
  ...SINCE_1_32,
  [
    /'updateStrategy', 'persistentVolumeClaimRetentionPolicy'/g,
    "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy'",
  ],
];
const SINCE_1_34: Wording['changes'] = [
  ...SINCE_1_33,
  [/field can not be less than previous value/g, 'field can not be less than status.capacity'],
  [
    /(ownerReferences\.\w+: Invalid value: "": |^Invalid value: "": )(?:apiVersion|kind|name|uid) (must not be empty)/g,
    '$1$2',
  ],
  [
    /(Required value): (?:kind is|(?:service )?name is|service namespace is|schemas are) required(?=$|, |\])/g,
    '$1',
  ],
  [
    /((?:os\.name|reason|message): Required value): (?:(?:reason|message) )?cannot be empty(?=$|, |\])/g,
    '$1',
  ],
  [/((?:type|apiVersion|kind): Required value): must not be empty(?=$|, |\])/g, '$1'],
  [/((?:lastTransitionTime|reason): Required value): must be set(?=$|, |\])/g, '$1'],
  [
    /((?:message|fieldPath): Invalid value: "(?:[^"\\]|\\.)*": )(?:message|fieldPath) (must not contain line breaks|must be non-empty if specified|must be a valid path)/g,
    '$1$2',
  ],
  [
    /selectableFields (may only be set when )version\.schema\.openAPIV3Schema /g,
    '$1`version.schema.openAPIV3Schema` ',
  ],
  [/selectableFields (may only be set when validations)/g, '$1'],
  [/type must be 'Exempt' if and only if name is/g, "must be 'Exempt' if and only if `name` is"],
  [/(resourceVersion: Invalid value: "[^"]*": )resourceVersion cannot be updated/g, '$1field is immutable'],
  // Not where two rules look at one address.
  [
    /(?<!subsets\[\d+\]\.\w+\[\d+\]\.ip: Invalid value: "[^"]*": )(must be a valid IP address)(?=$|, [^(]|\])/g,
    '$1, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  ],
];
/** Labels are counted in bytes; names of objects are not. */
const SINCE_1_35: Wording['changes'] = [
  ...SINCE_1_34,
  [
    /(?<!(?:ame|amespace|handler): Invalid value: "(?:[^"\\]|\\.)*": )(must be no more than [0-9]+) characters/g,
    '$1 bytes',
  ],
  [/a qualified name must consist of/g, 'a valid label key must consist of'],
];
const SINCE_1_36: Wording['changes'] = [
  ...SINCE_1_35,
  [/("HostnameOverride":null)/g, '$1,"SchedulingGroup":null'],
];

/** Undefined: as 1.31. */
export function wordingOf(minor: number): Wording | undefined {
  if (minor < 31) return { printsValuesAsJson: false, changes: minor < 30 ? BEFORE_1_30 : BEFORE_1_31 };
  if (minor < 32) return undefined;
  if (minor < 34) return { printsValuesAsJson: false, changes: minor < 33 ? SINCE_1_32 : SINCE_1_33 };
  if (minor < 35) return { printsValuesAsJson: true, changes: SINCE_1_34 };
  return { printsValuesAsJson: true, changes: minor < 36 ? SINCE_1_35 : SINCE_1_36 };
}

export function inWordsOf(wording: Wording | undefined, error: ApiError): ApiError {
  if (!wording || error.reason !== 'Invalid') return error;
  const { message, details }: Pick<Status, 'message' | 'details'> =
    (wording.printsValuesAsJson && error.withJsonValues?.()) || error.status;
  const said = (text: string): string =>
    wording.changes.reduce((words, [from, to]) => words.replace(from, to), text);
  const { reason = '', code, metadata } = error.status;
  return new ApiError({
    reason,
    code,
    metadata,
    message: said(message ?? ''),
    ...(details && {
      details: {
        ...details,
        ...(details.causes && {
          causes: details.causes.map((cause) => ({
            ...cause,
            message: said(`${cause.field ?? ''}: ${cause.message ?? ''}`).slice(
              (cause.field ?? '').length + 2,
            ),
          })),
        }),
      },
    }),
  });
}
