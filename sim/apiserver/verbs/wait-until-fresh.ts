/**
 * A read that must not be older than a version waits until this server's cache has seen it: up to
 * three seconds, then 504 and a hint when to come again. Specification: "Errors".
 */
import type { Process } from '../../engine/process.ts';
import { ApiError } from '../../api/status.ts';
import { revision } from '../../storage/revision.ts';
import type { Exchange } from '../request/exchange.ts';
import type { Resource } from '../registry/resource.ts';
import type { ResourceStore } from '../stores/resource-store.ts';

const PATIENCE_MS = 3_000;

export function* waitUntilFresh(
  exchange: Exchange,
  store: ResourceStore,
  version: number | bigint,
): Process<void> {
  const { cache } = store;
  if (cache.revision >= version) return;
  const isFresh = yield* exchange.server.surroundings.waitFor(
    (wake) => (typeof version === 'bigint' ? () => undefined : cache.whenAtLeast(revision(version), wake)),
    PATIENCE_MS,
  );
  if (isFresh) return;
  throw tooLarge(version, store, { retryAfterSeconds: 1 });
}

/** Events are read from the storage, which waits for nothing. */
export const isUncached = ({ resource }: Resource): boolean => resource === 'events';

export const tooLarge = (
  version: number | bigint,
  { cache }: ResourceStore,
  hint: { readonly retryAfterSeconds?: number },
): ApiError =>
  new ApiError({
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${version}, current: ${cache.revision}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      ...hint,
    },
  });
