import { describe, expect, test } from 'vitest';
import { compile } from './compile.ts';
import { environmentWith } from './environment.ts';
import { declare, fieldsIn, sizesIn } from './schema/declare.ts';
import { schemaValue } from './schema/json-values.ts';
import { shown } from './values/text.ts';

const schema = {
  type: 'object',
  properties: {
    replicas: { type: 'integer' },
    maxReplicas: { type: 'integer' },
    ratio: { type: 'number' },
    name: { type: 'string', maxLength: 10 },
    tags: { type: 'array', items: { type: 'string' } },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    port: { 'x-kubernetes-int-or-string': true },
    at: { type: 'string', format: 'date-time' },
    'x-dash': { type: 'integer' },
    namespace: { type: 'string' },
  },
} as const;
const object = {
  replicas: 3,
  maxReplicas: 5,
  ratio: 2,
  name: 'größe',
  tags: ['a', 'b'],
  labels: { 'a.b': 'c' },
  port: 'http',
  at: '2024-02-29T12:00:00Z',
  'x-dash': 4,
  namespace: 'here',
};
const declared = declare(schema, 'selfType1', false);
if (!declared) throw new Error('the schema is declared');
const environment = environmentWith(new Map([['self', declared.type]]), { fieldsOf: fieldsIn(declared) });

const UNHASHABLE = 'internal error: runtime error: hash of unhashable type types.Bytes';

function run(expression: string, limit = 1_000_000): string {
  const compiled = compile(expression, environment);
  if (compiled.kind === 'failure') return compiled.message;
  return shown(
    compiled.program.run((name) => (name === 'self' ? schemaValue(object, schema) : undefined), limit).result,
  );
}

function costs(expression: string): readonly [actual: number, most: number] {
  const compiled = compile(expression, environment);
  if (compiled.kind === 'failure' || !declared) throw new Error(expression);
  const { cost } = compiled.program.run(() => schemaValue(object, schema), 1_000_000);
  return [cost, compiled.program.estimate(sizesIn(declared)).max];
}

