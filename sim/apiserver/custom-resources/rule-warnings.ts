/** What a client is told of validation rules (`x-kubernetes-validations`): they are kept and shown, but do not act. */
import type { CustomResourceDefinition } from '../../api/types/apiextensions-k8s-io-v1.ts';
import { isMap } from './json-schema.ts';

/** One warning for each version that has rules. */
export function ruleWarnings({ spec }: CustomResourceDefinition): readonly string[] {
  return spec.versions.flatMap(({ name, schema }) => {
    const count = rulesIn(schema?.openAPIV3Schema);
    if (count === 0) return [];
    const rules = count === 1 ? 'validation rule' : 'validation rules';
    return [
      `spec.versions[${name}]: ${count} ${rules} (x-kubernetes-validations) will not act: CEL is not modelled by this server`,
    ];
  });
}

/** Below a schema, wherever schemas stand in it: values of `default`, `enum` and `example` are none. */
function rulesIn(schema: unknown): number {
  if (Array.isArray(schema)) return schema.reduce<number>((sum, each) => sum + rulesIn(each), 0);
  if (!isMap(schema)) return 0;
  const own = schema['x-kubernetes-validations'];
  let count = Array.isArray(own) ? own.length : 0;
  for (const word of ['items', 'additionalProperties', 'not', 'allOf', 'anyOf', 'oneOf'])
    count += rulesIn(schema[word]);
  if (isMap(schema['properties']))
    for (const part of Object.values(schema['properties'])) count += rulesIn(part);
  return count;
}
