/** VolumeAttachment: the wish that a volume be attached to a node, and what became of it. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { VolumeAttachment, VolumeAttachmentSource } from '../../../../api/types/storage-k8s-io-v1.ts';
import { checkedBy, immutable } from '../../../../api/validation/field-checks.ts';
import { forbidden, required, since, until } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { dns1123Subdomain, nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { isEqualJson } from '../../../verbs/equal-json.ts';
import { keepMember, STATUS_RULES } from '../../generic-strategy.ts';
import { defineKind } from '../../define-kind.ts';
import { goValue } from '../go-value.ts';
import { driverNameErrors } from './driver-name.ts';
import { volumeSpecErrors } from '../core/persistent-volume-validation.ts';

const SPEC = FieldPath.of('spec');
const SOURCE = SPEC.child('source');
const ATTACHER = SPEC.child('attacher');

export const volumeAttachmentKind = defineKind<VolumeAttachment>({
  group: 'storage.k8s.io',
  resource: 'volumeattachments',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    metadataChecks: ['object', 'rules', 'object', 'rules'],
    asksOnceSince: '1.35',
    requiresVersionOnUpdate: true,
    returnsDeletedObject: true,
    prepareForCreate: (draft) => {
      draft.status = { attached: false };
    },
    validate: (object) => [
      ...specErrors(object),
      ...until('1.36', [...newDriverErrors(object), ...nameErrors(object)]),
    ],
    prepareForUpdate: (draft, old) => keepMember(draft, old, 'status'),
    rulesOnUpdate: specErrors,
    validateUpdate: (object, old) =>
      immutable(
        isEqualJson(object.spec, old.spec),
        goValue('storage.k8s.io/v1.VolumeAttachmentSpec', object.spec),
        SPEC,
      ),
    resetFields: [['status']],
    subresources: { status: STATUS_RULES },
    tableRow: ({ metadata, spec, status }, { age }) => ({
      cells: [
        metadata.name,
        spec.attacher,
        spec.source?.persistentVolumeName ?? '',
        spec.nodeName,
        status?.attached ?? false,
        age(metadata.creationTimestamp),
      ],
    }),
  },
});

function specErrors({ spec }: VolumeAttachment): FieldError[] {
  const { attacher = '', source = {}, nodeName = '' } = spec;
  const errors: FieldError[] = [];
  if (attacher === '') errors.push(required(ATTACHER));
  else append(errors, since('1.36', driverNameErrors(attacher, ATTACHER)));
  return [
    ...errors,
    ...sourceErrors(source),
    ...checkedBy(dns1123Subdomain, nodeName, SPEC.child('nodeName')),
    ...since('1.36', nameErrors({ spec })),
  ];
}

function sourceErrors({ inlineVolumeSpec, persistentVolumeName }: VolumeAttachmentSource): FieldError[] {
  const exactlyOne = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (inlineVolumeSpec && persistentVolumeName !== undefined) return [forbidden(SOURCE, exactlyOne)];
  if (inlineVolumeSpec)
    return volumeSpecErrors(inlineVolumeSpec, SOURCE.child('inlineVolumeSpec'), {
      isInline: true,
      name: '',
    });
  if (persistentVolumeName === undefined) return [required(SOURCE, exactlyOne)];
  const path = SOURCE.child('persistentVolumeName');
  if (persistentVolumeName !== '') return [];
  return [required(path, 'must specify non empty persistentVolumeName')];
}

/** What is asked of the drivers of new attachments alone. */
function newDriverErrors({ spec: { attacher = '' } }: VolumeAttachment): readonly FieldError[] {
  return driverNameErrors(attacher, ATTACHER);
}

/** New attachments have to name things that can exist. */
function nameErrors({ spec }: Pick<VolumeAttachment, 'spec'>): FieldError[] {
  const volume = spec.source?.persistentVolumeName;
  return [
    ...(volume === undefined
      ? []
      : checkedBy(dns1123Subdomain, volume, SOURCE.child('persistentVolumeName'))),
  ];
}
