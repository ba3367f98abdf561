/**
 * Gives each node a range of addresses for its pods, 10.244.0.0/24 and on (`--allocate-node-cidrs`). It runs where it is
 * named. Agents here register with a range already, so it is for nodes that others make. What a node has stays with it,
 * and is free again when the node goes.
 * Specification: not shown (Kubernetes: RangeAllocator).
 */
import type { Node } from '../../api/types/core-v1.ts';
import { isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { EventRecorder } from '../../client/event-recorder.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import { seconds } from '../../engine/time.ts';
import { defineController } from '../manager/controller.ts';

const { nodes } = BUILTIN_HANDLES;
const PREFIX = '10.244.';
const SIZE = 256;
const AGAIN = seconds(10);

export const NODE_IPAM = defineController({
  name: 'node-ipam-controller',
  formerNames: ['nodeipam'],
  serviceAccount: 'node-controller',
  isNamedOnly: true,
  *start({ context, client, informerOf }) {
    const informer = informerOf(nodes);
    const queue = new WorkQueue(context);
    const events = new EventRecorder(client, 'cidrAllocator');
    /** Given by this manager, and perhaps not yet seen: by node. */
    const given = new Map<string, string>();
    const note = (node: Node): void => {
      if (!node.spec?.podCIDR) queue.add(storeKeyOf(node));
    };
    informer.addHandler({
      added: note,
      changed: note,
      removed: (node) => void given.delete(storeKeyOf(node)),
    });
    yield* informer.waitUntilSynced();
    startWorkers(context, queue, {
      *reconcile(name) {
        const node = informer.store.get(name);
        if (!node || node.spec?.podCIDR) return undefined;
        const range = given.get(name) ?? freeRange([...rangesOf(informer.store.list()), ...given.values()]);
        if (range === undefined) {
          const message = `Node ${name} status is now: CIDRNotAvailable`;
          events.record(node, { type: 'Normal', reason: 'CIDRNotAvailable', message });
          return { requeueAfter: AGAIN };
        }
        given.set(name, range);
        try {
          yield* client.patch(nodes, name, {
            type: 'strategic',
            body: { spec: { podCIDR: range, podCIDRs: [range] } },
          });
        } catch (error) {
          if (!isNotFound(error)) throw error;
          given.delete(name);
        }
        return undefined;
      },
    });
  },
});

const rangesOf = (all: readonly Node[]): readonly string[] =>
  all.flatMap(({ spec }) => [...(spec?.podCIDRs ?? []), ...(spec?.podCIDR ? [spec.podCIDR] : [])]);

/** The first that nobody has; undefined: all are taken. */
export function freeRange(taken: readonly string[]): string | undefined {
  const all = new Set(taken);
  for (let third = 0; third < SIZE; third++) {
    const range = `${PREFIX}${third}.0/24`;
    if (!all.has(range)) return range;
  }
  return undefined;
}
