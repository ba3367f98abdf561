import { describe, expect, it } from 'vitest';
import { ApiError } from '../status.ts';
import { labelSelectorOf, LabelSelectorError } from './label-selector.ts';
import { parseLabelSelector } from './label-selector-parser.ts';

const messageOf = (text: string): string => {
  try {
    return `no error: ${parseLabelSelector(text).text}`;
  } catch (error) {
    return error instanceof ApiError && error.code === 400 ? error.message : String(error);
  }
};

const LABEL_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

describe('text of label selectors', () => {
  it.each([
    ['app x', "unable to parse requirement: found 'x', expected: in, notin, =, ==, !=, gt, lt"],
    ['app,', "found '', expected: identifier after ','"],
    ['app,\0,b', "found ',', expected: identifier after ','"],
    ['app, \0b', "found '', expected: identifier after ','"],
    [',app', "found ',', expected: !, identifier, or 'end of string'"],
    ['app=x tier=y', "found 'tier', expected: ',' or 'end of string'"],
    ['=x', "found '=', expected: !, identifier, or 'end of string'"],
    ['!=x', "found '!=', expected: !, identifier, or 'end of string'"],
    ['app=!x', "unable to parse requirement: found '!', expected: identifier"],
    ['app===x', "unable to parse requirement: found '=', expected: identifier"],
    ['!app=x', "found '=', expected: ',' or 'end of string'"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['app!', "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"],
    ['>1', "found '>', expected: !, identifier, or 'end of string'"],
    ['app in x', "unable to parse requirement: found 'x' expected: '('"],
    ['app in (a b)', "unable to parse requirement: found 'b', expected: ',' or ')'"],
    ['app=x/y', `unable to parse requirement: values[0][app]: Invalid value: "x/y": ${LABEL_RULE}`],
    ['app="x"', `unable to parse requirement: values[0][app]: Invalid value: "\\"x\\"": ${LABEL_RULE}`],
    [
      'n>x',
      `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
  ])('refuses %s', (text, message) => expect(messageOf(text)).toBe(message));

  it('names a key that is none with its rule', () => {
    expect(messageOf('app~x')).toMatch(
      /^unable to parse requirement: <nil>: Invalid value: "app~x": name part must consist of/,
    );
  });

  it.each([
    ['app in ()', 'app in ()', { app: '' }, { app: 'x' }],
    // A NUL right after anything is passed over.
    ['app=\0,b', 'app=,b', { app: '', b: '' }, { app: 'x', b: '' }],
    ['app in (\0,b)', 'app in (,b)', { app: 'b' }, { app: 'x' }],
    ['app=x,\0 b', 'app=x,b', { app: 'x', b: '' }, { app: 'x' }],
    ['app in (,x)', 'app in (,x)', { app: '' }, {}],
    ['app in (x, y )', 'app in (x,y)', { app: 'y' }, { app: 'z' }],
    ['app notin (,x)', 'app notin (,x)', {}, { app: 'x' }],
    ['in in (in)', 'in in (in)', { in: 'in' }, { in: 'notin' }],
    ['notin', 'notin', { notin: '' }, {}],
    ['app=in', 'app=in', { app: 'in' }, {}],
    ['n > 8', 'n>8', { n: '9' }, { n: '8' }],
    ['n>1,2', '2,n>1', { n: '2', 2: '' }, { n: '2' }],
    ['!example.com/part,n', '!example.com/part,n', { n: '' }, { n: '', 'example.com/part': 'p' }],
    ['app!=x', 'app!=x', {}, { app: 'x' }],
    ['app==', 'app==', { app: '' }, {}],
  ])('%s', (text, canonical, selected, left) => {
    const selector = parseLabelSelector(text);
    expect(selector.text).toBe(canonical);
    expect([selector.matches(selected), selector.matches(left)]).toEqual([true, false]);
  });

  it('an absent selector of an object selects nothing, an empty one everything', () => {
    expect(labelSelectorOf(null).matches({ a: 'b' })).toBe(false);
    expect(labelSelectorOf({}).matches({ a: 'b' })).toBe(true);
    const selector = labelSelectorOf({
      matchLabels: { a: 'b' },
      matchExpressions: [{ key: 'c', operator: 'DoesNotExist' }],
    });
    expect([selector.text, selector.matches({ a: 'b' }), selector.matches({ a: 'b', c: '' })]).toEqual([
      'a=b,!c',
      true,
      false,
    ]);
    // Of an object each value is shown as often as it is said, of a query once.
    const values = ['y', 'x', 'y'];
    expect(labelSelectorOf({ matchExpressions: [{ key: 'c', operator: 'NotIn', values }] }).text).toBe(
      'c notin (x,y,y)',
    );
    expect(parseLabelSelector('c notin (y,x,y)').text).toBe('c notin (x,y)');
    expect(() => labelSelectorOf({ matchExpressions: [{ key: 'c', operator: 'Is' }] })).toThrow(
      LabelSelectorError,
    );
  });
});
