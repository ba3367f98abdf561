/** At rest nodes are Ready and heard of, and pods run where they belong and say so. */
import type { Lease } from '../../sim/api/types/coordination-k8s-io-v1.ts';
import {
  conditionOf,
  hasEnded,
  isGoing,
  isReadyPod,
  isUndemanding,
  textOf,
  type RestView,
} from './rest-view.ts';

/** Renewals come every 10 s, and one may be late. */
const LEASE_AGE_MS = 40_000;
const LIFE_TAINTS: ReadonlySet<string> = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
]);

/** Every node is Ready, has no taint that says otherwise, and renews its lease. */
export function nodesRest(view: RestView): readonly string[] {
  const leases = new Map(view.of('Lease').map((lease) => [leaseKey(lease), lease]));
  return view.of('Node').flatMap((node) => {
    const name = node.metadata.name ?? '';
    const ready = conditionOf(node.status, 'Ready');
    const taint = (node.spec?.taints ?? []).find(({ key }) => LIFE_TAINTS.has(key));
    const renewed = Date.parse(leases.get(`kube-node-lease/${name}`)?.spec?.renewTime ?? '');
    return [
      ...(ready === 'True' ? [] : [`node ${name} is Ready: ${ready ?? 'unsaid'}`]),
      ...(taint ? [`node ${name} keeps the taint ${taint.key}`] : []),
      ...(view.nowMs - renewed > LEASE_AGE_MS ? [`node ${name} has not renewed its lease`] : []),
    ];
  });
}

const leaseKey = ({ metadata: { namespace = '', name = '' } }: Lease): string => `${namespace}/${name}`;

/** A pod that asks for nothing special is on a node that there is, runs and is Ready. */
export function podsRest(view: RestView): readonly string[] {
  const nodes = new Set(view.of('Node').map(({ metadata }) => metadata.name));
  const hasRoom = view.openNodes.length > 0;
  return view.of('Pod').flatMap((pod) => {
    const { nodeName } = pod.spec ?? {};
    if (isGoing(pod)) return [];
    if (nodeName && !nodes.has(nodeName)) return [`${textOf(pod)} is on ${nodeName}, which is gone`];
    if (hasEnded(pod) || !isUndemanding(pod)) return [];
    if (!nodeName) return hasRoom ? [`${textOf(pod)} has no node, and there is room`] : [];
    if (!isReadyPod(pod))
      return [`${textOf(pod)} is ${pod.status?.phase ?? 'unsaid'} on ${nodeName} and not Ready`];
    return pod.status?.podIP ? [] : [`${textOf(pod)} runs and has no address`];
  });
}

/** What is being deleted goes, unless a finalizer holds it. */
export function deletionsRest(view: RestView): readonly string[] {
  return view.all.flatMap((object) => {
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    if (deletionTimestamp === undefined || finalizers.length > 0) return [];
    return [`${textOf(object)} has been going since ${deletionTimestamp}`];
  });
}
