/** Drawn requests are answered as they were when somebody last looked. Who means what differs: `npm run accounts`. */
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { ASKED, answersOf, readDrawn } from './drawn-answers.ts';

const known = readDrawn(resolve(import.meta.dirname, '../../..'));

it.each(ASKED.map((asked) => [asked.title, asked] as const))(
  'answers drawn requests as it did: %s',
  (title, asked) => {
    const found = answersOf(asked);
    const others = (known.get(title) ?? []).flatMap((print, at) => (print === found[at] ? [] : [at]));
    expect(others, 'numbers of sequences that are answered otherwise').toEqual([]);
    expect(known.get(title)).toHaveLength(found.length);
  },
);
