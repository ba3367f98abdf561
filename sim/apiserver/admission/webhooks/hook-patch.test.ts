import { expect, it } from 'vitest';
import { applyHookPatch, readHookPatch } from './hook-patch.ts';

const DOCUMENT = '{"data":{"a":"b"}}';

it('a patch of a webhook may have more operations than one of a request', () => {
  const text = JSON.stringify(
    Array.from({ length: 20_000 }, () => ({ op: 'add', path: '/data/x', value: 'y' })),
  );
  expect(applyHookPatch(DOCUMENT, readHookPatch(text))).toBe('{"data":{"a":"b","x":"y"}}');
});

it('copies of copies end before they fill the memory', () => {
  const copies = Array.from({ length: 40 }, (_none, index) => ({
    op: 'copy',
    from: '/data',
    path: `/data/k${index}`,
  }));
  expect(() => applyHookPatch(DOCUMENT, readHookPatch(JSON.stringify(copies)))).toThrow(
    'Internal error occurred: Unable to complete the copy, the accumulated size increase of copy is 3932284, exceeding the limit 3145728',
  );
});

it('what is moved into itself has no place to go to', () => {
  const move = JSON.stringify([{ op: 'move', from: '/data', path: '/data/x' }]);
  expect(() => applyHookPatch(DOCUMENT, readHookPatch(move))).toThrow(
    'move operation does not apply: doc is missing destination path: /data/x: missing value',
  );
});

it('what is not there cannot be moved: its key says so', () => {
  const move = JSON.stringify([{ op: 'move', from: '/data/a~1b', path: '/data/x' }]);
  expect(() => applyHookPatch(DOCUMENT, readHookPatch(move))).toThrow(
    "error in move for path: 'a/b': Unable to remove nonexistent key: a/b: missing value",
  );
});
