/** Candidates of leases, as a real 1.31 server with all alpha features judges them. */
import { expect, it, test } from 'vitest';
import type { LeaseCandidate } from '../../../../api/types/coordination-k8s-io-v1alpha1.ts';
import { aggregateText } from '../../../../api/validation/field-error.ts';
import { leaseCandidateKind } from './lease-candidate.ts';

const { strategy } = leaseCandidateKind;
const unasked = {} as never;
const OLDEST = 'OldestEmulationVersion';

const candidate = (spec: Partial<NonNullable<LeaseCandidate['spec']>>): LeaseCandidate => ({
  kind: 'LeaseCandidate',
  apiVersion: 'coordination.k8s.io/v1alpha1',
  metadata: { name: 'a' },
  spec: { leaseName: 'l', preferredStrategies: [], ...spec },
});

const saidOf = (spec: object): string => aggregateText(strategy?.validate?.(candidate(spec), unasked) ?? []);

const UNSAID = `must be specified when \`strategy\` is '${OLDEST}'`;
const versions = (binaryVersion: string, emulationVersion: string): object => ({
  binaryVersion,
  emulationVersion,
});

test.each([
  [{}, '[]'],
  [{ leaseName: '' }, 'spec.leaseName: Required value'],
  [{ ...versions('1.31.0', '1.31.0'), preferredStrategies: [OLDEST, 'example.com/mine'] }, '[]'],
  [
    { preferredStrategies: [OLDEST] },
    `[spec.binaryVersion: Required value: ${UNSAID}, spec.emulationVersion: Required value: ${UNSAID}]`,
  ],
  [
    { preferredStrategies: ['Mine', '/b'] },
    `[spec.preferredStrategies[0].strategy: Unsupported value: "Mine": supported values: "${OLDEST}", spec.preferredStrategies[1].strategy: Invalid value: "/b": prefix part must be non-empty]`,
  ],
  [
    versions('1', 'v1.0.0'),
    '[spec.emulationVersion: Invalid value: "v1.0.0": must be a valid semantic version, spec.binaryVersion: Invalid value: "1": must be a valid semantic version]',
  ],
  [
    versions('1.31.0-a', '1.31.0'),
    'spec.binaryVersion: Invalid value: "1.31.0-a": must be greater than or equal to `emulationVersion`',
  ],
  [versions('', '2.0.0'), '[]'],
])('a candidate says %j', (spec, said) => {
  expect(saidOf(spec)).toBe(said);
});

it('is always of the same lease', () => {
  const errors = strategy?.validateUpdate?.(candidate({ leaseName: 'm' }), candidate({}), unasked) ?? [];
  expect(aggregateText(errors)).toBe('spec.leaseName: Invalid value: "m": field is immutable');
});
