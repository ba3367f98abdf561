/** The patches by which the garbage collector changes owner references and finalizers. Pure. */
import type { ApiObject, OwnerReference } from '../../api/object.ts';
import type { Patch } from '../../client/options.ts';

/** Drops the references to these owners. For built-in kinds; the uid says which object is meant. */
export const withoutOwners = (uid: string, owners: readonly string[]): Patch => ({
  type: 'strategic',
  body: { metadata: { ownerReferences: owners.map((owner) => ({ $patch: 'delete', uid: owner })), uid } },
});

/** The same for kinds that take no strategic patches: on the object as it was read. */
export const withoutOwnersOf = ({ metadata }: ApiObject, owners: readonly string[]): Patch =>
  referencesPatch(
    metadata,
    (metadata.ownerReferences ?? []).filter(({ uid }) => !owners.includes(uid)),
  );

/** It blocks none of its owners any more. For built-in kinds. */
export const unblocking = ({ metadata: { uid, ownerReferences = [] } }: ApiObject): Patch => ({
  type: 'strategic',
  body: {
    metadata: {
      uid,
      ownerReferences: ownerReferences
        .filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true)
        .map((reference) => ({ ...reference, blockOwnerDeletion: false })),
    },
  },
});

/** The same for kinds that take no strategic patches: on the object as it was read. */
export const unblocked = ({ metadata }: ApiObject): Patch =>
  referencesPatch(
    metadata,
    (metadata.ownerReferences ?? []).map((reference) =>
      reference.blockOwnerDeletion === true ? { ...reference, blockOwnerDeletion: false } : reference,
    ),
  );

const referencesPatch = (
  { uid, resourceVersion }: ApiObject['metadata'],
  ownerReferences: readonly OwnerReference[],
): Patch => ({
  type: 'merge',
  body: {
    metadata: {
      uid,
      resourceVersion,
      ownerReferences: ownerReferences.length > 0 ? ownerReferences : null,
    },
  },
});

/** Of an object as it was read. */
export const withoutFinalizer = ({ metadata }: ApiObject, finalizer: string): Patch => {
  const finalizers = (metadata.finalizers ?? []).filter((each) => each !== finalizer);
  const { uid, resourceVersion } = metadata;
  return { type: 'merge', body: { metadata: { uid, resourceVersion, finalizers } } };
};
