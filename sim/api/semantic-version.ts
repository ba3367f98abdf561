/** Semantic versions (semver.org 2.0.0): which there are, and which comes before which. Pure. */
import { compareStrings } from './go-text.ts';

export interface SemanticVersion {
  readonly numbers: readonly [major: number, minor: number, patch: number];
  /** Of a pre-release; empty: it is none. */
  readonly before: readonly string[];
}

/** What is wrong, in the words of the real server's library. */
export class VersionProblem extends Error {}

const NUMBER = /^(?:0|[1-9]\d*)$/;
const IDENTIFIERS = /^[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*$/;
const PADDED = /^0\d+$/;
const MOST = 2 ** 64;

/** @throws VersionProblem */
export function parseVersion(text: string): SemanticVersion {
  if (text === '') throw new VersionProblem('Version string empty');
  const [, core = '', before, build] = /^([^-+]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(text) ?? [];
  const parts = core.split('.');
  if (parts.length !== 3) throw new VersionProblem('No Major.Minor.Patch elements found');
  const wrong = parts.find((part) => !NUMBER.test(part) || Number(part) >= MOST);
  if (wrong !== undefined)
    throw new VersionProblem(`Invalid character(s) found in version number "${wrong}"`);
  for (const more of [before, build])
    if (more !== undefined && !IDENTIFIERS.test(more))
      throw new VersionProblem('Invalid character(s) found in prerelease or build metadata');
  const identifiers = before?.split('.') ?? [];
  const padded = identifiers.find((identifier) => PADDED.test(identifier));
  if (padded !== undefined)
    throw new VersionProblem(`Numeric PreRelease version must not contain leading zeroes "${padded}"`);
  const [major = 0, minor = 0, patch = 0] = parts.map(Number);
  return { numbers: [major, minor, patch], before: identifiers };
}

/** Undefined: it is none. */
export function versionOf(text: string): SemanticVersion | undefined {
  try {
    return parseVersion(text);
  } catch (error) {
    if (error instanceof VersionProblem) return undefined;
    throw error;
  }
}

/** −1, 0 or 1. What was built is the same however it was built. */
export function compareVersions(left: SemanticVersion, right: SemanticVersion): number {
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
