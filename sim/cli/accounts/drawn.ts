/**
 * What is drawn and told, each part with a fingerprint (`model/golden/drawn.txt`, a line for each title). As with accounts of
 * runs, a difference asks whether it was meant; who means it writes it down anew.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawnForms } from './areas/drawn-forms.ts';
import { drawnMachines } from './areas/drawn-machines.ts';
import { drawnCommands, drawnScripts } from './areas/drawn-programs.ts';
import { answersOf, ASKED } from './drawn-answers.ts';
import { drawnExpressions, suiteOfExpressions } from './drawn-expressions.ts';
import type { Told } from './told.ts';

export interface Drawn {
  readonly title: string;
  readonly tell: () => Iterable<Told>;
}

export const DRAWN: readonly Drawn[] = [
  ...ASKED.map((asked) => ({ title: asked.title, tell: () => answersOf(asked) })),
  { title: 'forms', tell: drawnForms },
  { title: 'machines', tell: drawnMachines },
  { title: 'programs/scripts', tell: drawnScripts },
  { title: 'programs/commands', tell: drawnCommands },
  { title: 'expressions/drawn', tell: drawnExpressions },
  { title: 'expressions/suite', tell: suiteOfExpressions },
];

const DIGITS = 8;

/** Of each thing that is told. */
export const printsOf = ({ tell }: Drawn): readonly string[] =>
  Array.from(tell(), ({ said }) =>
    createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, DIGITS),
  );

export const drawnFile = (root: string): string => join(root, 'model/golden/drawn.txt');

/** Fingerprints by title. */
export const readDrawn = (root: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    readFileSync(drawnFile(root), 'utf8')
      .trim()
      .split('\n')
      .map((line) => {
        const [title = '', ...prints] = line.split(' ');
        return [title, prints];
      }),
  );
