/** What is drawn comes to what it came to when somebody last looked. Who means what differs: `npm run accounts`. */
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { DRAWN, printsOf, readDrawn } from './drawn.ts';

const known = readDrawn(resolve(import.meta.dirname, '../../..'));

it.each(DRAWN.map((drawn) => [drawn.title, drawn] as const))('comes to the same: %s', (title, drawn) => {
  const found = printsOf(drawn);
  const others = (known.get(title) ?? []).flatMap((print, at) => (print === found[at] ? [] : [at]));
  expect(others, `numbers of what is another: npm run accounts -- --answers ${title}`).toEqual([]);
  expect(known.get(title)).toHaveLength(found.length);
});
