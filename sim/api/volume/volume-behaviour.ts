/**
 * What an imagined driver does with a volume says the annotation `volume.kubesim.dev/behaviour` of the PersistentVolume in
 * JSON: `{"attachSeconds": 5, "attachError": "disk is broken", "detachSeconds": 5, "mountError": "bad superblock"}`. Errors last
 * as long as they stand there. What cannot be read is as if it were not there. Pure.
 */
import type { PersistentVolume } from '../types/core-v1.ts';

const ANNOTATION = 'volume.kubesim.dev/behaviour';

export interface VolumeBehaviour {
  readonly attachSeconds: number;
  readonly detachSeconds: number;
  readonly attachError: string | undefined;
  readonly mountError: string | undefined;
}

export function volumeBehaviourOf(volume: PersistentVolume | undefined): VolumeBehaviour {
  const value = parsed(volume?.metadata.annotations?.[ANNOTATION] ?? '{}');
  const numberOf = (member: string): number => {
    const number = value[member];
    return typeof number === 'number' && number >= 0 ? number : 0;
  };
  const textOf = (member: string): string | undefined => {
    const text = value[member];
    return typeof text === 'string' && text !== '' ? text : undefined;
  };
  return {
    attachSeconds: numberOf('attachSeconds'),
    detachSeconds: numberOf('detachSeconds'),
    attachError: textOf('attachError'),
    mountError: textOf('mountError'),
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}
