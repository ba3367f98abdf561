/** Which questions a webhook is asked: conditions over a SubjectAccessReview, all of which have to hold. */
import { compile, type Program } from '../../api/cel/compile.ts';
import { environmentWith } from '../../api/cel/environment.ts';
import type { Environment } from '../../api/cel/types/declarations.ts';
import {
  BOOL,
  type CelType,
  isSameType,
  listOf,
  mapOf,
  STRING,
  struct,
  typeText,
} from '../../api/cel/types/type.ts';
import { isError } from '../../api/cel/values/value.ts';
import type { AccessAttributes } from './authorizer.ts';
import { reviewValue } from './subject-access-review.ts';

const SPEC = struct('kubernetes.SubjectAccessReviewSpec');
const RESOURCE = struct('kubernetes.ResourceAttributes');
const NON_RESOURCE = struct('kubernetes.NonResourceAttributes');
const TEXTS = listOf(STRING);

const textFields = (...names: readonly string[]): ReadonlyMap<string, CelType> =>
  new Map(names.map((name) => [name, STRING]));

const FIELDS: ReadonlyMap<string, ReadonlyMap<string, CelType>> = new Map([
  [
    SPEC.name,
    new Map<string, CelType>([
      ['resourceAttributes', RESOURCE],
      ['nonResourceAttributes', NON_RESOURCE],
      ['user', STRING],
      ['groups', TEXTS],
      ['extra', mapOf(STRING, TEXTS)],
      ['uid', STRING],
    ]),
  ],
  [RESOURCE.name, textFields('namespace', 'verb', 'group', 'version', 'resource', 'subresource', 'name')],
  [NON_RESOURCE.name, textFields('path', 'verb')],
]);

const ENVIRONMENT: Environment = environmentWith(new Map([['request', SPEC]]), {
  areStored: true,
  fieldsOf: (name) => FIELDS.get(name),
});

const MOST_PER_CALL = 1_000_000;

export interface MatchCondition {
  readonly text: string;
  readonly program: Program;
}

export type CompiledCondition =
  | { readonly kind: 'condition'; readonly condition: MatchCondition }
  | { readonly kind: 'invalid' | 'internal'; readonly detail: string };

export function compileMatchCondition(text: string): CompiledCondition {
  const compiled = compile(text, ENVIRONMENT);
  if (compiled.kind === 'failure' && compiled.stage === 'check')
    return { kind: 'invalid', detail: `compilation failed: ${compiled.message}` };
  const type = compiled.kind === 'program' ? compiled.program.type : compiled.type;
  if (type && !isSameType(type, BOOL))
    return { kind: 'invalid', detail: `must evaluate to bool but got ${typeText(type)}` };
  if (compiled.kind === 'failure')
    return { kind: 'internal', detail: `program instantiation failed: ${compiled.message}` };
  return { kind: 'condition', condition: { text, program: compiled.program } };
}

/** A text: nobody can say, and why. One that does not hold is enough, whatever is wrong with others. */
export function conditionsMatch(
  conditions: readonly MatchCondition[],
  attributes: AccessAttributes,
): boolean | string {
  const value = reviewValue(attributes);
  const problems: string[] = [];
  for (const { text, program } of conditions) {
    const { result } = program.run((name) => (name === 'request' ? value : undefined), MOST_PER_CALL);
    if (result === false) return false;
    if (isError(result))
      problems.push(`cel evaluation error: expression '${text}' resulted in error: ${result.message}`);
  }
  if (problems.length === 0) return true;
  return problems.length === 1 ? (problems[0] ?? '') : `[${[...new Set(problems)].join(', ')}]`;
}
