/** Baseline: /proc keeps its usual masks. */
import { containersText, type Find, type PodCheck, quoted, sortedSet } from '../check.ts';

const find: Find = ({ containers }) => {
  const bad = containers.filter(
    ({ securityContext }) => (securityContext?.procMount ?? 'Default') !== 'Default',
  );
  if (bad.length === 0) return undefined;
  const types = sortedSet(bad.map(({ securityContext }) => securityContext?.procMount ?? ''));
  return {
    reason: 'procMount',
    detail: `${containersText(bad)} must not set securityContext.procMount to ${quoted(types)}`,
  };
};

export const procMount: PodCheck = { id: 'procMount', level: 'baseline', versions: [{ since: 0, find }] };
