/** PriorityClass: a name for a priority, which never changes; `system-` names are the server's own. */
import { forbidden as refused, type FieldError } from '../../../../api/status.ts';
import type { PriorityClass } from '../../../../api/types/scheduling-k8s-io-v1.ts';
import { immutable, oneOf } from '../../../../api/validation/field-checks.ts';
import { forbidden, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { defineKind } from '../../define-kind.ts';

const HIGHEST_USER_PRIORITY = 1_000_000_000;

/** The server's own classes and their values. */
const SYSTEM_CLASSES: Readonly<Record<string, number>> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
};

export const priorityClassKind = defineKind<PriorityClass>({
  group: 'scheduling.k8s.io',
  resource: 'priorityclasses',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    defaults: (draft) => {
      draft.preemptionPolicy ??= 'PreemptLowerPriority';
    },
    prepareForCreate: (draft) => {
      draft.metadata.generation = 1;
    },
    validate: priorityErrors,
    validateUpdate: (object, old) => [
      ...(object.value === old.value
        ? []
        : [forbidden(FieldPath.of('value'), 'may not be changed in an update.')]),
      ...immutable(
        object.preemptionPolicy === old.preemptionPolicy,
        object.preemptionPolicy,
        FieldPath.of('preemptionPolicy'),
      ),
    ],
    beforeDelete: ({ metadata }) => {
      const { name = '' } = metadata;
      if (Object.hasOwn(SYSTEM_CLASSES, name)) {
        throw refused(
          { group: 'scheduling.k8s.io', resource: 'priorityclasses' },
          name,
          'this is a system priority class and cannot be deleted',
        );
      }
    },
    tableRow: ({ metadata, value, globalDefault = false, preemptionPolicy }, clock) => ({
      cells: [
        metadata.name,
        value,
        globalDefault,
        clock.age(metadata.creationTimestamp),
        ...(clock.isReleasedBy('1.32') ? [preemptionPolicy ?? ''] : []),
      ],
    }),
  },
});

function priorityErrors(object: PriorityClass): FieldError[] {
  const { metadata, value, preemptionPolicy } = object;
  const { name = '' } = metadata;
  const errors: FieldError[] = [];
  if (name.startsWith('system-')) {
    const why = systemClassFinding(object, name);
    if (why) {
      errors.push(
        forbidden(
          FieldPath.of('metadata', 'name'),
          `priority class names with 'system-' prefix are reserved for system use only. error: ${why}`,
        ),
      );
    }
  } else if (value > HIGHEST_USER_PRIORITY) {
    errors.push(
      forbidden(
        FieldPath.of('value'),
        `maximum allowed value of a user defined priority is ${HIGHEST_USER_PRIORITY}`,
      ),
    );
  }
  if (preemptionPolicy === undefined) return errors;
  const policies = ['PreemptLowerPriority', 'Never'];
  if ((preemptionPolicy as string) === '') return [...errors, required(FieldPath.of('preemptionPolicy'))];
  return [
    ...errors,
    ...oneOf(preemptionPolicy, policies, FieldPath.of('preemptionPolicy'), { inOrder: true }),
  ];
}

function systemClassFinding(
  { value, globalDefault = false }: PriorityClass,
  name: string,
): string | undefined {
  const known = SYSTEM_CLASSES[name];
  if (known === undefined) return `${name} is not a known system priority class`;
  if (value !== known) return `value of ${name} PriorityClass must be ${known}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}
