/** Named formats of texts: `format.dns1123Label().validate(name)`, which is none where nothing is wrong. */
import {
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  labelValue,
  maskTrailingDash,
  type NameFindings,
  qualifiedName,
} from '../../validation/names.ts';
import { isBase64, isDate, isDateTime, isUuid } from '../../validation/text-formats.ts';
import { type FunctionDeclaration, type Library, method, overload } from '../types/declarations.ts';
import { listOf, optionalOf, STRING, struct } from '../types/type.ts';
import { ValueList } from '../values/containers.ts';
import {
  type CelValue,
  NO_OVERLOAD,
  noOverload,
  type OpaqueValue,
  Optional,
  type Result,
} from '../values/value.ts';
import { parseRequestUrl, UrlProblem } from './url-text.ts';

const FORMAT = struct('kubernetes.NamedFormat');

type Check = (text: string) => NameFindings;

export class FormatValue implements OpaqueValue {
  readonly kind = 'opaque';
  readonly type = FORMAT;
  readonly name: string;
  readonly findings: Check;
  /** Length of the pattern that it stands for: what a check costs. */
  readonly patternLength: number;

  constructor(name: string, findings: Check, patternLength: number) {
    this.name = name;
    this.findings = findings;
    this.patternLength = patternLength;
  }

  equals(other: Result): Result {
    return other instanceof FormatValue ? this.name === other.name : noOverload(other);
  }
}

/** The end of a prefix is not the end of the name. */
const asPrefix =
  (check: Check): Check =>
  (text) =>
    check(maskTrailingDash(text));

const holds =
  (test: (text: string) => boolean, finding: string): Check =>
  (text) =>
    test(text) ? [] : [finding];

function urlFindings(text: string): NameFindings {
  try {
    parseRequestUrl(text);
    return [];
  } catch (error) {
    if (error instanceof UrlProblem) return [error.message];
    throw error;
  }
}

/** Lengths are those of the patterns of the real server, or its guesses. */
const FORMATS: ReadonlyMap<string, FormatValue> = new Map([
  ['dns1123Label', new FormatValue('DNS1123Label', (text) => dns1123Label(text), 30)],
  ['dns1123Subdomain', new FormatValue('DNS1123Subdomain', (text) => dns1123Subdomain(text), 60)],
  ['dns1035Label', new FormatValue('DNS1035Label', (text) => dns1035Label(text), 30)],
  ['qualifiedName', new FormatValue('QualifiedName', (text) => qualifiedName(text), 60)],
  ['dns1123LabelPrefix', new FormatValue('DNS1123LabelPrefix', asPrefix(dns1123Label), 30)],
  ['dns1123SubdomainPrefix', new FormatValue('DNS1123SubdomainPrefix', asPrefix(dns1123Subdomain), 60)],
  ['dns1035LabelPrefix', new FormatValue('DNS1035LabelPrefix', asPrefix(dns1035Label), 30)],
  ['labelValue', new FormatValue('LabelValue', (text) => labelValue(text), 40)],
  ['uri', new FormatValue('URI', urlFindings, 1103)],
  ['uuid', new FormatValue('uuid', holds(isUuid, 'does not match the UUID format'), 70)],
  ['byte', new FormatValue('byte', holds(isBase64, 'invalid base64'), 84)],
  ['date', new FormatValue('date', holds(isDate, 'invalid date'), 71)],
  ['datetime', new FormatValue('datetime', holds(isDateTime, 'invalid datetime'), 71)],
]);

function named(name: CelValue = null): Result {
  if (typeof name !== 'string') return NO_OVERLOAD;
  const format = FORMATS.get(name);
  return format ? new Optional(format) : Optional.NONE;
}

function validate(format: CelValue = null, text: CelValue = null): Result {
  if (!(format instanceof FormatValue) || typeof text !== 'string') return NO_OVERLOAD;
  const findings = format.findings(text);
  return findings.length === 0 ? Optional.NONE : new Optional(new ValueList(findings));
}

const constantOf = ([name, format]: readonly [string, FormatValue]): FunctionDeclaration => ({
  name: `format.${name}`,
  overloads: [overload(`format.${name}`, [], FORMAT, () => format)],
});

export const NAMED_FORMATS: Library = {
  functions: [
    { name: 'format.named', overloads: [overload('format-named', [STRING], optionalOf(FORMAT), named)] },
    {
      name: 'validate',
      overloads: [method('format-validate', [FORMAT, STRING], optionalOf(listOf(STRING)), validate)],
    },
    ...[...FORMATS].map(constantOf),
  ],
};
