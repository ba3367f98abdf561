/** JSON pointers in which a `*` segment matches every key or index. */
import { isObject } from './json-object.ts';

export function parsePointer(pointer: string): readonly string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export const isWildcard = (pointer: string): boolean => parsePointer(pointer).includes('*');

export const escapeSegment = (segment: string): string => segment.replaceAll('~', '~0').replaceAll('/', '~1');

export interface Place {
  readonly parent: object;
  readonly key: string | number;
  readonly value: unknown;
}

/** Every place that a pointer addresses; the root is none. */
export function findAll(document: unknown, pointer: string): readonly Place[] {
  let places: readonly Place[] | undefined;
  for (const segment of parsePointer(pointer)) {
    const values: readonly unknown[] = places ? places.map(({ value }) => value) : [document];
    places = values.flatMap((value) => children(value, segment));
  }
  return places ?? [];
}

/** The first value addressed, or undefined. */
export const getAt = (document: unknown, pointer: string): unknown =>
  pointer === '' ? document : findAll(document, pointer)[0]?.value;

/**
 * A copy without the values addressed. An element of an array becomes `<ignored>`, so that its
 * neighbours keep their indexes; the empty pointer leaves undefined.
 */
export function without(document: unknown, pointers: readonly string[]): unknown {
  if (pointers.length === 0 || document === undefined) return document;
  if (pointers.includes('')) return undefined;
  const copy: unknown = structuredClone(document);
  for (const pointer of pointers) {
    for (const { parent, key } of findAll(copy, pointer)) {
      if (Array.isArray(parent)) Reflect.set(parent, key, '<ignored>');
      else Reflect.deleteProperty(parent, key);
    }
  }
  return copy;
}

function children(value: unknown, segment: string): readonly Place[] {
  if (Array.isArray(value)) {
    const indexes = segment === '*' ? [...value.keys()] : [Number(segment)];
    return indexes
      .filter((index) => Number.isInteger(index) && index >= 0 && index < value.length)
      .map((index) => ({ parent: value, key: index, value: value[index] as unknown }));
  }
  if (!isObject(value)) return [];
  const keys = segment === '*' ? Object.keys(value) : [segment];
  return keys
    .filter((key) => Object.hasOwn(value, key))
    .map((key) => ({ parent: value, key, value: value[key] }));
}
