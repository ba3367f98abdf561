/**
 * What holds for every built-in kind unless its own file says otherwise: names are DNS subdomains,
 * `status` belongs to its subresource, `generation` counts changes of the spec.
 */
import type { ApiObject } from '../../api/object.ts';
import { nameIsDnsSubdomain } from '../../api/validation/names.ts';
import { isSemanticallyEqual } from '../verbs/equal-json.ts';
import type { DraftObject, Strategy, UpdateRules } from './strategy.ts';

export interface GenericTraits {
  readonly hasStatus: boolean;
  /** The server keeps `metadata.generation`. */
  readonly hasGeneration: boolean;
}

export function genericStrategy(traits: GenericTraits): Strategy {
  return {
    nameCheck: nameIsDnsSubdomain,
    sharesUnchanged: 'parts',
    prepareForCreate: (draft) => startGeneration(draft, traits),
    prepareForUpdate: (draft, old) => {
      if (traits.hasStatus) keepMember(draft, old, 'status');
      if (traits.hasGeneration) raiseGeneration(draft, old, ['spec']);
    },
    resetFields: traits.hasStatus ? [['status']] : [],
    ...(traits.hasStatus && { subresources: { status: STATUS_RULES } }),
  };
}

/** Spread by kinds whose spec counts generations, and whose status is written through `/status` only. */
export const SPEC_AND_STATUS = {
  prepareForCreate: (draft: DraftObject) => startGeneration(draft, { hasStatus: true, hasGeneration: true }),
  prepareForUpdate: (draft: DraftObject, old: ApiObject) => {
    keepMember(draft, old, 'status');
    raiseGeneration(draft, old, ['spec']);
  },
  resetFields: [['status']],
} as const;

/** Writes through `/status` change the status and the free metadata, never the spec. */
export const STATUS_RULES: UpdateRules = {
  prepareForUpdate: (draft, old) => keepMember(draft, old, 'spec'),
  resetFields: [['spec']],
};

/** As `STATUS_RULES`, but what a client may set of the metadata stays as well. */
export const BARE_STATUS_RULES: UpdateRules = {
  prepareForUpdate: (draft, old) => {
    keepMember(draft, old, 'spec');
    for (const name of FREE_METADATA) keepMetadata(draft, old, name);
  },
  resetFields: [['spec'], ['metadata']],
};

const FREE_METADATA = ['labels', 'annotations', 'finalizers', 'ownerReferences', 'selfLink'];

/** All of the metadata stays but the record of managers. */
export function keepWholeMetadata(draft: DraftObject, old: ApiObject): void {
  const { managedFields } = draft.metadata;
  draft.metadata = { ...(old.metadata as DraftObject['metadata']) };
  if (managedFields) draft.metadata.managedFields = managedFields;
  else delete draft.metadata.managedFields;
}

function keepMetadata({ metadata }: DraftObject, old: ApiObject, name: string): void {
  const value: unknown = Reflect.get(old.metadata, name);
  if (value === undefined) Reflect.deleteProperty(metadata, name);
  else Reflect.set(metadata, name, value);
}

export function startGeneration(draft: DraftObject, { hasStatus, hasGeneration }: GenericTraits): void {
  if (hasStatus) delete draft['status'];
  if (hasGeneration) draft.metadata.generation = 1;
}

/** The draft gets the old object's member back. */
export function keepMember(draft: DraftObject, old: ApiObject, member: string): void {
  const value = old[member];
  if (value === undefined) delete draft[member];
  else draft[member] = value;
}

/** One more generation if any of these members differs. Most kinds take a list without items for none. */
export function raiseGeneration(
  draft: DraftObject,
  old: ApiObject,
  members: readonly string[],
  isSame: (left: unknown, right: unknown) => boolean = isSemanticallyEqual,
): void {
  if (members.every((member) => isSame(draft[member], old[member]))) return;
  draft.metadata.generation = (old.metadata.generation ?? 0) + 1;
}
