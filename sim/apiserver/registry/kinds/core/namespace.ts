/**
 * Namespace: it goes in two phases. The first deletion makes it Terminating; it is removed when its
 * `spec.finalizers` (through /finalize) and its `metadata.finalizers` are gone.
 */
import type { FieldError } from '../../../../api/status.ts';
import type { Namespace } from '../../../../api/types/core-v1.ts';
import { invalid } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { checkedBy } from '../../../../api/validation/field-checks.ts';
import { nameIsDnsLabel, qualifiedName } from '../../../../api/validation/names.ts';
import { validateFinalizerName } from '../../../../api/validation/object-meta.ts';
import { keepMember } from '../../generic-strategy.ts';
import { defineKind } from '../../define-kind.ts';
import type { Draft } from '../../strategy.ts';

export const NAMESPACE_LABEL = 'kubernetes.io/metadata.name';

export const namespaceKind = defineKind<Namespace>({
  resource: 'namespaces',
  strategy: {
    nameCheck: nameIsDnsLabel,
    metadataChecks: ['object', 'change'],
    prepareForCreate: (draft) => {
      draft.status = { phase: 'Active' };
      const spec = (draft.spec ??= {});
      const finalizers = (spec.finalizers ??= []);
      if (!finalizers.includes('kubernetes')) finalizers.push('kubernetes');
    },
    defaults: (draft) => {
      labelWithName(draft);
      (draft.status ??= {}).phase ||= 'Active';
    },
    canonicalize: labelWithName,
    validate: (object) => finalizerErrors(object),
    prepareForUpdate: (draft, old) => {
      keepMember(draft, old, 'spec');
      keepMember(draft, old, 'status');
    },
    resetFields: [['status']],
    returnsDeletedObject: true,
    propagationWithoutOrphans: 'Foreground',
    hasOtherFinalizers: ({ spec }) => (spec?.finalizers?.length ?? 0) > 0,
    markTerminating: (draft) => {
      draft.status = { ...draft.status, phase: 'Terminating' };
    },
    selectableFields: ({ metadata, status }) => ({
      name: metadata.name ?? '',
      'status.phase': status?.phase ?? '',
    }),
    subresources: {
      status: {
        prepareForUpdate: (draft, old) => keepMember(draft, old, 'spec'),
        validateUpdate: (object) => phaseErrors(object),
        resetFields: [['spec']],
      },
      finalize: {
        prepareForUpdate: (draft, old) => keepMember(draft, old, 'status'),
        validateUpdate: (object) => numberedFinalizerErrors(object),
        resetFields: [['status']],
      },
    },
    tableRow: ({ metadata, status }, context) => ({
      cells: [metadata.name, status?.phase ?? '', context.age(metadata.creationTimestamp)],
    }),
  },
});

function labelWithName(draft: Draft<Namespace>): void {
  if (!draft.metadata.name) return;
  (draft.metadata.labels ??= {})[NAMESPACE_LABEL] = draft.metadata.name;
}

function finalizerErrors({ spec }: Namespace): FieldError[] {
  const path = FieldPath.of('spec', 'finalizers');
  return (spec?.finalizers ?? []).flatMap((finalizer) => namedErrors(finalizer, path));
}

/** Through /finalize the server says which of them is wrong. */
function numberedFinalizerErrors({ spec }: Namespace): FieldError[] {
  const path = FieldPath.of('spec', 'finalizers');
  return (spec?.finalizers ?? []).flatMap((finalizer, index) => namedErrors(finalizer, path.index(index)));
}

/** Only what is no name at all is not asked whether it is a known one. */
function namedErrors(finalizer: string, path: FieldPath): readonly FieldError[] {
  const errors = checkedBy(qualifiedName, finalizer, path);
  return [...errors, ...validateFinalizerName(finalizer, path)];
}

function phaseErrors({ metadata, status }: Namespace): FieldError[] {
  const path = FieldPath.of('status', 'Phase');
  const phase = status?.phase ?? '';
  const isTerminating = metadata.deletionTimestamp !== undefined;
  if (!isTerminating && phase === '') return [];
  if (isTerminating && phase !== 'Terminating') {
    return [invalid(path, phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")];
  }
  if (!isTerminating && phase !== 'Active') {
    return [invalid(path, phase, "may only be 'Active' if `deletionTimestamp` is empty")];
  }
  return [];
}

/** Names that may not be deleted. */
export const PERMANENT_NAMESPACES: readonly string[] = ['default', 'kube-system', 'kube-public'];
