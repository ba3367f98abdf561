/** The documented guarantees of a list, a checker for each. Specification: "Resource-version semantics", "Chunking". */
import {
  stateAt,
  violation,
  type History,
  type ObservedList,
  type ObservedPage,
  type Violation,
} from './history.ts';
import { compareBytewise } from './storage-model.ts';

/** All pages together show the one state that was there at the revision of the first page. */
export function snapshot(list: ObservedList, history: History): Violation[] {
  const [first] = list.pages;
  if (!first) return [];
  const shown = list.pages.flatMap(({ keys, objects }) =>
    keys.map((key, index) => textOf(key, objects[index])),
  );
  const expected = [...stateAt(history, list, first.revision)].map(([key, object]) => textOf(key, object));
  const missing = expected.filter((text) => !shown.includes(text));
  const foreign = shown.filter((text) => !expected.includes(text));
  return [
    ...missing.map((text) => violation('snapshot', `${text} is missing at revision ${first.revision}`)),
    ...foreign.map((text) => violation('snapshot', `${text} was not there at revision ${first.revision}`)),
    ...list.pages.flatMap(({ revision }) =>
      revision === first.revision
        ? []
        : [violation('snapshot', `a page is of ${revision}, not ${first.revision}`)],
    ),
  ];
}

/** Items come in bytewise order of their keys, each once, over all pages. */
export function sorted({ pages }: ObservedList): Violation[] {
  const keys = pages.flatMap((page) => page.keys);
  return keys.slice(1).flatMap((key, index) => {
    const before = keys[index] ?? '';
    return compareBytewise(before, key) < 0 ? [] : [violation('sorted', `${key} comes after ${before}`)];
  });
}

/** Every page but the last says that there is more, and how much. */
export function counted({ pages }: ObservedList): Violation[] {
  return pages.flatMap(({ hasMore, remaining }, index) => {
    const rest = pages.slice(index + 1).reduce((sum, page: ObservedPage) => sum + page.keys.length, 0);
    if (hasMore !== index < pages.length - 1)
      return [violation('counted', `page ${index} says hasMore=${hasMore}`)];
    if (remaining === undefined || remaining === rest) return [];
    return [violation('counted', `page ${index} says that ${remaining} remain, but ${rest} follow`)];
  });
}

/** The state is at least as new as what was asked for: a revision, or all writes that were answered before the request. */
export const fresh = ({ pages }: ObservedList, atLeast: number): Violation[] =>
  pages.flatMap(({ revision }) =>
    revision >= atLeast ? [] : [violation('fresh', `revision ${revision} is older than ${atLeast}`)],
  );

const textOf = (key: string, object: unknown): string => `${key} ${JSON.stringify(object)}`;
