/** What attacks a data directory, as attackers of the one command. A request is a write that a client was answered. */
import { attackDisk } from '../../host/data-directory/disk-attack.ts';
import { attackByCrashes } from './crashes.ts';
import type { Tally } from './finding.ts';
import type { FuzzOptions } from './fuzz.ts';

/** Real servers: killed at random instants, on files that fail now and then. */
export async function attackCrashes(options: FuzzOptions, tally: Tally): Promise<void> {
  const { broken } = await attackByCrashes({
    seed: options.seed,
    fsync: 'always',
    oneIn: 60,
    lifeMs: 600,
    isOver: ({ acknowledged, refused, broken: found }) => {
      tally.requests = acknowledged + refused;
      options.onProgress?.(tally);
      return found.length > 0 || options.isOver(tally);
    },
  });
  for (const promise of broken) found(tally, JSON.stringify(promise), options.seed, 'crashes');
}

const STEPS = 400;

/** Stories on a simulated disk, one for each seed. */
export function attackStories(options: FuzzOptions, tally: Tally): void {
  for (let seed = options.seed; !options.isOver(tally); seed++) {
    try {
      for (const fsync of ['always', 'interval', 'never'] as const) {
        const { acknowledged, refused } = attackDisk({ seed, steps: STEPS, fsync });
        tally.requests += acknowledged + refused;
      }
    } catch (error) {
      found(tally, error instanceof Error ? error.message : String(error), seed, 'disk');
      return;
    }
    options.onProgress?.(tally);
  }
}

function found(tally: Tally, what: string, seed: number, only: string): void {
  tally.defects++;
  const command = `npm run attack -- --only ${only} --seed ${seed}`;
  tally.findings.push({ what, call: undefined, command });
}
