/**
 * Drafts that share frozen parts with the stored object that they are to replace. Only what is the same part at the
 * same place is shared; everything else is the draft's own.
 */
import { isOwnEntry } from '../../api/apply/managers.ts';
import { copyMembers } from '../../api/copy-members.ts';
import type { ApiObject } from '../../api/object.ts';
import { copied } from './storage-form.ts';
import type { DraftObject, Sharing } from './strategy.ts';

/** Whether a part of a draft is as it was stored, and must not be changed in place: it is in order, too. */
export const isShared = (part: object): boolean => Object.isFrozen(part);

/** A copy with an object and metadata of its own. */
export function sharingCopy(value: object, base: ApiObject, sharing: Sharing): DraftObject {
  const draft = copyMembers(value) as DraftObject;
  const known: Readonly<Record<string, unknown>> = base;
  for (const name in draft) {
    const member = draft[name];
    if (typeof member !== 'object' || member === null || member === known[name]) continue;
    draft[name] = sharing === 'parts' ? copyBut(member, known[name]) : copied(member);
  }
  if (draft.metadata === base.metadata) draft.metadata = copyMembers(draft.metadata);
  return draft;
}

function copyBut(value: object, base: unknown): object {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = Array.isArray(base) ? base : NOTHING;
    return value.map((item, index) => partBut(item, items[index]));
  }
  const known = (typeof base === 'object' && base !== null ? base : NOTHING) as Record<string, unknown>;
  const copy = copyMembers(value) as Record<string, unknown>;
  for (const name in copy) {
    const part = copy[name];
    if (typeof part === 'object' && part !== null && part !== known[name])
      copy[name] = partBut(part, known[name]);
  }
  return copy;
}

const NOTHING: readonly unknown[] = [];

const partBut = (part: unknown, base: unknown): unknown =>
  typeof part !== 'object' || part === null || part === base || isOwnEntry(part) ? part : copyBut(part, base);
