/**
 * What volumes and claims of them may say, field by field, beside a plain reading of their documentation ("Persistent
 * Volumes"): where a volume is never changes, and of a claim little but the class that nobody named before.
 */
import { it } from 'vitest';
import { type Field, type FieldRules, holdFieldByField, type Refused } from '../field-rules.fixture.ts';

const or =
  (usual: unknown) =>
  (value: unknown): unknown =>
    value ?? usual;

type Source = Readonly<Record<string, object>>;
/** Sources, with what stands in for what they do not say. */
const SOURCES: readonly (readonly [said: Source, shown: object])[] = [
  [{ hostPath: { path: '/a' } }, { type: '' }],
  [{ hostPath: { path: '/b', type: 'Directory' } }, {}],
  [{ nfs: { server: 's', path: '/a', readOnly: true } }, {}],
  [
    { iscsi: { targetPortal: '10.1.2.3', iqn: 'iqn.2026-01.a.b:c', lun: 255 } },
    { iscsiInterface: 'default' },
  ],
  [{ iscsi: { targetPortal: 'p', iqn: 'eui.0123456789abcdef', lun: 0, iscsiInterface: 'i' } }, {}],
  [{ rbd: { monitors: ['m'], image: 'i' } }, { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' }],
  [{ fc: { targetWWNs: ['w'], lun: 0 } }, {}],
  [{ fc: { wwids: ['w'] } }, {}],
  [{ csi: { driver: 'a.b', volumeHandle: 'h' } }, {}],
  [{ csi: { driver: 'a.b', volumeHandle: 'h', nodeStageSecretRef: { name: 's', namespace: 'n' } } }, {}],
  [
    { azureDisk: { diskName: 'd', diskURI: 'https://a' } },
    { cachingMode: 'ReadWrite', kind: 'Shared', fsType: 'ext4', readOnly: false },
  ],
  [{ cinder: { volumeID: 'v', secretRef: { name: 's', namespace: 'n' } } }, {}],
  [{ gcePersistentDisk: { pdName: 'd', partition: 255 } }, {}],
  [{ awsElasticBlockStore: { volumeID: 'v', partition: 1 } }, {}],
  [{ flexVolume: { driver: 'd', options: { a: 'b' } } }, {}],
  [{ quobyte: { registry: 'a:1,b:2', volume: 'v' } }, {}],
  [{ portworxVolume: { volumeID: 'v' } }, {}],
];

/** Where it is, as the only member of the spec that says so. */
const wrongSource = (source: Source, ...places: readonly string[]): Refused => ({
  value: source,
  at: places.map((place) => `spec${place}`),
});

const REST = {
  capacity: { storage: '1Gi' },
  accessModes: ['ReadWriteOnce'],
  persistentVolumeReclaimPolicy: 'Retain',
  volumeMode: 'Filesystem',
};
const sourceField: Field = {
  at: 'spec',
  may: SOURCES.map(([said]) => said),
  mayNot: [
    wrongSource({}, ''),
    wrongSource({ hostPath: { path: '/a' }, nfs: { server: 's', path: '/a' } }, '.nfs'),
    wrongSource({ hostPath: { path: '' } }, '.hostPath.path'),
    wrongSource({ hostPath: { path: '/a/../b' } }, '.hostPath.path'),
    wrongSource({ hostPath: { path: '/a', type: 'Other' } }, '.hostPath.type'),
    wrongSource({ nfs: { server: '', path: '/a' } }, '.nfs.server'),
    wrongSource({ nfs: { server: 's', path: 'a' } }, '.nfs.path'),
    wrongSource({ iscsi: { targetPortal: '', iqn: 'iqn.2026-01.a.b:c', lun: 0 } }, '.iscsi.targetPortal'),
    ...['', 'a', 'iqn.a', 'eui.0', 'naa.0'].map((iqn) =>
      wrongSource({ iscsi: { targetPortal: 'p', iqn, lun: 0 } }, '.iscsi.iqn'),
    ),
    ...[-1, 256].map((lun) =>
      wrongSource({ iscsi: { targetPortal: 'p', iqn: 'iqn.2026-01.a.b:c', lun } }, '.iscsi.lun'),
    ),
    wrongSource(
      { iscsi: { targetPortal: 'p', iqn: 'iqn.2026-01.a.b:c', lun: 0, chapAuthSession: true } },
      '.iscsi.secretRef',
    ),
    wrongSource({ rbd: { monitors: [], image: 'i' } }, '.rbd.monitors'),
    wrongSource({ rbd: { monitors: ['m'], image: '' } }, '.rbd.image'),
    wrongSource({ fc: {} }, '.fc.targetWWNs'),
    wrongSource({ fc: { targetWWNs: ['w'] } }, '.fc.lun'),
    wrongSource({ fc: { targetWWNs: ['w'], wwids: ['v'], lun: 0 } }, '.fc.targetWWNs'),
    wrongSource({ fc: { targetWWNs: ['w'], lun: 256 } }, '.fc.lun'),
    wrongSource({ csi: { driver: '', volumeHandle: 'h' } }, '.csi.driver'),
    wrongSource({ csi: { driver: 'a'.repeat(64), volumeHandle: 'h' } }, '.csi.driver'),
    wrongSource({ csi: { driver: 'a.b', volumeHandle: '' } }, '.csi.volumeHandle'),
    wrongSource(
      { csi: { driver: 'a.b', volumeHandle: 'h', nodePublishSecretRef: { name: 's' } } },
      '.csi.nodePublishSecretRef.namespace',
    ),
    wrongSource(
      { csi: { driver: 'a.b', volumeHandle: 'h', controllerPublishSecretRef: { namespace: 'n' } } },
      '.csi.controllerPublishSecretRef.name',
    ),
    wrongSource({ azureDisk: { diskName: 'd', diskURI: 'a' } }, '.azureDisk.diskURI'),
    wrongSource(
      { azureDisk: { diskName: 'd', diskURI: 'https://a', kind: 'Managed' } },
      '.azureDisk.diskURI',
    ),
    wrongSource(
      { azureDisk: { diskName: 'd', diskURI: 'https://a', cachingMode: 'Some' } },
      '.azureDisk.cachingMode',
    ),
    ...[-1, 256].map((partition) =>
      wrongSource({ gcePersistentDisk: { pdName: 'd', partition } }, '.persistentDisk.partition'),
    ),
    wrongSource({ awsElasticBlockStore: { volumeID: '' } }, '.awsElasticBlockStore.volumeID'),
    wrongSource(
      { flexVolume: { driver: 'd', options: { 'a.kubernetes.io/b': 'c' } } },
      '.flexVolume.options[a.kubernetes.io/b]',
    ),
    wrongSource({ quobyte: { registry: 'a:1,b', volume: 'v' } }, '.quobyte.registry'),
    wrongSource({ local: { path: '/a' } }, '.nodeAffinity'),
  ],
  shows: (source) => {
    const said = source as Source;
    const [, shown = {}] = SOURCES.find(([each]) => each === said) ?? [];
    const [name = ''] = Object.keys(said);
    return { ...said, ...(name !== '' && { [name]: { ...shown, ...said[name] } }) };
  },
  reads: (spec) => {
    const others = [...Object.keys(REST), 'claimRef'];
    return Object.fromEntries(Object.entries(spec as object).filter(([name]) => !others.includes(name)));
  },
  isFixed: 'spec.persistentvolumesource',
};

const PLACE: FieldRules = {
  ...{ apiVersion: 'v1', kind: 'PersistentVolume', resource: 'persistentvolumes' },
  isFilledIn: true,
  fields: [
    {
      ...sourceField,
      may: sourceField.may.map((each) => ({ ...REST, ...(each as object) })),
      mayNot: (sourceField.mayNot as readonly Refused[]).map(({ value, ...rest }) => ({
        value: { ...REST, ...(value as object) },
        ...rest,
      })),
      shows: (spec) => {
        const own = Object.fromEntries(Object.entries(spec as object).filter(([name]) => !(name in REST)));
        const [, shown = {}] = SOURCES.find(([each]) => JSON.stringify(each) === JSON.stringify(own)) ?? [];
        return Object.fromEntries(
          Object.entries(own).map(([name, source]) => [name, { ...shown, ...(source as object) }]),
        );
      },
    },
  ],
};

const term = (key: string): object => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: ['a'] }] }] },
});

