/**
 * What an annotation says in JSON of something that is imagined (a cloud, a driver of volumes). What cannot be read is as
 * if it were not there. Pure.
 */
import type { ObjectMeta } from './object.ts';

export interface BehaviourAnnotation {
  /** From 0; 0 if nothing is said. */
  numberOf(member: string): number;
  /** Undefined if nothing is said, or nothing with words in it. */
  textOf(member: string): string | undefined;
}

export function behaviourAnnotation(
  { annotations }: Pick<ObjectMeta, 'annotations'>,
  name: string,
): BehaviourAnnotation {
  const value = parsed(annotations?.[name] ?? '{}');
  return {
    numberOf: (member) => {
      const number = value[member];
      return typeof number === 'number' && number >= 0 ? number : 0;
    },
    textOf: (member) => {
      const text = value[member];
      return typeof text === 'string' && text !== '' ? text : undefined;
    },
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
