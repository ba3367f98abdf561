/** Formats of texts that a definition declares and nobody knows: they mean nothing, and releases since 1.34 say so. */
import type { CustomResourceDefinition } from '../../api/types/apiextensions-k8s-io-v1.ts';
import type { HookContext } from '../registry/strategy.ts';
import { isKnownFormat } from './formats.ts';
import { isMap, itemsOf, type JSONSchemaProps } from './json-schema.ts';

/** `old`: those that it had already are not told again. */
export function formatWarnings(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  context: HookContext,
): readonly string[] {
  if (!context.isReleasedBy('1.34')) return [];
  const before = new Set(old ? unknownFormats(old) : []);
  const formats = [...new Set(unknownFormats(definition))].filter((format) => !before.has(format));
  return formats.map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

const unknownFormats = ({ spec }: CustomResourceDefinition): readonly string[] =>
  spec.versions.flatMap(({ schema }) => formatsBelow(schema?.openAPIV3Schema));

function formatsBelow(schema: JSONSchemaProps | undefined): readonly string[] {
  if (!schema) return [];
  const { type, format = '', allOf, anyOf, oneOf, not, properties, additionalProperties } = schema;
  const own = type === 'string' && format !== '' && !isKnownFormat(format) ? [format] : [];
  const parts: readonly (JSONSchemaProps | undefined)[] = [
    itemsOf(schema),
    ...(allOf ?? []),
    ...(anyOf ?? []),
    ...(oneOf ?? []),
    not,
    ...Object.values(properties ?? {}),
    isMap(additionalProperties) ? additionalProperties : undefined,
  ];
  return [...own, ...parts.flatMap(formatsBelow)];
}
