/**
 * Rules of metadata, selectors and their parts for any of them, beside plain readings of the documentation ("Object Names
 * and IDs", "Labels and Selectors", "Finalizers", "Owners and Dependents"); and what is taken for checked already has
 * nothing new to find.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from '../object.ts';
import { fieldErrorText } from './field-error.ts';
import { FieldPath } from './field-path.ts';
import { validateLabelSelector } from './labels.ts';
import { nameIsDnsSubdomain } from './names.ts';
import { isCheckedAs, validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

const PATH = FieldPath.of('metadata');
const RULES = { isNamespaced: true, nameCheck: nameIsDnsSubdomain, checksFinalizerNames: true };

const owner = (name: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  ...{ apiVersion: 'v1', kind: 'K', name, uid: `u-${name}` },
  ...more,
});
const entry = (more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  ...{ manager: 'm', operation: 'Update', apiVersion: 'v1' },
  ...more,
});

/** Members as objects share them: what has not changed is the same. */
const LABELS: readonly Record<string, string>[] = [{ a: 'b' }, { a: 'c' }, { 'a/': 'b' }, { a: '-' }];
const FINALIZERS: readonly (readonly string[])[] = [
  [],
  ['a/b'],
  ['a/c'],
  ['a/b', 'a/c'],
  ['foregroundDeletion'],
  ['x'],
  ['orphan', 'foregroundDeletion'],
];
const OWNERS = [
  [],
  [owner('o')],
  [owner('o', { controller: true }), owner('p', { controller: true })],
  [owner('o', { uid: '' })],
  [owner('o', { apiVersion: 'a/b/c' })],
  [owner('o', { kind: 'Event' })],
];
const FIELDS = [
  [],
  [entry()],
  [entry({ operation: 'Apply' })],
  [entry({ operation: 'Other' as 'Apply' })],
  [entry({ manager: 'é\u0007' })],
];

/** Mostly one that is there. */
const meta: fc.Arbitrary<ObjectMeta> = fc
  .record(
    {
      name: fc.constantFrom('a', 'a', 'a', 'b', 'A_'),
      namespace: fc.constantFrom('n', 'n', 'n', 'm'),
      uid: fc.constantFrom('1', '1', '2'),
      resourceVersion: fc.constantFrom('5', '5', '6', ''),
      generation: fc.constantFrom(1, 2, 3, -1),
      creationTimestamp: fc.constantFrom(
        '2025-01-01T00:00:00Z',
        '2025-01-01T00:00:00Z',
        '2026-01-01T00:00:00Z',
      ),
      deletionTimestamp: fc.constantFrom(undefined, undefined, '2025-01-02T00:00:00Z'),
      deletionGracePeriodSeconds: fc.constantFrom(undefined, undefined, 0, 5),
      labels: fc.constantFrom(...LABELS),
      annotations: fc.constantFrom(...LABELS),
      finalizers: fc.constantFrom(...FINALIZERS),
      ownerReferences: fc.constantFrom(...OWNERS),
      managedFields: fc.constantFrom(...FIELDS),
    },
    { requiredKeys: ['name', 'namespace'] },
  )
  .map(
    (drawn) =>
      Object.fromEntries(Object.entries(drawn).filter(([, value]) => value !== undefined)) as ObjectMeta,
  );

/** The old one, but for a few members. */
const pair = fc
  .tuple(
    meta,
    meta,
    fc.array(
      fc.constantFrom(
        'generation',
        'labels',
        'finalizers',
        'managedFields',
        'uid',
        'resourceVersion',
        'deletionGracePeriodSeconds',
        'creationTimestamp',
        'ownerReferences',
      ),
      { maxLength: 2 },
    ),
  )
  .map(([old, drawn, names]) => {
    const isDrawn = (name: string): boolean => names.some((each) => each === name);
    const others = Object.entries(drawn).filter(([name]) => isDrawn(name));
    const kept = Object.entries(old).filter(([name]) => !isDrawn(name));
    return [old, Object.fromEntries([...kept, ...others]) as ObjectMeta] as const;
  });
const texts = (findings: Parameters<typeof fieldErrorText>[0][]): readonly string[] =>
  findings.map(fieldErrorText);

