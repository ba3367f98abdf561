/** What other servers say of themselves, as a real 1.31 server was found to show it. */
import { expect, it } from 'vitest';
import { withForeign } from '../discovery/served.ts';
import { aggregatedContents, listedContent } from './foreign-discovery.ts';

const TYPE = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

it('a list of resources becomes what aggregated discovery shows, with parents of subresources that nobody listed', () => {
  const resources = [
    {
      name: 'foos',
      namespaced: true,
      kind: 'Foo',
      singularName: 'foo',
      verbs: ['list'],
      shortNames: ['f'],
      categories: ['all'],
      group: 'x.io',
      version: 'v1',
      storageVersionHash: 'abc=',
    },
    { name: 'foos/status', namespaced: true, kind: 'Foo', singularName: '', verbs: ['get'] },
    { name: 'bars', namespaced: false, kind: 'Bar', singularName: '', verbs: [] },
    { name: 'orphans/x', namespaced: false, kind: 'Bar', singularName: '', verbs: ['get'] },
  ];
  const none = { group: '', version: '', kind: '' };
  expect(listedContent({ kind: 'APIResourceList', resources })).toEqual([
    {
      resource: 'foos',
      responseKind: { group: 'x.io', version: 'v1', kind: 'Foo' },
      scope: 'Namespaced',
      singularResource: 'foo',
      verbs: ['list'],
      shortNames: ['f'],
      categories: ['all'],
      subresources: [{ subresource: 'status', responseKind: { ...none, kind: 'Foo' }, verbs: ['get'] }],
    },
    {
      resource: 'bars',
      responseKind: { ...none, kind: 'Bar' },
      scope: 'Cluster',
      singularResource: '',
      verbs: [],
    },
    {
      resource: 'orphans',
      responseKind: none,
      scope: 'Cluster',
      singularResource: '',
      verbs: null,
      subresources: [{ subresource: 'x', responseKind: { ...none, kind: 'Bar' }, verbs: ['get'] }],
    },
  ]);
  expect(listedContent('garbage')).toBeUndefined();
});

it('an aggregated document says what each version serves, without members that nobody knows', () => {
  const resource = {
    resource: 'foos',
    responseKind: { group: 'x.io', version: 'v1', kind: 'Foo', other: 1 },
    scope: 'Namespaced',
    singularResource: 'foo',
    unknown: true,
    subresources: [
      {
        subresource: 'scale',
        responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
        verbs: ['get'],
        acceptedTypes: [{ group: 'a', version: 'v1', kind: 'X' }],
      },
    ],
  };
  const items = [
    { metadata: { name: 'x.io' }, versions: [{ version: 'v1', resources: [resource] }, 7] },
    null,
  ];
  const contents = aggregatedContents(TYPE, { items });
  expect([...(contents ?? [])]).toEqual([
    [
      'x.io/v1',
      [
        {
          resource: 'foos',
          responseKind: { group: 'x.io', version: 'v1', kind: 'Foo' },
          scope: 'Namespaced',
          singularResource: 'foo',
          verbs: null,
          subresources: resource.subresources,
        },
      ],
    ],
  ]);
  expect(aggregatedContents('application/json', { items })).toBeUndefined();
});

it('groups stand by the highest priority of their versions, versions by their own, beside those that the server has', () => {
  const group = (name: string, ...versions: string[]) => ({
    name,
    versions,
    preferredVersion: versions[0] ?? '',
  });
  const own = {
    groups: [
      group('', 'v1'),
      group('apiregistration.k8s.io', 'v1'),
      group('autoscaling', 'v2', 'v1'),
      group('batch', 'v1'),
      group('crd.io', 'v1', 'v1beta1'),
      group('p1.io', 'v3', 'v1'),
    ],
    resources: [],
  };
  const foreign = [
    { group: 'p1.io', version: 'v1', groupPriority: 100, versionPriority: 10 },
    { group: 'p1.io', version: 'v2', groupPriority: 2000, versionPriority: 20 },
    { group: 'p3.io', version: 'v1beta1', groupPriority: 17_500, versionPriority: 15 },
    { group: 'p3.io', version: 'v1', groupPriority: 17_000, versionPriority: 15 },
    { group: 'low.io', version: 'v1', groupPriority: 1, versionPriority: 1 },
  ].map((each) => ({ ...each, isStale: true }));
  const priorities = {
    autoscaling: [17_500, { v1: 15, v2: 30 }],
    batch: [17_400, { v1: 15 }],
  } as const;
  expect(
    withForeign(own, foreign, priorities).groups.map(({ name, versions }) => [name, ...versions]),
  ).toEqual([
    ['', 'v1'],
    ['apiregistration.k8s.io', 'v1'],
    ['autoscaling', 'v2', 'v1'],
    ['p3.io', 'v1', 'v1beta1'],
    ['batch', 'v1'],
    ['p1.io', 'v3', 'v2', 'v1'],
    ['crd.io', 'v1', 'v1beta1'],
    ['low.io', 'v1'],
  ]);
});
