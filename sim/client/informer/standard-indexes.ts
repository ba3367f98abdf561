/** Indexes that the informers of a factory have, by name. Pure. Items of lists do not say their kind, so handles do. */
import type { ApiObject } from '../../api/object.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import { controllerOf } from '../controller-ref/controller-of.ts';
import type { ResourceHandle } from '../resource-handle.ts';
import type { IndexFunction } from './object-store.ts';

type Indexers = Readonly<Record<string, IndexFunction<ApiObject>>>;

const NONE: readonly string[] = [];

const OF_ALL: Indexers = {
  namespace: ({ metadata: { namespace } }) => (namespace ? [namespace] : NONE),
  /** By the uid of each owner. */
  owner: ({ metadata: { ownerReferences } }) => ownerReferences?.map(({ uid }) => uid) ?? NONE,
  /** By the uid of the owner that controls it; of orphans by the empty text. */
  controller: (object) => [controllerOf(object)?.uid ?? ''],
};

const OF_PODS: Indexers = {
  ...OF_ALL,
  /** By the name of their node. */
  node: (object) => {
    const { nodeName } = (object as Pod).spec ?? {};
    return nodeName ? [nodeName] : NONE;
  },
};

export const standardIndexesOf = ({ group, kind }: ResourceHandle): Indexers =>
  group === '' && kind === 'Pod' ? OF_PODS : OF_ALL;
