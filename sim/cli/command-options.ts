/** Checked values of command line options. */
import { InvalidArgumentError } from 'commander';
import { findRelease, nameOfRelease, RELEASE_NAMES } from '../api/release/releases.ts';

export function wholeNumber(text: string): number {
  if (!/^[0-9]+$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw new InvalidArgumentError('expected a whole number');
  return Number(text);
}

export function positiveNumber(text: string): number {
  const number = wholeNumber(text);
  if (number < 1) throw new InvalidArgumentError('expected 1 or more');
  return number;
}

export function regularExpression(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : 'expected a regular expression');
  }
}

export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** `2/5`: the second of five parts. */
export function shardText(text: string): Shard {
  const match = /^([0-9]+)\/([0-9]+)$/.exec(text);
  const [index, count] = [Number(match?.[1]), Number(match?.[2])];
  if (!match || index < 1 || index > count)
    throw new InvalidArgumentError('expected i/n with 1 ≤ i ≤ n, such as 2/5');
  return { index, count };
}

/** A release of Kubernetes that there is, by its name: `1.29`. */
export function releaseName(text: string): string {
  const release = findRelease(text);
  if (!release)
    throw new InvalidArgumentError(
      `expected a release from ${RELEASE_NAMES[0] ?? ''} to ${RELEASE_NAMES.at(-1) ?? ''}`,
    );
  return nameOfRelease(release);
}
