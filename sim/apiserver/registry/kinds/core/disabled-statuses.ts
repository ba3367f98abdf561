/**
 * Members of a pod's status that only features know which are off, most of them of its containers. An agent may say them, and they are kept
 * until somebody writes the pod itself.
 */
import type { Pod, PodStatus } from '../../../../api/types/core-v1.ts';
import type { Draft, HookContext } from '../../strategy.ts';

const LISTS = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;

const RESIZE = 'InPlacePodVerticalScaling';
const GATES = [
  ['resources', RESIZE],
  ['allocatedResources', RESIZE],
  ['allocatedResourcesStatus', 'ResourceHealthStatus'],
  ['user', 'SupplementalGroupsPolicy'],
] as const;

type Member = (typeof GATES)[number][0];

/** The stored status is not changed. */
export function dropDisabledStatuses(draft: Draft<Pod>, context: HookContext): void {
  const { status } = draft;
  if (!status) return;
  const disabled = GATES.filter(([, gate]) => !context.isFeatureEnabled(gate)).map(([member]) => member);
  const isResizing = status.resize !== undefined && !context.isFeatureEnabled(RESIZE);
  const lists = LISTS.filter((list) => saysAny(status[list], disabled));
  if (lists.length === 0 && !isResizing) return;
  const kept = { ...status };
  if (isResizing) delete kept.resize;
  for (const list of lists) kept[list] = (status[list] ?? []).map((own) => without(own, disabled));
  draft.status = kept;
}

type Statuses = Draft<NonNullable<PodStatus[(typeof LISTS)[number]]>>;

const saysAny = (statuses: Statuses | undefined, members: readonly Member[]): boolean =>
  statuses?.some((own) => members.some((member) => own[member] !== undefined)) ?? false;

function without(own: Statuses[number], members: readonly Member[]): Statuses[number] {
  const kept = { ...own };
  for (const member of members) delete kept[member];
  return kept;
}
