/**
 * The rows of every built-in resource of release 1.31, out of the catalog and the strategies of the
 * kinds. Specification: "Endpoints".
 */
import { fieldLabelsOf } from '../../api/catalog/field-labels.ts';
import { findKind } from '../../api/catalog/builtin-kinds.ts';
import { builtinGroups, builtinResources, type ResourceFact } from '../../api/catalog/builtin-resources.ts';
import { structOf } from '../../api/catalog/builtin-types.ts';
import type { ApiObject } from '../../api/object.ts';
import { convertBuiltin, storageApiVersionOf } from '../conversion/convert-builtin.ts';
import type { RuntimeConfig } from './runtime-config.ts';
import {
  apiVersionOf,
  type Deprecation,
  type Resource,
  type ResourceVersion,
  type ScalePaths,
} from './resource.ts';
import { strategyOf } from './strategies.ts';

/** Where objects are stored, if not under the plural name: the places of a real server, which messages show. */
const STORAGE_DIRECTORIES: Readonly<Record<string, string>> = {
  nodes: 'minions',
  services: 'services/specs',
  endpoints: 'services/endpoints',
  replicationcontrollers: 'controllers',
  'ingresses.networking.k8s.io': 'ingress',
  'events.events.k8s.io': 'events',
  'apiservices.apiregistration.k8s.io': 'apiregistration.k8s.io/apiservices',
  'customresourcedefinitions.apiextensions.k8s.io': 'apiextensions.k8s.io/customresourcedefinitions',
};

/** Go packages of internal types, where they are not the first label of the group. */
const GO_PACKAGES: Readonly<Record<string, string>> = { '': 'core', 'rbac.authorization.k8s.io': 'rbac' };

export function builtinRows(config: RuntimeConfig): Resource[] {
  const facts = new Map<string, ResourceFact[]>();
  for (const fact of builtinResources()) {
    if (!config.isServed(fact)) continue;
    const key = fact.group ? `${fact.resource}.${fact.group}` : fact.resource;
    const known = facts.get(key);
    if (known) known.push(fact);
    else facts.set(key, [fact]);
  }
  return [...facts]
    .map(([text, versions]) => rowOf(text, versions, config))
    .filter((row) => row !== undefined);
}

function rowOf(text: string, facts: readonly ResourceFact[], config: RuntimeConfig): Resource | undefined {
  const preferred = preferredOf(facts);
  if (!preferred) return undefined;
  const { group, resource, kind } = preferred;
  const storageApiVersion = storageApiVersionOf(group, kind) ?? apiVersionOf(group, preferred.version);
  const goPackage = GO_PACKAGES[group] ?? group.split('.', 1)[0] ?? '';
  return {
    group,
    resource,
    singular: preferred.singular,
    kind,
    isNamespaced: preferred.namespaced,
    shortNames: preferred.shortNames,
    categories: preferred.categories,
    versions: new Map(facts.map((fact) => [fact.version, versionOf(fact, config)])),
    storagePrefix: `/registry/${STORAGE_DIRECTORIES[text] ?? resource}/`,
    storageApiVersion,
    strategy: strategyOf(preferred),
    isCustom: false,
    goTypeName: `${group === 'events.k8s.io' ? 'core' : goPackage}.${kind}`,
    convert: (object: ApiObject, apiVersion: string) =>
      object.apiVersion === apiVersion ? object : convertBuiltin(object, apiVersion),
  };
}

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

function versionOf(fact: ResourceFact, config: RuntimeConfig): ResourceVersion {
  const { group, version, resource, kind } = fact;
  const apiVersion = apiVersionOf(group, version);
  const known = findKind({ group, version, kind });
  const labels = fieldLabelsOf({ group, version, resource });
  const deprecation = deprecationOf(fact, apiVersion);
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
    ...(fact.subresources.some(({ name }) => name === 'scale') && { scale: WORKLOAD_SCALE }),
    fieldLabels: new Set(labels?.labels),
    unsupportedFieldLabel: labels?.unsupportedMessage ?? 'field label not supported: {label}',
    ...(fact.storageVersionHash !== undefined && { storageVersionHash: fact.storageVersionHash }),
  };
}

const WORKLOAD_SCALE: ScalePaths = {
  specReplicas: ['spec', 'replicas'],
  statusReplicas: ['status', 'replicas'],
  selector: ['spec', 'selector'],
};

/** Release whose rules count. */
const RELEASE_MINOR = 31;

/** Deprecated without a replacement or an end. */
const COMPONENT_STATUS: Deprecation = {
  warning: 'v1 ComponentStatus is deprecated in v1.19+',
  removedRelease: '',
};

function deprecationOf({ group, version, kind }: ResourceFact, apiVersion: string): Deprecation | undefined {
  if (apiVersion === 'v1' && kind === 'ComponentStatus') return COMPONENT_STATUS;
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
