import { expect, test } from 'vitest';
import { compile } from '../compile.ts';
import { environmentWith } from '../environment.ts';
import { DYN } from './type.ts';

const environment = environmentWith(new Map([['self', DYN]]));
const manyTimes = (text: string): string => Array.from({ length: 30_000 }, () => text).join();

// With all that is known of parameters copied for each question these take minutes.
test.each([
  `[${manyTimes('{}')}]`,
  `[${manyTimes('[]')}]`,
  `{${manyTimes('1:{}').slice(0, 90_000)}`.replace(/,?[^,]*$/, '}'),
])('a literal of as many empty parts as an expression has room for is typed soon (%#)', (text) => {
  expect(compile(text, environment).kind).toBe('program');
});
