/** ServiceAccount: an identity for pods; anything it lists may change at any time. */
import type { ServiceAccount } from '../../../../api/types/core-v1.ts';
import { nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { defineKind } from '../../define-kind.ts';
import { tokenRequest } from '../../../endpoints/token-request.ts';
import type { Draft, HookContext } from '../../strategy.ts';

export const serviceAccountKind = defineKind<ServiceAccount>({
  resource: 'serviceaccounts',
  endpoints: { token: tokenRequest },
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    metadataChecks: ['change', 'object'],
    returnsDeletedObject: true,
    prepareForCreate: keepNamesOnly,
    prepareForUpdate: keepNamesOnly,
    warningsOnCreate: (account, context) => mountableWarnings(account, undefined, context),
    warningsOnUpdate: mountableWarnings,
    tableRow: ({ metadata, secrets = [] }, { age }) => ({
      cells: [metadata.name, secrets.length, age(metadata.creationTimestamp)],
    }),
  },
});

const MOUNTABLE = 'kubernetes.io/enforce-mountable-secrets';

/** Of an annotation that is deprecated since 1.32, where it was not there before. */
function mountableWarnings(
  { metadata }: ServiceAccount,
  old: ServiceAccount | undefined,
  context: HookContext,
): readonly string[] {
  if (!context.isReleasedBy('1.32') || metadata.annotations?.[MOUNTABLE] === undefined) return [];
  if (old?.metadata.annotations?.[MOUNTABLE] !== undefined) return [];
  return [
    `metadata.annotations[${MOUNTABLE}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
  ];
}

/** A reference to a secret is a name; whatever else was sent with it means nothing. */
function keepNamesOnly(draft: Draft<ServiceAccount>): void {
  if (draft.secrets) draft.secrets = draft.secrets.map(({ name = '' }) => ({ name }));
}
