/**
 * The constants that a case itself sends. An echo of one is compared exactly, even where a value
 * made by the server would become a placeholder.
 */
import { isObject } from './json-object.ts';
import type { GoldenCase } from './golden-case.ts';

export const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
export const RFC3339 = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)/g;
const GENERATE_NAME = /"?\bgenerateName"?\s*:\s*"?([^"\s,}]+)/g;
const REVISION = /resourceVersion\W+(\d+)/g;
const DIGITS = /\d+/g;
const IP = /\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]*(?::[0-9a-f]*){2,}/gi;

export interface Literals {
  readonly uuids: Set<string>;
  /** Instants, in seconds since 1970. */
  readonly seconds: Set<number>;
  readonly ips: Set<string>;
  /** Runs of digits. */
  readonly digits: Set<string>;
  /** Digits given as a resourceVersion. */
  readonly revisions: Set<string>;
  /** As written in the case, with references to variables. */
  readonly generateNames: Set<string>;
}

export function literalsOf({ setup = [], steps }: GoldenCase): Literals {
  const literals: Literals = {
    uuids: new Set(),
    seconds: new Set(),
    ips: new Set(),
    digits: new Set(),
    revisions: new Set(),
    generateNames: new Set(),
  };
  for (const { request, watchOpen } of [...setup, ...steps]) collect(request ?? watchOpen, literals);
  return literals;
}

function collect(value: unknown, literals: Literals): void {
  if (typeof value === 'string') collectText(value, literals);
  else if (typeof value === 'number') literals.digits.add(String(value));
  else if (Array.isArray(value)) for (const item of value) collect(item, literals);
  else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      collectText(key, literals);
      if (key === 'generateName' && typeof item === 'string') literals.generateNames.add(item);
      if (key === 'resourceVersion') literals.revisions.add(String(item));
      collect(item, literals);
    }
  }
}

function collectText(text: string, literals: Literals): void {
  for (const [uuid] of text.matchAll(UUID)) literals.uuids.add(uuid);
  for (const [, clock = '', , zone = ''] of text.matchAll(RFC3339)) literals.seconds.add(secondsOf(clock, zone));
  for (const [ip] of text.matchAll(IP)) literals.ips.add(ip);
  for (const [digits] of text.matchAll(DIGITS)) literals.digits.add(digits);
  for (const [, digits = ''] of text.matchAll(REVISION)) literals.revisions.add(digits);
  for (const [, prefix = ''] of text.matchAll(GENERATE_NAME)) literals.generateNames.add(prefix);
}

/** `clock`: date and time without a fraction. */
export const secondsOf = (clock: string, zone: string): number => Date.parse(clock + zone) / 1_000;
