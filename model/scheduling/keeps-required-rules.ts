/** A scheduler sends no pod where the pod, the node or a pod that is there does not want it. */
import type { Node, Pod, PodAffinityTerm } from '../../sim/api/types/core-v1.ts';
import type { Binding, PlacedPod, SchedulingRule } from './observation.ts';
import { bears, isAbout, portsOf, wants } from './wishes.ts';

const antiOf = ({ spec }: Pod): readonly PodAffinityTerm[] =>
  spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
const nearOf = ({ spec }: Pod): readonly PodAffinityTerm[] =>
  spec?.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];

export class KeepsRequiredRules implements SchedulingRule {
  bindingProblem(binding: Binding): string | undefined {
    const pod = binding.pod as Pod;
    const nodes = binding.nodes as readonly Node[];
    const name = nodes[0]?.metadata.name ?? '';
    if ((pod.spec?.schedulingGates ?? []).length > 0) return 'its gates are shut';
    if (!nodes.some((node) => wants(pod, node))) return `it does not want ${name}`;
    if (!nodes.some((node) => bears(pod, node))) return `it does not tolerate the taints of ${name}`;
    const there = (binding.there as readonly Pod[]).filter(
      ({ metadata }) => metadata.uid !== pod.metadata.uid,
    );
    const ports = portsOf(pod);
    if (
      there.some((other) => portsOf(other).some((port) => ports.includes(port) && hasNoAddress(other, pod)))
    )
      return `its port is taken on ${name}`;
    return nodes
      .map((node) => neighbourProblem(pod, node, binding))
      .find((problem, _, all) => all.every(Boolean) && problem);
  }
}

/** Ports at different addresses do not meet; those are left alone here. */
const hasNoAddress = (...pods: readonly Pod[]): boolean =>
  pods.every(({ spec }) => spec?.containers.every(({ ports = [] }) => ports.every(({ hostIP }) => !hostIP)));

function neighbourProblem(pod: Pod, node: Node, { placed, perhapsPlaced }: Binding): string | undefined {
  const labels = node.metadata.labels ?? {};
  const isOther = ({ pod: other }: PlacedPod): boolean => other.metadata.uid !== pod.metadata.uid;
  const isBeside =
    (key: string) =>
    (other: PlacedPod): boolean =>
      labels[key] !== undefined && other.labels[key] === labels[key] && isOther(other);
  for (const term of antiOf(pod)) {
    const near = placed.filter(isBeside(term.topologyKey)).find((other) => isAbout(term, pod, other.pod));
    if (near) return `it does not want to be near ${near.pod.metadata.name}`;
  }
  for (const { pod: other, labels: of } of placed.filter(isOther))
    for (const term of antiOf(other))
      if (
        of[term.topologyKey] !== undefined &&
        of[term.topologyKey] === labels[term.topologyKey] &&
        isAbout(term, other, pod)
      )
        return `${other.metadata.name} does not want it near`;
  for (const term of nearOf(pod)) {
    // What labels namespaces have is not looked at.
    if (term.namespaceSelector) continue;
    if (perhapsPlaced.filter(isBeside(term.topologyKey)).some((other) => isAbout(term, pod, other.pod)))
      continue;
    const isFirst =
      isAbout(term, pod, pod) && !placed.some((other) => isOther(other) && isAbout(term, pod, other.pod));
    if (!isFirst) return `nobody whom it wants near is there`;
  }
  return undefined;
}
