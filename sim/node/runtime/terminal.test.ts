import { expect, test } from 'vitest';
import { Terminal } from './terminal.ts';

function typed(...pieces: readonly string[]): { readonly lines: readonly unknown[]; readonly shown: string } {
  let shown = '';
  let pieceCount = 0;
  const terminal = new Terminal((text) => {
    shown += text;
    pieceCount++;
  });
  const lines = pieces.flatMap((piece) => terminal.type(new TextEncoder().encode(piece)));
  expect(pieceCount, 'each piece is shown at once').toBeLessThanOrEqual(pieces.length);
  return { lines: lines.map((line) => line && new TextDecoder().decode(line)), shown };
}

test('hands over lines, however they are ended, and shows them', () => {
  expect(typed('one\rtw', 'o\n', 'thr')).toEqual({ lines: ['one\n', 'two\n'], shown: 'one\ntwo\nthr' });
});

test('takes back what is rubbed out, character by character, and never more than there is', () => {
  expect(typed('aé\x7f\x7f\x7fb\r')).toEqual({ lines: ['b\n'], shown: 'aé\b \b\b \bb\n' });
  expect(typed('all\x15b\r')).toEqual({ lines: ['b\n'], shown: `all${'\b \b'.repeat(3)}b\n` });
});

test('gives a line up', () => {
  expect(typed('rm -r /\x03ls\r')).toEqual({ lines: ['\n', 'ls\n'], shown: 'rm -r /^C\nls\n' });
});

test('ends the input on an empty line, and hands over what is on another', () => {
  expect(typed('half\x04\x04')).toEqual({ lines: ['half', undefined], shown: 'half' });
});

test('takes no more of a line than fits', () => {
  const { lines } = typed('x'.repeat(5_000), '\ry\r');
  expect(lines).toEqual([`${'x'.repeat(4_095)}\n`, 'y\n']);
});
