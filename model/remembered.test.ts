import { expect, it } from 'vitest';
import { remembered } from './remembered.ts';

it('reads each text once, also one that says nothing, and any number of them', () => {
  const asked: string[] = [];
  const lengthOf = remembered((text) => {
    asked.push(text);
    return text === '' ? undefined : text.length;
  });
  expect([lengthOf('ab'), lengthOf(''), lengthOf('ab'), lengthOf('')]).toEqual([2, undefined, 2, undefined]);
  expect(asked).toEqual(['ab', '']);
  for (let number = 0; number < 20_000; number += 1)
    expect(lengthOf(`n${number}`)).toBe(String(number).length + 1);
  expect(lengthOf('ab')).toBe(2);
});
