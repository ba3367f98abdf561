import { describe, expect, it } from 'vitest';
import { parseFieldSelector } from './field-selector.ts';

describe('field selectors', () => {
  it.each([
    ['metadata.name', "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    ['a=b\\c', 'invalid field selector: invalid escape sequence: \\c'],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
  ])('refuse %s', (text, message) => expect(() => parseFieldSelector(text)).toThrow(message));

  it('take text to the letter, with escapes', () => {
    const selector = parseFieldSelector(',metadata.name = a,x=b\\,\\=\\\\,');
    expect(selector.requirements).toEqual([
      { field: 'metadata.name ', operator: '=', value: ' a' },
      { field: 'x', operator: '=', value: 'b,=\\' },
    ]);
    expect(parseFieldSelector(selector.text).requirements).toEqual(selector.requirements);
  });

  it('compare texts, an absent field being empty', () => {
    const selector = parseFieldSelector('metadata.name==a,status.phase!=Running');
    expect(selector.matches({ 'metadata.name': 'a' })).toBe(true);
    expect(selector.matches({ 'metadata.name': 'a', 'status.phase': 'Running' })).toBe(false);
    expect(selector.requiredValue('metadata.name')).toBe('a');
    expect(selector.requiredValue('status.phase')).toBeUndefined();
  });
});
