import { expect, it } from 'vitest';
import { uncoveredRights } from './covering-rules.ts';

it('lists missing rights by group, resource and name, with their verbs', () => {
  const owned = [{ verbs: ['get'], apiGroups: [''], resources: ['configmaps'] }];
  const wanted = [
    { verbs: ['get', 'watch'], apiGroups: ['', 'apps'], resources: ['configmaps'] },
    { verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: ['a'] },
    { verbs: ['get'], nonResourceURLs: ['/metrics'] },
  ];
  expect(uncoveredRights(owned, wanted)).toEqual([
    '{APIGroups:[""], Resources:["configmaps"], Verbs:["watch"]}',
    '{APIGroups:[""], Resources:["secrets"], ResourceNames:["a"], Verbs:["get"]}',
    '{APIGroups:["apps"], Resources:["configmaps"], Verbs:["get" "watch"]}',
    '{NonResourceURLs:["/metrics"], Verbs:["get"]}',
  ]);
});

it('a star covers everything, a subresource pattern only its subresource', () => {
  expect(
    uncoveredRights(
      [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
      [{ verbs: ['get'], apiGroups: [''], resources: ['pods/log'] }],
    ),
  ).toEqual([]);
  expect(
    uncoveredRights(
      [{ verbs: ['get'], apiGroups: ['*'], resources: ['*/scale'] }],
      [{ verbs: ['get'], apiGroups: [''], resources: ['pods/log'] }],
    ),
  ).toHaveLength(1);
});

it('a rule that names no verbs yet gives no rights', () => {
  const rule = { verbs: null as unknown as string[], apiGroups: [''], resources: ['pods'] };
  expect(uncoveredRights([], [rule])).toEqual([]);
});

it('verbs that are wanted twice stand twice, on one resource', () => {
  const wanted = [
    { verbs: ['get', 'watch'], apiGroups: [''], resources: ['pods', 'secrets'] },
    { verbs: ['get', 'get'], apiGroups: [''], resources: ['pods'] },
    { verbs: ['get', 'get'], nonResourceURLs: ['/a'] },
  ];
  expect(uncoveredRights([], wanted)).toEqual([
    '{APIGroups:[""], Resources:["pods"], Verbs:["get" "watch" "get" "get"]}',
    '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "watch"]}',
    '{NonResourceURLs:["/a"], Verbs:["get"]}',
  ]);
});
