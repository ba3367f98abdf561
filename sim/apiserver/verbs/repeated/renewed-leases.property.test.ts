/** Renewals that are answered from the one before against such that are examined as a whole: nobody sees a difference. */
import fc from 'fast-check';
import { it } from 'vitest';
import type { ApiObject } from '../../../api/object.ts';
import { formatMicroTimeOf } from '../../../api/time-format.ts';
import type { ApiResponse } from '../../request/request.ts';
import {
  ASIDE,
  type Aside,
  nobodySeesADifference,
  type RepeatingServer,
  seldom,
} from './repeating-server.fixture.ts';

/** What is done with the lease as its sender last saw it. */
const DEEDS = {
  renew: (lease: ApiObject, time: string) => withSpec(lease, { renewTime: time }),
  'renew twice in one text': (lease: ApiObject) =>
    withSpec(lease, { renewTime: '2025-03-01T00:00:01.000001Z' }),
  'renew in another zone': (lease: ApiObject) =>
    withSpec(lease, { renewTime: '2025-03-01T02:00:01.000001+02:00' }),
  'renew at the beginning of time': (lease: ApiObject) =>
    withSpec(lease, { renewTime: '0001-01-01T00:00:00.000000Z' }),
  'renew wrongly': (lease: ApiObject) => withSpec(lease, { renewTime: 'soon' }),
  'renew with nothing': (lease: ApiObject) => withSpec(lease, { renewTime: null }),
  'change hands': (lease: ApiObject, time: string) =>
    withSpec(lease, { holderIdentity: `b at ${time}`, renewTime: time }),
  'last longer': (lease: ApiObject, time: string) =>
    withSpec(lease, { leaseDurationSeconds: -1, renewTime: time }),
  label: ({ metadata, ...lease }: ApiObject, time: string) => ({
    ...lease,
    metadata: { ...metadata, labels: { at: time } },
  }),
  copy: (lease: ApiObject, time: string) =>
    withSpec(JSON.parse(JSON.stringify(lease)) as ApiObject, { renewTime: time }),
  'forget a member': ({ kind: _, ...lease }: ApiObject, time: string) =>
    withSpec(lease as ApiObject, { renewTime: time }),
} as const;

type Deed = keyof typeof DEEDS;

function withSpec(lease: ApiObject, spec: object): object {
  return { ...lease, spec: { ...(lease['spec'] as object), ...spec } };
}

interface Step {
  readonly deed: Deed | Aside | 'patch by a stranger';
  readonly isByStranger: boolean;
  readonly agent: string;
  readonly isStale: boolean;
  readonly isDryRun: boolean;
  readonly ms: number;
}

const LEASE = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'a', ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' }] },
  spec: { holderIdentity: 'a', leaseDurationSeconds: 40, renewTime: '2025-01-01T00:00:00.000000Z' },
};

function take(
  server: RepeatingServer,
  { deed, isByStranger, agent, isStale, isDryRun }: Step,
): readonly ApiResponse[] {
  const now = server.surroundings.nowMs;
  if (deed === 'patch by a stranger')
    return [server.patch({ metadata: { annotations: { at: String(now) } } })];
  if (!isOfLease(deed)) return server.stepAside(deed);
  const lease = server.seen.at(isStale ? -2 : -1) ?? server.seen[0];
  if (!lease) throw new Error('nobody has seen the lease');
  const body = DEEDS[deed](lease, formatMicroTimeOf(now * 1_000));
  const query = isDryRun ? { dryRun: 'All' } : {};
  return [server.call('PUT', server.objectPath, body, { isByStranger, agent, query })];
}

const isOfLease = (deed: Deed | Aside): deed is Deed => deed in DEEDS;

const deeds: fc.Arbitrary<Step['deed']> = fc.oneof(
  { weight: 12, arbitrary: fc.constant('renew' as const) },
  {
    weight: 4,
    arbitrary: fc.constantFrom<Step['deed'][]>(
      ...(Object.keys(DEEDS) as Deed[]),
      ...ASIDE,
      'patch by a stranger',
    ),
  },
);

const step = fc.record<Step>({
  deed: deeds,
  isByStranger: seldom(),
  agent: fc.constantFrom('kubelet/1', 'kubelet/1', 'kubelet/1', 'kubelet/2', 'other'),
  isStale: seldom(),
  isDryRun: seldom(),
  ms: fc.constantFrom(0, 1, 400, 10_000),
});

it('answers, and leaves behind, what a whole examination would', () => {
  const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  const subject = { path, object: LEASE, group: 'coordination.k8s.io', resource: 'leases' };
  nobodySeesADifference({ subject, step, take, runs: 300 });
});
