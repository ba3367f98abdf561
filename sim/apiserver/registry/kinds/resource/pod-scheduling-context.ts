/** PodSchedulingContext: where a pod may run, and what drivers say of these nodes. */
import type { FieldError } from '../../../../api/status.ts';
import type { PodSchedulingContext } from '../../../../api/types/resource-k8s-io-v1alpha3.ts';
import { checkedBy, noDuplicates, repeatedAt } from '../../../../api/validation/field-checks.ts';
import { duplicate, longerThan } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { dns1123Subdomain, nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { defineKind } from '../../define-kind.ts';
import { BARE_STATUS_RULES, keepMember } from '../../generic-strategy.ts';

const POTENTIAL_NODES = FieldPath.of('spec', 'potentialNodes');
/** The real server calls them so. */
const CLAIMS = FieldPath.of('status', 'claims');
const MOST_NODES = 128;

export const podSchedulingContextKind = defineKind<PodSchedulingContext>({
  group: 'resource.k8s.io',
  resource: 'podschedulingcontexts',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    prepareForCreate: (draft) => {
      delete draft.status;
    },
    prepareForUpdate: (draft, old) => keepMember(draft, old, 'status'),
    resetFields: [['status']],
    validate: ({ spec }) => nodesErrors(spec?.potentialNodes ?? [], POTENTIAL_NODES),
    metadataChecks: ['object', 'rules', 'change', 'object', 'rules'],
    tableRow: ({ metadata, spec }, { age }) => ({
      cells: [metadata.name, spec?.selectedNode ?? '', age(metadata.creationTimestamp)],
    }),
    subresources: {
      status: {
        ...BARE_STATUS_RULES,
        // What it takes of the metadata is owned in vain.
        resetFields: [['spec']],
        metadataChecks: ['change', 'update'],
        validateUpdate: statusErrors,
      },
    },
  },
});

const nodesErrors = (nodes: readonly string[], path: FieldPath): readonly FieldError[] => [
  ...nodes.flatMap((node, at) => checkedBy(dns1123Subdomain, node ?? '', path.index(at))),
  ...(nodes.length > MOST_NODES ? [longerThan(path, MOST_NODES)] : []),
  ...noDuplicates(nodes, path),
];

function statusErrors({ status }: PodSchedulingContext): readonly FieldError[] {
  const claims = status?.resourceClaims ?? [];
  const names = claims.map((claim) => claim?.name ?? '');
  return [
    ...claims.flatMap((claim, at) =>
      nodesErrors(claim?.unsuitableNodes ?? [], CLAIMS.index(at).child('unsuitableNodes')),
    ),
    ...[...repeatedAt(names)].map((at) => duplicate(CLAIMS.index(at), names[at] ?? '')),
  ];
}
