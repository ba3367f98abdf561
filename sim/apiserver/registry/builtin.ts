/**
 * The rows of every built-in resource of release 1.31, out of the catalog and the strategies of the
 * kinds. Specification: "Endpoints".
 */
import { fieldLabelsOf } from '../../api/catalog/field-labels.ts';
import { findKind } from '../../api/catalog/builtin-kinds.ts';
import { builtinGroups, builtinResources, type ResourceFact } from '../../api/catalog/builtin-resources.ts';
import { structOf } from '../../api/catalog/builtin-types.ts';
import type { ApiObject } from '../../api/object.ts';
import { converted } from '../conversion/convert.ts';
import type { KindDefinition } from './define-kind.ts';
import { genericStrategy } from './generic-strategy.ts';
import { BUILTIN_KINDS } from './kinds/builtin-kinds.ts';
import type { RuntimeConfig } from './runtime-config.ts';
import {
  apiVersionOf,
  type Deprecation,
  type Resource,
  type ResourceVersion,
  resourceText,
} from './resource.ts';
import type { Strategy } from './strategy.ts';

export function builtinRows(config: RuntimeConfig): Resource[] {
  const facts = new Map<string, ResourceFact[]>();
  for (const fact of builtinResources()) {
    if (!config.isServed(fact)) continue;
    const key = resourceText(fact);
    const known = facts.get(key);
    if (known) known.push(fact);
    else facts.set(key, [fact]);
  }
  return [...facts]
    .map(([text, versions]) => rowOf(text, versions, config))
    .filter((row) => row !== undefined);
}

/** Of resources that nobody has defined nothing is known but what the catalog says. */
const UNDEFINED: Omit<KindDefinition, 'group' | 'resource'> = {};

const definitions = new Map<string, KindDefinition>(
  BUILTIN_KINDS.map((kind) => [resourceText({ group: '', ...kind }), kind]),
);

function rowOf(text: string, facts: readonly ResourceFact[], config: RuntimeConfig): Resource | undefined {
  const preferred = preferredOf(facts);
  if (!preferred) return undefined;
  const definition = definitions.get(text) ?? UNDEFINED;
  const { group, resource, kind } = preferred;
  const { conversion, columnDescriptions } = definition;
  const goPackage = definition.goPackage ?? (group === '' ? 'core' : (group.split('.', 1)[0] ?? ''));
  return {
    group,
    resource,
    singular: preferred.singular,
    kind,
    isNamespaced: preferred.namespaced,
    shortNames: preferred.shortNames,
    categories: preferred.categories,
    versions: new Map(facts.map((fact) => [fact.version, versionOf(fact, definition, config)])),
    storagePrefix: `/registry/${definition.storageDirectory ?? resource}/`,
    storageApiVersion: conversion?.storage ?? apiVersionOf(group, preferred.version),
    strategy: definition.strategy ?? genericStrategyOf(preferred, definition),
    isCustom: false,
    goTypeName: `${goPackage}.${kind}`,
    ...(columnDescriptions && { columnDescriptions }),
    convert: (object: ApiObject, apiVersion: string) => converted(object, apiVersion, conversion),
  };
}

const genericStrategyOf = (
  { group, version, kind, subresources }: ResourceFact,
  { countsGenerations }: Pick<KindDefinition, 'countsGenerations'>,
): Strategy =>
  genericStrategy({
    hasStatus: subresources.some(({ name }) => name === 'status'),
    // Asked only when an object is written: the types of most groups are never looked at.
    get hasGeneration() {
      if (countsGenerations === false) return false;
      return structOf(`${apiVersionOf(group, version)}.${kind}`).fieldsByName.has('spec');
    },
  });

function preferredOf(facts: readonly ResourceFact[]): ResourceFact | undefined {
  const [first] = facts;
  if (!first) return undefined;
  const group = builtinGroups('all').find(({ name }) => name === first.group);
  for (const version of group?.versions ?? []) {
    const fact = facts.find((candidate) => candidate.version === version);
    if (fact) return fact;
  }
  return first;
}

function versionOf(
  fact: ResourceFact,
  { scale, deprecation: ownDeprecation }: Partial<KindDefinition>,
  config: RuntimeConfig,
): ResourceVersion {
  const { group, version, resource, kind } = fact;
  const apiVersion = apiVersionOf(group, version);
  const known = findKind({ group, version, kind });
  const labels = fieldLabelsOf({ group, version, resource });
  const deprecation = ownDeprecation ?? deprecationOf(fact, apiVersion);
  return {
    group,
    version,
    apiVersion,
    kind,
    listKind: known?.list ?? `${kind}List`,
    get schema() {
      return structOf(known?.typeKey ?? `${apiVersion}.${kind}`);
    },
    verbs: new Set(fact.verbs),
    subresources: new Map(
      fact.subresources.filter((sub) => config.servesSubresource(fact, sub)).map((sub) => [sub.name, sub]),
    ),
    ...(deprecation && { deprecation }),
    ...(scale && { scale }),
    fieldLabels: new Set(labels?.labels),
    unsupportedFieldLabel: labels?.unsupportedMessage ?? 'field label not supported: {label}',
    ...(fact.storageVersionHash !== undefined && { storageVersionHash: fact.storageVersionHash }),
  };
}

/** Release whose rules count. */
const RELEASE_MINOR = 31;

function deprecationOf({ group, version, kind }: ResourceFact, apiVersion: string): Deprecation | undefined {
  const lifeCycle = findKind({ group, version, kind })?.lifeCycle;
  if (!lifeCycle?.deprecated || minorOf(lifeCycle.deprecated) > RELEASE_MINOR) return undefined;
  const { deprecated, removed, replacement } = lifeCycle;
  const gone = removed ? `, unavailable in v${removed}+` : '';
  const use = replacement
    ? `; use ${apiVersionOf(replacement.group, replacement.version)} ${replacement.kind}`
    : '';
  return {
    warning: `${apiVersion} ${kind} is deprecated in v${deprecated}+${gone}${use}`,
    removedRelease: removed ?? '',
  };
}

const minorOf = (release: string): number => Number(release.split('.')[1] ?? 0);
