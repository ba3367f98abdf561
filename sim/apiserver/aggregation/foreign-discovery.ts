/**
 * What another server says that it serves, as aggregated discovery shows it: out of its own aggregated document, or else out of
 * the APIResourceList of one version. Pure; members that nobody knows, and what makes no sense, are left out.
 */
import type { Json, JsonObject } from '../../api/object.ts';

/** What is asked of it at first. */
export const AGGREGATED_ACCEPT = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .join(',');

/** By group version; undefined: it does not speak of all at once. */
export function aggregatedContents(
  contentType: string,
  document: unknown,
): ReadonlyMap<string, readonly Json[]> | undefined {
  if (!/;\s*as=APIGroupDiscoveryList/i.test(contentType)) return undefined;
  const contents = new Map<string, readonly Json[]>();
  for (const group of objectsIn(document, 'items'))
    for (const version of objectsIn(group, 'versions')) {
      const name = textIn(objectIn(group, 'metadata'), 'name');
      const resources = objectsIn(version, 'resources').map(shownResource);
      contents.set(`${name}/${textIn(version, 'version')}`, resources);
    }
  return contents;
}

const shownResource = (resource: JsonObject): JsonObject => {
  const subresources = objectsIn(resource, 'subresources').map((subresource) => ({
    subresource: textIn(subresource, 'subresource'),
    ...shownKind(objectIn(subresource, 'responseKind')),
    ...shownList('acceptedTypes', objectsIn(subresource, 'acceptedTypes').map(kindIn)),
    verbs: verbsIn(subresource),
  }));
  return {
    resource: textIn(resource, 'resource'),
    ...shownKind(objectIn(resource, 'responseKind')),
    scope: textIn(resource, 'scope'),
    singularResource: textIn(resource, 'singularResource'),
    verbs: verbsIn(resource),
    ...shownList('shortNames', textsIn(resource, 'shortNames')),
    ...shownList('categories', textsIn(resource, 'categories')),
    ...shownList('subresources', subresources),
  };
};

const shownKind = (kind: JsonObject | undefined): JsonObject => (kind ? { responseKind: kindIn(kind) } : {});

const kindIn = (kind: JsonObject): JsonObject => ({
  group: textIn(kind, 'group'),
  version: textIn(kind, 'version'),
  kind: textIn(kind, 'kind'),
});

const verbsIn = (of: JsonObject): Json => (Array.isArray(of['verbs']) ? textsIn(of, 'verbs') : null);

const shownList = (name: string, list: readonly Json[]): JsonObject =>
  list.length > 0 ? { [name]: list } : {};

/** Of an APIResourceList; undefined: the document is none. */
export function listedContent(document: unknown): readonly Json[] | undefined {
  if (!isObject(document)) return undefined;
  const shown = new Map<string, JsonObject>();
  for (const listed of objectsIn(document, 'resources')) {
    const [name = '', subresource] = textIn(listed, 'name').split('/');
    const scope = listed['namespaced'] === true ? 'Namespaced' : 'Cluster';
    if (subresource === undefined) {
      const before = shown.get(name);
      shown.set(name, {
        ...shownListed(listed, name, scope),
        ...(before?.['subresources'] && { subresources: before['subresources'] }),
      });
      continue;
    }
    const parent = shown.get(name) ?? {
      resource: name,
      responseKind: kindIn({}),
      scope,
      singularResource: '',
      verbs: null,
    };
    const others = (parent['subresources'] ?? []) as readonly Json[];
    const added = { subresource, ...listedKind(listed), verbs: verbsIn(listed) };
    shown.set(name, { ...parent, subresources: [...others, added] });
  }
  return [...shown.values()];
}

const shownListed = (listed: JsonObject, name: string, scope: string): JsonObject => ({
  resource: name,
  ...listedKind(listed),
  scope,
  singularResource: textIn(listed, 'singularName'),
  verbs: verbsIn(listed),
  ...shownList('shortNames', textsIn(listed, 'shortNames')),
  ...shownList('categories', textsIn(listed, 'categories')),
});

const listedKind = (listed: JsonObject): JsonObject =>
  textIn(listed, 'kind') === '' ? {} : { responseKind: kindIn(listed) };

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function objectIn(of: unknown, name: string): JsonObject | undefined {
  const value = isObject(of) ? of[name] : undefined;
  return isObject(value) ? value : undefined;
}

function objectsIn(of: unknown, name: string): readonly JsonObject[] {
  const value = isObject(of) ? of[name] : undefined;
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function textIn(of: JsonObject | undefined, name: string): string {
  const value = of?.[name];
  return typeof value === 'string' ? value : '';
}

function textsIn(of: JsonObject, name: string): readonly string[] {
  const value = of[name];
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
