/**
 * The specification's part on versions, statement by statement: which scenario or test shows each, so that none is left
 * out. (The rows of removed versions have a table of their own in `life-cycle.test.ts`.)
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { findRelease } from '../release/releases.ts';

const ROOT = join(import.meta.dirname, '../../..');

const PART: Readonly<Record<string, readonly string[]>> = {
  'groups and paths 1, 2: the core group and named ones': [
    'sim/apiserver/discovery/recorded-releases.test.ts',
  ],
  'groups and paths 3: 1.31 is the default': ['sim/api/release/releases.test.ts'],
  'groups and paths 4: JSON and binary follow the same changes': [
    'sim/apiserver/registry/old-versions/round-trip.property.test.ts',
  ],
  'groups and paths 5: --runtime-config, after a restart': [
    'scenarios/versions/served-as-configured.yaml',
    'sim/apiserver/registry/runtime-config.test.ts',
  ],
  'groups and paths 6: tracks': ['scenarios/versions/served-as-configured.yaml'],
  'rules 1 to 11b of a history': [
    'model/deprecation/policy.property.test.ts',
    'model/deprecation/policy.test.ts',
  ],
  'rule 1 and 2 of the built-in kinds: nothing is lost between versions': [
    'sim/apiserver/registry/old-versions/round-trip.property.test.ts',
  ],
  'rule 4a of the built-in kinds': ['sim/cli/deprecations/check.test.ts'],
  'rule 4b: storage waits': [
    'scenarios/versions/two-releases-at-once.yaml',
    'sim/api/release/releases.test.ts',
  ],
  'what was stored is decoded though it is not served': [
    'scenarios/versions/upgrade-1-15-to-1-37.yaml',
    'scenarios/versions/ingress-1-21-to-1-22.yaml',
  ],
  'life of gates': ['sim/apiserver/feature-gates.test.ts', 'sim/api/release/releases.test.ts'],
  'stability of metrics': ['sim/apiserver/metrics/metric-life.test.ts'],
  'requests to deprecated endpoints': [
    'scenarios/versions/deprecated-use-is-told.yaml',
    'sim/apiserver/audit/auditor.test.ts',
  ],
  'feature states': ['scenarios/versions/features-come-and-stay.yaml'],
  'testing for upcoming removals': ['scenarios/versions/served-as-configured.yaml'],
};

test('each statement has something that shows it', () => {
  const missing = Object.values(PART)
    .flat()
    .filter((file) => !existsSync(join(ROOT, file)));
  expect(missing).toEqual([]);
});

interface Step {
  readonly create?: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: { name: string };
  };
  readonly get?: { readonly kind: string; readonly name: string };
}

const stepsOf = (file: string): readonly Step[] =>
  (parse(readFileSync(join(ROOT, 'scenarios/versions', file), 'utf8')) as { spec: { steps: Step[] } }).spec
    .steps;

describe('the upgrade from 1.15 to 1.37', () => {
  const steps = stepsOf('upgrade-1-15-to-1-37.yaml');
  const created = steps.flatMap(({ create }) => (create ? [create] : []));

  test('begins with an object of every kind that 1.15 stores', () => {
    const kinds = findRelease('1.15')?.catalog.resources.all.filter(
      ({ isDefault, verbs }) => isDefault && verbs.includes('list') && verbs.includes('create'),
    );
    const made = new Set(created.map(({ kind }) => kind));
    expect([...new Set(kinds?.map(({ kind }) => kind))].filter((kind) => !made.has(kind))).toEqual([]);
  });

  test('reads all of them in the end, but for what nothing takes the place of', () => {
    const read = new Set(steps.flatMap(({ get }) => (get ? [`${get.kind} ${get.name}`] : [])));
    const unread = created
      .map(({ kind, metadata: { name } }) => `${kind} ${name}`)
      .filter((object) => !read.has(object));
    expect(unread).toEqual(['PodSecurityPolicy open']);
  });

  test('goes one release at a time', () => {
    const releases = stepsOf('upgrade-1-15-to-1-37.yaml').flatMap((step) => {
      const { upgrade } = step as { readonly upgrade?: { readonly release: string } };
      return upgrade ? [upgrade.release] : [];
    });
    expect(releases).toEqual(Array.from({ length: 22 }, (_, index) => `1.${16 + index}`));
  });
});
