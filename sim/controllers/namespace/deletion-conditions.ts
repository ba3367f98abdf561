/** What the deletion of a namespace tells of itself: five conditions, all of them after each pass. Pure. Specification: "Namespace". */
import type { NamespaceCondition } from '../../api/types/core-v1.ts';

/** What one pass over the content of a namespace found. */
export interface DeletionReport {
  /** Why not all kinds are known. */
  readonly discoveryFailure?: string;
  /** Of kinds whose objects could not be deleted. */
  readonly failures: readonly string[];
  /** Objects that are still there, by `<resource>.<group>`. */
  readonly remaining: ReadonlyMap<string, number>;
  readonly finalizers: ReadonlyMap<string, number>;
}

type Facts = Required<Pick<NamespaceCondition, 'type' | 'status' | 'reason' | 'message'>>;

export function deletionConditions({
  discoveryFailure,
  failures,
  remaining,
  finalizers,
}: DeletionReport): readonly Facts[] {
  return [
    condition('NamespaceDeletionDiscoveryFailure', discoveryFailure !== undefined, {
      whenTrue: ['DiscoveryFailed', discoveryFailure ?? ''],
      whenFalse: ['ResourcesDiscovered', 'All resources successfully discovered'],
    }),
    condition('NamespaceDeletionGroupVersionParsingFailure', false, {
      whenTrue: ['GroupVersionParsingFailed', ''],
      whenFalse: ['ParsedGroupVersions', 'All legacy kube types successfully parsed'],
    }),
    condition('NamespaceDeletionContentFailure', failures.length > 0, {
      whenTrue: [
        'ContentDeletionFailed',
        `Failed to delete all resource types, ${failures.length} remaining: ${failures.toSorted().join(', ')}`,
      ],
      whenFalse: ['ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
    }),
    condition('NamespaceContentRemaining', remaining.size > 0, {
      whenTrue: ['SomeResourcesRemain', `Some resources are remaining: ${counted(remaining, 'has')}`],
      whenFalse: ['ContentRemoved', 'All content successfully removed'],
    }),
    condition('NamespaceFinalizersRemaining', finalizers.size > 0, {
      whenTrue: [
        'SomeFinalizersRemain',
        `Some content in the namespace has finalizers remaining: ${counted(finalizers, 'in')}`,
      ],
      whenFalse: ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
    }),
  ];
}

/** What is said of versions that nobody answers for. */
export const staleText = (versions: readonly string[]): string =>
  `Discovery failed for some groups, ${versions.length} failing: unable to retrieve the complete list of server APIs: ${versions
    .map((version) => `${version}: stale GroupVersion discovery: ${version}`)
    .toSorted()
    .join(', ')}`;

type Words = readonly [reason: string, message: string];

function condition(
  type: string,
  isTrue: boolean,
  { whenTrue, whenFalse }: { readonly whenTrue: Words; readonly whenFalse: Words },
): Facts {
  const [reason, message] = isTrue ? whenTrue : whenFalse;
  return { type, status: isTrue ? 'True' : 'False', reason, message };
}

const counted = (counts: ReadonlyMap<string, number>, word: string): string =>
  [...counts]
    .map(([name, count]) => `${name} ${word} ${count} resource instances`)
    .toSorted()
    .join(', ');

/** The conditions with what has changed; the same list if nothing has. */
export function updatedConditions(
  old: readonly NamespaceCondition[],
  facts: readonly Facts[],
  now: string,
): readonly NamespaceCondition[] {
  const isKnown = (fact: Facts): boolean =>
    old.some(
      ({ type, status, reason, message }) =>
        type === fact.type && status === fact.status && reason === fact.reason && message === fact.message,
    );
  if (facts.every(isKnown)) return old;
  const others = old.filter(({ type }) => facts.every((fact) => fact.type !== type));
  const own = facts.map((fact) => {
    const known = old.find(({ type }) => type === fact.type);
    if (known && isKnown(fact)) return known;
    const lastTransitionTime = known?.status === fact.status ? known.lastTransitionTime : now;
    return { ...fact, lastTransitionTime: lastTransitionTime ?? now };
  });
  return [...others, ...own];
}
