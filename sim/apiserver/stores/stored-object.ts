import type { ApiObject } from '../../api/object.ts';

/**
 * What the storage holds for every resource: the object in its storage version, deeply frozen, with the
 * `resourceVersion` of its own write inside (the storage's `NewValue` function puts it there).
 */
export type StoredObject = ApiObject;
