/**
 * What drivers, classes, attachments and capacities of storage may say, field by field, beside a plain reading of their
 * documentation ("Storage Classes", "CSIDriver v1", "CSINode v1", "VolumeAttachment v1"): what is refused, what never
 * changes, and what stands in for what is not said.
 */
import { isDeepStrictEqual } from 'node:util';
import { it } from 'vitest';
import { type FieldRules, holdFieldByField, type Refused } from '../field-rules.fixture.ts';

const V1 = 'storage.k8s.io/v1';
const LONG = 'a'.repeat(64);
const or =
  (usual: unknown) =>
  (value: unknown): unknown =>
    value ?? usual;
const tokenFields = (...places: readonly string[]): readonly string[] =>
  places.map((place) => `spec.tokenRequests[${place}`);

interface Driver {
  readonly name: string;
}
const INLINE = {
  accessModes: ['ReadWriteOnce'],
  csi: { driver: 'a.b', volumeHandle: 'h' },
};
const LONG_ID = 'a'.repeat(256);
const driversOf = (drivers: unknown): readonly Driver[] => (drivers ?? []) as readonly Driver[];
const oneDriver = (more: object, place: string): Refused => ({
  value: [{ name: 'd', nodeID: 'i', topologyKeys: null, ...more }],
  at: [`spec.drivers[0]${place}`],
});

