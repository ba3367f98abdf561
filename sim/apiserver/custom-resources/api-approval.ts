/** Definitions in groups that belong to the project need its approval, in an annotation. */
import type { FieldError } from '../../api/status.ts';
import type { CustomResourceDefinition } from '../../api/types/apiextensions-k8s-io-v1.ts';
import { invalid, required } from '../../api/validation/field-error.ts';
import { FieldPath } from '../../api/validation/field-path.ts';
import type { Condition } from './definition-conditions.ts';

const ANNOTATION = 'api-approved.kubernetes.io';
const PULL = 'see https://github.com/kubernetes/enhancements/pull/1111';

const isProtected = (group: string): boolean =>
  ['k8s.io', 'kubernetes.io'].some((domain) => group === domain || group.endsWith(`.${domain}`));

const isUrl = (text: string): boolean => /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/\s]+/.test(text);

export function approvalErrors({ metadata, spec }: CustomResourceDefinition): FieldError[] {
  if (!isProtected(spec.group)) return [];
  const path = FieldPath.of('metadata', 'annotations').key(ANNOTATION);
  const text = metadata.annotations?.[ANNOTATION] ?? '';
  if (text === '')
    return [required(path, `protected groups must have approval annotation "${ANNOTATION}", ${PULL}`)];
  if (text.startsWith('unapproved') || isUrl(text)) return [];
  const detail = `protected groups must have approval annotation "${ANNOTATION}" with either a URL or a reason starting with "unapproved", ${PULL}`;
  return [invalid(path, text, detail)];
}

/** What the server says of the approval; undefined where none is needed. */
export function approvalCondition({ metadata, spec }: CustomResourceDefinition): Condition | undefined {
  if (!isProtected(spec.group)) return undefined;
  const type = 'KubernetesAPIApprovalPolicyConformant';
  const text = metadata.annotations?.[ANNOTATION] ?? '';
  if (text.startsWith('unapproved')) {
    return {
      type,
      status: 'False',
      reason: 'UnapprovedAnnotation',
      message: `not approved: ${JSON.stringify(text)}`,
    };
  }
  return { type, status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${text}` };
}
