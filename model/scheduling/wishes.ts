/** What pods require of nodes and of each other, read as simply as can be: true if it is met. */
import type { LabelSelector } from '../../sim/api/types/meta-k8s-io-v1.ts';
import type { Node, NodeSelectorTerm, Pod, PodAffinityTerm, Taint } from '../../sim/api/types/core-v1.ts';
import { tolerates } from '../tolerations.ts';

type Labels = Readonly<Record<string, string>>;

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

function meets(value: string | undefined, { operator, values = [] }: Requirement): boolean {
  if (operator === 'Exists') return value !== undefined;
  if (operator === 'DoesNotExist') return value === undefined;
  if (operator === 'In') return value !== undefined && values.includes(value);
  if (operator === 'NotIn') return value === undefined || !values.includes(value);
  const [bound] = values;
  if (value === undefined || bound === undefined) return false;
  return operator === 'Gt' ? Number(value) > Number(bound) : Number(value) < Number(bound);
}

export function selects(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Labels = {},
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every((each) => meets(labels[each.key], each))
  );
}

function termHolds(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  { metadata }: Node,
): boolean {
  return (
    matchExpressions.length + matchFields.length > 0 &&
    matchExpressions.every((each) => meets(metadata.labels?.[each.key], each)) &&
    matchFields.every((each) => meets(metadata.name, each))
  );
}

/** Node selector and required node affinity. */
export function wants({ spec }: Pod, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  const terms =
    spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return (
    Object.entries(spec?.nodeSelector ?? {}).every(([key, value]) => labels[key] === value) &&
    (!terms || terms.some((term) => termHolds(term, node)))
  );
}

/** Taints that keep pods away, the cordon among them, are all tolerated. */
export function bears({ spec }: Pod, node: Node): boolean {
  const cordon: readonly Taint[] = node.spec?.unschedulable
    ? [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }]
    : [];
  const isBorne = (taint: Taint): boolean =>
    (spec?.tolerations ?? []).some((toleration) => tolerates(toleration, taint));
  return [...cordon, ...(node.spec?.taints ?? [])].every(
    (taint) => taint.effect === 'PreferNoSchedule' || isBorne(taint),
  );
}

/** Whether a term of `owner` is about another pod. Terms that ask for labels of namespaces are about nobody here. */
export function isAbout(term: PodAffinityTerm, owner: Pod, { metadata }: Pod): boolean {
  const { labelSelector, namespaces = [], namespaceSelector } = term;
  const own = namespaces.length === 0 && !namespaceSelector ? [owner.metadata.namespace ?? ''] : namespaces;
  return own.includes(metadata.namespace ?? '') && !!labelSelector && selects(labelSelector, metadata.labels);
}

export const portsOf = ({ spec }: Pod): readonly string[] =>
  (spec?.containers ?? []).flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, protocol = 'TCP' }) => (hostPort ? [`${protocol} ${hostPort}`] : [])),
  );
