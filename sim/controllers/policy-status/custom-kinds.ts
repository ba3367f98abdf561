/**
 * Kinds that are not built in, as far as a policy is about them: found by discovery, with the shapes that the server
 * publishes. Nobody is asked for a policy that is about built-in kinds alone.
 */
import { declare, type Declared } from '../../api/cel/schema/declare.ts';
import { ownMember } from '../../api/own-member.ts';
import type { JSONSchemaProps } from '../../api/types/apiextensions-k8s-io-v1.ts';
import type { ValidatingAdmissionPolicySpec } from '../../api/types/admissionregistration-k8s-io-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import type { Discovery } from '../../client/discovery/discovery.ts';
import type { Process } from '../../engine/process.ts';
import {
  builtinKindsFor,
  isBuiltin,
  type Kind,
  paramKindOf,
  type ResourceName,
  resourcesNamed,
} from './named-kinds.ts';

export interface CustomKinds {
  kindsFor(name: ResourceName): readonly Kind[];
  /** Undefined: nobody knows its shape. */
  shapeOf(kind: Kind): Declared | undefined;
}

export const NO_CUSTOM_KINDS: CustomKinds = { kindsFor: () => [], shapeOf: () => undefined };

/** @throws ApiError, NoAnswer */
export function* customKindsOf(
  client: ApiClient,
  discovery: Discovery,
  spec: ValidatingAdmissionPolicySpec,
): Process<CustomKinds> {
  const names = resourcesNamed(spec);
  const others = names.filter((name) => builtinKindsFor(name).length === 0);
  const paramKind = paramKindOf(spec);
  const isParamOther = paramKind !== undefined && !isBuiltin(paramKind);
  if (others.length === 0 && !isParamOther) return NO_CUSTOM_KINDS;
  const served = yield* discovery.served();
  const kindsFor = ({ group, version, resource }: ResourceName): readonly Kind[] =>
    served.all
      .filter(
        (each) =>
          each.version === version &&
          (group === '' || each.group === group) &&
          (each.resource === resource || each.kind.toLowerCase() === resource),
      )
      .map((each) => ({ group: each.group, version: each.version, kind: each.kind }));
  const wanted = [...others.flatMap(kindsFor), ...(isParamOther ? [paramKind] : [])];
  const shapes = new Map<string, Declared>();
  for (const kind of wanted) {
    const key = keyOf(kind);
    if (shapes.has(key) || isBuiltin(kind) || !served.handleOf(`${kind.group}/${kind.version}`, kind.kind))
      continue;
    const path = `/openapi/v3/apis/${kind.group}/${kind.version}`;
    const shape = declaredIn(yield* client.read(path, 'application/json'), kind);
    if (shape) shapes.set(key, shape);
  }
  return { kindsFor, shapeOf: (kind) => shapes.get(keyOf(kind)) };
}

const keyOf = ({ group, version, kind }: Kind): string => `${group}/${version}.${kind}`;

type Members = Readonly<Record<string, unknown>>;

const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};

/** The document comes as a text, or is handed over as it is. */
function declaredIn(answer: unknown, kind: Kind): Declared | undefined {
  const document: unknown = typeof answer === 'string' ? JSON.parse(answer) : answer;
  const schemas = membersOf(membersOf(membersOf(document)['components'])['schemas']);
  const found = Object.values(schemas).find((schema) => isOfKind(membersOf(schema), kind));
  return found === undefined ? undefined : declare(resolved(found, schemas, 0), keyOf(kind), true);
}

function isOfKind(schema: Members, { group, version, kind }: Kind): boolean {
  const own = schema['x-kubernetes-group-version-kind'];
  return (
    Array.isArray(own) &&
    own
      .map(membersOf)
      .some((each) => each['group'] === group && each['version'] === version && each['kind'] === kind)
  );
}

/** Published schemas refer to one another by name; deeper than this nobody looks. */
const MOST_LEVELS = 40;
const REFERENCE = '#/components/schemas/';

function resolved(value: unknown, schemas: Members, level: number): JSONSchemaProps {
  const schema = membersOf(value);
  const reference = referenceIn(schema);
  if (level > MOST_LEVELS) return {};
  if (reference !== undefined) return resolved(ownMember(schemas, reference), schemas, level + 1);
  const inner = (each: unknown): JSONSchemaProps => resolved(each, schemas, level + 1);
  const { properties, items, additionalProperties } = schema;
  return {
    ...schema,
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(membersOf(properties)).map(([name, each]) => [name, inner(each)]),
      ),
    }),
    ...(items !== undefined && { items: inner(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: inner(additionalProperties) }),
  } as JSONSchemaProps;
}

function referenceIn({ $ref, allOf }: Members): string | undefined {
  const alone: unknown = Array.isArray(allOf) && allOf.length === 1 ? membersOf(allOf[0])['$ref'] : $ref;
  return typeof alone === 'string' && alone.startsWith(REFERENCE) ? alone.slice(REFERENCE.length) : undefined;
}