describe('an expression', () => {
  test.each([
    ['self.replicas <= self.maxReplicas', 'true'],
    ['self.ratio == 2.0', 'true'],
    ['self.name.size()', '5'],
    ['self.x__dash__dash + 1', '5'],
    ['self.__namespace__', 'here'],
    ['{timestamp(0): 1}.size()', '1'],
    ['timestamp(0) in {timestamp(0): 1}', 'true'],
    ['{[1]: 1, [1]: 2}.size()', '2'],
    ['{bytes(self.name): 1}.size()', UNHASHABLE],
    ['{b"a": 1}.size()', UNHASHABLE],
    ['"%s".format([{bytes(self.name): 1}])', UNHASHABLE],
    ['dyn(b"a") in {"a": 1}', UNHASHABLE],
    ['{bytes(self.name): 1}.size() == 1 && false', UNHASHABLE],
    ['false && {bytes(self.name): 1}.size() == 1', 'false'],
    ['[0.0 / 0.0].exists(x, x == x)', 'false'],
    ['dyn([1])[dyn(self.labels)]', 'invalid qualifier type: *common.unstructuredMap'],
    ['[1][dyn(null)]', 'invalid qualifier type: types.Null'],
    ['{}[timestamp(0)]', 'invalid qualifier type: types.Timestamp'],
    ['dyn([1])[dyn(self.tags)]', 'invalid qualifier type: *common.unstructuredList'],
    ['dyn(duration("1s")).size()', 'no such overload'],
    ['dyn(1).findAll("a")', 'no such overload'],
    ['dyn(1).findAll(self.name)', 'no such overload: findAll(int, string)'],
    ['dyn(1).matches("a")', 'no such overload'],
    ['dyn(1).matches(self.name)', 'no such overload: matches'],
    ['self.port.startsWith("h")', 'true'],
    ['dyn(self.replicas).startsWith("h")', 'no such overload'],
    ["timestamp(0).getHours('/a')", 'time: invalid location name'],
    ["timestamp(0).getHours('Local')", '0'],
    ["timestamp(0).getHours('a\\u0000b')", 'invalid argument'],
    ["timestamp(0).getHours('America')", 'is a directory'],
    ["timestamp(0).getHours('Europe/')", 'is a directory'],
    ["timestamp(0).getHours('Europe/London/x')", 'not a directory'],
    [`timestamp(0).getHours('${'A'.repeat(256)}')`, 'file name too long'],
    ["quantity('1').sub(-9223372036854775808).isLessThan(quantity('1'))", 'true'],
    ['timestamp', 'no such attribute(s): timestamp'],
    ['self.at.getDayOfYear()', '59'],
    ['self.labels["a.b"]', 'c'],
    ['self.port == 1 || self.port == "http"', 'true'],
    ['self.tags.map(t, t + t).join("-")', 'aa-bb'],
    ['self.tags.exists_one(t, t == "a")', 'true'],
    ['self.?labels[?"none"].orValue("-")', '-'],
    ['9223372036854775807 + 1', 'integer overflow'],
    ['9223372036854775807 - 1', '9223372036854775806'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['7 / -2', '-3'],
    ['-7 % 3', '-1'],
    ['1u - 2u', 'unsigned integer overflow'],
    ['1 < 1.5 && 2u > 1', 'true'],
    ['dyn(1) == dyn(1.0)', 'true'],
    ['1 / 0', 'division by zero'],
    ['1 / 0 > 1 || true', 'true'],
    ['"a" > "B"', 'true'],
    ['size("😀é")', '2'],
    ['"😀é".substring(1)', 'é'],
    ['b"\\xff" == b"\\377"', 'true'],
    ['string(1e6)', '1e+06'],
    ['string(duration("90m"))', '5400s'],
    ['timestamp("2024-01-01T00:00:00Z") + duration("1h")', '2024-01-01T01:00:00Z'],
    ['timestamp("2024-07-01T00:00:00Z").getHours("Europe/Berlin")', '2'],
    ['quantity("1.5").isInteger()', 'false'],
    ['cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16")', 'false'],
    ['ip("::ffff:1.2.3.4")', 'IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed'],
    ['url("https://[::1]:80/a?b=c").getHostname()', '::1'],
    ['url("https://a:80:90").getHost()', 'a:80:90'],
    ['sets.contains([1, 2], [2])', 'true'],
    ['"%s: %.1f".format(["a", 1234.56])', 'a: 1,234.6'],
    ['optional.none().value()', 'optional.none() dereference'],
    ['optional.of(2).optMap(x, x * 2).value()', '4'],
    ['{"a": 1}.b', 'no such key: b'],
    ['[1][3]', 'index out of bounds: 3'],
    ['dyn("a") - 1', 'no such overload'],
    ['type(1) == int', 'true'],
    ['timestamp == timestamp(0)', 'no such attribute(s): timestamp'],
    ['duration < duration("1s")', 'no such attribute(s): duration'],
    ['int(self.name) in []', 'false'],
    ['int(self.name) in [1]', "type conversion error from 'string' to 'int'"],
  ])('%s is %s', (expression, value) => {
    expect(run(expression)).toBe(value);
  });

  test.each([
    ['self.none', 1, 5, "undefined field 'none'"],
    ['other > 1', 1, 1, "undeclared reference to 'other' (in container '')"],
    ['self.name + 1', 1, 11, "found no matching overload for '_+_' applied to '(string, int)'"],
    ['[1, "a"]', 1, 5, "expected type 'int' but found 'string'"],
    ['"x".matches("(")', 1, 13, 'invalid matches argument'],
    ['has(self)', 1, 5, 'invalid argument to has() macro'],
    ['true &&\n 1', 2, 2, "expected type 'bool' but found 'int'"],
  ])('%s is refused at %i:%i', (expression, line, column, message) => {
    const [head, text = '', marker = ''] = run(expression).split('\n');
    expect(head).toBe(`ERROR: <input>:${line}:${column}: ${message}`);
    expect(text).toBe(` | ${expression.split('\n')[line - 1] ?? ''}`);
    expect(marker).toBe(` | ${'.'.repeat(column - 1)}^`);
  });

  test('with an error at every second character is answered at once, and the errors are cut short', () => {
    const said = run('$ '.repeat(50_000));
    expect(said.split('\n')).toHaveLength(101);
    expect(said).toMatch(/^ERROR: <input>:1:1: Syntax error: token recognition error at: '\$'\n/);
    expect(said).toMatch(/\n1 more errors were truncated$/);
  });

  test('that is too long or too deep is refused before it is read', () => {
    expect(run(`"${'x'.repeat(1_000_000)}"`)).toBe(
      'ERROR: <input>:-1:0: expression code point size exceeds limit: size: 1000002, limit 100000',
    );
    expect(run(`${'('.repeat(5_000)}1${')'.repeat(5_000)}`)).toBe(
      'ERROR: <input>:-1:0: expression recursion limit exceeded: 250',
    );
    expect(run(`1${' + 1'.repeat(300)}`)).toBe('ERROR: <input>:-1:0: max recursion depth exceeded');
    expect(run(Array.from({ length: 10_000 }, () => 'true').join(' && '))).toBe('true');
  });

  test('is stopped when it has cost enough', () => {
    const expression = '[1,2,3,4,5,6,7,8,9].all(a, [1,2,3,4,5,6,7,8,9].all(b, a + b > 0))';
    expect(run(expression)).toBe('true');
    expect(run(expression, 100)).toBe('operation cancelled: actual cost limit exceeded');
  });

  test.each([
    ['self.replicas', 2, 2],
    ['has(self.replicas)', 1, 1],
    ['self.name == "a"', 3, 3],
    ['self.name.contains("abc")', 3, 6],
    ['self.tags[0]', 3, 3],
    ['[1, 2].exists(x, x == 2)', 13, 21],
    ['"a" in ["a", "b"]', 0, 12],
  ])('%s costs %i and at most %i', (expression, actual, most) => {
    expect(costs(expression)).toStrictEqual([actual, most]);
  });
});
