/**
 * Classes of devices and claims of them (1.31: alpha). What they say is checked as the real server does; nobody
 * allocates devices. Specification: not shown (Kubernetes 1.31).
 */
import type { ApiObject } from '../../../../api/object.ts';
import type { FieldError } from '../../../../api/status.ts';
import type {
  DeviceClass,
  ResourceClaim,
  ResourceClaimTemplate,
} from '../../../../api/types/resource-k8s-io-v1alpha3.ts';
import { immutable } from '../../../../api/validation/field-checks.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { isEqualJson } from '../../../verbs/equal-json.ts';
import type { TableClock, TableRow } from '../../table-row.ts';
import { raiseGeneration } from '../../generic-strategy.ts';
import { defineKind } from '../../define-kind.ts';
import { goValue } from '../go-value.ts';
import { validateNodeSelector } from '../pod-spec/validate-affinity.ts';
import { bounded, claimErrors, opaqueErrors, requestDefaults } from './device-claim.ts';
import { selectorErrors } from './device-selectors.ts';

const GROUP = 'resource.k8s.io';
const VERSION = `${GROUP}/v1alpha3`;
const SPEC = FieldPath.of('spec');
const SUITABLE_NODES = FieldPath.of('suitableNodes');

function namedRow({ metadata }: ApiObject, { age }: TableClock): TableRow {
  return { cells: [metadata.name, age(metadata.creationTimestamp)] };
}

/** Those that a claim is in. */
function stateOf({ metadata, status }: ResourceClaim, clock: TableClock): string {
  const { allocation, reservedFor = [], deallocationRequested = false } = status ?? {};
  const isDeleted = metadata.deletionTimestamp !== undefined;
  const isGivenBack = !clock.isReleasedBy('1.32') && (isDeleted || deallocationRequested);
  if (!allocation) return isDeleted ? 'deleted' : 'pending';
  const use = reservedFor.length > 0 ? 'reserved' : isGivenBack ? 'deallocating' : undefined;
  return [isDeleted ? 'deleted' : undefined, 'allocated', use]
    .filter((state) => state !== undefined)
    .join(',');
}

export const deviceClassKind = defineKind<DeviceClass>({
  group: GROUP,
  resource: 'deviceclasses',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    prepareForCreate: (draft) => {
      draft.metadata.generation = 1;
    },
    prepareForUpdate: (draft, old) => raiseGeneration(draft, old, ['spec']),
    validate: (device) => classErrors(device),
    validateUpdate: (device, old) => classErrors(device, old),
    tableRow: namedRow,
  },
});

function classErrors({ spec = {} }: DeviceClass, old?: DeviceClass): FieldError[] {
  const { selectors = [], config = [], suitableNodes } = spec;
  const areStored = old !== undefined && isEqualJson(selectors, old.spec?.selectors ?? []);
  const at = SPEC.child('config');
  return [
    ...selectorErrors(selectors, SPEC.child('selectors'), areStored),
    ...config.flatMap(({ opaque }, index) => opaqueErrors(opaque, at.index(index).child('opaque'))),
    ...bounded(config, at),
    // The real server leaves the spec out.
    ...(suitableNodes ? validateNodeSelector(suitableNodes, SUITABLE_NODES) : []),
  ];
}

export const resourceClaimKind = defineKind<ResourceClaim>({
  group: GROUP,
  resource: 'resourceclaims',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    defaults: ({ spec }) => requestDefaults(spec?.devices),
    validate: ({ spec = {} }) => [...claimErrors(spec, SPEC, false)],
    validateUpdate: ({ spec = {} }, old) => [
      ...immutable(isEqualJson(spec, old.spec ?? {}), goValue(`${VERSION}.ResourceClaimSpec`, spec), SPEC),
      ...claimErrors(spec, SPEC, true),
    ],
    tableRow: (claim, clock) => ({
      cells: [claim.metadata.name, stateOf(claim, clock), clock.age(claim.metadata.creationTimestamp)],
    }),
  },
});

export const resourceClaimTemplateKind = defineKind<ResourceClaimTemplate>({
  group: GROUP,
  resource: 'resourceclaimtemplates',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    defaults: ({ spec }) => requestDefaults(spec?.spec?.devices),
    validate: ({ spec }) => [...claimErrors(spec?.spec ?? {}, SPEC.child('spec'), false)],
    validateUpdate: ({ spec }, old) => [
      ...immutable(isEqualJson(spec, old.spec), goValue(`${VERSION}.ResourceClaimTemplateSpec`, spec), SPEC),
      ...claimErrors(spec?.spec ?? {}, SPEC.child('spec'), true),
    ],
    tableRow: namedRow,
  },
});
