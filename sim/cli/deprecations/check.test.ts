import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { policyViolations } from '../../../model/deprecation/policy.ts';
import { builtinHistory } from './builtin-history.ts';
import { readHistory } from './read-history.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubesim-history-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const put = (release: string, text: string): void => {
  mkdirSync(join(folder, release), { recursive: true });
  writeFileSync(join(folder, release, 'all.yaml'), text);
};
const definition = (versions: string): string => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  names: { plural: widgets, kind: Widget }
  versions: [${versions}]
`;
const version = (name: string, properties: string, more = 'served: true, storage: true'): string =>
  `{ name: ${name}, ${more}, schema: { openAPIV3Schema: { type: object, properties: { spec: { type: object, properties: { ${properties} } } } } } }`;

test('what definitions lose from one release to the next is told', () => {
  put(
    'v0.9.0',
    definition(version('v1', 'size: { type: integer }, mode: { type: string, enum: [Fast, Slow] }')),
  );
  put('v0.10.0', definition(version('v1', 'size: { type: string }, mode: { type: string, enum: [Fast] }')));
  put('v0.11.0', definition(version('v2', 'size: { type: string }')));
  expect(
    policyViolations(readHistory(folder)).map(({ rule, release, subject, message }) => [
      rule,
      release,
      subject,
      message,
    ]),
  ).toEqual([
    ['1', 'v0.10.0', 'example.com/v1 Widget', 'spec.size was integer and is string now'],
    ['1', 'v0.10.0', 'example.com/v1 Widget', 'spec.mode="Slow" was removed from the version'],
    ['4a', 'v0.11.0', 'example.com/v1 Widget', 'a stable version was removed'],
    [
      '4b',
      'v0.11.0',
      'example.com/v2 Widget',
      'the stored version moved from v1: no earlier release served both',
    ],
    [
      '4b',
      'v0.11.0',
      'example.com/v2 Widget',
      'the preferred version moved from v1: no earlier release served both',
    ],
  ]);
});

test('what a release says of itself counts, and what it says wrongly is told by its place', () => {
  const release = (spec: string): string =>
    `apiVersion: kubesim.dev/v1\nkind: Release\nmetadata: { name: x }\nspec: ${spec}\n`;
  put(
    '1',
    release(
      '{ date: "2024-01-01", commandLine: [{ name: --old, stability: ga, audience: user, isDeprecated: true }] }',
    ),
  );
  put('2', release('{ date: "2024-05-01" }'));
  expect(policyViolations(readHistory(folder)).map(({ rule }) => rule)).toEqual(['6']);
  for (const [spec, message] of [
    ['{ flags: [] }', /unknown member spec\.flags: expected date, commandLine/],
    ['{ date: soon }', /spec\.date: expected a day/],
    ['{ gates: {} }', /spec\.gates: expected a list/],
    ['{ gates: [{ name: G, stage: GA }] }', /spec\.gates\[0\]\.stage: expected one of alpha, beta, ga/],
    ['{ gates: [{ name: G }] }', /spec\.gates\[0\]\.stage is missing/],
    [
      '{ metrics: [{ name: m, stability: STABLE, isHidden: yes please }] }',
      /isHidden: expected true or false/,
    ],
    [
      '{ metrics: [{ nam: m }] }',
      /all\.yaml:1: unknown member spec\.metrics\[0\]\.nam: expected one of name/,
    ],
  ] as const) {
    put('2', release(spec));
    expect(() => readHistory(folder)).toThrow(message);
  }
});

test('one release is no history', () => {
  put('1', '');
  expect(() => readHistory(folder)).toThrow('expected a folder for each of two releases or more');
});

test('of the built-in kinds only betas stayed for longer than they should have', () => {
  const found = policyViolations(builtinHistory());
  expect(new Set(found.map(({ rule }) => rule))).toEqual(new Set(['4a']));
  expect(found.filter(({ message }) => !message.startsWith('not deprecated within'))).toEqual([]);
  expect(found.map(({ subject }) => subject)).toContain('discovery.k8s.io/v1beta1 EndpointSlice');
});
