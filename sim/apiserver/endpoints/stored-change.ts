/** A change that an endpoint makes to a stored object by itself, past the rules of updates. */
import type { ApiObject } from '../../api/object.ts';
import { notFound } from '../../api/status.ts';
import type { Exchange } from '../exchange.ts';
import type { Resource } from '../registry/resource.ts';
import { atRevision, stored, thawed } from '../registry/storage-form.ts';
import type { DraftObject } from '../registry/strategy.ts';
import { storageResource } from '../verbs/update-object.ts';

export interface StoredChange {
  readonly resource: Resource;
  readonly name: string;
  readonly isDryRun: boolean;
  /** Changes the draft in place; may be called again, and may refuse by an ApiError. */
  change(draft: DraftObject, present: ApiObject): void;
}

/** The object as it is now. @throws ApiError NotFound, or what `change` throws */
export function changeStored({ server, info }: Exchange, { resource, name, isDryRun, change }: StoredChange): ApiObject {
  const store = server.storeOf(resource);
  const key = store.key(info.namespace, name);
  for (;;) {
    const entry = store.get(key);
    if (!entry) throw notFound(storageResource(resource), name);
    const draft = thawed(entry.value) as DraftObject;
    change(draft, entry.value);
    const next = stored(resource, draft);
    if (isDryRun) return next;
    const written = store.replace(key, entry.modRevision, (revision) => atRevision(next, revision));
    if (written) return written;
  }
}