const KINDS: readonly FieldRules[] = [
  {
    apiVersion: V1,
    kind: 'CSIDriver',
    resource: 'csidrivers',
    counts: ['spec'],
    countsFrom: 0,
    base: { spec: {} },
    fields: [
      {
        at: 'spec.attachRequired',
        may: [undefined, true, false],
        shows: or(true),
        isFixed: 'spec.attachedRequired',
      },
      { at: 'spec.podInfoOnMount', may: [undefined, true, false], shows: or(false) },
      { at: 'spec.storageCapacity', may: [undefined, true, false], shows: or(false) },
      {
        at: 'spec.fsGroupPolicy',
        may: [undefined, 'File', 'None', 'ReadWriteOnceWithFSType'],
        mayNot: ['file', ''],
        shows: or('ReadWriteOnceWithFSType'),
      },
      {
        at: 'spec.volumeLifecycleModes',
        may: [
          undefined,
          [],
          ['Persistent'],
          ['Ephemeral'],
          ['Persistent', 'Ephemeral'],
          ['Ephemeral', 'Persistent'],
        ],
        mayNot: [{ value: ['Other'] }, { value: ['Persistent', ''] }],
        shows: (modes) => ((modes as [] | undefined)?.length ? modes : ['Persistent']),
        isFixed: true,
      },
      {
        at: 'spec.tokenRequests',
        may: [
          undefined,
          [{ audience: '' }],
          [{ audience: 'a', expirationSeconds: 600 }, { audience: 'b' }],
          [{ audience: 'a', expirationSeconds: 2 ** 32 }],
        ],
        mayNot: [
          {
            value: [{ audience: 'a' }, { audience: 'b' }, { audience: 'a' }],
            at: tokenFields('2].audience'),
          },
          { value: [{ audience: 'a', expirationSeconds: 599 }], at: tokenFields('0].expirationSeconds') },
          {
            value: [{ audience: 'b' }, { audience: 'a', expirationSeconds: 2 ** 32 + 1 }],
            at: tokenFields('1].expirationSeconds'),
          },
        ],
      },
      { at: 'spec.requiresRepublish', may: [undefined, true, false], shows: or(false) },
      { at: 'spec.seLinuxMount', may: [undefined, true, false], shows: or(false) },
    ],
  },
  {
    apiVersion: V1,
    kind: 'StorageClass',
    resource: 'storageclasses',
    fields: [
      {
        at: 'provisioner',
        may: ['a', 'example.com/A', LONG.slice(1)],
        mayNot: ['', LONG, '-', 'a/b/c', 'a b'],
        isFixed: true,
      },
      {
        at: 'parameters',
        may: [undefined, { a: 'b' }, { a: '' }, { a: 'c', d: 'e' }],
        mayNot: [{ value: { '': 'a' } }],
        isFixed: true,
      },
      {
        at: 'reclaimPolicy',
        may: [undefined, 'Delete', 'Retain'],
        mayNot: ['Recycle'],
        shows: or('Delete'),
        isFixed: true,
      },
      {
        at: 'volumeBindingMode',
        may: [undefined, 'Immediate', 'WaitForFirstConsumer'],
        mayNot: ['Later', ''],
        shows: or('Immediate'),
        isFixed: true,
      },
      { at: 'allowVolumeExpansion', may: [undefined, true, false] },
      { at: 'mountOptions', may: [undefined, ['ro'], ['ro', '']] },
      {
        at: 'allowedTopologies',
        may: [
          undefined,
          [{ matchLabelExpressions: [{ key: 'zone', values: ['a', 'b'] }] }],
          [
            {
              matchLabelExpressions: [
                { key: 'zone', values: ['a'] },
                { key: 'rack', values: ['a'] },
              ],
            },
            { matchLabelExpressions: [{ key: 'zone', values: ['b'] }] },
          ],
        ],
        mayNot: [
          {
            value: [{ matchLabelExpressions: [{ key: 'zone', values: [] }] }],
            at: ['allowedTopologies[0].matchLabelExpressions[0].values'],
          },
          {
            value: [{ matchLabelExpressions: [{ key: 'zone', values: ['a', 'b', 'a'] }] }],
            at: ['allowedTopologies[0].matchLabelExpressions[0].values[2]'],
          },
          {
            value: [{ matchLabelExpressions: [{ key: 'a b', values: ['a'] }] }],
            at: ['allowedTopologies[0].matchLabelExpressions[0].key'],
          },
          {
            value: [
              {
                matchLabelExpressions: [
                  { key: 'zone', values: ['a'] },
                  { key: 'zone', values: ['b'] },
                ],
              },
            ],
            at: ['allowedTopologies[0].matchLabelExpressions[1].key'],
          },
          {
            value: [
              { matchLabelExpressions: [{ key: 'zone', values: ['a', 'b'] }] },
              { matchLabelExpressions: [{ key: 'zone', values: ['b', 'a'] }] },
            ],
            at: ['allowedTopologies[1].matchLabelExpressions'],
          },
        ],
      },
    ],
  },
  {
    apiVersion: V1,
    kind: 'CSINode',
    resource: 'csinodes',
    base: { spec: {} },
    fields: [
      {
        at: 'spec.drivers',
        may: [
          [{ name: 'a.b', nodeID: 'i', topologyKeys: null }],
          [
            { name: 'a.b', nodeID: 'i', topologyKeys: null },
            { name: 'A.c', nodeID: LONG_ID, topologyKeys: ['zone', 'example.com/rack'] },
          ],
          [{ name: 'A.c', nodeID: LONG_ID, topologyKeys: ['zone', 'example.com/rack'] }],
          ...[
            { nodeID: 'j' },
            { topologyKeys: ['zone'] },
            { allocatable: { count: 0 } },
            { allocatable: { count: 2 } },
            { allocatable: {} },
          ].map((more) => [{ name: 'a.b', nodeID: 'i', topologyKeys: null, ...more }]),
        ],
        mayNot: [
          ...[{ name: '' }, { name: LONG }, { name: 'c_d' }].map((more) => oneDriver(more, '.name')),
          ...[{ nodeID: '' }, { nodeID: `${LONG_ID}a` }].map((more) => oneDriver(more, '.nodeID')),
          oneDriver({ allocatable: { count: -1 } }, '.allocatable.count'),
          ...[['zone', 'zone'], ['a b']].map((topologyKeys) => oneDriver({ topologyKeys }, '')),
          {
            value: ['d', 'e', 'd'].map((name) => ({ name, nodeID: 'i', topologyKeys: null })),
            at: ['spec.drivers[2].name'],
          },
        ],
        // A driver may come and go; as long as it is there it is what it is.
        isFixed: (now, before) =>
          driversOf(now).some((driver) =>
            driversOf(before).some((old) => old.name === driver.name && !isDeepStrictEqual(old, driver)),
          )
            ? ['CSINodeDriver']
            : [],
      },
    ],
  },
  {
    apiVersion: V1,
    kind: 'VolumeAttachment',
    resource: 'volumeattachments',
    fields: [
      {
        at: 'spec.attacher',
        may: ['a.b', 'A'],
        mayNot: [
          { value: '' },
          // What is there already is asked no more.
          ...[LONG, 'c_d'].map((value) => ({ value, onUpdate: [] })),
        ],
        isFixed: 'spec',
      },
      {
        at: 'spec.source',
        may: [
          { persistentVolumeName: 'v' },
          { persistentVolumeName: 'w' },
          { inlineVolumeSpec: { ...INLINE, accessModes: ['ReadOnlyMany'] } },
          { inlineVolumeSpec: INLINE },
        ],
        mayNot: [
          { value: {} },
          { value: { persistentVolumeName: '' }, at: ['spec.source.persistentVolumeName'] },
          { value: { persistentVolumeName: 'v', inlineVolumeSpec: INLINE } },
          {
            value: { inlineVolumeSpec: { ...INLINE, capacity: { storage: '1Gi' } } },
            at: ['spec.source.inlineVolumeSpec.capacity'],
          },
          { value: { persistentVolumeName: 'V_' }, at: ['spec.source.persistentVolumeName'], onUpdate: [] },
        ],
        isFixed: 'spec',
      },
      { at: 'spec.nodeName', may: ['n', 'm.n'], mayNot: ['', 'N_'], isFixed: 'spec' },
      ...[
        { at: 'status.attached', may: [true, false], shows: or(false) },
        { at: 'status.attachmentMetadata', may: [undefined, { a: 'b' }, { a: 'c', d: '' }] },
        {
          at: 'status.attachError',
          may: [undefined, { message: 'm' }, { time: '2026-01-01T00:00:00Z', message: 'n' }],
          shows: (error: unknown) => (error === undefined ? error : { time: null, ...(error as object) }),
        },
      ].map((field) => ({ ...field, isOfStatus: true })),
    ],
  },
  {
    apiVersion: V1,
    kind: 'CSIStorageCapacity',
    resource: 'csistoragecapacities',
    isNamespaced: true,
    fields: [
      {
        at: 'nodeTopology',
        may: [
          undefined,
          { matchLabels: { a: 'b' } },
          { matchExpressions: [{ key: 'a', operator: 'Exists' }] },
        ],
        mayNot: [
          {
            value: { matchExpressions: [{ key: 'a', operator: 'In' }] },
            at: ['nodeTopology.matchExpressions[0].values'],
          },
          { value: { matchLabels: { a: '-' } }, at: ['nodeTopology.matchLabels'] },
        ],
        isFixed: true,
      },
      { at: 'storageClassName', may: ['c', 'd.e'], mayNot: ['', 'C_'], isFixed: true },
      { at: 'capacity', may: [undefined, '0', '1Gi', '2Gi'], mayNot: ['-1'] },
      { at: 'maximumVolumeSize', may: [undefined, '0', '1Gi'] },
    ],
  },
  {
    apiVersion: 'storage.k8s.io/v1beta1',
    kind: 'VolumeAttributesClass',
    resource: 'volumeattributesclasses',
    features: 'AllAlpha=true,AllBeta=true',
    fields: [
      { at: 'driverName', may: ['a.b', 'A.b/c'], mayNot: ['', 'a_', LONG], isFixed: true },
      {
        at: 'parameters',
        may: [{ a: 'b' }, { a: 'b', c: '' }, { a: '' }],
        mayNot: [{ value: undefined }, { value: { a: 'b', '': 'c' } }],
        isFixed: true,
      },
    ],
  },
];

it.each(KINDS)('$kind', (rules) => holdFieldByField(rules));
