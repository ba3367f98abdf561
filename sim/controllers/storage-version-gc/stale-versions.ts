/**
 * What is left of a StorageVersion when servers that it speaks of are gone: the word of the others, the version that they
 * agree on, and a condition that says whether they do. Pure. Kubernetes 1.31.
 */
import type {
  StorageVersion,
  StorageVersionCondition,
  StorageVersionStatus,
} from '../../api/types/internal-apiserver-k8s-io-v1alpha1.ts';

const AGREED = {
  type: 'AllEncodingVersionsEqual',
  status: 'True',
  reason: 'CommonEncodingVersionSet',
  message: 'Common encoding version set',
} as const;
const DISAGREED = {
  type: 'AllEncodingVersionsEqual',
  status: 'False',
  reason: 'CommonEncodingVersionUnset',
  message: 'Common encoding version unset',
} as const;

export type StaleStep =
  | { readonly kind: 'none' }
  | { readonly kind: 'delete' }
  | { readonly kind: 'update'; readonly object: StorageVersion };

/** `isGone` by the ids of servers. */
export function withoutGone(
  object: StorageVersion,
  isGone: (server: string) => boolean,
  now: string,
): StaleStep {
  const all = object.status.storageVersions ?? [];
  const left = all.filter(({ apiServerID = '' }) => !isGone(apiServerID));
  if (left.length === all.length) return { kind: 'none' };
  const [first] = left;
  if (!first) return { kind: 'delete' };
  const { commonEncodingVersion: before, conditions, ...status } = object.status;
  const common = left.every(({ encodingVersion }) => encodingVersion === first.encodingVersion)
    ? first.encodingVersion
    : undefined;
  const isOther = before !== undefined && common !== undefined && before !== common;
  const fact: Fact = { ...(common === undefined ? DISAGREED : AGREED), ...generationOf(object) };
  const told: StorageVersionStatus = {
    ...status,
    storageVersions: left,
    ...(common !== undefined && { commonEncodingVersion: common }),
    conditions: withCondition(conditions ?? [], { fact, isOther, now }),
  };
  return { kind: 'update', object: { ...object, status: told } };
}

type Fact = Omit<StorageVersionCondition, 'lastTransitionTime'>;

const generationOf = ({ metadata: { generation } }: StorageVersion): Pick<Fact, 'observedGeneration'> =>
  generation === undefined ? {} : { observedGeneration: generation };

function withCondition(
  conditions: readonly StorageVersionCondition[],
  { fact, isOther, now }: { readonly fact: Fact; readonly isOther: boolean; readonly now: string },
): readonly StorageVersionCondition[] {
  const old = conditions.find(({ type }) => type === fact.type);
  if (!old) return [...conditions, { ...fact, lastTransitionTime: now }];
  const isSame = old.status === fact.status && !isOther;
  const { lastTransitionTime = now } = old;
  const told = { ...fact, lastTransitionTime: isSame ? lastTransitionTime : now };
  return conditions.map((condition) => (condition === old ? told : condition));
}
