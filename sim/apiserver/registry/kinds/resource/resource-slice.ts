/** ResourceSlice: devices of one driver, as a part of a pool, that are on a node, on some or on all. */
import type { FieldError } from '../../../../api/status.ts';
import type { NodeSelector } from '../../../../api/types/core-v1.ts';
import type {
  ResourcePool,
  ResourceSlice,
  ResourceSliceSpec,
} from '../../../../api/types/resource-k8s-io-v1alpha3.ts';
import { checkedBy, immutable } from '../../../../api/validation/field-checks.ts';
import { invalid, longerThan, required, since, until } from '../../../../api/validation/field-error.ts';
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
/** Versions that know resources of drivers, and no devices. */
const BEFORE_DEVICES = /\/v1alpha[12]$/;
/** Versions in which what is said of a device is a part of its own. */
const HAS_PARTS = /\/v1(?:alpha3|beta1)$/;
const NODE_NAME = SPEC.child('nodeName');
const POOL = SPEC.child('pool');
/** Release since which each device may say itself where it is. */
const PLACES_DEVICES = '1.33';
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

function sliceErrors({ spec, apiVersion }: ResourceSlice, old?: ResourceSlice): readonly FieldError[] {
  if (BEFORE_DEVICES.test(apiVersion)) return [];
  const { pool, driver = '', devices } = (spec ?? {}) as Partial<ResourceSliceSpec>;
  return [
    ...driverErrors(driver, SPEC.child('driver')),
    ...poolErrors(pool ?? {}),
    ...(old ? changeErrors(spec, old.spec) : []),
    ...placeErrors(spec ?? {}),
    ...deviceErrors(devices ?? [], SPEC.child('devices'), !HAS_PARTS.test(apiVersion)),
  ];
}

type Spec = ResourceSliceSpec | undefined;

/** With what 1.31 does not know. */
type SpecOfLater = Partial<ResourceSliceSpec> & { readonly perDeviceNodeSelection?: boolean };

const changeErrors = (spec: Spec, old: Spec): readonly FieldError[] => [
  ...fixed(spec?.pool?.name, old?.pool?.name, POOL.child('name')),
  ...fixed(spec?.driver, old?.driver, SPEC.child('driver')),
  ...until(PLACES_DEVICES, fixed(spec?.nodeName, old?.nodeName, NODE_NAME)),
  ...since(PLACES_DEVICES, immutable(spec?.nodeName === old?.nodeName, spec?.nodeName, NODE_NAME)),
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

function placeErrors(spec: SpecOfLater): readonly FieldError[] {
  const { nodeName, nodeSelector } = spec;
  return [
    ...(nodeName ? checkedBy(dns1123Subdomain, nodeName, NODE_NAME) : []),
    ...(nodeSelector ? selectorErrors(nodeSelector) : []),
    ...until(PLACES_DEVICES, onePlaceErrors(spec)),
    ...since(PLACES_DEVICES, onePlaceOfMoreErrors(spec)),
  ];
}

function selectorErrors(selector: NodeSelector): readonly FieldError[] {
  const path = SPEC.child('nodeSelector');
  const errors = validateNodeSelector(selector, path);
  if (selector.nodeSelectorTerms?.length === 1) return errors;
  const terms = goMemberValue('v1.NodeSelector', 'nodeSelectorTerms', selector.nodeSelectorTerms);
  const wrong = (what: string): readonly FieldError[] => [
    invalid(path.child('nodeSelectorTerms'), terms, `must have exactly one ${what}`),
  ];
  return [
    ...errors,
    ...until(PLACES_DEVICES, wrong('selector term')),
    ...since(PLACES_DEVICES, wrong('node selector term')),
  ];
}

const ONE_PLACE = 'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required';

function onePlaceErrors(spec: SpecOfLater): readonly FieldError[] {
  const { length } = [spec.nodeName, spec.nodeSelector, spec.allNodes].filter(Boolean);
  if (length === 1) return [];
  return length === 0
    ? [required(SPEC, ONE_PLACE)]
    : [invalid(SPEC, goValue(`${VERSION}.ResourceSliceSpec`, spec), ONE_PLACE)];
}

const ONE_PLACE_OF_MORE =
  'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
const YES = 'must be either unset or set to true';
const PLACES = ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'] as const;

function onePlaceOfMoreErrors(spec: SpecOfLater): readonly FieldError[] {
  const named = PLACES.filter((name) => Boolean(spec[name])).map((name) => `\`${name}\``);
  return [
    ...(spec.nodeName === ''
      ? [invalid(NODE_NAME, '', 'must be either unset or set to a non-empty string')]
      : []),
    ...(['allNodes', 'perDeviceNodeSelection'] as const).flatMap((name) =>
      spec[name] === false ? [invalid(SPEC.child(name), false, YES)] : [],
    ),
    ...(named.length === 0 ? [required(SPEC, ONE_PLACE_OF_MORE)] : []),
    ...(named.length > 1
      ? [invalid(SPEC, `{${named.join(', ')}}`, `${ONE_PLACE_OF_MORE}, but multiple fields are set`)]
      : []),
  ];
}
