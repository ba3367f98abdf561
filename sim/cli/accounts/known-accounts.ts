/**
 * What runs came to when somebody last looked: fingerprints of their accounts, a line for each run
 * (`scenarios/accounts.txt`). Nothing in there is a promise: a difference asks whoever changed the program whether it was
 * meant. Then it is written down anew.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Fingerprints = ReadonlyMap<string, string>;

const FILE = 'scenarios/accounts.txt';

export const accountsFile = (root: string): string => join(root, FILE);

/** By `name#seed`. */
export function readAccounts(root: string): ReadonlyMap<string, Fingerprints> {
  const lines = readFileSync(accountsFile(root), 'utf8').trim().split('\n');
  return new Map(
    lines.map((line) => {
      const [run = '', ...parts] = line.split(' ');
      return [run, new Map(parts.map((part) => part.split('=') as [string, string]))];
    }),
  );
}

export const textOfAccounts = (accounts: ReadonlyMap<string, Fingerprints>): string =>
  [...accounts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([run, prints]) => `${[run, ...[...prints].map((print) => print.join('='))].join(' ')}\n`)
    .join('');

/** Of what another account is given: kinds of objects, and the like. */
export function unlike(known: Fingerprints, found: Fingerprints): readonly string[] {
  const groups = new Set([...known.keys(), ...found.keys()]);
  return [...groups].filter((group) => known.get(group) !== found.get(group)).sort();
}
