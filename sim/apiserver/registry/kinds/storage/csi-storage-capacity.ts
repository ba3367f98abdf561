/** CSIStorageCapacity: how much of a class can still be made for some nodes. */
import type { FieldError } from '../../../../api/status.ts';
import type { CSIStorageCapacity } from '../../../../api/types/storage-k8s-io-v1.ts';
import { checkedBy, immutable, nonNegativeQuantity } from '../../../../api/validation/field-checks.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { validateLabelSelector } from '../../../../api/validation/labels.ts';
import { dns1123Subdomain, nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { isSameSelector, tellingSelector } from '../telling-lists.ts';
import { defineKind } from '../../define-kind.ts';
import { goLabelSelector } from '../pod-spec/go-label-selector.ts';
import { nodeLabelKeyWarning, nodeLabelWarning } from '../core/node-label-deprecation.ts';

export const csiStorageCapacityKind = defineKind<CSIStorageCapacity>({
  group: 'storage.k8s.io',
  resource: 'csistoragecapacities',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    tellingEmptyLists: tellingSelector('nodeTopology'),
    metadataChecks: ['object', 'rules', 'change'],
    requiresVersionOnUpdate: true,
    validate: capacityErrors,
    validateUpdate: (object, old) => [
      ...immutable(
        isSameSelector(object.nodeTopology, old.nodeTopology),
        object.nodeTopology ? goLabelSelector(object.nodeTopology) : null,
        FieldPath.of('nodeTopology'),
      ),
      ...immutable(
        object.storageClassName === old.storageClassName,
        object.storageClassName,
        FieldPath.of('storageClassName'),
      ),
    ],
    warningsOnCreate: warnings,
    warningsOnUpdate: warnings,
  },
});

function warnings({ nodeTopology }: CSIStorageCapacity): string[] {
  const { matchExpressions = [], matchLabels = {} } = nodeTopology ?? {};
  return [
    ...matchExpressions.flatMap(({ key }, at) =>
      nodeLabelKeyWarning(`nodeTopology.matchExpressions[${at}].key`, key),
    ),
    ...Object.keys(matchLabels)
      .sort()
      .flatMap((key) => nodeLabelWarning(`nodeTopology.matchLabels.${key}`, key)),
  ];
}

function capacityErrors(object: CSIStorageCapacity): FieldError[] {
  const { nodeTopology, storageClassName, capacity } = object;
  return [
    ...validateLabelSelector(nodeTopology, FieldPath.of('nodeTopology')),
    ...checkedBy(dns1123Subdomain, storageClassName, FieldPath.of('storageClassName')),
    ...(capacity === undefined ? [] : nonNegativeQuantity(capacity, FieldPath.of('capacity'))),
  ];
}
