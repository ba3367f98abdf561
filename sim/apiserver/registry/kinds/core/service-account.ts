/** ServiceAccount: an identity for pods; anything it lists may change at any time. */
import type { ServiceAccount } from '../../../../api/types/core-v1.ts';
import { nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { defineKind } from '../../define-kind.ts';
import { tokenRequest } from '../../../endpoints/token-request.ts';
import type { Draft } from '../../strategy.ts';

export const serviceAccountKind = defineKind<ServiceAccount>({
  resource: 'serviceaccounts',
  endpoints: { token: tokenRequest },
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    metadataChecks: ['change', 'object'],
    returnsDeletedObject: true,
    prepareForCreate: keepNamesOnly,
    prepareForUpdate: keepNamesOnly,
    tableRow: ({ metadata, secrets = [] }, { age }) => ({
      cells: [metadata.name, secrets.length, age(metadata.creationTimestamp)],
    }),
  },
});

/** A reference to a secret is a name; whatever else was sent with it means nothing. */
function keepNamesOnly(draft: Draft<ServiceAccount>): void {
  if (draft.secrets) draft.secrets = draft.secrets.map(({ name = '' }) => ({ name }));
}
