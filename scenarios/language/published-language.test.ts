import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { jsonSchemaOf, type JsonSchema } from './json-schema.ts';
import { loadScenario, loadScenarios } from './load-scenario.ts';
import { languageReference, schemaText } from './published-language.ts';
import { propertyDocumentShape } from '../properties/property-shape.ts';
import { scenarioShape } from './scenario-shape.ts';

const FOLDER = join(import.meta.dirname, '..');
const published = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
const scenarioFiles = readdirSync(FOLDER, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.yaml'));

test('the published schema is the language as it is: `kubesim schema > scenarios/scenario.schema.json`', () => {
  expect(published('scenario.schema.json')).toBe(schemaText());
});

test('the published reference is the language as it is: `kubesim schema --reference > scenarios/README.md`', () => {
  expect(published('README.md')).toBe(languageReference());
});

describe('the schema and the reader agree', () => {
  const root = jsonSchemaOf(scenarioShape, propertyDocumentShape);

  test.each(scenarioFiles)('that %s is good', (name) => {
    const text = published(name);
    expect(new Set(loadScenarios(name, text).map(({ kind }) => kind))).toEqual(new Set(['loaded']));
    for (const document of parseAllDocuments(text)) expect(faultsOf(root, document.toJS(), root)).toEqual([]);
  });

  test.each([
    ['a misspelt key', 'spec:', 'spce:'],
    ['a misspelt verb', '- stop: first', '- stopp: first'],
    ['a bad duration', 'advance: 30s', 'advance: 5 parsecs'],
    ['a wrong word', 'kind: Scenario', 'kind: Scenery'],
    ['a number for text', 'stop: first', 'stop: 1'],
    ['text for a mapping', 'delete: { kind: ConfigMap, name: b }', 'delete: b'],
    ['two verbs', 'stop: first', 'stop: first\n      advance: 1s'],
    ['a missing member', 'delete: { kind: ConfigMap, name: b }', 'delete: { kind: ConfigMap }'],
    ['an unknown checker', '[watch-ordered, ', '[watch-oredred, '],
  ])('that %s is not', (_, from, to) => {
    const text = published('api/watch-resume.yaml').replace(from, to);
    expect(text).not.toBe(published('api/watch-resume.yaml'));
    expect(loadScenario('x.yaml', text).kind).toBe('invalid');
    expect(faultsOf(root, parse(text), root)).not.toEqual([]);
  });
});

/** As much of JSON Schema as the published one uses. */
function faultsOf(schema: JsonSchema, value: unknown, root: JsonSchema, path = ''): string[] {
  const {
    $ref,
    type,
    enum: words,
    const: constant,
    pattern,
    minimum,
    maximum,
    anyOf,
    oneOf,
    items,
    properties,
    additionalProperties,
    required,
  } = schema as Words;
  if ($ref !== undefined)
    return faultsOf(
      (root['definitions'] as Readonly<Record<string, JsonSchema>>)[$ref.replace('#/definitions/', '')] ?? {},
      value,
      root,
      path,
    );
  const faults: string[] = [];
  const claim = (holds: boolean, what: string): void => void (holds || faults.push(`${path}: ${what}`));
  const members =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  if (type !== undefined) claim(type === typeOf(value), `is no ${type}`);
  if (words) claim(words.includes(value), 'is another word');
  if (constant !== undefined) claim(value === constant, 'is another value');
  if (pattern !== undefined && typeof value === 'string')
    claim(new RegExp(pattern).test(value), 'has another form');
  if (minimum !== undefined && typeof value === 'number')
    claim(value >= minimum && value <= (maximum ?? Infinity), 'is out of range');
  if (anyOf)
    claim(
      anyOf.some((option) => faultsOf(option, value, root).length === 0),
      'fits nothing',
    );
  if (oneOf)
    claim(
      oneOf.filter((option) => faultsOf(option, value, root).length === 0).length === 1,
      'fits not exactly one',
    );
  for (const name of required ?? [])
    claim(
      members.some(([own]) => own === name),
      `has no ${name}`,
    );
  if (items && Array.isArray(value))
    faults.push(...value.flatMap((item: unknown, index) => faultsOf(items, item, root, `${path}[${index}]`)));
  for (const [name, member] of members) {
    const own =
      properties?.[name] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
    if (own) faults.push(...faultsOf(own, member, root, `${path}.${name}`));
    else claim(additionalProperties !== false, `knows no ${name}`);
  }
  return faults;
}

interface Words {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly required?: readonly string[];
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (value === null) return 'null';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
