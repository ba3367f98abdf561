/**
 * May a pod run on this node? The node agent's own check, after binding: operating system,
 * resources, node selector and affinity, host ports, taints. Pure. Specification: "Pods on nodes" (not shown: Kubernetes 1.31).
 */
import {
  addQuantities,
  approximateNumber,
  compareQuantities,
  parseQuantity,
  type Quantity,
  quantityOf,
} from '../../api/quantity.ts';
import { wantsNode } from '../../api/selector/node-selector.ts';
import { tolerates } from '../../api/selector/toleration.ts';
import type { Node, Pod } from '../../api/types/core-v1.ts';
import { initContainersOf, isSidecar, mainContainersOf } from './pod-containers.ts';
import { forbiddenSysctl } from './sysctls.ts';

export interface Rejection {
  /** `OutOfcpu`, `NodeAffinity`, `NodePorts`, … */
  readonly reason: string;
  readonly message: string;
}

export interface AdmissionTerms {
  /** Those that run there already. */
  readonly others: readonly Pod[];
  /** Nobody taints a node against its own manifests. */
  readonly isStatic?: boolean;
}

/** Undefined: the pod is admitted. */
export function rejectionOf(
  pod: Pod,
  node: Node,
  { others, isStatic = false }: AdmissionTerms,
): Rejection | undefined {
  return (
    wrongSysctl(pod) ??
    wrongSystem(pod, node) ??
    outOfResources(pod, node, others) ??
    wrongNode(pod, node) ??
    takenPorts(pod, others) ??
    (isStatic ? undefined : untolerated(pod, node))
  );
}

function wrongSysctl(pod: Pod): Rejection | undefined {
  const message = forbiddenSysctl(pod);
  return message === undefined ? undefined : { reason: 'SysctlForbidden', message };
}

function outOfResources(pod: Pod, node: Node, others: readonly Pod[]): Rejection | undefined {
  const allocatable = node.status?.allocatable ?? {};
  const maxPods = allocatable['pods'];
  if (maxPods !== undefined && others.length + 1 > Number(maxPods)) {
    return outOf('pods', quantityOf(1n), quantityOf(BigInt(others.length)), parseQuantity(maxPods));
  }
  const wanted = requestsOf(pod);
  for (const name of inOrder(wanted.keys())) {
    const request = wanted.get(name);
    // What no node has belongs to the cluster.
    if (!request || (isExtended(name) && allocatable[name] === undefined)) continue;
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

const FIRST = ['cpu', 'memory', 'ephemeral-storage'];

const inOrder = (names: Iterable<string>): readonly string[] => {
  const rest = [...names].filter((name) => !FIRST.includes(name));
  return [...FIRST, ...rest.sort()];
};

/** Of somebody's own domain. */
const isExtended = (name: string): boolean => name.includes('/') && !name.includes('kubernetes.io/');

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

/**
 * What a pod needs at any time: sidecars beside the main containers, or the init container that needs most with the
 * sidecars before it.
 */
export function requestsOf(pod: Pod): ReadonlyMap<string, Quantity> {
  const running = new Map<string, Quantity>();
  const highest = new Map<string, Quantity>();
  for (const container of initContainersOf(pod)) {
    if (isSidecar(container)) addAll(running, container.resources?.requests);
    const now = new Map(running);
    if (!isSidecar(container)) addAll(now, container.resources?.requests);
    for (const [name, request] of now) highest.set(name, larger(highest.get(name), request));
  }
  for (const { resources } of mainContainersOf(pod)) addAll(running, resources?.requests);
  for (const [name, request] of highest) running.set(name, larger(running.get(name), request));
  addAll(running, pod.spec?.overhead);
  return running;
}

function addAll(total: Map<string, Quantity>, amounts: Readonly<Record<string, string>> = {}): void {
  for (const [name, text] of Object.entries(amounts))
    total.set(name, addQuantities(total.get(name) ?? NOTHING, parseQuantity(text)));
}

const larger = (known: Quantity | undefined, other: Quantity): Quantity =>
  known && compareQuantities(known, other) >= 0 ? known : other;

const OS_LABEL = 'kubernetes.io/os';

/** A pod may say which operating system it is for, by a label of its own and by a field. */
function wrongSystem({ metadata, spec }: Pod, { status }: Node): Rejection | undefined {
  const system = status?.nodeInfo?.operatingSystem ?? 'linux';
  const wanted = metadata.labels?.[OS_LABEL];
  if (wanted !== undefined && wanted !== system) {
    return {
      reason: 'PodOSSelectorNodeLabelDoesNotMatch',
      message: `Failed to admit pod as the \`${OS_LABEL}\` label doesn't match node label`,
    };
  }
  if (spec?.os === undefined || spec.os.name === system) return undefined;
  return {
    reason: 'PodOSNotSupported',
    message: "Failed to admit pod as the OS field doesn't match node OS",
  };
}

function failed(predicate: string, why: string): Rejection {
  return { reason: predicate, message: `Predicate ${predicate} failed: ${why}` };
}

function wrongNode({ spec }: Pod, node: Node): Rejection | undefined {
  if (wantsNode(spec ?? {}, node)) return undefined;
  return failed('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
}

function untolerated({ spec }: Pod, node: Node): Rejection | undefined {
  const isTolerated = (node.spec?.taints ?? [])
    .filter(({ effect }) => effect === 'NoExecute')
    .every((taint) => (spec?.tolerations ?? []).some((toleration) => tolerates(toleration, taint)));
  return isTolerated
    ? undefined
    : failed('TaintToleration', "node(s) had taints that the pod didn't tolerate");
}

function takenPorts(pod: Pod, others: readonly Pod[]): Rejection | undefined {
  const taken = others.flatMap(hostPortsOf);
  if (!hostPortsOf(pod).some((port) => taken.some((other) => collide(port, other)))) return undefined;
  return failed('NodePorts', "node(s) didn't have free ports for the requested pod ports");
}

interface HostPort {
  readonly protocol: string;
  readonly port: number;
  readonly ip: string;
}

const EVERY_ADDRESS = '0.0.0.0';

const collide = (one: HostPort, other: HostPort): boolean =>
  one.port === other.port &&
  one.protocol === other.protocol &&
  (one.ip === other.ip || one.ip === EVERY_ADDRESS || other.ip === EVERY_ADDRESS);

const hostPortsOf = ({ spec }: Pod): readonly HostPort[] =>
  (spec?.containers ?? []).flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, protocol = 'TCP', hostIP }) =>
      hostPort ? [{ protocol, port: hostPort, ip: hostIP || EVERY_ADDRESS }] : [],
    ),
  );
