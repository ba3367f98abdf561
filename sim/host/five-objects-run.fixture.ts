/** Runs of `five-objects.fixture.ts` with lost answers and a crash in them, in a cluster of their own each. */
import { createCluster, seconds } from '../index.ts';

/** The digest once all is done; equal seeds, equal digests. */
export async function digestOfFiveObjects(seed: number): Promise<string> {
  const cluster = createCluster({ seed });
  cluster.guest('operator', () => import('./five-objects.fixture.ts'));
  cluster.faults.loseAnswers({ actor: 'guest/operator', percent: 10, resets: true });
  await cluster.guests.advance(seconds(2));
  cluster.faults.crash('guest/operator');
  cluster.faults.restart('guest/operator');
  await cluster.guests.advance(seconds(3));
  cluster.faults.allowRequests({ actor: 'guest/operator' });
  await cluster.guests.advance(seconds(10));
  const { items } = await cluster.guests.client.secrets.list({ namespace: 'default' });
  if (items.length < 5) throw new Error(`seed ${seed}: ${items.length} of 5 are there`);
  return cluster.digest;
}
