import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asOftenAs } from '../../sim/engine/any-order.arbitrary.ts';
import type { ApiObject } from '../../sim/api/object.ts';
import {
  type Change,
  expectedItems,
  type History,
  type Interest,
  type ObservedItem,
  stateAt,
} from '../history.ts';
import { WATCH_GUARANTEES } from '../watch-guarantees.ts';
import { type OpenedWatch, READ_RULES } from './observation.ts';
import { ReadRules } from './read-rules.ts';

const DIRECTORY = '/registry/configmaps/';
const KEYS = ['x/a', 'x/b', 'y/a', 'z'].map((name) => DIRECTORY + name);
const isWeb = ({ metadata }: ApiObject): boolean => metadata.labels?.['app'] === 'web';

/** Transactions of one to three writes each; every third revision belongs to somebody else. */
const writes = fc.array(
  fc.uniqueArray(fc.record({ key: fc.constantFrom(...KEYS), app: fc.constantFrom('web', 'db', undefined) }), {
    minLength: 1,
    maxLength: 3,
    selector: ({ key }) => key,
  }),
  { minLength: 1, maxLength: 12 },
);

function historyOf(
  transactions: readonly (readonly { readonly key: string; readonly app: string | undefined }[])[],
) {
  const present = new Map<string, ApiObject>();
  return transactions.flatMap((transaction, index) =>
    transaction.flatMap(({ key, app }): Change[] => {
      const revision = 3 * index + 2;
      const before = present.get(key);
      const after = app === undefined ? undefined : objectOf(key, app, revision);
      if (!before && !after) return [];
      if (after) present.set(key, after);
      else present.delete(key);
      return [{ revision, key, before, after }];
    }),
  );
}

function objectOf(key: string, app: string, revision: number): ApiObject {
  const name = key.slice(DIRECTORY.length);
  const metadata = { name, uid: key, resourceVersion: String(revision), labels: { app } };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata };
}

const asking = fc.record({
  scope: fc.constantFrom(DIRECTORY, `${DIRECTORY}x/`, `${DIRECTORY}x/a`),
  selectsWeb: fc.boolean(),
  /** Where it begins, as a part of the history. */
  from: fc.nat({ max: 40 }),
  withState: fc.boolean(),
  /** After so many items a bookmark. */
  bookmarks: fc.array(fc.nat({ max: 20 }), { maxLength: 3 }),
});
type Asking = typeof asking extends fc.Arbitrary<infer T> ? T : never;

/** What a correct watch brings. */
function streamOf(history: History, { scope, selectsWeb, from, withState, bookmarks }: Asking) {
  const interest: Interest = { scope, ...(selectsWeb && { selects: isWeb }) };
  const last = history.at(-1)?.revision ?? 0;
  const start = Math.min(from, last);
  const initial = withState
    ? [...stateAt(history, interest, start)].map(([key, object]): ObservedItem => ({
        type: 'ADDED',
        key,
        object,
        revision: Number(object.metadata.resourceVersion),
      }))
    : [];
  const live = expectedItems(history, interest, start, last);
  const items: ObservedItem[] = [...initial, ...live];
  for (const place of bookmarks) {
    const at = initial.length + place;
    const next = items[at];
    const before = items[at - 1];
    // Only where no transaction is parted.
    if (at > items.length || (next && before && next.revision === before.revision)) continue;
    const revision = at <= initial.length ? start : (before?.revision ?? start);
    if (next?.type !== 'BOOKMARK' && revision >= start) items.splice(at, 0, { type: 'BOOKMARK', revision });
  }
  return { interest, start, items };
}

/** What the rules say of a stream. */
function rulesOn(
  history: History,
  opening: Pick<OpenedWatch, 'interest' | 'start'>,
  items: readonly ObservedItem[],
) {
  const rules = new ReadRules(READ_RULES);
  const reader = { client: 'user/test', what: 'it', isSteady: false };
  for (const change of history) rules.observe({ at: 1, kind: 'written', change });
  rules.observe({ at: 2, kind: 'watch-opened', stream: 1, reader, ...opening });
  for (const item of items) rules.observe({ at: 3, kind: 'watch-told', stream: 1, item });
  rules.expect(1, 10, 50);
  return rules.violations.map(({ rule, message }) => `${rule}: ${message}`);
}

