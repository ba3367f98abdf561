import { invariant } from '../engine/invariant.ts';
import type { Revision } from './storage.ts';

/** Revision of an empty store, as in etcd. */
export const FIRST_REVISION = 1 as Revision;

/** @param value a positive integer */
export function revision(value: number): Revision {
  invariant(Number.isSafeInteger(value) && value > 0, 'a revision is a positive integer', { value });
  return value as Revision;
}

export const nextRevision = (of: Revision): Revision => (of + 1) as Revision;
