/** Semantic versions, as expressions that choose devices compare them: `semver("1.2.3").isLessThan(semver("2.0.0"))`. */
import { compareStrings } from '../../go-text.ts';
import { type Library, method, overload } from '../types/declarations.ts';
import { BOOL, INT, STRING, struct } from '../types/type.ts';
import {
  CelError,
  type CelValue,
  NO_OVERLOAD,
  noOverload,
  type OpaqueValue,
  type Result,
} from '../values/value.ts';

const SEMVER = struct('kubernetes.Semver');

interface Version {
  readonly numbers: readonly [major: number, minor: number, patch: number];
  /** Of a pre-release; empty: it is none. */
  readonly before: readonly string[];
}

class VersionValue implements OpaqueValue {
  readonly kind = 'opaque';
  readonly type = SEMVER;
  readonly version: Version;
  readonly text: string;

  constructor(version: Version, text: string) {
    this.version = version;
    this.text = text;
  }

  equals(other: Result): Result {
    return other instanceof VersionValue ? compared(this.version, other.version) === 0 : noOverload(other);
  }
}

const NUMBER = /^(?:0|[1-9]\d*)$/;
const IDENTIFIERS = /^[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*$/;

/** In the words of the library of the real server for what it cannot read. */
function parsed(text: CelValue = null): VersionValue | CelError {
  if (typeof text !== 'string') return NO_OVERLOAD;
  if (text === '') return new CelError('Version string empty');
  const [, core = '', before, build] = /^([^-+]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(text) ?? [];
  const parts = core.split('.');
  if (parts.length !== 3) return new CelError('No Major.Minor.Patch elements found');
  const wrong = parts.find((part) => !NUMBER.test(part));
  if (wrong !== undefined) return new CelError(`Invalid character(s) found in version number "${wrong}"`);
  for (const more of [before, build])
    if (more !== undefined && !IDENTIFIERS.test(more))
      return new CelError('Invalid character(s) found in prerelease or build metadata');
  const [major = 0, minor = 0, patch = 0] = parts.map(Number);
  const version: Version = { numbers: [major, minor, patch], before: before?.split('.') ?? [] };
  return new VersionValue(version, text);
}

function compared(left: Version, right: Version): number {
  for (const index of [0, 1, 2] as const) {
    const difference = left.numbers[index] - right.numbers[index];
    if (difference !== 0) return Math.sign(difference);
  }
  // What is before a release is less than the release.
  if (left.before.length === 0 || right.before.length === 0)
    return Math.sign(right.before.length === left.before.length ? 0 : left.before.length === 0 ? 1 : -1);
  for (const [index, one] of left.before.entries()) {
    const other = right.before[index];
    if (other === undefined) return 1;
    const order = identifierOrder(one, other);
    if (order !== 0) return order;
  }
  return left.before.length < right.before.length ? -1 : 0;
}

/** Numbers come before texts. */
function identifierOrder(one: string, other: string): number {
  const areNumbers = [one, other].map((each) => /^\d+$/.test(each));
  if (areNumbers[0] && areNumbers[1]) return Math.sign(Number(one) - Number(other));
  if (areNumbers[0] !== areNumbers[1]) return areNumbers[0] ? -1 : 1;
  return compareStrings(one, other);
}

const ofBoth =
  (decide: (order: number) => Result) =>
  (left: CelValue = null, right: CelValue = null): Result =>
    left instanceof VersionValue && right instanceof VersionValue
      ? decide(compared(left.version, right.version))
      : NO_OVERLOAD;

const part =
  (index: 0 | 1 | 2) =>
  (value: CelValue = null): Result =>
    value instanceof VersionValue ? value.version.numbers[index] : NO_OVERLOAD;

const isVersion = (text: CelValue = null): Result =>
  typeof text === 'string' ? !(parsed(text) instanceof CelError) : NO_OVERLOAD;

const both = [SEMVER, SEMVER];

export const VERSIONS: Library = {
  functions: [
    { name: 'semver', overloads: [overload('string_to_semver', [STRING], SEMVER, parsed)] },
    { name: 'isSemver', overloads: [overload('is_semver_string', [STRING], BOOL, isVersion)] },
    {
      name: 'isGreaterThan',
      overloads: [
        method(
          'semver_is_greater_than',
          both,
          BOOL,
          ofBoth((order) => order === 1),
        ),
      ],
    },
    {
      name: 'isLessThan',
      overloads: [
        method(
          'semver_is_less_than',
          both,
          BOOL,
          ofBoth((order) => order === -1),
        ),
      ],
    },
    {
      name: 'compareTo',
      overloads: [
        method(
          'semver_compare_to',
          both,
          INT,
          ofBoth((order) => order),
        ),
      ],
    },
    { name: 'major', overloads: [method('semver_major', [SEMVER], INT, part(0))] },
    { name: 'minor', overloads: [method('semver_minor', [SEMVER], INT, part(1))] },
    { name: 'patch', overloads: [method('semver_patch', [SEMVER], INT, part(2))] },
  ],
};
