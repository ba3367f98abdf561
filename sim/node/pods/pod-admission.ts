/**
 * May a pod run on this node? The node agent's own check, after binding: resources, node selector,
 * host ports. Pure. Specification: "Pods on nodes" (not shown: Kubernetes 1.31).
 */
import {
  addQuantities,
  approximateNumber,
  compareQuantities,
  parseQuantity,
  type Quantity,
  quantityOf,
} from '../../api/quantity.ts';
import type { Node, Pod } from '../../api/types/core-v1.ts';

export interface Rejection {
  /** `OutOfcpu`, `NodeAffinity`, `NodePorts`, … */
  readonly reason: string;
  readonly message: string;
}

/** `others` are the pods that run there already. Undefined: the pod is admitted. */
export function rejectionOf(pod: Pod, node: Node, others: readonly Pod[]): Rejection | undefined {
  return outOfResources(pod, node, others) ?? wrongNode(pod, node) ?? takenPorts(pod, others);
}

function outOfResources(pod: Pod, node: Node, others: readonly Pod[]): Rejection | undefined {
  const allocatable = node.status?.allocatable ?? {};
  const maxPods = allocatable['pods'];
  if (maxPods !== undefined && others.length + 1 > Number(maxPods)) {
    return outOf('pods', quantityOf(1n), quantityOf(BigInt(others.length)), parseQuantity(maxPods));
  }
  const wanted = requestsOf(pod);
  for (const name of [...wanted.keys()].sort()) {
    const request = wanted.get(name);
    if (!request) continue;
    const used = others.reduce(
      (sum, other) => addQuantities(sum, requestsOf(other).get(name) ?? NOTHING),
      NOTHING,
    );
    const capacity = parseQuantity(allocatable[name] ?? '0');
    if (compareQuantities(addQuantities(used, request), capacity) > 0)
      return outOf(name, request, used, capacity);
  }
  return undefined;
}

const NOTHING: Quantity = quantityOf(0n);

/** Amounts of CPU are told in thousandths. */
function outOf(resource: string, requested: Quantity, used: Quantity, capacity: Quantity): Rejection {
  const scale = resource === 'cpu' ? 1_000 : 1;
  const text = (quantity: Quantity): string => String(Math.round(approximateNumber(quantity) * scale));
  return {
    reason: `OutOf${resource}`,
    message: `Node didn't have enough resource: ${resource}, requested: ${text(requested)}, used: ${text(used)}, capacity: ${text(capacity)}`,
  };
}

/** The larger of what the containers need together and what each init container needs alone. */
export function requestsOf(pod: Pod): ReadonlyMap<string, Quantity> {
  const total = new Map<string, Quantity>();
  for (const { resources } of pod.spec?.containers ?? []) {
    for (const [name, text] of Object.entries(resources?.requests ?? {})) {
      total.set(name, addQuantities(total.get(name) ?? NOTHING, parseQuantity(text)));
    }
  }
  for (const { resources } of pod.spec?.initContainers ?? []) {
    for (const [name, text] of Object.entries(resources?.requests ?? {})) {
      const request = parseQuantity(text);
      const known = total.get(name);
      if (!known || compareQuantities(request, known) > 0) total.set(name, request);
    }
  }
  for (const [name, text] of Object.entries(pod.spec?.overhead ?? {})) {
    total.set(name, addQuantities(total.get(name) ?? NOTHING, parseQuantity(text)));
  }
  return total;
}

function wrongNode(pod: Pod, node: Node): Rejection | undefined {
  const labels = node.metadata.labels ?? {};
  const selector = Object.entries(pod.spec?.nodeSelector ?? {});
  if (selector.every(([name, value]) => labels[name] === value)) return undefined;
  return {
    reason: 'NodeAffinity',
    message: "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
  };
}

function takenPorts(pod: Pod, others: readonly Pod[]): Rejection | undefined {
  const taken = new Set(others.flatMap(hostPortsOf));
  if (!hostPortsOf(pod).some((port) => taken.has(port))) return undefined;
  return {
    reason: 'NodePorts',
    message: "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
  };
}

const hostPortsOf = ({ spec }: Pod): readonly string[] =>
  (spec?.containers ?? []).flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, protocol = 'TCP', hostIP = '' }) =>
      hostPort ? [`${protocol}/${hostIP}/${hostPort}`] : [],
    ),
  );
