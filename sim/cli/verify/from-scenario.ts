/**
 * The requests of a scenario, as a case: its creations, changes, deletions and looks, in order. Time, faults, nodes and
 * whatever else only a simulation has is left out, and named.
 */
import { parseAllDocuments } from 'yaml';
import { RELEASE_1_31 } from '../../api/release/release-1-31.ts';
import type { GoldenCase, RequestStep, Step } from '../../../model/golden/replay/golden-case.ts';

export interface ScenarioCase {
  readonly golden: GoldenCase;
  /** What of it is not a request. */
  readonly leftOut: readonly string[];
}

type Members = Readonly<Record<string, unknown>>;

/** One for each scenario of the file. */
export function casesOfScenarios(file: string, text: string): readonly ScenarioCase[] {
  return parseAllDocuments(text).map((document, index) => {
    const scenario = membersOf(document.toJS());
    const name = textOf(membersOf(scenario['metadata'])['name']) ?? `${file}#${index + 1}`;
    const leftOut: string[] = [];
    const given = membersOf(scenario['spec'])['steps'];
    const steps = (Array.isArray(given) ? given : []).flatMap((step: unknown, at): readonly Step[] => {
      const request = requestOf(membersOf(step));
      if (request) return [{ request }];
      leftOut.push(`step ${at + 1}: ${Object.keys(membersOf(step)).join(', ')}`);
      return [];
    });
    return { golden: { name: `scenario/${name}`, area: 'scenarios', steps }, leftOut };
  });
}

const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null ? (value as Members) : {};

const JSON_TYPES: Readonly<Record<string, string>> = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
};

function requestOf(step: Members): RequestStep | undefined {
  if (step['create'] !== undefined) return onCollection('POST', membersOf(step['create']));
  if (step['update'] !== undefined)
    return onObject('PUT', membersOf(step['update']), membersOf(step['update']));
  if (step['apply'] !== undefined) {
    const object = membersOf(step['apply']);
    const request = onObject('PATCH', object, object);
    return (
      request && {
        ...request,
        query: { fieldManager: 'scenario' },
        contentType: 'application/apply-patch+yaml',
      }
    );
  }
  if (step['patch'] !== undefined) {
    const { patch, type = 'merge', ...target } = membersOf(step['patch']);
    const request = onObject('PATCH', target, patch);
    return request && { ...request, contentType: JSON_TYPES[String(type)] ?? 'application/merge-patch+json' };
  }
  if (step['delete'] !== undefined) return onObject('DELETE', membersOf(step['delete']));
  if (step['get'] !== undefined) return onObject('GET', membersOf(step['get']));
  if (step['list'] !== undefined) return onCollection('GET', membersOf(step['list']));
  return undefined;
}

interface Place {
  readonly collection: string;
  readonly name: string | undefined;
}

/** Objects of the whole cluster belong to everybody: a scenario's are not asked for. */
function placeOf(target: Members): Place | undefined {
  const kind = textOf(target['kind']) ?? '';
  const apiVersion = textOf(target['apiVersion']);
  const resource = RELEASE_1_31.catalog.resources.all.find(
    (each) =>
      each.kind === kind &&
      each.namespaced &&
      (apiVersion === undefined || apiVersionOf(each.group, each.version) === apiVersion),
  );
  if (!resource) return undefined;
  const version = apiVersionOf(resource.group, resource.version);
  const root = resource.group === '' ? '/api/v1' : `/apis/${version}`;
  const named = target['name'] ?? membersOf(target['metadata'])['name'];
  return {
    collection: `${root}/namespaces/\${ns}/${resource.resource}`,
    name: typeof named === 'string' ? named : undefined,
  };
}

const apiVersionOf = (group: string, version: string): string =>
  group === '' ? version : `${group}/${version}`;

function onCollection(method: string, target: Members): RequestStep | undefined {
  const place = placeOf(target);
  return (
    place && { method, path: place.collection, ...(method === 'POST' && { body: inOwnNamespace(target) }) }
  );
}

function onObject(method: string, target: Members, body?: unknown): RequestStep | undefined {
  const place = placeOf(target);
  if (place?.name === undefined) return undefined;
  const path = `${place.collection}/${place.name}`;
  return { method, path, ...(body !== undefined && { body: inOwnNamespace(body) }) };
}

/** The case has a namespace of its own. */
function inOwnNamespace(body: unknown): unknown {
  const metadata = membersOf(membersOf(body)['metadata']);
  if (metadata['namespace'] === undefined) return body;
  const { namespace: _namespace, ...rest } = metadata;
  return { ...membersOf(body), metadata: rest };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
