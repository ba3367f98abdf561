import { describe, expect, it } from 'vitest';
import { STORAGE_RULES, StorageRules, type StoredWrite } from './storage-rules.ts';

const KEY = '/registry/poddisruptionbudgets/default/x';

const write = (members: Partial<StoredWrite>): StoredWrite => ({
  at: 1,
  key: KEY,
  apiVersion: 'policy/v1',
  before: 'policy/v1beta1',
  introduced: '1.21',
  releases: ['1.22'],
  ...members,
});

const rulesAfter = (...writes: readonly StoredWrite[]): readonly string[] => {
  const rules = new StorageRules(STORAGE_RULES);
  for (const each of writes) rules.written(each);
  return rules.violations.map(({ rule }) => rule);
};

describe('a version that is stored', () => {
  it('is one that the release before can read', () => {
    expect(rulesAfter(write({}))).toEqual([]);
    expect(rulesAfter(write({ releases: ['1.21'] }))).toEqual(['storage-versions-wait']);
  });

  it('is one that every server can read which runs', () => {
    expect(rulesAfter(write({ releases: ['1.21', '1.22'] }))).toEqual([]);
    expect(rulesAfter(write({ introduced: '1.22', releases: ['1.21', '1.22'] }))).toEqual([
      'storage-versions-wait',
    ]);
  });

  it('does not change to and fro once all servers are of one release', () => {
    const back = write({ apiVersion: 'policy/v1beta1', before: 'policy/v1', introduced: '1.5' });
    expect(rulesAfter(write({}), back)).toEqual(['forms-stay']);
    expect(
      rulesAfter(write({ releases: ['1.22', '1.21'] }), { ...back, releases: ['1.22', '1.21'] }),
    ).toEqual([]);
  });

  it('may be the old one again after a downgrade', () => {
    const rules = new StorageRules(STORAGE_RULES);
    rules.written(write({}));
    rules.wentBack();
    rules.written(write({ apiVersion: 'policy/v1beta1', before: 'policy/v1', introduced: '1.5' }));
    expect(rules.violations).toEqual([]);
  });
});

describe('an object', () => {
  const seen = (object: unknown) => ({ key: KEY, object });
  const after = (object: unknown) => new Map([[KEY, seen(object)]]);
  const found = (before: unknown, now: ReadonlyMap<string, { key: string; object: unknown }>) => {
    const rules = new StorageRules(STORAGE_RULES);
    rules.replaced(7, [seen(before)], now);
    return rules.violations.map(({ rule, message }) => [rule, message]);
  };

  it('keeps what it says, and may come to say more', () => {
    const object = { apiVersion: 'a/v1', spec: { list: [1, { b: 2 }], none: null } };
    expect(
      found(object, after({ apiVersion: 'a/v2', spec: { list: [1, { b: 2, c: 3 }], more: 1 } })),
    ).toEqual([]);
  });

  it('does not lose a value, turn into another, go or become unreadable', () => {
    const object = { spec: { list: [1, { b: 2 }] } };
    expect(found(object, after({ spec: { list: [1, { b: 3 }] } }))).toEqual([
      ['upgrades-lose-nothing', `${KEY} has lost .spec.list[1].b`],
    ]);
    expect(found(object, after({ spec: { list: [1] } }))).toEqual([
      ['upgrades-lose-nothing', `${KEY} has lost .spec.list`],
    ]);
    expect(found(object, new Map())).toEqual([['upgrades-lose-nothing', `${KEY} is gone`]]);
    expect(found(object, after(undefined))).toEqual([
      ['stored-stays-readable', `${KEY} cannot be read any more`],
    ]);
  });
});
