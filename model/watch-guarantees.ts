/**
 * The documented guarantees of a watch, a checker for each. A checker gets what one watch saw and what truly happened,
 * and names every place where the two disagree with its guarantee. They overlap on purpose: each is complete for its own
 * promise, so that a report can say which promise was broken. Specification: "Watch".
 */
import {
  expectedItems,
  isInScope,
  isSame,
  stateAt,
  violation,
  type ExpectedItem,
  type History,
  type ObservedItem,
  type ObservedWatch,
  type Violation,
} from './history.ts';

type Checker = (watch: ObservedWatch, history: History) => Violation[];

/** Events come in the order of their revisions; the initial state comes before all of them. */
export const ordered: Checker = ({ items, start }) => {
  const found: Violation[] = [];
  let newest = start.revision;
  let sawLive = false;
  for (const item of eventsOf(items)) {
    const isInitial = start.kind === 'initial' && item.revision <= start.revision;
    if (isInitial && sawLive)
      found.push(violation('ordered', `${nameOf(item)} of the initial state came late`));
    if (isInitial) continue;
    if (item.revision < newest)
      found.push(violation('ordered', `${nameOf(item)} came after revision ${newest}`));
    newest = Math.max(newest, item.revision);
    sawLive = true;
  }
  return found;
};

/** No event comes twice. */
export const unique: Checker = ({ items }) => {
  const seen = new Set<string>();
  return eventsOf(items).flatMap((item) => {
    const identity = identityOf(item);
    if (seen.has(identity)) return [violation('unique', `${nameOf(item)} came twice`)];
    seen.add(identity);
    return [];
  });
};

/** The events of one transaction are never parted by a bookmark or a pause. */
export const atomic: Checker = (watch, history) =>
  pausesOf(watch).flatMap(({ seen }) => {
    const live = seen.filter((item) => item.revision > watch.start.revision);
    const revisions = new Set(live.map(({ revision }) => revision));
    return [...revisions].flatMap((revision) => {
      const expected = expectedItems(history, watch, revision - 1, revision);
      const missing = absentFrom(live, expected);
      const isParted = missing.length > 0 && missing.length < expected.length;
      return isParted
        ? [violation('atomic', `revision ${revision} came without ${missing.map(nameOf).join(', ')}`)]
        : [];
    });
  });

/** Every event that was due by a pause has come by then, and the whole initial state has. */
export const complete: Checker = (watch, history) =>
  pausesOf(watch).flatMap(({ pause, seen }) =>
    pause.type === 'DRAINED'
      ? absentFrom(seen, dueBy(watch, history, pause.revision)).map((item) =>
          violation('complete', `${nameOf(item)} had not come by revision ${pause.revision}`),
        )
      : [],
  );

/** Only objects in the scope and selection come, as what they are to it: entering, changed within, or leaving. */
export const filtered: Checker = (watch, history) =>
  eventsOf(watch.items).flatMap((item) => {
    if (!isInScope(watch, item.key)) return [violation('filtered', `${nameOf(item)} is out of scope`)];
    const isInitial = watch.start.kind === 'initial' && item.revision <= watch.start.revision;
    const expected = isInitial
      ? initialItems(watch, history).find(({ key }) => key === item.key)
      : expectedItems(history, watch, item.revision - 1, item.revision).find(({ key }) => key === item.key);
    if (!expected) return [violation('filtered', `${nameOf(item)} is not in the selection`)];
    if (expected.type !== item.type)
      return [violation('filtered', `${nameOf(item)} should be ${expected.type}`)];
    if (isSame(expected.object, item.object)) return [];
    return [violation('filtered', `${nameOf(item)} does not show the object as it was`)];
  });

/** At a bookmark everything up to its revision has come, and nothing up to it comes later. */
export const bookmarkable: Checker = (watch, history) =>
  pausesOf(watch).flatMap(({ pause, seen, rest }) => {
    if (pause.type !== 'BOOKMARK') return [];
    const { revision } = pause;
    const early = absentFrom(seen, dueBy(watch, history, revision));
    const late = rest.filter((item) => item.revision <= revision);
    return [
      ...early.map((item) => violation('bookmarkable', `bookmark ${revision} came before ${nameOf(item)}`)),
      ...late.map((item) => violation('bookmarkable', `${nameOf(item)} came after bookmark ${revision}`)),
      ...(revision < watch.start.revision
        ? [violation('bookmarkable', `bookmark ${revision} is before the start`)]
        : []),
    ];
  });

/**
 * A watch that starts where another one ended sees exactly what the first would have seen.
 * @param chain watches of one interest; each starts at the last revision that the one before it was told
 */
export function resumable(chain: readonly ObservedWatch[], history: History): Violation[] {
  const [first] = chain;
  if (!first) return [];
  const broken = chain.slice(1).flatMap((watch, index) => {
    const left = lastRevision(chain[index] ?? first);
    return watch.start.kind === 'after' && watch.start.revision === left
      ? []
      : [violation('resumable', `a watch that ended at ${left} was resumed at ${watch.start.revision}`)];
  });
  const whole: ObservedWatch = { ...first, items: chain.flatMap(({ items }) => items) };
  const asOne = [...unique(whole, history), ...complete(whole, history), ...ordered(whole, history)];
  return [...broken, ...asOne.map(({ message }) => violation('resumable', message))];
}

/** Every guarantee that concerns one watch alone. */
export const WATCH_GUARANTEES: readonly Checker[] = [
  ordered,
  unique,
  atomic,
  complete,
  filtered,
  bookmarkable,
];

/** The revision that a client would resume from. */
export const lastRevision = ({ items, start }: ObservedWatch): number =>
  items.reduce(
    (last, item) => (item.type === 'DRAINED' ? last : Math.max(last, item.revision)),
    start.revision,
  );

interface Pause {
  readonly pause: Extract<ObservedItem, { type: 'BOOKMARK' | 'DRAINED' }>;
  /** Events before it … */
  readonly seen: readonly ExpectedItem[];
  /** … and after. */
  readonly rest: readonly ExpectedItem[];
}

const pausesOf = ({ items }: ObservedWatch): Pause[] =>
  items.flatMap((pause, index) =>
    pause.type === 'BOOKMARK' || pause.type === 'DRAINED'
      ? [{ pause, seen: eventsOf(items.slice(0, index)), rest: eventsOf(items.slice(index + 1)) }]
      : [],
  );

const isEvent = (item: ObservedItem): item is ExpectedItem =>
  item.type !== 'BOOKMARK' && item.type !== 'DRAINED';

const eventsOf = (items: readonly ObservedItem[]): ExpectedItem[] => items.filter(isEvent);

const initialItems = (watch: ObservedWatch, history: History): ExpectedItem[] =>
  watch.start.kind === 'after'
    ? []
    : [...stateAt(history, watch, watch.start.revision)].map(([key, object]) => ({
        type: 'ADDED',
        key,
        object,
        revision: Number(object.metadata.resourceVersion),
      }));

const dueBy = (watch: ObservedWatch, history: History, revision: number): ExpectedItem[] => [
  ...initialItems(watch, history),
  ...expectedItems(history, watch, watch.start.revision, revision),
];

function absentFrom(seen: readonly ExpectedItem[], expected: readonly ExpectedItem[]): ExpectedItem[] {
  const identities = new Set(seen.map(identityOf));
  return expected.filter((item) => !identities.has(identityOf(item)));
}

const identityOf = ({ key, revision }: ExpectedItem): string => `${revision} ${key}`;
const nameOf = ({ type, key, revision }: ExpectedItem): string => `${type} ${key} at ${revision}`;