describe('metadata', () => {
  it('that is taken for checked has nothing to find that the old one has not', () => {
    fc.assert(
      fc.property(pair, ([old, updated]) => {
        if (!isCheckedAs(updated, old)) return;
        const whole = (of: ObjectMeta): readonly string[] =>
          texts([...validateObjectMeta({ ...of, managedFields: [] }, RULES, PATH)]).filter(
            (text) => !text.includes('generation'),
          );
        expect(whole(updated)).toEqual(whole(old));
        const change = (of: ObjectMeta): readonly string[] =>
          texts([...validateObjectMetaUpdate({ ...of, managedFields: [] }, old, PATH, RULES)]);
        expect(change(updated)).toEqual(change(old));
        expect(
          texts([...validateObjectMeta(updated, RULES, PATH)]).filter((text) =>
            text.includes('managedFields'),
          ),
        ).toEqual(
          updated.managedFields === old.managedFields
            ? texts([...validateObjectMeta(old, RULES, PATH)]).filter((text) =>
                text.includes('managedFields'),
              )
            : [],
        );
      }),
      asOftenAs(500),
    );
  });

  it('is taken for checked where nothing has changed', () => {
    fc.assert(
      fc.property(meta, (drawn) => {
        expect(isCheckedAs({ ...drawn }, drawn)).toBe(true);
      }),
      asOftenAs(60),
    );
  });

  it('keeps who and when it is, gains no finalizers while it goes, and never grows younger', () => {
    fc.assert(
      fc.property(pair, ([old, updated]) => {
        const found = validateObjectMetaUpdate(updated, old, PATH);
        const about = (member: string): boolean => found.some(({ field }) => field === `metadata.${member}`);
        for (const member of ['name', 'namespace', 'uid', 'creationTimestamp', 'deletionTimestamp'] as const)
          expect(about(member), member).toBe((updated[member] ?? '') !== (old[member] ?? ''));
        const added = (updated.finalizers ?? []).filter((each) => !old.finalizers?.includes(each));
        const isGoing = old.deletionTimestamp !== undefined;
        expect(found.some(({ message }) => message.includes('no new finalizers'))).toBe(
          isGoing && added.length > 0,
        );
        for (const each of added)
          if (isGoing) expect(found.some(({ message }) => message.includes(`"${each}"`))).toBe(true);
        expect(about('generation')).toBe((updated.generation ?? 0) < (old.generation ?? 0));
        expect(about('resourceVersion')).toBe(!updated.resourceVersion);
      }),
      asOftenAs(300),
    );
  });

  it('has one controller, owners that can be named, and finalizers that are somebody’s', () => {
    fc.assert(
      fc.property(meta, (drawn) => {
        const found = texts([...validateObjectMeta(drawn, RULES, PATH)]);
        const isFound = (text: string): boolean => found.some((each) => each.includes(text));
        const owners = drawn.ownerReferences ?? [];
        expect(isFound('Only one reference can have Controller')).toBe(
          owners.filter(({ controller }) => controller).length > 1,
        );
        expect(isFound('disallowed from being an owner')).toBe(owners.some(({ kind }) => kind === 'Event'));
        expect(isFound('uid must not be empty')).toBe(owners.some(({ uid }) => uid === ''));
        expect(isFound('version must not be empty')).toBe(
          owners.some(({ apiVersion }) => apiVersion === 'a/b/c'),
        );
        const finalizers = drawn.finalizers ?? [];
        const isKnown = (name: string): boolean =>
          name.includes('/') || ['orphan', 'foregroundDeletion'].includes(name);
        expect(isFound('neither a standard finalizer name')).toBe(!finalizers.every(isKnown));
        expect(isFound('cannot be both set')).toBe(finalizers.length === 2 && finalizers.includes('orphan'));
        const entries = drawn.managedFields ?? [];
        expect(isFound('must be `Apply` or `Update`')).toBe(
          entries.some(({ operation }) => operation === ('Other' as string)),
        );
        // The letter before it takes two bytes.
        expect(isFound('invalid character U+0007 (at position 2)')).toBe(
          entries.some(({ manager }) => manager?.includes('\u0007')),
        );
        expect(isFound('metadata.generation')).toBe((drawn.generation ?? 0) < 0);
      }),
      asOftenAs(200),
    );
  });
});

it('a selector has values where its operator takes some, and labels that there can be', () => {
  const requirement = fc.record({
    key: fc.constantFrom('a', 'x/b', '', 'a b'),
    operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt'),
    values: fc.constantFrom<string[] | undefined>(undefined, [], ['v'], ['v', '-'], ['']),
  });
  const rules = fc.record({ allowsInvalidValues: fc.boolean(), allowsUnknownOperator: fc.boolean() });
  fc.assert(
    fc.property(
      requirement,
      fc.constantFrom<Record<string, string>>({}, ...LABELS),
      rules,
      ({ values, ...rest }, matchLabels, by) => {
        const matchExpressions = [{ ...rest, ...(values && { values }) }];
        const found = validateLabelSelector({ matchLabels, matchExpressions }, PATH, by);
        const count = values?.length ?? 0;
        const takes: Readonly<Record<string, boolean>> = {
          In: true,
          NotIn: true,
          Exists: false,
          DoesNotExist: false,
        };
        const isTaken = takes[rest.operator];
        const at = 'metadata.matchExpressions[0]';
        const wrongKey = rest.key === '' || rest.key === 'a b';
        const expected = [
          ...('a/' in matchLabels || matchLabels['a'] === '-' ? ['metadata.matchLabels'] : []),
          ...(isTaken === undefined && !by.allowsUnknownOperator ? [`${at}.operator`] : []),
          ...(isTaken !== undefined && isTaken !== count > 0 ? [`${at}.values`] : []),
          ...(wrongKey ? [`${at}.key`] : []),
          ...(values?.includes('-') && !by.allowsInvalidValues ? [`${at}.values[1]`] : []),
        ];
        expect([...new Set(found.map(({ field }) => field))]).toEqual(expected);
      },
    ),
    asOftenAs(200),
  );
});
