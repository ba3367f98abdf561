import { expect, test } from 'vitest';
import { BUILTIN_HANDLES, createCluster, type ApiObject, type ResourceHandle } from '../core.ts';
import type { NewObject } from '../client/options.ts';
import type { Deployment } from '../api/types/apps-v1.ts';
import type { Pod } from '../api/types/core-v1.ts';

interface Website extends ApiObject {
  readonly spec?: { readonly url: string };
}

const websites: ResourceHandle<Website> = {
  group: 'example.com',
  version: 'v1',
  resource: 'websites',
  kind: 'Website',
  isNamespaced: true,
};

test('what is created by a handle has the kind of the handle', () => {
  const cluster = createCluster();
  cluster.client.customResourceDefinitions.create({
    metadata: { name: 'websites.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'websites', kind: 'Website' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  });
  const client = cluster.client.resource(websites);
  const made = cluster.eventually(() => client.create({ metadata: { name: 'a' }, spec: { url: 'x' } }));
  expect(made).toMatchObject({ apiVersion: 'example.com/v1', kind: 'Website', spec: { url: 'x' } });
  const { apiVersion: _, kind: __, ...untyped } = client.get('a');
  expect(client.update({ ...untyped, spec: { url: 'y' } }).kind).toBe('Website');
});

test('types know members and words, so that misspelt ones do not compile', () => {
  const misspelt = (deployment: Deployment, pod: Pod): unknown[] => [
    // @ts-expect-error there is no such member
    deployment.spce,
    // @ts-expect-error there is no such word
    (pod.spec ?? { containers: [] }).restartPolicy === 'Allways',
    deployment.spec?.replicas,
    // @ts-expect-error there is no such member of what is made
    { metadata: {}, spce: {} } satisfies NewObject<Deployment>,
    // @ts-expect-error nor such a word
    { metadata: {}, spec: { containers: [], restartPolicy: 'Allways' } } satisfies NewObject<Pod>,
    // @ts-expect-error nor in a type of one's own
    { metadata: {}, spec: { urll: '' } } satisfies NewObject<Website>,
  ];
  // It is for the compiler alone.
  expect(misspelt).toBeTypeOf('function');
  expect(BUILTIN_HANDLES.pods.kind).toBe('Pod');
});
