/** The public conformance suite of the language (`@bufbuild/cel-spec`), as far as Kubernetes 1.31 is meant by it. */
import { tests } from '@bufbuild/cel-spec/testdata/conformance.js';
import { describe, expect, it } from 'vitest';
import { compile } from '../compile.ts';
import { environmentWith } from '../environment.ts';
import { casesIn, type ConformanceCase, outcomeText } from './conformance-case.ts';
import { whyNot, whyOtherwise } from './does-not-apply.ts';

const MOST = 1_000_000_000;
const cases = casesIn(tests);
const applying = cases.filter((one) => whyNot(one) === undefined);

/** What it comes to is as the suite has it; an error is any error. */
function isAsWanted({ expression, variables, values, wanted, isCheckOnly }: ConformanceCase): boolean {
  const compiled = compile(expression, environmentWith(variables));
  if (compiled.kind === 'failure') return wanted === undefined;
  if (isCheckOnly) return true;
  return outcomeText(compiled.program.run((name) => values.get(name), MOST).result) === wanted;
}

describe('the public conformance suite', () => {
  it('has as many cases as were looked at', () => {
    expect({ all: cases.length, applying: applying.length }).toEqual({ all: 2344, applying: 1261 });
  });

  it('is passed by all that applies and is not otherwise in 1.31', () => {
    const wrong = applying.filter((one) => !isAsWanted(one) && whyOtherwise(one) === undefined);
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  it('differs wherever it is said to', () => {
    const differing = applying.filter((one) => !isAsWanted(one));
    expect(differing).toHaveLength(70);
  });
});
