import { describe, expect, it } from 'vitest';
import { RELEASE_1_31 } from '../../api/release/release-1-31.ts';
import { builtinRows } from './builtin.ts';
import { BUILTIN_KINDS } from './kinds/builtin-kinds.ts';
import { resourceText } from './resource.ts';
import { parseRuntimeConfig } from './runtime-config.ts';

const textsOfKinds = BUILTIN_KINDS.map((kind) => resourceText({ group: '', ...kind }));
const rowOf = (text: string) =>
  builtinRows(RELEASE_1_31, parseRuntimeConfig('api/all=true')).find((row) => resourceText(row) === text);

describe('the list of kinds', () => {
  it('has each resource of the release once, and nothing else', () => {
    expect([...textsOfKinds].sort()).toEqual(
      [...new Set(RELEASE_1_31.catalog.resources.all.map(resourceText))].sort(),
    );
  });
});

describe('a row', () => {
  it('is stored where its kind says, else under its plural name', () => {
    expect(rowOf('nodes')?.storagePrefix).toBe('/registry/minions/');
    expect(rowOf('pods')?.storagePrefix).toBe('/registry/pods/');
    expect(rowOf('ingresses.networking.k8s.io')?.storagePrefix).toBe('/registry/ingress/');
  });

  it('shares place, version and Go type with the resource whose objects it shows', () => {
    const [core, events] = [rowOf('events'), rowOf('events.events.k8s.io')];
    expect([events?.storagePrefix, events?.storageApiVersion, events?.goTypeName]).toEqual([
      core?.storagePrefix,
      'v1',
      'core.Event',
    ]);
  });

  it('has its status where it is served because it was asked for alone', () => {
    const config = parseRuntimeConfig('internal.apiserver.k8s.io/v1alpha1=true');
    const row = builtinRows(RELEASE_1_31, config).find(({ resource }) => resource === 'storageversions');
    expect([...(row?.versions.get('v1alpha1')?.subresources.keys() ?? [])]).toEqual(['status']);
  });

  it('has the paths of a Scale where its kind runs replicas', () => {
    const scaled = builtinRows(RELEASE_1_31, parseRuntimeConfig())
      .filter(({ versions }) => [...versions.values()].some(({ scale }) => scale))
      .map(resourceText);
    expect(scaled.sort()).toEqual([
      'deployments.apps',
      'replicasets.apps',
      'replicationcontrollers',
      'statefulsets.apps',
    ]);
  });
});
