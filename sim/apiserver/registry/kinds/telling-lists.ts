/** Places where an empty list is not the same as none, which several kinds have. See `Strategy.tellingEmptyLists`. */
import type { LabelSelector } from '../../../api/types/meta-k8s-io-v1.ts';
import { EVERYTHING } from '../../verbs/empty-lists.ts';
import { isEqualJson } from '../../verbs/equal-json.ts';

/** Of a label selector: messages print it as Go has it. */
export const tellingSelector = (...path: readonly string[]): readonly (readonly string[])[] => [
  [...path, 'matchLabels'],
  [...path, 'matchExpressions'],
  [...path, 'matchExpressions', '*', 'values'],
];

/**
 * Of a pod's spec: ephemeral containers may not even have no ports, nor resources of which none are named, and templates of
 * claims no lists that are none of their business.
 */
export const tellingEphemeral = (...path: readonly string[]): readonly (readonly string[])[] => [
  [...path, 'ephemeralContainers', '*', 'ports'],
  ...['limits', 'requests', 'claims'].map((name) => [...path, 'ephemeralContainers', '*', 'resources', name]),
  ...['ownerReferences', 'finalizers', 'managedFields'].map((name) => [
    ...[...path, 'volumes', '*', 'ephemeral', 'volumeClaimTemplate', 'metadata', name],
  ]),
];

/** Of metadata that a message prints whole. */
export const tellingMetadata = (...path: readonly string[]): readonly (readonly string[])[] =>
  ['labels', 'annotations', 'ownerReferences', 'finalizers'].map((name) => [...path, name]);

/** Of a job's spec: what it says of failures and success, and who its pods are. */
export const tellingJob = (...path: readonly string[]): readonly (readonly string[])[] => [
  ...tellingSelector(...path, 'selector'),
  // Whoever may not change the template is shown all of the new one; what is compared takes an empty list for none.
  [...path, 'template', EVERYTHING],
  [...path, 'template', 'metadata', 'labels'],
  [...path, 'podFailurePolicy', 'rules'],
  [...path, 'podFailurePolicy', 'rules', '*', 'onPodConditions'],
  [...path, 'successPolicy', 'rules'],
];

/** Equal, where an empty list or map is like none. */
export const isSameSelector = (
  left: LabelSelector | null | undefined,
  right: LabelSelector | null | undefined,
): boolean => isEqualJson(withoutEmpties(left), withoutEmpties(right));

function withoutEmpties(selector: LabelSelector | null | undefined): object | null {
  if (!selector) return null;
  const { matchLabels, matchExpressions } = selector;
  const expressions = (matchExpressions ?? []).map(({ values, ...rest }) => ({
    ...rest,
    ...(values && values.length > 0 && { values }),
  }));
  return {
    ...(Object.keys(matchLabels ?? {}).length > 0 && { matchLabels }),
    ...(expressions.length > 0 && { matchExpressions: expressions }),
  };
}
