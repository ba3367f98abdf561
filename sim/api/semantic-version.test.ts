import { expect, it } from 'vitest';
import { compareVersions, versionOf } from './semantic-version.ts';

it.each(['1.2.3', '0.0.0-a', '1.2.3-a.1+b.02', '1.2.3--'])('%s is a version', (text) => {
  expect(versionOf(text)).toBeDefined();
});

it.each(['', '1', '1.2', 'v1.2.3', '01.2.3', '1.2.3-', '1.2.3-01', '1.2.3+', '1.2.3-a..b', `${2 ** 64}.0.0`])(
  '%s is none',
  (text) => {
    expect(versionOf(text)).toBeUndefined();
  },
);

it('versions before a release come before it, and numbers before words', () => {
  const sorted = ['1.0.0-1', '1.0.0-2', '1.0.0-10', '1.0.0-a', '1.0.0-a.1', '1.0.0', '1.0.1', '1.10.0'];
  const versions = sorted.map((text) => versionOf(text) ?? expect.unreachable(text));
  for (const [at, version] of versions.entries())
    expect(versions.map((other) => compareVersions(version, other))).toEqual(
      versions.map((_, other) => Math.sign(at - other)),
    );
});