const VOLUME: FieldRules = {
  ...{ apiVersion: 'v1', kind: 'PersistentVolume', resource: 'persistentvolumes' },
  isFilledIn: true,
  base: { spec: { csi: { driver: 'a.b', volumeHandle: 'h' } } },
  fields: [
    {
      at: 'spec.capacity',
      may: [{ storage: '1Gi' }, { storage: '2Gi' }],
      mayNot: [
        { value: undefined },
        { value: { storage: '0' }, at: ['spec.capacity[storage]'] },
        { value: { storage: '-1' }, at: ['spec.capacity[storage]'] },
        { value: { storage: '1', cpu: '1' } },
      ],
    },
    {
      at: 'spec.accessModes',
      may: [['ReadWriteOnce'], ['ReadOnlyMany', 'ReadWriteMany'], ['ReadWriteOncePod']],
      mayNot: [{ value: undefined }, { value: ['Other'] }, { value: ['ReadWriteOncePod', 'ReadWriteOnce'] }],
    },
    {
      at: 'spec.persistentVolumeReclaimPolicy',
      may: [undefined, 'Retain', 'Delete', 'Recycle'],
      mayNot: ['Keep'],
      shows: or('Retain'),
    },
    {
      at: 'spec.volumeMode',
      may: [undefined, 'Filesystem', 'Block'],
      mayNot: ['Disk'],
      shows: or('Filesystem'),
      isFixed: 'volumeMode',
    },
    { at: 'spec.storageClassName', may: [undefined, 'c', 'd'], mayNot: ['C'] },
    { at: 'spec.mountOptions', may: [undefined, ['a'], ['b', '']] },
    {
      at: 'spec.nodeAffinity',
      may: [undefined, term('a'), term('b')],
      mayNot: [
        { value: {}, at: ['spec.nodeAffinity.required'] },
        {
          value: { required: { nodeSelectorTerms: [] } },
          at: ['spec.nodeAffinity.required.nodeSelectorTerms'],
        },
      ],
      isFixed: (_now, before) => (before === undefined ? [] : ['nodeAffinity']),
    },
  ],
};

