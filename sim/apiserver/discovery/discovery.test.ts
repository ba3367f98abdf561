import { describe, expect, test } from 'vitest';
import type { Profile } from '../../api/catalog/builtin-resources.ts';
import type { JsonObject } from '../../api/object.ts';
import { RELEASE_1_31 } from '../../api/release/release-1-31.ts';
import { aggregatedDiscovery } from './aggregated.ts';
import { entityTag } from './content-tag.ts';
import { apiGroup, apiGroupList, apiResourceList, apiVersions, rootPaths } from './group-documents.ts';
import { builtinServed, builtinServedWhere, withCustomResources, type ServedResource } from './served.ts';
import { compareVersions } from '../../api/version-order.ts';

const servedIn = (profile: Profile) => builtinServed(RELEASE_1_31.catalog.resources, profile);
const served = servedIn('default');

const widget = (version: string, group = 'example.com'): ServedResource => ({
  group,
  version,
  resource: 'widgets',
  singular: 'widget',
  kind: 'Widget',
  namespaced: true,
  verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
  shortNames: ['wi'],
  categories: ['all'],
  storageVersionHash: 'hash',
  subresources: [
    { name: 'status', group, version, kind: 'Widget', verbs: ['get', 'patch', 'update'] },
    { name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get', 'patch', 'update'] },
  ],
});

/** The array of that name; empty if there is none. */
const membersOf = (document: JsonObject | undefined, name: string) =>
  (document?.[name] ?? []) as readonly JsonObject[];
const rowsOf = (list: JsonObject | undefined) => membersOf(list, 'resources');
const names = (list: JsonObject | undefined) => rowsOf(list).map(({ name }) => name);
const resource = (list: JsonObject | undefined, name: string) =>
  rowsOf(list).find((each) => each['name'] === name);

describe('the documents of groups', () => {
  test('show a group with its versions and the preferred one', () => {
    expect(apiGroup(served, 'autoscaling')).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'autoscaling',
      versions: [
        { groupVersion: 'autoscaling/v2', version: 'v2' },
        { groupVersion: 'autoscaling/v1', version: 'v1' },
      ],
      preferredVersion: { groupVersion: 'autoscaling/v2', version: 'v2' },
    });
    expect(apiGroup(served, 'nosuch.example.com')).toBeUndefined();
    expect(apiGroup(served, '')).toBeUndefined();
  });

  test('list all groups but the core group', () => {
    const groups = apiGroupList(served)['groups'] as readonly JsonObject[];
    expect(groups.map(({ name }) => name)).toContain('apps');
    expect(groups.map(({ name }) => name)).not.toContain('');
    expect(groups[0]).not.toHaveProperty('kind');
  });

  test('show the core versions without an apiVersion', () => {
    expect(Object.keys(apiVersions('10.0.0.1:6443'))).toEqual([
      'kind',
      'versions',
      'serverAddressByClientCIDRs',
    ]);
  });

  test('are in the root, sorted, with whatever else is served', () => {
    const paths = rootPaths(served, ['/healthz', '/.well-known/openid-configuration'])['paths'] as string[];
    expect(paths.slice(0, 4)).toEqual(['/.well-known/openid-configuration', '/api', '/api/v1', '/apis']);
    expect(paths).toContain('/apis/apps/v1');
    expect(paths.at(-1)).toBe('/healthz');
  });
});

describe('the resources of a group version', () => {
  test('come with their subresources in the order of names', () => {
    expect(names(apiResourceList(served, 'apps', 'v1'))).toEqual([
      'controllerrevisions',
      'daemonsets',
      'daemonsets/status',
      'deployments',
      'deployments/scale',
      'deployments/status',
      'replicasets',
      'replicasets/scale',
      'replicasets/status',
      'statefulsets',
      'statefulsets/scale',
      'statefulsets/status',
    ]);
  });

  test('name the group of a subresource only where it is another one', () => {
    const core = apiResourceList(served, '', 'v1');
    expect(core).not.toHaveProperty('apiVersion');
    expect(resource(core, 'pods/eviction')).toEqual({
      name: 'pods/eviction',
      singularName: '',
      namespaced: true,
      group: 'policy',
      version: 'v1',
      kind: 'Eviction',
      verbs: ['create'],
    });
    expect(Object.keys(resource(core, 'pods/status') ?? {})).toEqual([
      'name',
      'singularName',
      'namespaced',
      'kind',
      'verbs',
    ]);
    expect(resource(core, 'pods')).toMatchObject({ shortNames: ['po'], storageVersionHash: 'xPOwRZ+Yhw8=' });
  });

  test('are unknown for a version that is not served', () => {
    expect(apiResourceList(served, 'apps', 'v9')).toBeUndefined();
    expect(apiResourceList(servedIn('default'), 'storage.k8s.io', 'v1beta1')).toBeUndefined();
    expect(apiResourceList(servedIn('all'), 'storage.k8s.io', 'v1beta1')).toBeDefined();
  });
});

