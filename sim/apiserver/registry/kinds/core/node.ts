/** Node: a machine of the cluster. Its status may come with its creation; afterwards it is the agent's. */
import { append } from '../../../../api/append.ts';
import { goTime } from '../../../../api/codec/go-value.ts';
import { goStringSlice, goStruct, GoSyntax, goQuote } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { Node, NodeAddress, Taint } from '../../../../api/types/core-v1.ts';
import { noDuplicates } from '../../../../api/validation/field-checks.ts';
import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
  since,
  until,
} from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { parseCidr } from '../../../../api/validation/ip-address.ts';
import { labelValue, nameIsDnsSubdomain, qualifiedName } from '../../../../api/validation/names.ts';
import type { TableClock, TableRow } from '../../table-row.ts';
import { keepMember } from '../../generic-strategy.ts';
import { defineKind } from '../../define-kind.ts';
import { nodeProxy } from '../../../endpoints/proxy.ts';
import { validateResourceAmount } from '../pod-spec/validate-resources.ts';
import { roundAll } from '../pod-spec/quantities.ts';
import type { Draft, HookContext } from '../../strategy.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const ROLE_LABEL = 'node-role.kubernetes.io/';

export const nodeKind = defineKind<Node>({
  resource: 'nodes',
  storageDirectory: 'minions',
  endpoints: { proxy: nodeProxy },
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    metadataChecks: ['object', 'rules', 'change'],
    sharesUnchanged: 'parts',
    defaults: setDefaults,
    prepareForCreate: (draft, context) => {
      dropConfigSource(draft);
      dropUnknownStatus(draft, context);
    },
    prepareForUpdate: (draft, old) => {
      keepMember(draft, old, 'status');
      dropConfigSource(draft);
    },
    validate: nodeErrors,
    validateUpdate: changeErrors,
    warningsOnCreate: ({ spec }) => unusedIdWarnings(spec?.externalID),
    warningsOnUpdate: ({ spec }) => unusedIdWarnings(spec?.externalID),
    resetFields: [['status']],
    selectableFields: ({ metadata, spec }) => ({
      name: metadata.name ?? '',
      'spec.unschedulable': String(spec?.unschedulable ?? false),
    }),
    subresources: {
      status: {
        prepareForUpdate: (draft, old) => {
          keepMember(draft, old, 'spec');
          delete draft.status?.config;
        },
        validateUpdate: ({ status }) => [
          ...addressErrors(status?.addresses ?? []),
          ...(['capacity', 'allocatable'] as const).flatMap((list) => amountsErrors(status?.[list], list)),
        ],
        resetFields: [['spec']],
        renewedTimes: { member: 'status', list: 'conditions', key: 'type', leaf: 'lastHeartbeatTime' },
      },
    },
    tableRow,
  },
});

const unusedIdWarnings = (externalId: string | undefined): readonly string[] =>
  externalId ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes'] : [];

/** podCIDR and the first of podCIDRs are one; what nobody set aside is allocatable. */
function setDefaults(draft: Draft<Node>): void {
  const { spec, status } = draft;
  roundAll(status?.capacity, status?.allocatable);
  if (spec?.podCIDR && (spec.podCIDRs ?? []).length === 0) spec.podCIDRs = [spec.podCIDR];
  // The singular is the word of older clients, and stands above the list.
  if (spec?.podCIDR && spec.podCIDRs?.[0] !== undefined && spec.podCIDRs[0] !== spec.podCIDR)
    spec.podCIDRs = [spec.podCIDR];
  if (spec && !spec.podCIDR && spec.podCIDRs?.[0] !== undefined) spec.podCIDR = spec.podCIDRs[0];
  if (status?.capacity && (!status.allocatable || Object.keys(status.allocatable).length === 0)) {
    status.allocatable = { ...status.capacity };
  }
}

function dropConfigSource({ spec }: Draft<Node>): void {
  if (spec) delete spec.configSource;
}

/** What nodes report of features that are off, and of the configuration that they do not have any more. */
function dropUnknownStatus({ status }: Draft<Node>, context: HookContext): void {
  if (!status) return;
  delete status.config;
  if (!context.isFeatureEnabled('SupplementalGroupsPolicy')) delete status.features;
}

function nodeErrors({ spec, status }: Node): FieldError[] {
  return [
    ...taintErrors(spec?.taints ?? [], FieldPath.of('metadata', 'taints')),
    ...(['capacity', 'allocatable'] as const).flatMap((list) => amountsErrors(status?.[list], list)),
    ...cidrErrors(spec?.podCIDRs ?? []),
  ];
}

function taintErrors(taints: readonly Taint[], path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, taint] of taints.entries()) {
    const { key, value = '', effect, timeAdded } = taint;
    const at = path.index(index);
    for (const message of qualifiedName(key)) errors.push(invalid(at.child('key'), key, message));
    for (const message of labelValue(value)) errors.push(invalid(at.child('value'), value, message));
    if (!effect) errors.push(required(at.child('effect')));
    else if (!EFFECTS.includes(effect)) errors.push(notSupported(at.child('effect'), effect, EFFECTS));
    const identity = `${key}\n${effect}`;
    if (seen.has(identity)) {
      const shown = new GoSyntax(
        `core.Taint{Key:${goQuote(key)}, Value:${goQuote(value)}, Effect:${goQuote(effect)}, TimeAdded:${timeAdded ? goTime(timeAdded) : '<nil>'}}`,
        JSON.stringify({ Key: key, Value: value, Effect: effect, TimeAdded: timeAdded ?? null }),
      );
      errors.push(duplicate(at, shown, 'taints must be unique by key and effect pair'));
    }
    seen.add(identity);
  }
  return errors;
}

