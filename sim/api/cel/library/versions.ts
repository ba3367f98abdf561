/** Semantic versions, as expressions that choose devices compare them: `semver("1.2.3").isLessThan(semver("2.0.0"))`. */
import {
  compareVersions,
  parseVersion,
  type SemanticVersion,
  VersionProblem,
} from '../../semantic-version.ts';
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

class VersionValue implements OpaqueValue {
  readonly kind = 'opaque';
  readonly type = SEMVER;
  readonly version: SemanticVersion;
  readonly text: string;

  constructor(version: SemanticVersion, text: string) {
    this.version = version;
    this.text = text;
  }

  equals(other: Result): Result {
    return other instanceof VersionValue
      ? compareVersions(this.version, other.version) === 0
      : noOverload(other);
  }
}

/** In the words of the library of the real server for what it cannot read. */
function parsed(text: CelValue = null): VersionValue | CelError {
  if (typeof text !== 'string') return NO_OVERLOAD;
  try {
    return new VersionValue(parseVersion(text), text);
  } catch (error) {
    if (error instanceof VersionProblem) return new CelError(error.message);
    throw error;
  }
}

const ofBoth =
  (decide: (order: number) => Result) =>
  (left: CelValue = null, right: CelValue = null): Result =>
    left instanceof VersionValue && right instanceof VersionValue
      ? decide(compareVersions(left.version, right.version))
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
