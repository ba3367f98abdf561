/** ResourceSlice: devices of one driver, as a part of a pool, that are on a node, on some or on all. */
import type { FieldError } from '../../../../api/status.ts';
import type {
  ResourcePool,
  ResourceSlice,
  ResourceSliceSpec,
} from '../../../../api/types/resource-k8s-io-v1alpha3.ts';
import { checkedBy, immutable } from '../../../../api/validation/field-checks.ts';
import { invalid, longerThan, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { dns1123Subdomain, nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { goLength } from '../../../../api/go-text.ts';
import { defineKind } from '../../define-kind.ts';
import { raiseGeneration } from '../../generic-strategy.ts';
import { validateNodeSelector } from '../pod-spec/validate-affinity.ts';
import { goMemberValue, goValue } from '../go-value.ts';
import { driverErrors } from './device-claim.ts';
import { deviceErrors } from './devices-of-slice.ts';

const VERSION = 'resource.k8s.io/v1alpha3';
const SPEC = FieldPath.of('spec');
const POOL = SPEC.child('pool');
const LONGEST_POOL = 253;

export const resourceSliceKind = defineKind<ResourceSlice>({
  group: 'resource.k8s.io',
  resource: 'resourceslices',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    tellingEmptyLists: [
      ['spec', 'devices'],
      ['spec', 'nodeSelector', 'nodeSelectorTerms'],
    ],
    prepareForCreate: (draft) => {
      draft.metadata.generation = 1;
    },
    prepareForUpdate: (draft, old) => raiseGeneration(draft, old, ['spec']),
    validate: (slice) => sliceErrors(slice),
    metadataChecks: ['change', 'rules'],
    rulesOnUpdate: (slice, old) => sliceErrors(slice, old),
    selectableFields: ({ spec }) => ({
      'spec.nodeName': spec?.nodeName ?? '',
      'spec.driver': spec?.driver ?? '',
    }),
    tableRow: ({ metadata, spec }, { age }) => ({
      cells: [
        metadata.name,
        spec?.nodeName ?? '',
        spec?.driver ?? '',
        spec?.pool?.name ?? '',
        age(metadata.creationTimestamp),
      ],
    }),
  },
});

const fixed = (now = '', before = '', path: FieldPath): readonly FieldError[] =>
  immutable(now === before, now, path);

function sliceErrors({ spec }: ResourceSlice, old?: ResourceSlice): readonly FieldError[] {
  const { pool, driver = '', devices } = (spec ?? {}) as Partial<ResourceSliceSpec>;
  return [
    ...driverErrors(driver, SPEC.child('driver')),
    ...poolErrors(pool ?? {}),
    ...(old ? changeErrors(spec, old.spec) : []),
    ...placeErrors(spec ?? {}),
    ...deviceErrors(devices ?? [], SPEC.child('devices')),
  ];
}

type Spec = ResourceSliceSpec | undefined;

const changeErrors = (spec: Spec, old: Spec): readonly FieldError[] => [
  ...fixed(spec?.pool?.name, old?.pool?.name, POOL.child('name')),
  ...fixed(spec?.driver, old?.driver, SPEC.child('driver')),
  ...fixed(spec?.nodeName, old?.nodeName, SPEC.child('nodeName')),
];

function poolErrors({
  name = '',
  generation = 0,
  resourceSliceCount = 0,
}: Partial<ResourcePool>): readonly FieldError[] {
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

const ONE_PLACE_ONLY = 'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required';
const ONE_PLACE = 'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required';

function placeErrors(spec: Partial<ResourceSliceSpec>): readonly FieldError[] {
  const { nodeName, nodeSelector, allNodes } = spec;
  const places = [nodeName, nodeSelector, allNodes].filter(Boolean).length;
  const selector = SPEC.child('nodeSelector');
  return [
    ...(nodeName ? checkedBy(dns1123Subdomain, nodeName, SPEC.child('nodeName')) : []),
    ...(nodeSelector ? validateNodeSelector(nodeSelector, selector) : []),
    ...(nodeSelector && nodeSelector.nodeSelectorTerms?.length !== 1
      ? [
          invalid(
            selector.child('nodeSelectorTerms'),
            goMemberValue('v1.NodeSelector', 'nodeSelectorTerms', nodeSelector.nodeSelectorTerms),
            'must have exactly one selector term',
          ),
        ]
      : []),
    ...(places === 0 ? [required(SPEC, ONE_PLACE)] : []),
    ...(places > 1 ? [invalid(SPEC, goValue(`${VERSION}.ResourceSliceSpec`, spec), ONE_PLACE_ONLY)] : []),
  ];
}