const opened = (start: number, withState: boolean): OpenedWatch['start'] =>
  withState
    ? { kind: 'state', bound: { kind: 'at-least', revision: start } }
    : { kind: 'after', revision: start };

test('10,000 correct watches are not accused', () => {
  const property = fc.property(writes, asking, (transactions, ask) => {
    const history = historyOf(transactions);
    const { interest, start, items } = streamOf(history, ask);
    expect(rulesOn(history, { interest, start: opened(start, ask.withState) }, items)).toEqual([]);
  });
  fc.assert(property, asOftenAs(10_000));
});

/** Ways in which a stream goes wrong. */
const spoil = fc.record({
  how: fc.constantFrom('lose', 'repeat', 'swap', 'retype', 'falsify', 'vouch' as const),
  at: fc.nat({ max: 15 }),
});

function spoilt(items: readonly ObservedItem[], { how, at }: { readonly how: string; readonly at: number }) {
  const [item, next] = [items[at], items[at + 1]];
  if (!item || item.type === 'BOOKMARK' || item.type === 'DRAINED') return undefined;
  const [before, after] = [items.slice(0, at), items.slice(at + 1)];
  switch (how) {
    case 'lose':
      return [...before, ...after];
    case 'repeat':
      return [...before, item, item, ...after];
    case 'swap':
      return next && next.type !== 'BOOKMARK' && next.revision !== item.revision
        ? [...before, next, item, ...after.slice(1)]
        : undefined;
    case 'retype':
      return [
        ...before,
        { ...item, type: item.type === 'DELETED' ? 'MODIFIED' : 'DELETED' } as const,
        ...after,
      ];
    case 'falsify':
      return [...before, { ...item, object: { ...item.object, data: { n: 'x' } } }, ...after];
    default:
      return [...before, { type: 'BOOKMARK', revision: item.revision } as const, item, ...after];
  }
}

test('a watch after a revision is accused wherever the guarantees, checked all at once, are broken', () => {
  let count = 0;
  const property = fc.property(writes, asking, spoil, (transactions, ask, how) => {
    const history = historyOf(transactions);
    const { interest, start, items } = streamOf(history, { ...ask, withState: false });
    const wrong = spoilt(items, how);
    if (!wrong) return;
    const watch = { ...interest, start: { kind: 'after', revision: start } as const };
    const drained = { type: 'DRAINED', revision: history.at(-1)?.revision ?? 0 } as const;
    const broken = WATCH_GUARANTEES.flatMap((check) =>
      check({ ...watch, items: [...wrong, drained] }, history),
    );
    const accused = rulesOn(history, { interest, start: watch.start }, wrong);
    expect(accused.length > 0, `${JSON.stringify(broken)} ${JSON.stringify(accused)}`).toBe(
      broken.length > 0,
    );
    count++;
  });
  fc.assert(property, asOftenAs(3_000));
  expect(count).toBeGreaterThan(300);
});

describe('what only whole transactions show', () => {
  const [a = '', b = ''] = KEYS;
  const history = historyOf([
    [
      { key: a, app: 'web' },
      { key: b, app: 'web' },
    ],
  ]);
  const interest = { scope: DIRECTORY };
  const start = { kind: 'after', revision: 1 } as const;
  const [first, second] = expectedItems(history, interest, 1, 2);

  test('watch-atomic finds a bookmark amid one', () => {
    const items = [first!, { type: 'BOOKMARK', revision: 2 } as const, second!];
    expect(rulesOn(history, { interest, start }, items).map((text) => text.split(':')[0])).toEqual([
      'watch-atomic',
      'watch-bookmarkable',
    ]);
  });
});