const CLAIM: FieldRules = {
  ...{
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    resource: 'persistentvolumeclaims',
    isNamespaced: true,
  },
  isFilledIn: true,
  fields: [
    {
      at: 'spec.accessModes',
      may: [['ReadWriteOnce'], ['ReadOnlyMany', 'ReadWriteMany'], ['ReadWriteOncePod']],
      mayNot: [{ value: undefined }, { value: ['Other'] }, { value: ['ReadWriteOncePod', 'ReadOnlyMany'] }],
      isFixed: 'spec',
    },
    {
      at: 'spec.resources',
      may: [{ requests: { storage: '1Gi' } }, { requests: { storage: '2Gi' } }],
      mayNot: [
        { value: {}, at: ['spec.resources[storage]'] },
        { value: { requests: { storage: '0' } }, at: ['spec.resources[storage]'] },
        { value: { requests: { storage: '-1' } }, at: ['spec.resources[storage]'] },
      ],
      // Of a claim that nothing is bound to, and never to less.
      isFixed: (now, before) => [
        'spec',
        ...(sizeOf(now) < sizeOf(before) ? ['spec.resources.requests.storage'] : []),
      ],
    },
    {
      at: 'spec.storageClassName',
      may: [undefined, 'c', 'd', ''],
      mayNot: ['C'],
      // Who named none may still be given one.
      isFixed: (_now, before) => (before === undefined ? [] : ['spec']),
    },
    {
      at: 'spec.volumeName',
      may: [undefined, 'v', 'w'],
      isFixed: (_now, before) => (before === undefined ? [] : ['spec']),
    },
    {
      at: 'spec.volumeMode',
      may: [undefined, 'Filesystem', 'Block'],
      mayNot: ['Disk'],
      shows: or('Filesystem'),
      isFixed: (): readonly string[] => ['spec', 'volumeMode'],
    },
    {
      at: 'spec.selector',
      may: [undefined, { matchLabels: { a: 'b' } }],
      mayNot: [
        {
          value: { matchExpressions: [{ key: 'a', operator: 'In' }] },
          at: ['spec.selector.matchExpressions[0].values'],
        },
      ],
      isFixed: 'spec',
    },
  ],
};

function sizeOf(resources: unknown): number {
  const { requests } = resources as { readonly requests?: { readonly storage?: string } };
  return Number.parseInt(requests?.storage ?? '0', 10);
}

it('where a volume is', () => holdFieldByField(PLACE));
it('what a volume is', () => holdFieldByField(VOLUME));
it('what a claim asks for', () => holdFieldByField(CLAIM));
