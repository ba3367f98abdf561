/** Conditions of flow control objects: each type once, and none without. */
import type { FieldError } from '../../../../api/status.ts';
import { duplicate, required } from '../../../../api/validation/field-error.ts';
import { keepMember, keepWholeMetadata } from '../../generic-strategy.ts';
import type { UpdateRules } from '../../strategy.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';

/** A status comes without metadata. */
export const FLOW_STATUS_RULES: UpdateRules = {
  prepareForUpdate: (draft, old) => {
    keepMember(draft, old, 'spec');
    keepWholeMetadata(draft, old);
  },
  resetFields: [['metadata'], ['spec']],
};

interface WithConditions {
  readonly conditions?: readonly { readonly type?: string }[];
}

export function conditionsErrors(status: WithConditions | undefined): FieldError[] {
  const seen = new Set<string>();
  return (status?.conditions ?? []).flatMap(({ type = '' }, at) => {
    const path = FieldPath.of('status', 'conditions').index(at).child('type');
    const errors: FieldError[] = seen.has(type) ? [duplicate(path, type)] : [];
    seen.add(type);
    if (type === '') errors.push(required(path, 'must not be empty'));
    return errors;
  });
}
