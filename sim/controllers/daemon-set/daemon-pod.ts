/** What a pod of a DaemonSet looks like, for which node it is, and which nodes should have one. Pure. */
import { wantsNode } from '../../api/selector/node-selector.ts';
import { tolerates } from '../../api/selector/toleration.ts';
import type { DaemonSet } from '../../api/types/apps-v1.ts';
import type {
  Affinity,
  Node,
  NodeSelectorTerm,
  Pod,
  PodTemplateSpec,
  Toleration,
} from '../../api/types/core-v1.ts';

export const REVISION_HASH = 'controller-revision-hash';
const GENERATION = 'pod-template-generation';
const GENERATION_NOTE = 'deprecated.daemonset.template.generation';

const exists = (name: string, effect: NonNullable<Toleration['effect']>): Toleration => ({
  key: `node.kubernetes.io/${name}`,
  operator: 'Exists',
  effect,
});

/** What does not keep a daemon from a node. */
const TOLERATED: readonly Toleration[] = [
  exists('not-ready', 'NoExecute'),
  exists('unreachable', 'NoExecute'),
  exists('disk-pressure', 'NoSchedule'),
  exists('memory-pressure', 'NoSchedule'),
  exists('pid-pressure', 'NoSchedule'),
  exists('unschedulable', 'NoSchedule'),
];
const TOLERATED_BY_HOST_NETWORK: readonly Toleration[] = [exists('network-unavailable', 'NoSchedule')];

/** Undefined: it says none, or no number. */
function generationOf({ metadata }: DaemonSet): string | undefined {
  const text = metadata.annotations?.[GENERATION_NOTE];
  return text !== undefined && /^-?\d+$/.test(text) ? String(Number(text)) : undefined;
}

/** Of pods of the present revision, for any node. */
export function daemonTemplate(daemonSet: DaemonSet, hash: string): PodTemplateSpec {
  const { metadata, spec } = daemonSet.spec?.template ?? {};
  const generation = generationOf(daemonSet);
  const labels = {
    ...metadata?.labels,
    ...(generation !== undefined && { [GENERATION]: generation }),
    ...(hash !== '' && { [REVISION_HASH]: hash }),
  };
  return {
    metadata: { ...metadata, labels },
    ...(spec && { spec: { ...spec, tolerations: tolerationsOf(spec) } }),
  };
}

function tolerationsOf(spec: NonNullable<PodTemplateSpec['spec']>): readonly Toleration[] {
  const added = [...TOLERATED, ...(spec.hostNetwork === true ? TOLERATED_BY_HOST_NETWORK : [])];
  const own = spec.tolerations ?? [];
  const isAlike = (a: Toleration, b: Toleration): boolean =>
    a.key === b.key &&
    a.effect === b.effect &&
    a.operator === b.operator &&
    (a.value ?? '') === (b.value ?? '');
  const kept = own.map((toleration) => added.find((other) => isAlike(other, toleration)) ?? toleration);
  return [...kept, ...added.filter((toleration) => !own.some((other) => isAlike(other, toleration)))];
}

/** The scheduler is told for which node it is. */
export function boundTo(template: PodTemplateSpec, node: string): PodTemplateSpec {
  const { spec } = template;
  return spec ? { ...template, spec: { ...spec, affinity: affinityFor(spec.affinity, node) } } : template;
}

function affinityFor(affinity: Affinity | undefined, node: string): Affinity {
  const matchFields = [{ key: 'metadata.name', operator: 'In' as const, values: [node] }];
  const terms =
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const nodeSelectorTerms: readonly NodeSelectorTerm[] =
    terms.length === 0 ? [{ matchFields }] : terms.map((term) => ({ ...term, matchFields }));
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
    },
  };
}

/** The node that a pod is on, or is meant for; undefined: it does not say. */
export function targetOf({ spec }: Pod): string | undefined {
  if (spec?.nodeName) return spec.nodeName;
  const terms =
    spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  for (const { matchFields = [] } of terms ?? []) {
    const field = matchFields.find(({ key, operator }) => key === 'metadata.name' && operator === 'In');
    if (field?.values?.length === 1) return field.values[0];
  }
  return undefined;
}

/** Made of the present template: by the hash of the revision, or by the number of old. */
export function isUpToDate({ metadata: { labels = {} } }: Pod, daemonSet: DaemonSet, hash: string): boolean {
  const generation = generationOf(daemonSet);
  return (
    (generation !== undefined && labels[GENERATION] === generation) ||
    (hash !== '' && labels[REVISION_HASH] === hash)
  );
}

export interface Suitability {
  readonly shouldRun: boolean;
  readonly mayStay: boolean;
}

export function suitabilityOf(daemonSet: DaemonSet, node: Node): Suitability {
  const spec = daemonSet.spec?.template.spec;
  if (!spec) return { shouldRun: false, mayStay: false };
  const isElsewhere =
    spec.nodeName !== undefined && spec.nodeName !== '' && spec.nodeName !== node.metadata.name;
  if (isElsewhere || !wantsNode(spec, node)) return { shouldRun: false, mayStay: false };
  const tolerations = tolerationsOf(spec);
  const untolerated = (node.spec?.taints ?? []).filter(
    (taint) =>
      taint.effect !== 'PreferNoSchedule' && !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
  return {
    shouldRun: untolerated.length === 0,
    mayStay: !untolerated.some(({ effect }) => effect === 'NoExecute'),
  };
}
