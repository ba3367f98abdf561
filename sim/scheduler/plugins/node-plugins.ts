/** Plugins that look at the node alone: whether it takes pods at all, its name, its taints, what the pod wants of it. */
import { wantsNode, matchesTerm } from '../../api/selector/node-selector.ts';
import { tolerates } from '../../api/selector/toleration.ts';
import type { NodeSelectorTerm, Pod, Taint, Toleration } from '../../api/types/core-v1.ts';
import type { NodeInfo } from '../cache/node-info.ts';
import { filtering, normalizeByHighest, type Plugin, SKIP } from '../framework/plugin.ts';
import { unresolvable } from '../framework/rejection.ts';

const UNSCHEDULABLE: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

const tolerationsOf = ({ spec }: Pod): readonly Toleration[] => spec?.tolerations ?? [];

export const schedulingGates: Plugin = {
  name: 'SchedulingGates',
  events: [{ resource: 'Pod', actions: ['update'] }],
  preEnqueue: ({ spec }) => {
    const gates = spec?.schedulingGates ?? [];
    return gates.length === 0
      ? undefined
      : `waiting for scheduling gates: ${gates.map(({ name }) => name).join(' ')}`;
  },
};

export const nodeUnschedulable: Plugin = {
  name: 'NodeUnschedulable',
  events: [{ resource: 'Node', actions: ['add', 'update-taint'] }],
  beginFilter: ({ pod }) => {
    const isTolerated = tolerationsOf(pod).some((toleration) => tolerates(toleration, UNSCHEDULABLE));
    if (isTolerated) return filtering({ check: () => undefined });
    const rejection = unresolvable('NodeUnschedulable', 'node(s) were unschedulable');
    return filtering({ check: ({ isUnschedulable }) => (isUnschedulable ? rejection : undefined) });
  },
};

export const nodeName: Plugin = {
  name: 'NodeName',
  events: [{ resource: 'Node', actions: ['add', 'update'] }],
  beginFilter: ({ pod: { spec } }) => {
    const wanted = spec?.nodeName;
    if (!wanted) return SKIP;
    const rejection = unresolvable('NodeName', "node(s) didn't match the requested node name");
    return filtering({ check: ({ name }) => (name === wanted ? undefined : rejection) });
  },
};

export const taintToleration: Plugin = {
  name: 'TaintToleration',
  events: [{ resource: 'Node', actions: ['add', 'update'] }],
  beginFilter: ({ pod }) => {
    const tolerations = tolerationsOf(pod);
    return filtering({
      check: ({ forbidding }) => {
        if (forbidding.length === 0) return undefined;
        const untolerated = firstUntolerated(forbidding, tolerations);
        if (!untolerated) return undefined;
        const { key, value = '' } = untolerated;
        return unresolvable('TaintToleration', `node(s) had untolerated taint {${key}: ${value}}`);
      },
    });
  },
  beginScore: ({ pod }, nodes) => {
    // Where no node deters anybody all are equal.
    if (nodes.every(({ deterring }) => deterring.length === 0)) return undefined;
    const tolerations = tolerationsOf(pod).filter(({ effect }) => !effect || effect === 'PreferNoSchedule');
    const isTolerated = (taint: Taint): boolean => tolerations.some((each) => tolerates(each, taint));
    return {
      score: ({ deterring }) =>
        deterring.length === 0 ? 0 : deterring.filter((taint) => !isTolerated(taint)).length,
      normalize: (scores) => normalizeByHighest(scores, true),
    };
  },
};

export const firstUntolerated = (
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
): Taint | undefined =>
  taints.find((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)));

export const nodeAffinity: Plugin = {
  name: 'NodeAffinity',
  events: [{ resource: 'Node', actions: ['add', 'update'] }],
  beginFilter: ({ pod: { spec } }) => {
    const terms =
      spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
    if (!spec || (!terms && Object.keys(spec.nodeSelector ?? {}).length === 0)) return SKIP;
    const only = terms && namedIn(terms);
    if (only?.size === 0)
      return { kind: 'rejected', rejection: unresolvable('NodeAffinity', 'pod affinity terms conflict') };
    const rejection = unresolvable('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
    return filtering({ check: ({ node }) => (node && wantsNode(spec, node) ? undefined : rejection) }, only);
  },
  beginScore: ({ pod: { spec } }) => {
    const preferred = spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    if (preferred.length === 0) return undefined;
    const isMet = (term: NodeSelectorTerm, { node }: NodeInfo): boolean => !!node && matchesTerm(term, node);
    return {
      score: (info) =>
        preferred.reduce((sum, { weight, preference }) => sum + (isMet(preference, info) ? weight : 0), 0),
      normalize: (scores) => normalizeByHighest(scores),
    };
  },
};

/** Names of nodes, where every term names some; a name has to be in all fields of a term. */
function namedIn(terms: readonly NodeSelectorTerm[]): ReadonlySet<string> | undefined {
  const named = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const lists = matchFields
      .filter(({ key, operator }) => key === 'metadata.name' && operator === 'In')
      .map(({ values = [] }) => values);
    const [first, ...others] = lists;
    if (!first) return undefined;
    for (const name of first) if (others.every((list) => list.includes(name))) named.add(name);
  }
  return named;
}
