/** Equal owner references are kept once, with a warning. */
import type { ObjectMeta, OwnerReference } from '../../api/object.ts';
import type { Exchange } from '../request/exchange.ts';
import type { Draft } from '../registry/strategy.ts';

/** `isAfterAdmission` only chooses the text of the warning. */
export function dropDuplicateOwners(
  exchange: Exchange,
  meta: Draft<ObjectMeta>,
  isAfterAdmission: boolean,
): void {
  const owners = meta.ownerReferences;
  if (!owners || owners.length < 2) return;
  const seen = new Set<string>();
  const duplicates: string[] = [];
  const kept = owners.filter((owner) => {
    const text = identity(owner);
    if (seen.has(text)) return void duplicates.push(owner.uid);
    return seen.add(text);
  });
  if (kept.length === owners.length) return;
  const uids = duplicates.join(', ');
  exchange.warn(
    isAfterAdmission
      ? `.metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`
      : `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`,
  );
  meta.ownerReferences = kept;
}

const identity = ({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): string =>
  [apiVersion, kind, name, uid, String(controller), String(blockOwnerDeletion)].join('\n');
