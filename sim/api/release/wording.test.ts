import { expect, test } from 'vitest';
import { createCluster } from '../../core.ts';
import type { ReleaseName } from '../life-cycle/release-name.ts';
import { goStringMap } from '../go-text.ts';
import { invalid, invalidError, longerThan, required, tooLong } from '../validation/field-error.ts';
import { FieldPath } from '../validation/field-path.ts';
import { findRelease } from './releases.ts';
import { inWordsOf, wordingOf } from './wording.ts';

/** What a release says of a change of a deployment's selector and of an owner without a kind. */
function refusals(name: ReleaseName): readonly string[] {
  const release = findRelease(name);
  if (!release) throw new Error(name);
  const { client } = createCluster({ release });
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const made = client.deployments.create({
    metadata: { name: 'd' },
    spec: { selector: { matchLabels: { app: 'a' } }, template },
  });
  const told = (work: () => unknown): string => {
    try {
      work();
    } catch (error) {
      return error instanceof Error ? error.message : '';
    }
    return 'not refused';
  };
  const selector = { matchLabels: { app: 'a', tier: 'b' } };
  const ownerReferences = [{ apiVersion: 'v1', kind: '', name: 'n', uid: 'u' }];
  return [
    told(() => client.deployments.update({ ...made, spec: { ...made.spec, selector, template } })),
    told(() => client.configMaps.create({ metadata: { name: 'a', ownerReferences } })),
  ];
}

test('releases until 1.33 print values as Go does, later ones as JSON, and in other words', () => {
  const [selector, owner] = refusals('1.31');
  expect(selector).toContain(
    'v1.LabelSelector{MatchLabels:map[string]string{"app":"a", "tier":"b"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: field is immutable',
  );
  expect(owner).toContain('Invalid value: "": kind must not be empty');
  const [selectorLater, ownerLater] = refusals('1.34');
  expect(selectorLater).toContain('{"matchLabels":{"app":"a","tier":"b"}}: field is immutable');
  expect(ownerLater).toContain('metadata.ownerReferences.kind: Invalid value: "": must not be empty');
});

test('generations of pods are counted since 1.33: changes of the spec, and the wish to delete', () => {
  const generations = (name: ReleaseName): readonly (number | undefined)[] => {
    const release = findRelease(name);
    if (!release) throw new Error(name);
    const { client } = createCluster({ release, nodes: 1, scheduler: false });
    const made = client.pods.create({
      metadata: { name: 'p' },
      spec: { nodeName: 'worker-1', containers: [{ name: 'c', image: 'i' }] },
    });
    const told = (body: object): number | undefined =>
      client.pods.patch('p', { type: 'merge', body }).metadata.generation;
    return [
      made.metadata.generation,
      told({ metadata: { labels: { a: 'b' } } }),
      told({ spec: { tolerations: [...(made.spec?.tolerations ?? []), { key: 'a', operator: 'Exists' }] } }),
      (client.pods.delete('p') as typeof made).metadata.generation,
    ];
  };
  expect(generations('1.31')).toEqual([undefined, undefined, undefined, undefined]);
  expect(generations('1.33')).toEqual([1, 1, 2, 3]);
});

test('values as JSON escape what HTML would take, and say null for nothing', () => {
  const error = invalidError({ group: 'g', kind: 'K' }, 'n', [
    invalid(FieldPath.of('spec'), goStringMap({ b: '<', a: '"' }), 'no'),
    invalid(FieldPath.of('spec'), null, 'no'),
    required(FieldPath.of('kind'), 'kind is required'),
    invalid(FieldPath.of('ip'), 'x', 'must be a valid IP address'),
  ]);
  expect(inWordsOf(undefined, error).message).toBe(
    'K.g "n" is invalid: [spec: Invalid value: map[string]string{"a":"\\"", "b":"<"}: no, spec: Invalid value: "null": no, kind: Required value: kind is required, ip: Invalid value: "x": must be a valid IP address]',
  );
  expect(inWordsOf(wordingOf(34), error).message).toBe(
    'K.g "n" is invalid: [spec: Invalid value: {"a":"\\"","b":"\\u003c"}: no, spec: Invalid value: null: no, kind: Required value, ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)]',
  );
});

test('what is longer than it may be is told in two ways until 1.31, and in one since', () => {
  const field = FieldPath.of('a');
  const error = invalidError({ group: 'g', kind: 'K' }, 'n', [tooLong(field, 5), longerThan(field, 6)]);
  const told = (minor: number): string => inWordsOf(wordingOf(minor), error).message;
  expect(told(31)).toContain(
    '[a: Too long: must have at most 5 bytes, a: Too long: may not be longer than 6]',
  );
  expect(told(32)).toContain(
    '[a: Too long: may not be more than 5 bytes, a: Too long: may not be more than 6 bytes]',
  );
});
