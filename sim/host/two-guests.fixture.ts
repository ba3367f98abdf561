/** A small world for the tests of determinism: two guests with skewed clocks who write one object, beside nodes. */
import { createCluster, isConflict, isNotFound, NoAnswer, seconds } from '../index.ts';
import type { GuestFunction } from './guest/guest-program.ts';

const PULSE = { namespace: 'default', name: 'pulse' };

const beat: GuestFunction = async ({ client, name }) => {
  for (;;) {
    try {
      const known = await client.configMaps.get(PULSE);
      await client.configMaps.update({
        ...known,
        data: { ...known.data, [name]: `${new Date().toISOString()} ${Math.random()}` },
      });
    } catch (error) {
      if (isNotFound(error)) await client.configMaps.create({ metadata: PULSE }).catch(() => undefined);
      else if (!isConflict(error) && !(error instanceof NoAnswer)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 500 + Math.floor(Math.random() * 500)));
  }
};

/** The digest after ten seconds, in the middle of which a guest is cut off. */
export async function digestOfTwoGuests(seed: number): Promise<string> {
  const cluster = createCluster({ nodes: 2, seed });
  cluster.guest('slow', beat, { clock: { offset: seconds(-40), driftPpm: -100_000 } });
  cluster.guest('fast', beat, { clock: { offset: seconds(3600), driftPpm: 100_000 } });
  await cluster.guests.advance(seconds(4));
  cluster.faults.partition('guest/fast');
  await cluster.guests.advance(seconds(2));
  cluster.faults.heal('guest/fast');
  await cluster.guests.advance(seconds(4));
  return cluster.digest;
}
