/** A process of the control plane that works only while it holds a lease: its elector, which tells of itself by Events. */
import type { Lease } from '../../api/types/coordination-k8s-io-v1.ts';
import { seconds } from '../../engine/time.ts';
import type { ApiClient } from '../api-client.ts';
import { EventRecorder } from '../event-recorder.ts';
import { LeaderElector } from './leader-elector.ts';

/** Calls about the lease are given up after half of the renew deadline. */
const ELECTION_TIMEOUT = seconds(5);

export interface CandidacyOptions {
  readonly client: ApiClient;
  readonly lease: { readonly namespace: string; readonly name: string };
  /** As it stands in the lease, before the underscore. */
  readonly hostName: string;
  /** Who tells, in Events. */
  readonly component: string;
}

export function candidacy({ client, lease: key, hostName, component }: CandidacyOptions): LeaderElector {
  const { context } = client;
  const electionClient = client.as({ timeout: ELECTION_TIMEOUT });
  const recorder = new EventRecorder(electionClient, component);
  return new LeaderElector({
    client: electionClient,
    ...key,
    identity: `${hostName}_${context.site('identity').uuid()}`,
    tell: (lease, message) => {
      context.trace('leader-election', message);
      if (lease) tellOf(recorder, lease, message);
    },
  });
}

function tellOf(recorder: EventRecorder, { metadata }: Lease, message: string): void {
  const { name = '', namespace = '', uid, resourceVersion } = metadata;
  recorder.recordFor(
    {
      kind: 'Lease',
      apiVersion: 'coordination.k8s.io/v1',
      name,
      namespace,
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
    { type: 'Normal', reason: 'LeaderElection', message },
  );
}
