/** At rest nodes are Ready and heard of, and pods run where they belong and say so. */
import type { Lease } from '../../sim/api/types/coordination-k8s-io-v1.ts';
import type { Node, Pod } from '../../sim/api/types/core-v1.ts';
import { amountOf, requestOf } from '../scheduling/amounts.ts';
import { hasEnded, isReady } from '../pod-facts.ts';
import { conditionOf, isGoing, isUndemanding, textOf, type RestView } from './rest-view.ts';

/** Renewals come every 10 s, and one may be late. */
const LEASE_AGE_MS = 40_000;
/** Nothing presses a node at rest. */
const PRESSURES: ReadonlySet<string> = new Set([
  'MemoryPressure',
  'DiskPressure',
  'PIDPressure',
  'NetworkUnavailable',
]);
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
      ...(node.status?.conditions ?? []).flatMap((condition) =>
        PRESSURES.has(condition.type) && condition.status !== 'False'
          ? [`node ${name} says ${condition.type} ${condition.status}`]
          : [],
      ),
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
    if (!nodeName)
      return hasRoom && !view.past.isPassedOver(pod) ? [`${textOf(pod)} has no node, and there is room`] : [];
    if (!isReady(pod))
      return [`${textOf(pod)} is ${pod.status?.phase ?? 'unsaid'} on ${nodeName} and not Ready`];
    return pod.status?.podIP ? [] : [`${textOf(pod)} runs and has no address`];
  });
}

/** A pod that asks for nothing but an amount of something does not wait while a node has as much. */
export function waitingPodsRest(view: RestView): readonly string[] {
  const waiting = view.of('Pod').filter((pod) => !pod.spec?.nodeName && !isGoing(pod) && !hasEnded(pod));
  if (waiting.length === 0) return [];
  const rooms = view.openNodes.map((node) => roomOf(node, view));
  return waiting.flatMap((pod) => {
    const containers = (pod.spec?.containers ?? []).map((container) => ({ ...container, resources: {} }));
    const isPlain =
      isUndemanding({ ...pod, spec: { ...pod.spec, containers } }) && !view.past.isPassedOver(pod);
    const fitting = isPlain ? rooms.find((room) => fits(pod, room)) : undefined;
    return fitting ? [`${textOf(pod)} waits for a node, and ${fitting.name} has room for it`] : [];
  });
}

const AMOUNTS = ['cpu', 'memory'] as const;

interface Room {
  readonly name: string;
  readonly free: Readonly<Record<(typeof AMOUNTS)[number], number>>;
  readonly places: number;
}

function roomOf({ metadata: { name = '' }, status }: Node, view: RestView): Room {
  const there = view.of('Pod').filter((pod) => pod.spec?.nodeName === name && !hasEnded(pod));
  const left = (resource: string): number =>
    amountOf(status?.allocatable?.[resource] ?? '0') -
    there.reduce((sum, pod) => sum + requestOf(pod, resource), 0);
  return {
    name,
    free: { cpu: left('cpu'), memory: left('memory') },
    places: amountOf(status?.allocatable?.['pods'] ?? '0') - there.length,
  };
}

/** A little more than is wanted: amounts are compared as numbers. */
const fits = (pod: Pod, { free, places }: Room): boolean =>
  places > 0 && AMOUNTS.every((resource) => requestOf(pod, resource) <= free[resource] + 1e-9);

/** What is being deleted goes, unless a finalizer holds it. */
export function deletionsRest(view: RestView): readonly string[] {
  return view.all.flatMap((object) => {
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    if (deletionTimestamp === undefined || finalizers.length > 0) return [];
    return [`${textOf(object)} has been going since ${deletionTimestamp}`];
  });
}
