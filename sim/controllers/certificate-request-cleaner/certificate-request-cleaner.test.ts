import { describe, expect, it } from 'vitest';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { hours, minutes, seconds } from '../../engine/time.ts';

const USER = 'system:serviceaccount:kube-system:certificate-controller';
const REQUEST = [
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIWU1JR0FBZ0VBTUI0eERUQUxCZ05WQkFNTUJHcG',
  'hibVV4RFRBTEJnTlZCQW9NQkdSbGRuTXdXVEFUQmdjcQpoa2pPUFFJQkJnZ3Foa2pPUFFNQkJ3TkNBQVRNMWZ1K050',
  'MmU4UUo5dlptZjlYU0Nsa3N3aHJ3c0pFc1ZpVzgzCnFFdElPMm9QVnVRdVRiME1mRFRUNWNIam1jUkVjOGo2MEF5Zk',
  '1zeWVIZFBJWEV5bm9BQXdDZ1lJS29aSXpqMEUKQXdJRFJ3QXdSQUlnYTROVEJ0RmlKR3hHVnVDTU16R3FlUXYrVmF2',
  'd0dhUXFFcVZHMUwwTWF0a0NJQmo2THIydgo3ZjFyVnh1bldqYVZIRmZOMWlncmthUUZmay93RzBicmFDaGoKLS0tLS',
  '1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==',
].join('');

function begin(): Cluster {
  const cluster = createCluster({
    controllers: ['serviceaccount-controller', 'certificatesigningrequest-cleaner-controller'],
  });
  cluster.advance(seconds(5));
  cluster.client.certificateSigningRequests.create({
    metadata: { name: 'asked' },
    spec: { request: REQUEST, signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] },
  });
  return cluster;
}

function decide(cluster: Cluster, type: string): void {
  const body = { status: { conditions: [{ type, status: 'True', reason: 'Test', message: '' }] } };
  cluster.client.certificateSigningRequests.patch(
    'asked',
    { type: 'merge', body },
    { subresource: 'approval' },
  );
}

const isThere = (cluster: Cluster): boolean =>
  cluster.client.certificateSigningRequests.list().items.length > 0;

describe('the cleaner of certificate signing requests', () => {
  it('deletes what nobody decided for a day', () => {
    const cluster = begin();
    cluster.advance(hours(24));
    expect(isThere(cluster)).toBe(true);
    cluster.advance(hours(1));
    expect(isThere(cluster)).toBe(false);
  });

  it('deletes what was denied an hour ago, and tries again', () => {
    const cluster = begin();
    decide(cluster, 'Denied');
    cluster.advance(minutes(50));
    expect(isThere(cluster)).toBe(true);
    cluster.faults.failWrites({ user: USER });
    cluster.advance(minutes(90));
    expect(isThere(cluster)).toBe(true);
    cluster.faults.allowWrites({ user: USER });
    cluster.advance(hours(1));
    expect(isThere(cluster)).toBe(false);
  });

  it('keeps what is approved and waits for its certificate', () => {
    const cluster = begin();
    decide(cluster, 'Approved');
    cluster.advance(hours(26));
    expect(isThere(cluster)).toBe(true);
  });
});