describe('the built-in resources', () => {
  test('are served in the groups of their profile', () => {
    expect(servedIn('default').groups).toEqual(RELEASE_1_31.catalog.resources.groups('default'));
    expect(servedIn('all').groups).toEqual(RELEASE_1_31.catalog.resources.groups('all'));
  });

  test('take their groups and versions along when they are switched off', () => {
    const { groups, resources } = builtinServedWhere(
      RELEASE_1_31.catalog.resources,
      ({ group, version }) => group !== 'batch' && version !== 'v2',
    );
    expect(groups.find(({ name }) => name === 'batch')).toBeUndefined();
    expect(groups.find(({ name }) => name === 'autoscaling')).toEqual({
      name: 'autoscaling',
      versions: ['v1'],
      preferredVersion: 'v1',
    });
    expect(resources.some(({ group }) => group === 'batch')).toBe(false);
  });
});

describe('custom resources', () => {
  const custom = withCustomResources(served, [
    widget('v1alpha1'),
    widget('v1'),
    widget('v2', 'a.example.com'),
  ]);

  test('bring their groups after the built-in ones, by name', () => {
    expect(custom.groups.slice(-2)).toEqual([
      { name: 'a.example.com', versions: ['v2'], preferredVersion: 'v2' },
      { name: 'example.com', versions: ['v1', 'v1alpha1'], preferredVersion: 'v1' },
    ]);
  });

  test('are listed like built-in ones', () => {
    const list = apiResourceList(custom, 'example.com', 'v1');
    expect(names(list)).toEqual(['widgets', 'widgets/status', 'widgets/scale']);
    expect(resource(list, 'widgets/scale')).toMatchObject({
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
    });
  });

  test('show in aggregated discovery with the kinds of their answers', () => {
    const items = aggregatedDiscovery(custom, { root: 'apis', version: 'v2' })[
      'items'
    ] as readonly JsonObject[];
    expect(items.at(-1)?.['metadata']).toEqual({ name: 'example.com', creationTimestamp: null });
    expect(membersOf(items.at(-1), 'versions')[0]).toEqual({
      version: 'v1',
      resources: [
        {
          resource: 'widgets',
          responseKind: { group: 'example.com', version: 'v1', kind: 'Widget' },
          scope: 'Namespaced',
          singularResource: 'widget',
          verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
          shortNames: ['wi'],
          categories: ['all'],
          subresources: [
            {
              subresource: 'status',
              responseKind: { group: 'example.com', version: 'v1', kind: 'Widget' },
              verbs: ['get', 'patch', 'update'],
            },
            {
              subresource: 'scale',
              responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
              verbs: ['get', 'patch', 'update'],
            },
          ],
        },
      ],
      freshness: 'Current',
    });
  });
});

describe('aggregated discovery', () => {
  test('of /api has the core group alone, without a name', () => {
    const document = aggregatedDiscovery(served, { root: 'api', version: 'v2beta1' });
    expect(document).toMatchObject({
      apiVersion: 'apidiscovery.k8s.io/v2beta1',
      items: [{ versions: [{ version: 'v1' }] }],
    });
    expect((document['items'] as readonly JsonObject[])[0]?.['metadata']).toEqual({
      creationTimestamp: null,
    });
  });

  test('has an entity tag that follows its content', () => {
    const tagOf = (profile: 'default' | 'all') =>
      entityTag(JSON.stringify(aggregatedDiscovery(servedIn(profile), { root: 'apis', version: 'v2' })));
    expect(tagOf('default')).toMatch(/^"[0-9A-F]{32}"$/);
    expect(tagOf('default')).toBe(tagOf('default'));
    expect(tagOf('all')).not.toBe(tagOf('default'));
  });
});

test('versions are ordered by stability and number, and other names by the alphabet', () => {
  const versions = [
    'foo',
    'v1',
    'v10',
    'v1alpha1',
    'v11beta2',
    'bar',
    'v12alpha1',
    'v3beta1',
    'v3beta10',
    'v0',
  ];
  expect(versions.sort(compareVersions)).toEqual([
    'v10',
    'v1',
    'v11beta2',
    'v3beta10',
    'v3beta1',
    'v12alpha1',
    'v1alpha1',
    'bar',
    'foo',
    'v0',
  ]);
});

test('the version of the server is text throughout', () => {
  expect(RELEASE_1_31.versionInfo).toMatchObject({
    major: '1',
    minor: '31',
    compiler: 'gc',
    gitTreeState: 'clean',
  });
});
