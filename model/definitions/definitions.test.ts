/**
 * Definitions of well-known projects, unchanged as those publish them: they are taken in, and objects of theirs are
 * judged as `said.json` has it from a real 1.31 server. That one's order of causes is the order of a Go map: any.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { askedServer, type Reply } from '../../sim/cli/golden/asked-server.ts';

interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly kind: string; readonly plural: string };
  };
}

interface Sample {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

interface Said {
  readonly kind: string;
  readonly name: string;
  readonly status: number;
  readonly causes: readonly string[];
}

interface Cause {
  readonly field: string;
  readonly message: string;
}

const read = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');

const definitions = readdirSync(join(import.meta.dirname, 'files')).map(
  (name) => parse(read(join('files', name))) as Definition,
);
const samples = parseAllDocuments(read('objects.yaml')).map((document) => document.toJS() as Sample);
const said = JSON.parse(read('said.json')) as readonly Said[];

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const ask = askedServer();

function pathOf({ apiVersion, kind }: Sample): string {
  const spec = definitions.map((each) => each.spec).find(({ names }) => names.kind === kind);
  const place = spec?.scope === 'Namespaced' ? 'namespaces/default/' : '';
  return `/apis/${apiVersion}/${place}${spec?.names.plural ?? ''}`;
}

const causesOf = ({ body }: Reply): readonly string[] =>
  ((body['details'] as { readonly causes?: readonly Cause[] } | undefined)?.causes ?? [])
    .map(({ field, message }) => `${field}: ${message}`)
    .toSorted();

describe('definitions of well-known projects', () => {
  it('are at least ten', () => {
    expect(definitions.length).toBeGreaterThanOrEqual(10);
    expect(samples).toHaveLength(said.length);
  });

  it.each(definitions.map((definition) => [definition.metadata.name, definition] as const))(
    '%s is taken in as it is',
    (_name, definition) => {
      expect(ask('POST', DEFINITIONS, definition)).toMatchObject({ status: 201, warnings: [] });
    },
  );

  it('judge their objects as a real server does', () => {
    ask.sleep(10_000);
    const judged = samples.map((sample) => {
      const reply = ask('POST', pathOf(sample), sample);
      const { status } = reply;
      return { kind: sample.kind, name: sample.metadata.name, status, causes: causesOf(reply) };
    });
    expect(judged).toEqual(said);
  });
});
