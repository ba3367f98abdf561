import { describe, expect, it } from 'vitest';
import type { Json, JsonObject, ManagedFieldsEntry } from '../object.ts';
import { ApiError } from '../status.ts';
import { scaleEntriesOf, workloadEntriesOf } from './scale-fields.ts';
import { type ManagedObject, configMap, deployment } from './managed-object.fixture.ts';

const answerOf = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return error instanceof ApiError ? `${error.code} ${error.message}` : error;
  }
};

const podOf = (containers: readonly Json[]): JsonObject => ({ spec: { template: { spec: { containers } } } });
const containersOf = ({ live }: ManagedObject): readonly { readonly name: string }[] =>
  (live as { spec: { template: { spec: { containers: { name: string }[] } } } }).spec.template.spec
    .containers;

describe('fields of updates', () => {
  it('a creator owns what it sets, maps as such too, but never what names the object', () => {
    const metadata = { labels: { 'example.com/l': 'x' }, finalizers: ['x/b', 'x/a'], generateName: 'g-' };
    expect(
      configMap()
        .put('one', { metadata, data: { k: '1' } })
        .owners(),
    ).toEqual([
      `one Update: {data:{.,k},metadata:{finalizers:{.,"v:'x/a'","v:'x/b'"},generateName,labels:{.,example.com/l}}}`,
    ]);
    expect(configMap().put('one', {}).owners()).toEqual([]);
  });

  it('structs that are always there are not owned as such, unlike elements and optional structs', () => {
    const containers = [
      { name: 'c', image: 'i', ports: [{ containerPort: 80, protocol: 'TCP' }], resources: {} },
    ];
    const spec = {
      selector: { matchLabels: { a: 'b' } },
      template: { spec: { containers, securityContext: { runAsUser: 1 } } },
    };
    expect(deployment().put('one', { spec }).owners()).toEqual([
      `one Update: {spec:{selector,template:{spec:{containers:{"k:{'name':'c'}":{.,image,name,ports:{.,"k:{'containerPort':80,'protocol':'TCP'}":{.,containerPort,protocol}},resources}},securityContext:{.,runAsUser}}}}}`,
    ]);
  });

  it('an update takes what it changes, and what it removes belongs to nobody', () => {
    const object = configMap()
      .put('one', { data: { k: '1', l: '1', m: '1' } })
      .put('two', { data: { k: '2', l: '1' } });
    expect(object.owners()).toEqual(['one Update: {data:{.,l}}', 'two Update: {data:{k}}']);
    expect(object.put('two', {}).owners()).toEqual([]);
    expect(object.put('two', { data: { k: '1' } }).owners()).toEqual([]);
  });

  it('a change of order owns nothing and moves no time', () => {
    const object = configMap().put('one', { metadata: { finalizers: ['x/a', 'x/b'] } });
    const before = object.metadata().managedFields;
    object.put('two', { metadata: { finalizers: ['x/b', 'x/a'] } });
    expect(object.owners()).toHaveLength(1);
    expect(object.metadata().managedFields).toEqual(before);
  });

  it('several elements of one name are owned by name alone', () => {
    const env = [
      { name: 'E', value: '1' },
      { name: 'E', value: '2' },
      { name: 'F', value: '3' },
    ];
    const object = deployment().put('one', podOf([{ name: 'a', env }]));
    expect(object.owners()[0]).toContain(`env:{.,"k:{'name':'E'}","k:{'name':'F'}":{.,name,value}}`);
  });

  const entry: ManagedFieldsEntry = {
    manager: 'm',
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': { 'f:k': {} } },
  };

  it.each<[string, readonly ManagedFieldsEntry[], readonly string[]]>([
    ['an empty list clears', [], []],
    ['an empty entry clears', [{}], []],
    ['entries that can be read replace', [entry], ['m Update: {data:{k}}']],
    [
      'fields outside the schema are kept',
      [{ ...entry, fieldsV1: { 'f:x': { 'f:y': {} } } }],
      ['m Update: {x:{y}}'],
    ],
    ['fields of unknown kinds leave nothing', [{ ...entry, fieldsV1: { 'x:data': {} } }], []],
    ['entries of versions that are no more are dropped', [{ ...entry, apiVersion: 'a/v9' }], []],
    [
      'an entry without fields is dropped',
      [{ manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' }],
      [],
    ],
    [
      'broken keys leave the old list',
      [{ ...entry, fieldsV1: { 'k:{"broken"': {} } }],
      ['one Update: {data:{.,k}}'],
    ],
    [
      'an entry without a type leaves the old list',
      [{ manager: 'm', operation: 'Update', apiVersion: 'v1' }],
      ['one Update: {data:{.,k}}'],
    ],
    [
      'an unknown operation leaves the old list',
      [{ ...entry, operation: 'Other' as 'Update' }],
      ['one Update: {data:{.,k}}'],
    ],
  ])('entries in the body: %s', (_, sent, owners) => {
    expect(
      configMap()
        .put('one', { data: { k: '1' } })
        .put('two', { data: { k: '1' } }, sent)
        .owners(),
    ).toEqual(owners);
  });

  it('merges the oldest of more than ten updaters', () => {
    const object = configMap();
    const data: Record<string, string> = {};
    for (let n = 0; n < 12; n++) {
      data[`k${n}`] = '1';
      object.put(`m${n}`, { data: { ...data } });
    }
    expect(object.owners()).toHaveLength(10);
    expect(object.owners()[0]).toBe('ancient-changes Update: {data:{.,k0,k1,k2}}');
  });

  it('a write through a subresource has an entry of its own', () => {
    const object = configMap()
      .put('one', { data: { k: '1' } })
      .put('one', { data: { k: '1', l: '1' } }, [], 'status');
    expect(object.owners()).toEqual(['one Update: {data:{.,k}}', 'one Update: {data:{l}}']);
  });
});

describe('apply', () => {
  it('owns leaves, keys and elements, but no containers', () => {
    const object = configMap().apply('one', { metadata: { labels: {} }, data: { k: '1', n: null } });
    expect(object.owners()).toEqual(['one Apply: {data:{k,n},metadata:{labels}}']);
    expect(object.live?.['data']).toEqual({ k: '1', n: '' });
  });

  it('names all conflicts, and force takes the fields', () => {
    const object = configMap()
      .apply('one', { data: { k: '1', l: '1' } })
      .put('two', { data: { k: '1', l: '1', m: '1' } });
    expect(answerOf(() => object.apply('three', { data: { k: '2' } }))).toBe(
      '409 Apply failed with 1 conflict: conflict with "one": .data.k',
    );
    expect(answerOf(() => object.apply('three', { data: { k: '2', l: '2', m: '2' } }))).toBe(
      '409 Apply failed with 3 conflicts: conflicts with "one":\n- .data.k\n- .data.l\nconflicts with "two" using v1:\n- .data.m',
    );
    expect(object.apply('three', { data: { k: '2', l: '1' } }, true).owners()).toEqual([
      'one Apply: {data:{l}}',
      'three Apply: {data:{k,l}}',
      'two Update: {data:{m}}',
    ]);
  });

  it('removes what its manager drops, unless others own it', () => {
    const object = configMap()
      .apply('one', { data: { k: '1', l: '1' } })
      .apply('two', { data: { l: '1' } })
      .put('three', { data: { k: '1', l: '1', m: '1' } });
    expect(object.apply('one', {}).live?.['data']).toEqual({ l: '1', m: '1' });
    expect(object.owners()).toEqual(['two Apply: {data:{l}}', 'three Update: {data:{m}}']);
  });

  it('gives what nobody tracked to a manager of its own name', () => {
    const object = configMap()
      .put('one', { data: { k: '1' } })
      .put('one', { data: { k: '1' } }, []);
    expect(object.apply('two', { data: { l: '1' } }).owners()).toEqual([
      'two Apply: {data:{l}}',
      'before-first-apply Update: {data:{.,k}}',
    ]);
    expect(answerOf(() => object.apply('two', { data: { k: '2' } }))).toBe(
      '409 Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.k',
    );
  });

  it('a share in equal values has no time, and applying it again changes nothing', () => {
    const object = configMap()
      .apply('one', { data: { k: '1' } })
      .apply('two', { data: { k: '1' } });
    const { managedFields: entries = [] } = object.metadata();
    expect(entries.map(({ manager, time }) => [manager, time])).toEqual([
      ['two', undefined],
      ['one', '1970-01-01T00:00:00Z'],
    ]);
    const before = object.live;
    expect(object.apply('one', { data: { k: '1' } }).live).toBe(before);
  });

  it('orders elements as the configuration does, the others among them', () => {
    const object = deployment().put('one', podOf([{ name: 'a' }, { name: 'b' }, { name: 'c' }]));
    object.apply('two', podOf([{ name: 'n' }, { name: 'c' }, { name: 'm' }, { name: 'a' }]));
    expect(containersOf(object).map(({ name }) => name)).toEqual(['b', 'n', 'c', 'm', 'a']);
  });

  it('drops elements that it applied before, and keeps those in which others own a field', () => {
    const object = deployment().apply(
      'one',
      podOf([
        { name: 'a', image: 'i' },
        { name: 'b', image: 'i' },
      ]),
    );
    object
      .apply('two', podOf([{ name: 'b', command: ['x'] }]))
      .apply('one', podOf([{ name: 'c', image: 'i' }]));
    expect(containersOf(object)).toEqual([
      { name: 'b', command: ['x'], resources: {} },
      { name: 'c', image: 'i', resources: {} },
    ]);
  });

  it.each<[JsonObject, string]>([
    [{ nothing: 1 }, '.nothing: field not declared in schema'],
    [{ spec: { replicas: 'x' } }, '.spec.replicas: expected numeric (int or float), got string'],
    [{ spec: 'x' }, '.spec: expected map, got &{x}'],
    [
      { metadata: { labels: { k: 1 } } },
      '.metadata.labels.k: expected string, got &value.valueUnstructured{Value:1}',
    ],
    [
      podOf([{ name: 'a' }, { name: 'a' }]),
      '.spec.template.spec.containers: duplicate entries for key [name="a"]',
    ],
    [
      podOf([null]),
      '.spec.template.spec.containers: element 0: associative list with keys may not have a null element',
    ],
    [
      podOf([{ name: 'c', ports: [{ containerPort: 80, nothing: 1 }] }]),
      '.spec.template.spec.containers[name="c"].ports[containerPort=80,protocol="TCP"].nothing: field not declared in schema',
    ],
    [
      { metadata: { finalizers: ['x/a', 'x/a'] } },
      '.metadata.finalizers: duplicate entries for key [="x/a"]',
    ],
  ])('refuses %j', (object, why) => {
    expect(answerOf(() => deployment().apply('one', object))).toBe(
      `500 failed to create typed patch object (/a; apps/v1, Kind=Deployment): ${why}`,
    );
  });

  it('refuses entries and other kinds in the body', () => {
    expect(answerOf(() => configMap().apply('one', { metadata: { managedFields: [] } }))).toBe(
      '400 metadata.managedFields must be nil',
    );
    expect(answerOf(() => configMap().apply('one', { kind: 'Secret' }))).toBe(
      '400 invalid object type: /v1, Kind=Secret',
    );
  });
});

describe('entries of a Scale', () => {
  const paths = { 'apps/v1': ['f:spec', 'f:replicas'] };
  const workload: readonly ManagedFieldsEntry[] = [
    {
      manager: 'user',
      operation: 'Apply',
      apiVersion: 'apps/v1',
      time: '2001-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:replicas': {}, 'f:selector': {} } },
    },
  ];

  it('are those who own the replicas, and go back to the workload without a time', () => {
    const scale = scaleEntriesOf(workload, paths) ?? [];
    expect(scale).toMatchObject([
      { manager: 'user', apiVersion: 'autoscaling/v1', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
    ]);
    expect(workloadEntriesOf(workload, scale, 'apps/v1', paths)).toEqual(workload);
    // Who updates is told from itself by the version: its entry is split.
    const updated = workload.map((entry) => ({ ...entry, operation: 'Update' as const }));
    expect(workloadEntriesOf(updated, scaleEntriesOf(updated, paths), 'apps/v1', paths)).toMatchObject([
      { manager: 'user', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
      { manager: 'user', time: '2001-01-01T00:00:00Z', fieldsV1: { 'f:spec': { 'f:selector': {} } } },
    ]);
    const taken = [
      {
        ...scale[0],
        manager: 'scaler',
        operation: 'Update',
        subresource: 'scale',
        time: 'now',
      } as ManagedFieldsEntry,
    ];
    const after = workloadEntriesOf(workload, taken, 'apps/v1', paths) ?? [];
    expect(after.map(({ time }) => time)).toEqual(['2001-01-01T00:00:00Z', undefined]);
    expect(after).toMatchObject([
      { manager: 'user', fieldsV1: { 'f:spec': { 'f:selector': {} } } },
      {
        manager: 'scaler',
        apiVersion: 'apps/v1',
        subresource: 'scale',
        fieldsV1: { 'f:spec': { 'f:replicas': {} } },
      },
    ]);
  });
});

describe('client-side apply before', () => {
  const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
  const text = JSON.stringify({ data: { k: '1' } });

  it('lets kubectl, and nobody else, take what the annotation lists, and keeps the annotation', () => {
    const object = configMap().put('other', {
      metadata: { annotations: { [annotation]: text } },
      data: { k: '1', l: '1' },
    });
    expect(answerOf(() => object.apply('one', { data: { k: '2' } }))).toMatch(/^409 .* \.data\.k$/);
    expect(answerOf(() => object.apply('kubectl', { data: { l: '2' } }))).toMatch(/^409 .* \.data\.l$/);
    object.apply('kubectl', { data: { k: '2' } });
    expect(object.live?.['data']).toEqual({ k: '2', l: '1' });
    const { annotations = {} } = object.metadata();
    expect(annotations[annotation]).toBe(
      '{"apiVersion":"v1","data":{"k":"2"},"kind":"ConfigMap","metadata":{"annotations":{},"name":"a"}}\n',
    );
  });
});
