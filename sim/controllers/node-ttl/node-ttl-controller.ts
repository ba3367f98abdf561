/**
 * The TTL controller: it writes on every Node how long its agent may keep what it has read. A node whose
 * number is out of date gets the new one when it changes next. Specification: not shown: Kubernetes 1.31.
 */
import type { Node } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Process } from '../../engine/process.ts';
import { defineController } from '../manager/controller.ts';
import { CacheTtl } from './cache-ttl.ts';

const { nodes } = BUILTIN_HANDLES;
export const TTL_ANNOTATION = 'node.alpha.kubernetes.io/ttl';
const WORKERS = 5;

export const NODE_TTL = defineController({
  name: 'ttl-controller',
  formerNames: ['ttl'],
  serviceAccount: 'ttl-controller',
  start({ context, client, informerOf }) {
    const informer = informerOf(nodes);
    const queue = new WorkQueue(context);
    const ttl = new CacheTtl();
    informer.addHandler({
      added: (node) => {
        ttl.nodeAdded();
        queue.add(storeKeyOf(node));
      },
      changed: (node) => {
        if (node.metadata.annotations?.[TTL_ANNOTATION] !== String(ttl.seconds)) queue.add(storeKeyOf(node));
      },
      removed: () => ttl.nodeRemoved(),
    });
    startWorkers(context, queue, {
      reconcile: (name) => annotate(client, informer.store.get(name), ttl.seconds),
      workers: WORKERS,
    });
  },
});

function* annotate(client: ApiClient, node: Node | undefined, seconds: number): Process<undefined> {
  const wanted = String(seconds);
  if (!node || node.metadata.annotations?.[TTL_ANNOTATION] === wanted) return;
  const body = { metadata: { annotations: { [TTL_ANNOTATION]: wanted } } };
  try {
    yield* client.patch(nodes, storeKeyOf(node), { type: 'strategic', body });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
