/** The library of named formats, which 1.31 lets only stored expressions use. Values and costs are those of the real one. */
import { expect, test } from 'vitest';
import { compile } from './compile.ts';
import { environmentWith } from './environment.ts';
import { shown } from './values/text.ts';

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

test.each([
  ['format.dns1123Label().validate("a").hasValue()', 'false', 10],
  ['format.dns1123LabelPrefix().validate("a-").hasValue()', 'false', 10],
  ['format.dns1123Subdomain().validate("A").value()[0]', SUBDOMAIN, 19],
  ['format.uri().validate("x y").value()[0]', 'parse "x y": invalid URI for request', 280],
  ['format.named("uuid").value().validate("a").value()[0]', 'does not match the UUID format', 23],
  ['format.named("byte").value().validate("aGVsbG8=").hasValue()', 'false', 24],
  ['format.named("date").value().validate("2021-02-29").value()[0]', 'invalid date', 41],
  ['format.named("nope").hasValue()', 'false', 2],
  ['format.uri() == format.uuid()', 'false', 3],
])('%s', (expression, value, cost) => {
  const compiled = compile(expression, environmentWith(new Map(), { areStored: true }));
  if (compiled.kind === 'failure') throw new Error(compiled.message);
  const outcome = compiled.program.run(() => undefined, 1_000_000);
  expect([shown(outcome.result), outcome.cost]).toEqual([value, cost]);
});

test('new expressions do not know it', () => {
  const compiled = compile('format.uri()', environmentWith(new Map()));
  expect(compiled).toMatchObject({
    kind: 'failure',
    message:
      "ERROR: <input>:1:1: undeclared reference to 'format' (in container '')\n | format.uri()\n | ^\nERROR: <input>:1:11: undeclared reference to 'uri' (in container '')\n | format.uri()\n | ..........^",
  });
});
