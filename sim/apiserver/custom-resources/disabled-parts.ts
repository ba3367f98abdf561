/**
 * Parts of a definition that only features know which are off: they are not stored, unless the definition had such a
 * part before. Specification: "Feature states named".
 */
import type { CustomResourceDefinition, JSONSchemaProps } from '../../api/types/apiextensions-k8s-io-v1.ts';
import type { Draft, HookContext } from '../registry/strategy.ts';

type Definition = Draft<CustomResourceDefinition>;
type SchemaDraft = Draft<JSONSchemaProps>;

interface Part {
  readonly gate: string;
  isUsedIn(definition: CustomResourceDefinition): boolean;
  drop(definition: Definition): void;
}

const PARTS: readonly Part[] = [
  {
    gate: 'CustomResourceFieldSelectors',
    isUsedIn: ({ spec }) => spec.versions.some(({ selectableFields }) => selectableFields !== undefined),
    drop: ({ spec }) => spec?.versions?.forEach((version) => delete version.selectableFields),
  },
  {
    gate: 'CustomResourceValidationExpressions',
    isUsedIn: ({ spec }) =>
      spec.versions.some(({ schema }) => hasRules(schema?.openAPIV3Schema as SchemaDraft | undefined)),
    drop: ({ spec }) => spec?.versions?.forEach(({ schema }) => dropRules(schema?.openAPIV3Schema)),
  },
];

export function dropDisabled(
  draft: Definition,
  old: CustomResourceDefinition | undefined,
  context: HookContext,
): void {
  for (const { gate, isUsedIn, drop } of PARTS)
    if (!context.isFeatureEnabled(gate) && !(old && isUsedIn(old))) drop(draft);
}

const RULES = 'x-kubernetes-validations';

function hasRules(schema: SchemaDraft | undefined): boolean {
  return schema !== undefined && (RULES in schema || partsOf(schema).some(hasRules));
}

function dropRules(schema: SchemaDraft | undefined): void {
  if (!schema) return;
  delete schema[RULES];
  partsOf(schema).forEach(dropRules);
}

/** The schemas directly below, wherever rules may stand. */
function partsOf({ properties, items, additionalProperties }: SchemaDraft): readonly SchemaDraft[] {
  return [...Object.values(properties ?? {}), items, additionalProperties].filter(
    (part): part is SchemaDraft => typeof part === 'object' && part !== null && !Array.isArray(part),
  );
}
