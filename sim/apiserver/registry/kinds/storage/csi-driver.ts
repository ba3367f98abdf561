/** CSIDriver: what a storage driver wants of the cluster. */
import { append } from '../../../../api/append.ts';
import { goStringSlice } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { CSIDriver, CSIDriverSpec } from '../../../../api/types/storage-k8s-io-v1.ts';
import { immutable, oneOf } from '../../../../api/validation/field-checks.ts';
import { duplicate, invalid, notSupported, required, until } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { isEqualJson } from '../../../verbs/equal-json.ts';
import { raiseGeneration } from '../../generic-strategy.ts';
import { defineKind } from '../../define-kind.ts';
import type { HookContext } from '../../strategy.ts';

const SPEC = FieldPath.of('spec');
const MIN_TOKEN_SECONDS = 600;

export const csiDriverKind = defineKind<CSIDriver>({
  group: 'storage.k8s.io',
  resource: 'csidrivers',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    returnsDeletedObject: true,
    requiresVersionOnUpdate: true,
    defaults: ({ spec }) => {
      if (!spec) return;
      spec.attachRequired ??= true;
      spec.podInfoOnMount ??= false;
      spec.storageCapacity ??= false;
      spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
      if (!spec.volumeLifecycleModes?.length) spec.volumeLifecycleModes = ['Persistent'];
      spec.requiresRepublish ??= false;
      spec.seLinuxMount ??= false;
    },
    validate: ({ spec }) => specErrors(spec),
    prepareForUpdate: (draft, old) => raiseGeneration(draft, old, ['spec']),
    validateUpdate: ({ spec }, { spec: old }) => [...specErrors(spec), ...immutabilityErrors(spec, old)],
    warningsOnCreate: ({ spec }, context) => tokenWarnings(spec, context),
    warningsOnUpdate: ({ spec }, { spec: old }, context) =>
      isEqualJson(spec.tokenRequests ?? [], old.tokenRequests ?? []) ? [] : tokenWarnings(spec, context),
    tableRow: ({ metadata, spec }, { age }) => ({
      cells: [
        metadata.name,
        spec.attachRequired ?? true,
        spec.podInfoOnMount ?? false,
        spec.storageCapacity ?? false,
        spec.tokenRequests?.map(({ audience }) => audience).join(',') || '<unset>',
        spec.requiresRepublish ?? false,
        spec.volumeLifecycleModes?.join(',') || '<none>',
        age(metadata.creationTimestamp),
      ],
    }),
  },
});

function tokenWarnings(spec: CSIDriverSpec, context: HookContext): string[] {
  if (!context.isReleasedBy('1.35') || !spec.tokenRequests?.length) return [];
  return 'serviceAccountTokenInSecrets' in spec
    ? []
    : [
        'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
      ];
}

/** The server's name of the member that clients know as `attachRequired`. */
const ATTACH = SPEC.child('attachedRequired');

function specErrors(spec: CSIDriverSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.attachRequired === undefined) errors.push(required(ATTACH));
  if (spec.podInfoOnMount === undefined) errors.push(required(SPEC.child('podInfoOnMount')));
  if (spec.storageCapacity === undefined) errors.push(required(SPEC.child('storageCapacity')));
  const policyPath = SPEC.child('fsGroupPolicy');
  if (spec.fsGroupPolicy === undefined) errors.push(required(policyPath));
  else append(errors, oneOf(spec.fsGroupPolicy, ['File', 'None', 'ReadWriteOnceWithFSType'], policyPath));
  append(errors, [...tokenErrors(spec), ...flagErrors(spec), ...secretErrors(spec)]);
  for (const mode of spec.volumeLifecycleModes ?? []) {
    append(errors, modeErrors(mode));
  }
  return errors;
}

const MODES = ['Persistent', 'Ephemeral'];

const modeErrors = (mode: string): FieldError[] =>
  MODES.includes(mode) ? [] : [notSupported(SPEC.child('volumeLifecycleModes'), mode, MODES)];

function tokenErrors({ tokenRequests = [] }: CSIDriverSpec): FieldError[] {
  const audiences = new Set<string>();
  return tokenRequests.flatMap(({ audience, expirationSeconds }, at) => {
    const path = SPEC.child('tokenRequests').index(at);
    if (audiences.has(audience)) return [duplicate(path.child('audience'), audience)];
    audiences.add(audience);
    const errors: FieldError[] = [];
    if (expirationSeconds === undefined) return errors;
    const field = path.child('expirationSeconds');
    if (expirationSeconds < MIN_TOKEN_SECONDS) {
      errors.push(invalid(field, expirationSeconds, 'may not specify a duration less than 10 minutes'));
    }
    if (expirationSeconds > 2 ** 32) {
      errors.push(invalid(field, expirationSeconds, 'may not specify a duration larger than 2^32 seconds'));
    }
    return errors;
  });
}

/** Members of later releases are not among the types of 1.31; earlier ones drop them. */
function secretErrors(
  spec: CSIDriverSpec & { readonly serviceAccountTokenInSecrets?: boolean },
): FieldError[] {
  const { serviceAccountTokenInSecrets: isInSecrets, tokenRequests = [] } = spec;
  if (isInSecrets === undefined || tokenRequests.length > 0) return [];
  const why = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified';
  return [invalid(SPEC.child('serviceAccountTokenInSecrets'), isInSecrets, why)];
}

const flagErrors = ({ requiresRepublish, seLinuxMount }: CSIDriverSpec): FieldError[] => [
  ...(requiresRepublish === undefined ? [required(SPEC.child('requiresRepublish'))] : []),
  ...(seLinuxMount === undefined ? [required(SPEC.child('seLinuxMount'))] : []),
];

function immutabilityErrors(spec: CSIDriverSpec, old: CSIDriverSpec): FieldError[] {
  const modes = spec.volumeLifecycleModes ?? [];
  const shown = goStringSlice(modes, 'storage.VolumeLifecycleMode');
  const fixedBefore = (['podInfoOnMount', 'fsGroupPolicy'] as const).flatMap((name) =>
    immutable(spec[name] === old[name], spec[name], SPEC.child(name)),
  );
  return [
    ...immutable(spec.attachRequired === old.attachRequired, spec.attachRequired, ATTACH),
    ...until('1.30', fixedBefore),
    ...immutable(
      isEqualJson(modes, old.volumeLifecycleModes ?? []),
      shown,
      SPEC.child('volumeLifecycleModes'),
    ),
  ];
}
