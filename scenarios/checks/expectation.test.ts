import { expect, test } from 'vitest';
import type { Answer } from '../world/world.ts';
import { detailOf, mismatchesOf } from './expectation.ts';

const ANSWER: Answer = {
  status: 200,
  headers: {},
  body: {
    items: [
      { metadata: { name: 'a' }, spec: { nodeName: 'n' } },
      { metadata: { name: 'b' }, spec: {} },
    ],
  },
  warnings: [],
};

const detailsOf = (cel: string): readonly string[] => mismatchesOf({ cel }, ANSWER).map(detailOf);

test('an expression has to be true of the answer', () => {
  expect(detailsOf('status == 200 && body.items.exists(pod, has(pod.spec.nodeName))')).toEqual([]);
  expect(detailsOf('body.items.all(pod, has(pod.spec.nodeName))')).toEqual([
    'cel should be true of the answer: body.items.all(pod, has(pod.spec.nodeName)); but it is false',
  ]);
  expect(detailsOf('body.items[2].metadata.name == "c"')).toEqual([
    'cel should be true of the answer: body.items[2].metadata.name == "c"; but it fails: index out of bounds: 2',
  ]);
  expect(detailsOf('size(body.items)')).toEqual([
    'cel should be true of the answer: size(body.items); but it is 2',
  ]);
});

test('what is no expression is said to be none', () => {
  expect(() => detailsOf('size(bod')).toThrow(/`cel` is no expression: ERROR: <input>:1:9: Syntax error/);
});
