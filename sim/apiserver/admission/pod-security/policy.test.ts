import { describe, expect, test } from 'vitest';
import { fieldErrorText } from '../../../api/validation/field-error.ts';
import { policyOf, textOf } from './policy.ts';

const label = (name: string): string => `pod-security.kubernetes.io/${name}`;

function read(labels: Record<string, string>) {
  const { policy, errors } = policyOf(
    Object.fromEntries(Object.entries(labels).map(([name, value]) => [label(name), value])),
  );
  const { enforce, audit, warn } = policy;
  return { levels: [enforce, audit, warn].map(textOf), errors: errors.map(fieldErrorText) };
}

describe('what a namespace asks for', () => {
  test('nothing without labels', () => {
    expect(read({}).levels).toEqual(['privileged:latest', 'privileged:latest', 'privileged:latest']);
  });

  test('warnings of what is enforced, unless it speaks of warnings', () => {
    const enforce = { enforce: 'baseline', 'enforce-version': 'v1.20' };
    expect(read(enforce).levels).toEqual(['baseline:v1.20', 'privileged:latest', 'baseline:v1.20']);
    expect(read({ ...enforce, 'warn-version': 'v1.3' }).levels[2]).toBe('baseline:v1.3');
    expect(read({ ...enforce, warn: 'privileged' }).levels[2]).toBe('privileged:latest');
  });

  test('the strictest where the level to enforce is wrong, and nothing where another is', () => {
    expect(
      read({ enforce: 'x', audit: 'y', warn: 'z', 'warn-version': '1.2', 'audit-version': 'v1.01' }),
    ).toEqual({
      levels: ['restricted:latest', 'privileged:latest', 'privileged:latest'],
      errors: [
        'metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "x": must be one of privileged, baseline, restricted',
        'metadata.labels[pod-security.kubernetes.io/audit]: Invalid value: "y": must be one of privileged, baseline, restricted',
        'metadata.labels[pod-security.kubernetes.io/audit-version]: Invalid value: "v1.01": must be "latest" or "v1.x"',
        'metadata.labels[pod-security.kubernetes.io/warn]: Invalid value: "z": must be one of privileged, baseline, restricted',
        'metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "1.2": must be "latest" or "v1.x"',
      ],
    });
  });
});
