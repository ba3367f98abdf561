import { describe, expect, it } from 'vitest';
import { differingTables } from '../../cli/import-catalog.ts';
import { RELEASE_1_31 } from '../release/release-1-31.ts';
import { digestOf } from './digest.ts';
import { COLUMNS } from './tables/columns.ts';
import { TABLE_DIGESTS } from './tables/digests.ts';
import { FIELD_LABELS } from './tables/field-labels.ts';
import { LIFE_CYCLES } from './tables/life-cycles.ts';
import { KINDS } from './tables/kinds.ts';
import { RESOURCES } from './tables/resources.ts';
import { TYPE_TABLES } from './tables/type-tables.ts';

const { types, kinds, resources, fieldLabels, columns } = RELEASE_1_31.catalog;

const groupFile = (group: string): string => `types-${group === '' ? 'core' : group.replaceAll('.', '-')}`;
const source = process.env['KUBESIM_CATALOG'];

describe('the tables', () => {
  it.runIf(source)('are what the script makes of the catalog', () => {
    expect(differingTables(source ?? '')).toEqual([]);
  });

  it('are as the script left them', () => {
    const texts: [string, string][] = [
      ['kinds', KINDS],
      ['resources', RESOURCES],
      ['columns', COLUMNS],
      ['field-labels', FIELD_LABELS],
      ['life-cycles', LIFE_CYCLES],
      ...[...TYPE_TABLES].map(([group, text]): [string, string] => [groupFile(group), text]),
    ];
    expect(new Map(texts.map(([name, text]) => [name, digestOf(text)]))).toEqual(TABLE_DIGESTS);
  });
});

describe('built-in types', () => {
  it('are 1050 structs, all of which can be made', () => {
    const keys = types.allKeys();
    expect(keys).toHaveLength(1050);
    for (const key of keys) expect(types.structOf(key).key).toBe(key);
  });

  it('are made once', () => {
    expect(types.structOf('v1.Pod')).toBe(types.structOf('v1.Pod'));
    expect(types.hasStruct('v1.Pot')).toBe(false);
    expect(() => types.structOf('v1.Pot')).toThrow('the catalog has no type v1.Pot');
  });

  it('list members in the order in which the server writes them, inlined ones in place', () => {
    const names = types.structOf('v1.ConfigMap').fields.map(({ name }) => name);
    expect(names).toEqual(['kind', 'apiVersion', 'metadata', 'immutable', 'data', 'binaryData']);
    const volume = types.structOf('v1.Volume');
    expect(volume.fields.slice(0, 3).map(({ name }) => name)).toEqual(['name', 'hostPath', 'emptyDir']);
    expect(volume.inlined.map(({ proto, schema }) => [proto, schema.key])).toEqual([[2, 'v1.VolumeSource']]);
  });

  it('know list keys, merge keys, defaults and enums', () => {
    const ports = types.structOf('v1.ServiceSpec').fieldsByName.get('ports');
    expect(ports?.schema).toMatchObject({
      listType: 'map',
      listMapKeys: ['port', 'protocol'],
      patchStrategy: 'merge',
      patchMergeKey: 'port',
    });
    const protocol = types.structOf('v1.ServicePort').fieldsByName.get('protocol');
    expect(protocol).toMatchObject({ default: 'TCP', enum: ['SCTP', 'TCP', 'UDP'], omitEmpty: true });
  });

  it('know atomic structs, also where a member overrides its type', () => {
    expect(types.structOf('v1.ObjectReference').mapType).toBe('atomic');
    const claim = types.structOf('v1.PersistentVolumeSpec').fieldsByName.get('claimRef');
    expect(claim?.schema).toMatchObject({ key: 'v1.ObjectReference', mapType: 'granular' });
  });

  it('may contain themselves', () => {
    const schema = types.structOf('apiextensions.k8s.io/v1.JSONSchemaProps');
    expect(schema.fieldsByName.get('not')?.schema).toBe(schema);
  });

  it('carry the names that errors and OpenAPI need', () => {
    expect(types.structOf('apps/v1.DeploymentStrategy').fieldsByName.get('type')?.schema).toMatchObject({
      goType: 'v1.DeploymentStrategyType',
    });
    expect(types.structOf('apps/v1.Deployment').openApiName).toBe('io.k8s.api.apps.v1.Deployment');
    expect(types.structOf('extensions/v1beta1.Ingress').openApiName).toBeUndefined();
  });
});

describe('built-in kinds', () => {
  it('are 297 in 64 group versions, with their life cycles', () => {
    const all = kinds.groupVersions.flatMap((groupVersion) => kinds.of(groupVersion));
    expect(kinds.groupVersions).toHaveLength(64);
    expect(all.filter(({ isShared }) => !isShared)).toHaveLength(297);
    expect(kinds.find({ group: 'extensions', version: 'v1beta1', kind: 'Ingress' })?.lifeCycle).toEqual({
      introduced: '1.1',
      deprecated: '1.14',
      removed: '1.22',
      replacement: { group: 'networking.k8s.io', version: 'v1', kind: 'Ingress' },
    });
  });

  it('include the shared ones where they are registered', () => {
    expect(kinds.find({ group: 'apps', version: 'v1', kind: 'DeleteOptions' })?.typeKey).toBe(
      'meta.k8s.io/v1.DeleteOptions',
    );
    expect(kinds.find({ group: '', version: 'v1', kind: 'Status' })?.isShared).toBe(true);
    expect(kinds.find({ group: 'apps', version: 'v1', kind: 'Status' })).toBeUndefined();
    expect(kinds.of('apps/v9')).toEqual([]);
  });
});

describe('built-in resources', () => {
  it('are 80, of which 61 are served by default', () => {
    expect(resources.all).toHaveLength(80);
    expect(resources.all.filter(({ isDefault }) => isDefault)).toHaveLength(61);
    expect(resources.all.flatMap(({ subresources }) => subresources)).toHaveLength(51);
  });

  it('know names, verbs and subresources', () => {
    const pods = resources.all.find(({ resource }) => resource === 'pods');
    expect(pods).toMatchObject({
      singular: 'pod',
      shortNames: ['po'],
      categories: ['all'],
      namespaced: true,
    });
    expect(pods?.verbs).toHaveLength(8);
    expect(pods?.subresources.find(({ name }) => name === 'eviction')).toMatchObject({
      group: 'policy',
      kind: 'Eviction',
      verbs: ['create'],
    });
  });

  it('stand in groups, the core group first', () => {
    expect(resources.groups('default')[0]).toEqual({ name: '', versions: ['v1'], preferredVersion: 'v1' });
    expect(resources.groups('default')).toHaveLength(20);
    expect(resources.groups('all')).toHaveLength(23);
  });

  it('have columns and field labels', () => {
    const configMaps = { group: '', version: 'v1', resource: 'configmaps' };
    expect(columns.of(configMaps)?.map(({ name }) => name)).toEqual(['Name', 'Data', 'Age']);
    expect(fieldLabels.of(configMaps)?.labels).toEqual(['metadata.name', 'metadata.namespace']);
    expect(fieldLabels.of({ group: '', version: 'v1', resource: 'pods' })).toMatchObject({
      labels: expect.arrayContaining(['spec.nodeName', 'status.phase']),
      unsupportedMessage: 'field label not supported: {label}',
    });
    expect(columns.of({ group: '', version: 'v1', resource: 'pots' })).toBeUndefined();
  });
});
