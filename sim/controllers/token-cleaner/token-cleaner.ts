/**
 * Deletes bootstrap tokens when they expire. It runs where it is named, and a token that could not be deleted stays until
 * there is news of it, both as in 1.31.
 * Specification: not shown: Kubernetes 1.31.
 */
import type { Secret } from '../../api/types/core-v1.ts';
import { isCallFailure } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import { milliseconds } from '../../engine/time.ts';
import { defineController } from '../manager/controller.ts';
import { isBootstrapToken, leftOf } from './bootstrap-token.ts';

const { secrets } = BUILTIN_HANDLES;
const WORKERS = 10;

export const TOKEN_CLEANER = defineController({
  name: 'token-cleaner-controller',
  formerNames: ['tokencleaner'],
  serviceAccount: 'token-cleaner',
  isNamedOnly: true,
  *start({ context, client, informerOf }) {
    const informer = informerOf(secrets);
    const queue = new WorkQueue(context);
    const note = (secret: Secret): void => {
      if (isBootstrapToken(secret)) queue.add(storeKeyOf(secret));
    };
    informer.addHandler({ added: note, changed: note });
    yield* informer.waitUntilSynced();
    startWorkers(context, queue, {
      *reconcile(key) {
        const secret = informer.store.get(key);
        const left = secret && isBootstrapToken(secret) ? leftOf(secret, context.wallMs()) : undefined;
        if (!secret || left === undefined) return undefined;
        if (left > 0) return { requeueAfter: milliseconds(left) };
        const { name = '', namespace = '', uid = '' } = secret.metadata;
        try {
          yield* client.delete(secrets, { name, namespace }, { preconditions: { uid } });
        } catch (error) {
          if (!isCallFailure(error)) throw error;
        }
        return undefined;
      },
      workers: WORKERS,
    });
  },
});
