/**
 * What leases and candidates for them may say, field by field, beside a plain reading of their documentation ("Leases",
 * "Coordinated Leader Election"): times and counts that there are, and who is to be chosen how.
 */
import { it } from 'vitest';
import { type FieldRules, holdFieldByField, type Refused } from '../field-rules.fixture.ts';

const SPEC = 'spec.';
const OLDEST = 'OldestEmulationVersion';
const LEASE: FieldRules = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  resource: 'leases',
  isNamespaced: true,
  base: { spec: {} },
  fields: [
    { at: 'spec.holderIdentity', may: [undefined, 'a', 'b', ''] },
    { at: 'spec.leaseDurationSeconds', may: [undefined, 1, 15], mayNot: [0, -1] },
    { at: 'spec.leaseTransitions', may: [undefined, 0, 1], mayNot: [-1] },
    {
      at: 'spec.acquireTime',
      may: [undefined, '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000001Z'],
    },
    { at: 'spec.renewTime', may: [undefined, '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:01.500000Z'] },
  ],
};

const ELECTION = [
  { at: 'spec.strategy', may: [undefined, OLDEST, 'example.com/mine'] },
  { at: 'spec.preferredHolder', may: [undefined, 'a', 'b'] },
];

const pair = (strategy?: string, preferredHolder?: string): object => ({ strategy, preferredHolder });

/** What a lease says of the election, as one. */
const ELECTED: FieldRules = {
  ...LEASE,
  features: 'CoordinatedLeaderElection=true',
  fields: [
    {
      at: 'spec',
      may: [
        pair(),
        pair(OLDEST),
        pair('example.com/mine'),
        pair(OLDEST, 'a'),
        pair(undefined, ''),
        { ...pair(OLDEST), leaseTransitions: 1 },
      ].map((each) => JSON.parse(JSON.stringify(each)) as object),
      mayNot: [
        { value: pair(undefined, 'a'), at: ['spec.preferredHolder'] },
        { value: pair('Mine'), at: ['spec.strategy.strategy'] },
        { value: pair(''), at: ['spec.strategy.strategy'] },
        { value: pair('/mine'), at: ['spec.strategy.strategy'] },
        { value: pair('a/b/c', 'a'), at: ['spec.strategy.strategy'] },
      ],
    },
  ],
};

/** Which server of which release, and which it behaves as; how the holder is to be chosen. */
interface Candidate {
  readonly binaryVersion?: string;
  readonly emulationVersion?: string;
  readonly preferredStrategies: readonly string[];
}

const candidate = (binary: string, emulation: string, ...strategies: readonly string[]): Candidate => ({
  ...(binary !== '' && { binaryVersion: binary }),
  ...(emulation !== '' && { emulationVersion: emulation }),
  preferredStrategies: strategies,
});
const wrong = (said: Candidate, ...places: readonly string[]): Refused => ({
  value: { leaseName: 'l', ...said },
  at: places.map((place) => SPEC + place),
});
const OWN = 'example.com/mine';

const CANDIDATE: FieldRules = {
  apiVersion: 'coordination.k8s.io/v1alpha1',
  kind: 'LeaseCandidate',
  resource: 'leasecandidates',
  isNamespaced: true,
  features: 'CoordinatedLeaderElection=true',
  fields: [
    {
      at: 'spec',
      may: [
        candidate('', '', OWN),
        candidate('1.31.0', '1.31.0', OLDEST),
        candidate('1.31.0', '1.30.7', OLDEST, OWN),
        candidate('1.10.0', '1.9.0', OWN),
        candidate('1.31.0', '1.31.0-alpha.1', OLDEST),
        candidate('1.31.0', '', OWN),
        candidate('', '2.0.0', OWN),
      ].flatMap((each) => ['l', 'm'].map((leaseName) => ({ leaseName, ...each }))),
      mayNot: [
        { value: { ...candidate('', '', OWN), leaseName: '' }, at: ['spec.leaseName'] },
        wrong(candidate('', '', OLDEST), 'binaryVersion', 'emulationVersion'),
        wrong(candidate('1.31.0', '', OLDEST), 'emulationVersion'),
        wrong(candidate('1.30.7', '1.31.0', OWN), 'binaryVersion'),
        wrong(candidate('1.9.0', '1.10.0', OWN), 'binaryVersion'),
        wrong(candidate('1.31.0-alpha.1', '1.31.0', OWN), 'binaryVersion'),
        wrong(candidate('1.31', '', OWN), 'binaryVersion'),
        wrong(candidate('', 'v1.31.0', OWN), 'emulationVersion'),
        wrong(candidate('1.31.0', '1.31.0', OWN, 'Mine'), 'preferredStrategies[1].strategy'),
        wrong(candidate('1.31.0', '1.31.0', '/mine'), 'preferredStrategies[0].strategy'),
      ],
      isFixed: (now, before) => (leaseOf(now) === leaseOf(before) ? [] : ['spec.leaseName']),
    },
  ],
};

const leaseOf = (spec: unknown): unknown => (spec as { readonly leaseName?: string }).leaseName;

it('Lease', () => holdFieldByField(LEASE));
it('Lease, chosen together', () => holdFieldByField(ELECTED));
it('LeaseCandidate', () => holdFieldByField(CANDIDATE));

it('Lease, of a server that does not know how to choose', () => {
  // What it does not know it does not keep.
  const fields = ELECTION.map((field) => ({ ...field, shows: () => undefined }));
  holdFieldByField({ ...LEASE, isForgetful: true, fields: [...LEASE.fields, ...fields] });
});
