/** ResourceSlice: devices of one driver, as a part of a pool, that are on a node, on some or on all. */
import type { FieldError } from '../../../../api/status.ts';
import type { ResourcePool, ResourceSlice, ResourceSliceSpec } from '../../../../api/types/resource-k8s-io-v1alpha3.ts';
import { checkedBy, immutable } from '../../../../api/validation/field-checks.ts';
import { invalid, longerThan, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { dns1123Subdomain, nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { goLength } from '../../../../api/go-text.ts';
import { defineKind } from '../../define-kind.ts';
import { raiseGeneration } from '../../generic-strategy.ts';
import { validateNodeSelector } from '../pod-spec/validate-affinity.ts';
import { driverErrors } from './device-claim.ts';
import { deviceErrors } from './devices-of-slice.ts';

const SPEC = FieldPath.of('spec');
const POOL = SPEC.child('pool');
const LONGEST_POOL = 253;

export const resourceSliceKind = defineKind<ResourceSlice>({
  group: 'resource.k8s.io',
  resource: 'resourceslices',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    prepareForCreate: (draft) => {
      draft.metadata.generation = 1;
    },
    prepareForUpdate: (draft, old) => raiseGeneration(draft, old, ['spec']),
    validate: sliceErrors,
    metadataChecks: ['change', 'rules', 'update'],
    validateUpdate: ({ spec }, old) => [
      ...fixed(spec?.pool?.name, old.spec?.pool?.name, POOL.child('name')),
      ...fixed(spec?.driver, old.spec?.driver, SPEC.child('driver')),
      ...fixed(spec?.nodeName, old.spec?.nodeName, SPEC.child('nodeName')),
    ],
    selectableFields: ({ spec }) => ({
      'spec.nodeName': spec?.nodeName ?? '',
      'spec.driver': spec?.driver ?? '',
    }),
    tableRow: ({ metadata, spec }, { age }) => ({
      cells: [metadata.name, spec?.nodeName ?? '', spec?.driver ?? '', spec?.pool?.name ?? '', age(metadata.creationTimestamp)],
    }),
  },
});

const fixed = (now = '', before = '', path: FieldPath): readonly FieldError[] =>
  immutable(now === before, now, path);

function sliceErrors({ spec }: ResourceSlice): readonly FieldError[] {
  const { pool, driver = '', devices = [] } = (spec ?? {}) as Partial<ResourceSliceSpec>;
  return [
    ...driverErrors(driver, SPEC.child('driver')),
    ...poolErrors(pool ?? {}),
    ...placeErrors(spec ?? {}),
    ...deviceErrors(devices, SPEC.child('devices')),
  ];
}

function poolErrors({ name = '', generation = 0, resourceSliceCount = 0 }: Partial<ResourcePool>): readonly FieldError[] {
  const counted = POOL.child('resourceSliceCount');
  return [
    ...poolNameErrors(name, POOL.child('name')),
    ...(resourceSliceCount <= 0 ? [invalid(counted, resourceSliceCount, 'must be greater than zero')] : []),
    ...(generation < 0
      ? [invalid(POOL.child('generation'), generation, 'must be greater than or equal to zero')]
      : []),
  ];
}

function poolNameErrors(name: string, path: FieldPath): readonly FieldError[] {
  if (name === '') return [required(path)];
  return [
    ...(goLength(name) > LONGEST_POOL ? [longerThan(path, LONGEST_POOL)] : []),
    ...name.split('/').flatMap((part) => checkedBy(dns1123Subdomain, part, path)),
  ];
}

const ONE_PLACE = 'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required';

function placeErrors({ nodeName, nodeSelector, allNodes }: Partial<ResourceSliceSpec>): readonly FieldError[] {
  const places = [nodeName, nodeSelector, allNodes].filter(Boolean).length;
  const selector = SPEC.child('nodeSelector');
  return [
    ...(nodeName ? checkedBy(dns1123Subdomain, nodeName, SPEC.child('nodeName')) : []),
    ...(nodeSelector ? validateNodeSelector(nodeSelector, selector) : []),
    ...(nodeSelector && nodeSelector.nodeSelectorTerms?.length !== 1
      ? [invalid(selector.child('nodeSelectorTerms'), '', 'must have exactly one node selector term')]
      : []),
    ...(places === 0 ? [required(SPEC, ONE_PLACE)] : []),
    ...(places > 1 ? [invalid(SPEC, null, ONE_PLACE)] : []),
  ];
}
