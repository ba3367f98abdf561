/**
 * What an imagined driver does with a volume says the annotation `volume.kubesim.dev/behaviour` of the PersistentVolume in
 * JSON: `{"attachSeconds": 5, "attachError": "disk is broken", "detachSeconds": 5, "mountError": "bad superblock"}`. Errors last
 * as long as they stand there. Pure.
 */
import { behaviourAnnotation } from '../behaviour-annotation.ts';
import type { PersistentVolume } from '../types/core-v1.ts';

const ANNOTATION = 'volume.kubesim.dev/behaviour';

export interface VolumeBehaviour {
  readonly attachSeconds: number;
  readonly detachSeconds: number;
  readonly attachError: string | undefined;
  readonly mountError: string | undefined;
}

export function volumeBehaviourOf(volume: PersistentVolume | undefined): VolumeBehaviour {
  const { numberOf, textOf } = behaviourAnnotation(volume?.metadata ?? {}, ANNOTATION);
  return {
    attachSeconds: numberOf('attachSeconds'),
    detachSeconds: numberOf('detachSeconds'),
    attachError: textOf('attachError'),
    mountError: textOf('mountError'),
  };
}
