/** A pod that waits for a node, and what has come of it so far. */
import type { Pod } from '../../api/types/core-v1.ts';
import type { Micros } from '../../engine/time.ts';

export interface QueuedPod {
  /** `namespace/name` */
  readonly key: string;
  readonly pod: Pod;
  /** When it came into the queue, for the first time or again; by the scheduler's clock. */
  readonly since: Micros;
  /** Tells those apart that came at one instant. */
  readonly sequence: number;
  /** How often it was tried. */
  readonly attempts: number;
  /** Names of the plugins that have rejected it last. */
  readonly rejectedBy: ReadonlySet<string>;
  readonly isGated?: boolean;
}

export const keyOf = ({ metadata: { namespace = '', name = '' } }: Pod): string => `${namespace}/${name}`;

/** Something about the pod is different that may let it fit; its status is not. */
export function isChangeOfSpec(old: Pod, pod: Pod): boolean {
  return strippedText(old) !== strippedText(pod);
}

function strippedText({ metadata, spec }: Pod): string {
  const { resourceVersion: _, generation: __, managedFields: ___, finalizers: ____, ...rest } = metadata;
  return JSON.stringify([rest, spec]);
}
