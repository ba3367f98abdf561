/**
 * What expressions come to: drawn ones over drawn schemas and values, as rules of definitions and as those that look at
 * something without a schema, and every case of the public suite of the language, with what they cost and how they are
 * refused.
 */
import { tests } from '@bufbuild/cel-spec/testdata/conformance.js';
import type { JSONSchemaProps } from '../../api/types/apiextensions-k8s-io-v1.ts';
import { compile } from '../../api/cel/compile.ts';
import { casesIn, type ConformanceCase } from '../../api/cel/conformance/conformance-case.ts';
import { environmentWith } from '../../api/cel/environment.ts';
import { declare, fieldsIn, sizesIn } from '../../api/cel/schema/declare.ts';
import { plainValue, schemaValue } from '../../api/cel/schema/json-values.ts';
import type { Environment } from '../../api/cel/types/declarations.ts';
import { DYN } from '../../api/cel/types/type.ts';
import { shown } from '../../api/cel/values/text.ts';
import { isError, type Result, typeOfValue } from '../../api/cel/values/value.ts';
import { Draws } from '../compare-cel/draws.ts';
import { RandomExpressions } from '../compare-cel/random-expressions.ts';
import { randomSchema, randomSpec } from '../compare-cel/random-schema.ts';
import type { Told } from './told.ts';

const SEED = 51;
const BATCHES = 200;
const EXPRESSIONS = 40;
const CASES_IN_ONE = 100;
const BUDGET = 10_000_000;

interface World {
  readonly environment: Environment;
  readonly sizes?: ReturnType<typeof sizesIn>;
  /** Of each of several runs, what its variables are. */
  readonly values: readonly ((name: string) => Result | undefined)[];
}

function textOf(expression: string, { environment, sizes, values }: World): string {
  const compiled = compile(expression, environment);
  if (compiled.kind === 'failure') return compiled.message;
  const { program } = compiled;
  const estimate = sizes && program.estimate(sizes);
  const outcomes = values.map((valueOf) => {
    const { result, cost } = program.run(valueOf, BUDGET);
    const type = isError(result) ? 'error' : typeOfValue(result).name;
    return `${type} ${shown(result)} for ${cost}`;
  });
  return [`costs ${estimate?.min}..${estimate?.max}`, ...outcomes].join('; ');
}

/** Of each batch, what is said of each of its expressions. */
export function* drawnExpressions(): Generator<Told> {
  for (let batch = 0; batch < BATCHES; batch++) {
    const draws = new Draws(SEED * 1_000_003 + batch * 7919);
    const schema = randomSchema(draws);
    const specs = [randomSpec(draws), randomSpec(draws), randomSpec(draws)] as const;
    const expressions = new RandomExpressions(draws);
    const worlds = [withSchema(schema, specs), withoutSchema(specs)];
    const told = Array.from({ length: EXPRESSIONS }, () => {
      const expression = batch % 3 === 0 ? expressions.nextTruth() : expressions.next();
      return [expression, ...worlds.map((world) => textOf(expression, world))];
    });
    yield { name: `batch ${batch}`, said: told };
  }
}

function withSchema(schema: JSONSchemaProps, specs: readonly object[]): World {
  const declared = declare(schema, 'selfType', false);
  if (!declared) return withoutSchema(specs);
  const { type } = declared;
  const variables = new Map([
    ['self', type],
    ['oldSelf', type],
  ]);
  return {
    environment: environmentWith(variables, { fieldsOf: fieldsIn(declared) }),
    sizes: sizesIn(declared),
    values: specs.map((spec, at) => (name) => {
      if (name === 'self') return schemaValue(spec, schema);
      return name === 'oldSelf' ? schemaValue(specs[(at + 1) % specs.length], schema) : undefined;
    }),
  };
}

const withoutSchema = (specs: readonly object[]): World => ({
  environment: environmentWith(
    new Map([
      ['self', DYN],
      ['oldSelf', DYN],
    ]),
    { hasLibraryCosts: false },
  ),
  values: specs.map((spec, at) => (name) => {
    if (name === 'self') return plainValue(spec);
    return name === 'oldSelf' ? plainValue(specs[(at + 1) % specs.length]) : undefined;
  }),
});

/** Of so many cases each, what becomes of them; those that are not meant for Kubernetes, too. */
export function* suiteOfExpressions(): Generator<Told> {
  const cases = casesIn(tests);
  for (let from = 0; from < cases.length; from += CASES_IN_ONE)
    yield {
      name: `cases from ${from}`,
      said: cases.slice(from, from + CASES_IN_ONE).map((each) => `${each.name}: ${outcomeOf(each)}`),
    };
}

const outcomeOf = ({ expression, variables, values }: ConformanceCase): string =>
  textOf(expression, { environment: environmentWith(variables), values: [(name) => values.get(name)] });
