/** Keeps only the items of a list that belong to the case. */
import type { ItemFilter } from './golden-case.ts';
import { isObject } from './json-object.ts';
import { getAt } from './json-pointer.ts';

export function matchesFilter(item: unknown, { pointer, equals }: ItemFilter): boolean {
  const value = getAt(item, pointer);
  return typeof equals === 'string' ? equals === value : equals.some((wanted) => wanted === value);
}

/** A copy of a list without the items that the filter does not let through; rows of a Table are judged by their object. */
export function filterList(body: unknown, filter: ItemFilter): unknown {
  const isTable = filter.list === undefined && isObject(body) && body['kind'] === 'Table';
  const pointer = filter.list ?? (isTable ? '/rows' : '/items');
  const list = getAt(body, pointer);
  if (!Array.isArray(list)) return body;
  const kept: unknown[] = list.filter((item: unknown) => matchesFilter(isTable ? getAt(item, '/object') : item, filter));
  if (pointer === '') return kept;
  const copy: unknown = structuredClone(body);
  const cut = pointer.lastIndexOf('/');
  const parent = getAt(copy, pointer.slice(0, cut));
  if (isObject(parent)) parent[pointer.slice(cut + 1)] = kept;
  return copy;
}