function addressErrors(addresses: readonly NodeAddress[]): readonly FieldError[] {
  const seen = new Set<string>();
  return addresses.flatMap(({ type, address }, at) => {
    const identity = JSON.stringify([type, address]);
    if (!seen.has(identity)) {
      seen.add(identity);
      return [];
    }
    const shown = goStruct('core.NodeAddress', [
      ['Type', type],
      ['Address', address],
    ]);
    return [duplicate(FieldPath.of('status', 'addresses').index(at), shown)];
  });
}

const amountsErrors = (
  amounts: Readonly<Record<string, string>> | undefined,
  list: string,
): readonly FieldError[] =>
  Object.keys(amounts ?? {})
    .sort()
    .flatMap((name) =>
      validateResourceAmount(name, amounts?.[name] ?? '0', FieldPath.of('status', list, name)),
    );

const NOT_A_CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

function cidrErrors(cidrs: readonly string[]): FieldError[] {
  const path = FieldPath.of('spec', 'podCIDRs');
  if (cidrs.length === 0) return [];
  const errors: FieldError[] = [];
  cidrs.forEach((cidr, index) => {
    if (parseCidr(cidr)) return;
    append(errors, since('1.30', [invalid(path.index(index), cidr, NOT_A_CIDR)]));
    append(errors, until('1.30', [invalid(path.index(index), goStringSlice(cidrs), 'must be valid CIDR')]));
  });
  const wrong = cidrs.findIndex((cidr) => !parseCidr(cidr));
  if (cidrs.length > 1) {
    if (wrong !== -1) {
      const why = `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${wrong}]: <nil> (invalid CIDR address: ${cidrs[wrong] ?? ''})`;
      errors.push({ reason: 'InternalError', field: path.text, message: `Internal error: ${why}` });
    }
    const families = new Set(cidrs.map((cidr) => cidr.includes(':')));
    if (wrong !== -1 || families.size < 2 || cidrs.length > 2) {
      const why = 'may specify no more than one CIDR for each IP family';
      errors.push(invalid(path, goStringSlice(cidrs), why));
    }
  }
  return [...errors, ...until('1.34', noDuplicates(cidrs, path))];
}

function changeErrors({ spec }: Node, { spec: old }: Node): FieldError[] {
  const errors: FieldError[] = [];
  const [cidrs, before] = [spec?.podCIDRs ?? [], old?.podCIDRs ?? []];
  const hasMoved = before.length !== cidrs.length || before.some((cidr, at) => cidr !== cidrs[at]);
  if (before.length > 0 && hasMoved) errors.push(fixed('podCIDRs', 'podCIDR except from "" to valid'));
  if (old?.providerID && spec?.providerID !== old.providerID)
    errors.push(fixed('providerID', 'providerID except from "" to valid'));
  append(errors, taintErrors(spec?.taints ?? [], FieldPath.of('metadata', 'taints')));
  if ((spec?.externalID ?? '') !== (old?.externalID ?? ''))
    errors.push(forbidden(FieldPath.of('spec', 'externalID'), 'may not be updated'));
  return errors;
}

const fixed = (member: string, what: string): FieldError =>
  forbidden(FieldPath.of('spec', member), `node updates may not change ${what}`);

function tableRow({ metadata, spec, status }: Node, clock: TableClock): TableRow {
  const ready = status?.conditions?.findLast(({ type }) => type === 'Ready');
  const state = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  const words = [
    ready?.status === 'Unknown' ? 'NotReady' : state,
    ...(spec?.unschedulable === true ? ['SchedulingDisabled'] : []),
  ];
  const addressOf = (wanted: string): string =>
    status?.addresses?.find(({ type }) => type === wanted)?.address ?? '<none>';
  const info = status?.nodeInfo;
  return {
    cells: [
      metadata.name,
      words.join(','),
      rolesOf(metadata.labels ?? {}),
      clock.age(metadata.creationTimestamp),
      info?.kubeletVersion ?? '',
      addressOf('InternalIP'),
      addressOf('ExternalIP'),
      info?.osImage || '<unknown>',
      info?.kernelVersion || '<unknown>',
      info?.containerRuntimeVersion || '<unknown>',
    ],
  };
}

function rolesOf(labels: Readonly<Record<string, string>>): string {
  const roles = Object.entries(labels).flatMap(([name, value]) => {
    if (name.startsWith(ROLE_LABEL) && name.length > ROLE_LABEL.length)
      return [name.slice(ROLE_LABEL.length)];
    return name === 'kubernetes.io/role' && value !== '' ? [value] : [];
  });
  return roles.length === 0 ? '<none>' : [...new Set(roles)].sort().join(',');
}
