/** What a CustomResourceDefinition offers, as the deprecation policy sees it. */
import type { ApiElement, ApiVersion } from '../../../model/deprecation/release-history.ts';
import { childOf, itemsOf, type Parts, wordOf } from '../../api/life-cycle/migrations/migration.ts';

export interface DefinitionVersions {
  readonly group: string;
  readonly versions: readonly ApiVersion[];
}

export function definitionVersions(definition: Parts): DefinitionVersions {
  const spec = childOf(definition['spec']);
  const kind = wordOf(childOf(spec['names'])['kind']);
  // What a webhook converts nobody can tell from the schemas.
  const isConverted = childOf(spec['conversion'])['strategy'] === 'Webhook';
  const versions = itemsOf(spec['versions']).map((version): ApiVersion => {
    const elements = elementsOf(childOf(childOf(version['schema'])['openAPIV3Schema']));
    return {
      name: wordOf(version['name']),
      isServed: version['served'] === true,
      isStored: version['storage'] === true,
      isDeprecated: version['deprecated'] === true,
      kinds: {
        [kind]: isConverted
          ? elements.map((element) => ({ ...element, keptAs: 'its conversion' }))
          : elements,
      },
    };
  });
  const preferred = versions.filter(({ isServed }) => isServed).toSorted(byPriority)[0]?.name;
  return {
    group: wordOf(spec['group']),
    versions: versions.map((version) => ({ ...version, isPreferred: version.name === preferred })),
  };
}

/** Fields with what they hold, and each value of an enumeration. */
function elementsOf(schema: Parts, path = ''): readonly ApiElement[] {
  return Object.entries(childOf(schema['properties'])).flatMap(([name, member]) => {
    const own = childOf(member);
    const place = path === '' ? name : `${path}.${name}`;
    const values = Array.isArray(own['enum']) ? own['enum'] : [];
    return [
      { name: place, type: typeOf(own) },
      ...values.map((value: unknown): ApiElement => ({ name: `${place}=${JSON.stringify(value)}` })),
      ...elementsOf(own, place),
      ...elementsOf(childOf(own['items']), `${place}[]`),
      ...elementsOf(childOf(own['additionalProperties']), `${place}{}`),
    ];
  });
}

function typeOf(schema: Parts): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'integer or string';
  const own = wordOf(schema['type']) || 'any';
  return own === 'array' ? `array of ${typeOf(childOf(schema['items']))}` : own;
}

const NAME = /^v([0-9]+)(?:(alpha|beta)([0-9]+))?$/;

/** Stable ones first, then by number; what has another name comes last. */
function byPriority({ name: one }: ApiVersion, { name: other }: ApiVersion): number {
  const [a, b] = [ranked(one), ranked(other)];
  for (const [index, rank] of a.entries()) if (rank !== b[index]) return (b[index] ?? 0) - rank;
  return one < other ? -1 : 1;
}

function ranked(name: string): readonly number[] {
  const [, major, stage, minor] = NAME.exec(name) ?? [];
  if (major === undefined) return [0, 0, 0];
  return [stage === undefined ? 3 : stage === 'beta' ? 2 : 1, Number(major), Number(minor ?? 0)];
}
