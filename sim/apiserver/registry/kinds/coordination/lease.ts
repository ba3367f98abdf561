/** Lease: who holds something, and until when. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { Lease } from '../../../../api/types/coordination-k8s-io-v1.ts';
import { checkedBy } from '../../../../api/validation/field-checks.ts';
import { forbidden, invalid, notSupported } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { nameIsDnsSubdomain, qualifiedName } from '../../../../api/validation/names.ts';
import { defineKind } from '../../define-kind.ts';
import type { Draft, HookContext } from '../../strategy.ts';

const SPEC = FieldPath.of('spec');

export const leaseKind = defineKind<Lease>({
  group: 'coordination.k8s.io',
  resource: 'leases',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    hasFreeFinalizers: true,
    sharesUnchanged: 'parts',
    renewedTime: { member: 'spec', leaf: 'renewTime' },
    allowsCreateOnUpdate: true,
    requiresVersionOnUpdate: true,
    prepareForCreate: dropUncoordinated,
    prepareForUpdate: (draft, old, context) => {
      if (old.spec?.strategy === undefined) dropUncoordinated(draft, context);
    },
    validate: (lease) => specErrors(lease),
    validateUpdate: (lease) => specErrors(lease),
    tableRow: ({ metadata, spec }, clock) => ({
      cells: [metadata.name, spec?.holderIdentity ?? '', clock.age(metadata.creationTimestamp)],
    }),
  },
});

/** What only coordinated leader election knows. */
function dropUncoordinated({ spec }: Draft<Lease>, context: HookContext): void {
  if (!spec || context.isFeatureEnabled('CoordinatedLeaderElection')) return;
  delete spec.strategy;
  delete spec.preferredHolder;
}

const STRATEGIES = ['OldestEmulationVersion'];

/** Who shall hold it is chosen by a known strategy, or by somebody's own. */
function strategyErrors({ strategy, preferredHolder }: NonNullable<Lease['spec']>): readonly FieldError[] {
  const path = SPEC.child('strategy', 'strategy');
  const isOwn = strategy?.includes('/') ?? false;
  return [
    ...(strategy === undefined || isOwn || STRATEGIES.includes(strategy)
      ? []
      : [notSupported(path, strategy, STRATEGIES)]),
    ...(isOwn ? checkedBy(qualifiedName, strategy ?? '', path) : []),
    ...(preferredHolder && !strategy
      ? [forbidden(SPEC.child('preferredHolder'), 'may only be specified if `strategy` is defined')]
      : []),
  ];
}

function specErrors({ spec }: Lease): FieldError[] {
  const errors: FieldError[] = [];
  const { leaseDurationSeconds: duration, leaseTransitions: transitions } = spec ?? {};
  if (duration !== undefined && duration <= 0) {
    errors.push(invalid(SPEC.child('leaseDurationSeconds'), duration, 'must be greater than 0'));
  }
  if (transitions !== undefined && transitions < 0) {
    errors.push(invalid(SPEC.child('leaseTransitions'), transitions, 'must be greater than or equal to 0'));
  }
  append(errors, strategyErrors(spec ?? {}));
  return errors;
}
