/** What a namespace is warned of when it is to enforce more than before: its pods that would not be let in now. */
import type { Pod } from '../../../api/types/core-v1.ts';
import { checkedPod } from './check.ts';
import { reasonsText, violationsOf } from './evaluate.ts';
import { type LeveledVersion, textOf } from './policy.ts';

const MAX_CHECKED = 3_000;

/** Pods with the same violations share a line, which names the first of them. */
export function warningsOfExisting(
  namespace: string,
  pods: readonly Pod[],
  enforce: LeveledVersion,
): readonly string[] {
  const checked = oneOfEachControllerFirst(pods).slice(0, MAX_CHECKED);
  const groups = new Map<string, { readonly first: string; count: number }>();
  for (const { metadata, spec } of checked) {
    if (!spec) continue;
    const reasons = reasonsText(violationsOf(checkedPod(metadata.annotations, spec), enforce));
    if (reasons === '') continue;
    const group = groups.get(reasons);
    if (group) group.count += 1;
    else groups.set(reasons, { first: metadata.name ?? '', count: 1 });
  }
  const warnings: string[] = [];
  if (checked.length < pods.length) {
    warnings.push(
      `new PodSecurity enforce level only checked against the first ${checked.length} of ${pods.length} existing pods`,
    );
  }
  if (groups.size === 0) return warnings;
  warnings.push(
    `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${textOf(enforce)}"`,
  );
  const lines = [...groups].map(
    ([reasons, { first, count }]) => `${first}${othersText(count - 1)}: ${reasons}`,
  );
  return [...warnings, ...lines.sort()];
}

const othersText = (count: number): string => {
  if (count === 0) return '';
  return count === 1 ? ' (and 1 other pod)' : ` (and ${count} other pods)`;
};

/** Pods of one controller are much alike: the others come last, and perhaps not at all. */
function oneOfEachControllerFirst(pods: readonly Pod[]): readonly Pod[] {
  const seen = new Set<string>();
  const first: Pod[] = [];
  const others: Pod[] = [];
  for (const pod of pods) {
    const uid = pod.metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
    if (uid === undefined || !seen.has(uid)) first.push(pod);
    else others.push(pod);
    if (uid !== undefined) seen.add(uid);
  }
  return [...first, ...others];
}
