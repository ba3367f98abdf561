/** Definitions of custom resources, each with a name of its own; some are refused. */
import type { Json, JsonObject } from '../../../api/object.ts';
import type { Random } from './random.ts';
import { drawObjectSchema, drawSchema } from './random-schema.ts';

/** `${unique}` is replaced when a sequence runs. */
export const GROUP = '${unique}.example.com';
const PATHS = [
  ...'.spec.a .spec.b .spec.c .status.a .metadata.name .metadata.creationTimestamp .spec .spec.none'.split(
    ' ',
  ),
  ...`.spec.c[0] .spec.c[*].a .spec['x-y'] .spec.dE spec.a .a..b .spec.c[?(@.k=="a")].v .metadata.labels`.split(
    ' ',
  ),
  '',
];

type Draft = Record<string, Json>;

/** The schema of a version, mostly with `spec` and `status`; `faults` as in drawSchema. */
export function drawRoot(random: Random, faults: number): JsonObject {
  if (random.chance(faults / 2)) return drawSchema(random, 2, faults);
  const spec = drawObjectSchema(random, 3, faults);
  const status = drawObjectSchema(random, 1, faults);
  return {
    type: 'object',
    properties: { spec, status },
    ...(random.chance(10) && { required: ['spec'] }),
    ...(random.chance(5) && { 'x-kubernetes-preserve-unknown-fields': true }),
  };
}

/** A version with columns, subresources and selectable fields that may or may not fit its schema. */
export function drawVersion(name: string, schema: JsonObject, random: Random): Draft {
  return {
    name,
    served: true,
    storage: name === 'v1',
    schema: { openAPIV3Schema: schema },
    ...(random.chance(40) && {
      additionalPrinterColumns: Array.from({ length: 1 + random.below(3) }, (_, at): Json => ({
        name: `C${at}`,
        type: random.pick(['string', 'integer', 'number', 'boolean', 'date']),
        jsonPath: random.pick(PATHS),
        ...(random.chance(20) && {
          format: random.pick(['int32', 'date', 'byte', 'bad']),
          priority: random.below(2),
        }),
      })),
    }),
    ...(random.chance(40) && { subresources: subresources(random) }),
    ...(random.chance(15) && {
      selectableFields: [{ jsonPath: random.pick(['.spec.a', '.spec.b', '.status.a', '.spec.dE']) }],
    }),
    ...(random.chance(8) && { deprecated: true, ...(random.chance(50) && { deprecationWarning: 'old' }) }),
  };
}

function subresources(random: Random): JsonObject {
  const scale = {
    specReplicasPath: random.pick(['.spec.a', '.spec.b', '.spec.none', '.status.a']),
    statusReplicasPath: random.pick(['.status.a', '.status.b', '.spec.a']),
    ...(random.chance(50) && { labelSelectorPath: random.pick(['.status.c', '.spec.c', '.a']) }),
  };
  return { ...(random.chance(70) && { status: {} }), ...(random.chance(50) && { scale }) };
}

/** `widgets` of a group of their own. */
export function drawDefinition(random: Random, versions: readonly JsonObject[]): Draft {
  const names = {
    plural: 'widgets',
    kind: 'Widget',
    ...(random.chance(20) && { singular: 'widget', shortNames: ['wd'], categories: ['all'] }),
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.${unique}.example.com' },
    spec: { group: GROUP, scope: 'Namespaced', names, versions: versions as readonly Json[] as Json },
  };
}
