/**
 * What the scheduler does about what its informers tell: pods on nodes and nodes go into its cache, pods without a node
 * into its queue, and whatever may help somebody who waits makes the queue look again. Kubernetes 1.31.
 */
import type { ApiObject } from '../api/object.ts';
import { wantsNode } from '../api/selector/node-selector.ts';
import type { Node, Pod } from '../api/types/core-v1.ts';
import type { ChangeHandler } from '../client/informer/informer.ts';
import type { AffinityTerm } from './cache/pod-facts.ts';
import { factsOf } from './cache/pod-facts.ts';
import type { NodeInfo } from './cache/node-info.ts';
import type { EventAction, EventResource } from './framework/cluster-event.ts';
import type { SchedulingWorld } from './framework/plugin.ts';
import { firstUntolerated } from './plugins/node-plugins.ts';
import { lacking } from './plugins/resource-plugins.ts';
import type { PreCheck, SchedulingQueue } from './queue/scheduling-queue.ts';

export interface NewsParts {
  readonly world: SchedulingWorld;
  readonly queue: SchedulingQueue;
  /** Whether this scheduler is the one that the pod asks for. */
  readonly isOwn: (pod: Pod) => boolean;
}

const isPlaced = ({ spec }: Pod): boolean => !!spec?.nodeName;

/** A pod gets its node only once: from then on it is a pod on a node. */
export function podNews({ world, queue, isOwn }: NewsParts): ChangeHandler<Pod> {
  const { cache } = world;
  const came = (pod: Pod): void => {
    if (isPlaced(pod)) {
      queue.remove(pod);
      cache.setPod(pod);
      queue.moveAll({ resource: 'Pod', action: 'add' }, awaits(pod, world));
    } else if (isOwn(pod)) queue.add(pod);
  };
  const went = (pod: Pod): void => {
    if (isPlaced(pod)) {
      cache.removePod(pod);
      queue.moveAll({ resource: 'Pod', action: 'delete' });
      return;
    }
    queue.remove(pod);
    // It may have been bound and deleted while nobody looked: the last that was seen of it says nothing of a node.
    const isFreed = cache.isAssumed(pod);
    cache.removePod(pod);
    if (isFreed || pod.status?.nominatedNodeName) queue.moveAll({ resource: 'Pod', action: 'delete' });
  };
  return {
    added: came,
    changed: (pod, old) => {
      // Deleted and made again while nobody looked.
      if (pod.metadata.uid !== old.metadata.uid) {
        went(old);
        came(pod);
      } else if (isPlaced(pod) !== isPlaced(old)) came(pod);
      else if (isPlaced(pod)) {
        cache.setPod(pod);
        if (pod.metadata.labels !== old.metadata.labels)
          queue.moveAll({ resource: 'Pod', action: 'update' }, awaits(pod, world));
      } else if (isOwn(pod) && pod !== old && !cache.isAssumed(pod)) queue.update(old, pod);
    },
    removed: went,
  };
}

/** Pods that a pod on a node may let fit: those that want to be near it, or evenly spread. */
function awaits({ metadata }: Pod, { listers }: SchedulingWorld): PreCheck {
  const { namespace = '', labels } = metadata;
  const isMet = (term: AffinityTerm): boolean =>
    (term.namespaces.has(namespace) ||
      term.namespaceSelector?.matches(listers.namespaces.get(namespace)?.metadata.labels) === true) &&
    term.selector.matches(labels);
  return (waiting) => {
    if (factsOf(waiting).affinity.some(isMet)) return true;
    const spreads = waiting.spec?.topologySpreadConstraints ?? [];
    return spreads.length > 0 && waiting.metadata.namespace === namespace;
  };
}

export function nodeNews({ world: { cache }, queue }: NewsParts): ChangeHandler<Node> {
  return {
    added: (node) => {
      cache.setNode(node);
      queue.moveAll({ resource: 'Node', action: 'add' }, mayTake(cache.node(node.metadata.name ?? '')));
    },
    changed: (node, old) => {
      cache.setNode(node);
      const check = mayTake(cache.node(node.metadata.name ?? ''));
      for (const action of changesOf(node, old)) queue.moveAll({ resource: 'Node', action }, check);
    },
    removed: ({ metadata }) => cache.removeNode(metadata.name ?? ''),
  };
}

/** What about a node is different that may matter to a pod. */
function changesOf(node: Node, old: Node): readonly EventAction[] {
  const changes: EventAction[] = [];
  if (isDifferent(node.status?.allocatable, old.status?.allocatable)) changes.push('update-allocatable');
  if (isDifferent(node.metadata.labels, old.metadata.labels)) changes.push('update-label');
  const isOpened = old.spec?.unschedulable === true && node.spec?.unschedulable !== true;
  if (isOpened || isDifferent(node.spec?.taints, old.spec?.taints)) changes.push('update-taint');
  if (isDifferent(conditionsOf(node), conditionsOf(old))) changes.push('update-condition');
  if (isDifferent(node.metadata.annotations, old.metadata.annotations)) changes.push('update-annotation');
  return changes;
}

const conditionsOf = ({ status }: Node): readonly string[] =>
  (status?.conditions ?? []).map(({ type, status: is }) => `${type}=${is}`);

const isDifferent = (one: unknown, other: unknown): boolean =>
  one !== other && JSON.stringify(one) !== JSON.stringify(other);

/** A first look, so that not everybody is tried for every node. */
function mayTake(info: NodeInfo | undefined): PreCheck {
  return (pod) => {
    const { node } = info ?? {};
    if (!info || !node || !pod.spec) return false;
    const { requests, hostPorts } = factsOf(pod);
    const forbidding = info.taints.filter(({ effect }) => effect === 'NoSchedule');
    return (
      lacking(requests, info).length === 0 &&
      wantsNode(pod.spec, node) &&
      !info.hasTaken(hostPorts) &&
      !firstUntolerated(forbidding, pod.spec.tolerations ?? [])
    );
  };
}

/** Of kinds that only the queue looks at. */
export function otherNews<T extends ApiObject>(
  { queue }: NewsParts,
  resource: EventResource,
): ChangeHandler<T> {
  return {
    added: () => queue.moveAll({ resource, action: 'add' }),
    changed: (object, old) => {
      if (object !== old) queue.moveAll({ resource, action: 'update' });
    },
  };
}
