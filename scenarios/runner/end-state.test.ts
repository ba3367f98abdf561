import { expect, test } from 'vitest';
import { endDifferences } from './end-state.ts';

const request = (certificate: string) => ({
  'CertificateSigningRequest r': { metadata: { name: 'r' }, status: { certificate } },
});
const deployment = (conditions: readonly object[]) => ({
  'Deployment default/web': { metadata: { name: 'web', namespace: 'default' }, status: { conditions } },
});
const progress = (message: string, reason = 'NewReplicaSetAvailable') => ({
  type: 'Progressing',
  status: 'True',
  reason,
  message,
});

test('certificates are alike, whatever their numbers are, but not to have one', () => {
  const [one, other] = ['-----BEGIN CERTIFICATE-----\na', '-----BEGIN CERTIFICATE-----\nb'].map((text) =>
    btoa(text),
  );
  expect(endDifferences(request(one ?? ''), request(other ?? ''))).toEqual([]);
  expect(endDifferences(request(one ?? ''), request(''))).toHaveLength(1);
});

test('a rollout is over, whichever set it names that nobody looked at', () => {
  const [first, second] = [
    deployment([progress('"a" has progressed')]),
    deployment([progress('"b" has progressed')]),
  ];
  expect(endDifferences(first, second)).toEqual([]);
  const late = deployment([progress('"b" has timed out', 'ProgressDeadlineExceeded')]);
  expect(endDifferences(first, late)).toHaveLength(1);
});
