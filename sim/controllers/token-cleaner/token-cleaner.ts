/**
 * Deletes bootstrap tokens, which are secrets of a type of their own in `kube-system`, when they expire. A time that
 * nobody can read has passed. Specification: not shown: Kubernetes 1.31.
 */
import { decodeBase64 } from '../../api/codec/base64.ts';
import { parseTime, TimeFormatError } from '../../api/time-format.ts';
import type { Secret } from '../../api/types/core-v1.ts';
import { isConflict, isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import { milliseconds } from '../../engine/time.ts';
import { defineController } from '../manager/controller.ts';

const { secrets } = BUILTIN_HANDLES;
const WORKERS = 10;

export const TOKEN_CLEANER = defineController({
  name: 'token-cleaner-controller',
  formerNames: ['tokencleaner'],
  serviceAccount: 'token-cleaner',
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
          // It went, or another has its name.
          if (!isNotFound(error) && !isConflict(error)) throw error;
        }
        return undefined;
      },
      workers: WORKERS,
    });
  },
});

const isBootstrapToken = ({ type, metadata }: Secret): boolean =>
  type === 'bootstrap.kubernetes.io/token' && metadata.namespace === 'kube-system';

/** In ms; undefined: it lasts for ever. */
function leftOf({ data }: Secret, nowMs: number): number | undefined {
  const text = new TextDecoder().decode(decodeBase64(data?.['expiration'] ?? ''));
  if (text === '') return undefined;
  try {
    return Math.max(0, parseTime(text).epochSeconds * 1000 - nowMs);
  } catch (error) {
    if (!(error instanceof TimeFormatError)) throw error;
    return 0;
  }
}
