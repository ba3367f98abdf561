/** Static pods: their marks, and what their pictures in the API (mirror pods) look like. Pure. */
import type { Node, Pod } from '../../api/types/core-v1.ts';
import type { NewObject } from '../../client/options.ts';

const SOURCE = 'kubernetes.io/config.source';
const HASH = 'kubernetes.io/config.hash';
const SEEN = 'kubernetes.io/config.seen';
const MIRROR = 'kubernetes.io/config.mirror';
/** From here on a priority means that the system needs the pod. */
const CRITICAL_PRIORITY = 2_000_000_000;

export const isMirrorPod = ({ metadata }: Pod): boolean => metadata.annotations?.[MIRROR] !== undefined;

/** By its priority: a node never gives it up for want of anything. */
export const isCriticalPod = ({ spec }: Pod): boolean => (spec?.priority ?? 0) >= CRITICAL_PRIORITY;

/** The pod that an agent runs for a manifest. `hash` is its uid. */
export function staticPodOf(
  manifest: Pod,
  { nodeName, hash, seen }: { readonly nodeName: string; readonly hash: string; readonly seen: string },
): Pod {
  const { name = '', namespace = 'default', annotations } = manifest.metadata;
  const tolerations = manifest.spec?.tolerations ?? [];
  const toleratesAll = tolerations.some(
    ({ operator, effect, key }) => operator === 'Exists' && effect === 'NoExecute' && !key,
  );
  return {
    ...manifest,
    metadata: {
      ...manifest.metadata,
      name: `${name}-${nodeName}`,
      namespace,
      uid: hash,
      annotations: { ...annotations, [HASH]: hash, [SEEN]: seen, [SOURCE]: 'file' },
    },
    spec: {
      ...manifest.spec,
      containers: manifest.spec?.containers ?? [],
      nodeName,
      tolerations: toleratesAll ? tolerations : [...tolerations, { operator: 'Exists', effect: 'NoExecute' }],
    },
  };
}

/** As the agent creates it. */
export function mirrorPodOf({ metadata, spec }: Pod, node: Node): NewObject<Pod> {
  const { name, namespace, labels, annotations = {} } = metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(labels && { labels }),
      annotations: { ...annotations, [MIRROR]: annotations[HASH] ?? '' },
      ownerReferences: [
        {
          apiVersion: 'v1',
          kind: 'Node',
          name: node.metadata.name ?? '',
          uid: node.metadata.uid ?? '',
          controller: true,
        },
      ],
    },
    ...(spec && { spec }),
  };
}

/** Whether it shows the pod as it is now. */
export const isMirrorOf = (mirror: Pod, pod: Pod): boolean =>
  mirror.metadata.annotations?.[MIRROR] === pod.metadata.annotations?.[HASH];
