import { expect, test } from 'vitest';
import type { ApiObject } from '../../sim/api/object.ts';
import { attachmentsRest } from './attachments.ts';
import { RestView } from './rest-view.ts';

const NAME = 'kubernetes.io/csi/disk.example.com^disk-1';

const object = (kind: string, name: string, rest: object, namespace?: string): ApiObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, uid: `uid-of-${name}`, ...(namespace !== undefined && { namespace }) },
  ...rest,
});

const node = (status: object = {}): ApiObject => object('Node', 'n', { status });
const BOTH = { volumesAttached: [{ name: NAME, devicePath: '' }], volumesInUse: [NAME] };
const volume = (uid = 'uid-of-c'): ApiObject =>
  object('PersistentVolume', 'v', {
    spec: { csi: { driver: 'disk.example.com', volumeHandle: 'disk-1' }, claimRef: { uid } },
  });
const claim = object('PersistentVolumeClaim', 'c', { spec: { volumeName: 'v' } }, 'default');
const pod = (status: object = {}): ApiObject =>
  object(
    'Pod',
    'p',
    {
      spec: { nodeName: 'n', volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'c' } }] },
      status,
    },
    'default',
  );
const attachment = (attached: boolean): ApiObject =>
  object('VolumeAttachment', 'a', {
    spec: { attacher: 'disk.example.com', nodeName: 'n', source: { persistentVolumeName: 'v' } },
    status: { attached },
  });
const driver = object('CSIDriver', 'disk.example.com', { spec: { attachRequired: false } });

const wrongIn = (...objects: readonly ApiObject[]): readonly string[] =>
  attachmentsRest(new RestView(objects, { nowMs: 0 }));

test.each([
  ['an attached volume of a pod', [node(BOTH), volume(), claim, pod(), attachment(true)]],
  ['a volume of a pod that has ended', [node(), volume(), claim, pod({ phase: 'Succeeded' })]],
  ['a volume that is kept for a former claim', [node(), volume('former'), claim, pod()]],
  ['a volume whose driver attaches nothing', [node(), volume(), claim, pod(), driver]],
] as const)('%s is right', (_, objects) => {
  expect(wrongIn(...objects)).toEqual([]);
});

test.each([
  ['volume v on n is wanted, and not attached', [node(BOTH), volume(), claim, pod(), attachment(false)]],
  ['volume v on n is attached for nobody', [node(), volume(), claim, attachment(true)]],
  ['Node n lacks v as attached', [node(), volume(), claim, pod(), attachment(true)]],
  ['Node n lists v as attached', [node({ ...BOTH, volumesInUse: [] }), volume(), claim]],
  ['Node n uses v, which nobody wants there', [node({ volumesInUse: [NAME] }), volume(), claim]],
] as const)('it is wrong that %s', (wrong, objects) => {
  expect(wrongIn(...objects)).toEqual([wrong]);
});
