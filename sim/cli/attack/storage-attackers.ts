/** What attacks a data directory, as attackers of the one command. A request is the end of a server, or a write. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attackDisk } from '../../host/data-directory/disk-attack.ts';
import { attackByCrashes } from './crashes.ts';
import type { Tally } from './finding.ts';
import type { FuzzOptions } from './fuzz.ts';

/** Starts in a third of the time. */
function bundledServer(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'kubesim-server-')), 'server.mjs');
  const entry = join(import.meta.dirname, 'faulty-server.ts');
  execFileSync('npx', ['rolldown', entry, '--platform', 'node', '--format', 'esm', '--file', file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return file;
}

/** Real servers: killed at random instants, on files that fail now and then. */
export async function attackCrashes(options: FuzzOptions, tally: Tally): Promise<void> {
  const { seed, fsync = 'always', oneFaultIn = 60 } = options;
  const {
    broken,
    kills: _kills,
    ...figures
  } = await attackByCrashes({
    seed,
    fsync,
    oneIn: oneFaultIn,
    lifeMs: 600,
    server: [bundledServer()],
    isOver: ({ kills, broken: found, ...now }) => {
      tally.requests = kills;
      Object.assign(tally.figures, now);
      options.onProgress(tally);
      return found.length > 0 || options.isOver(tally);
    },
  });
  const ofKind = (kind: string): number => broken.filter((promise) => promise.kind === kind).length;
  Object.assign(tally.figures, figures, {
    acknowledgedLost: ofKind('acknowledgedLost'),
    refusedKept: ofKind('refusedKept'),
    versionsReused: ofKind('versionReused'),
  });
  for (const promise of broken) found(tally, JSON.stringify(promise), seed, 'crashes');
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
    options.onProgress(tally);
  }
}

function found(tally: Tally, what: string, seed: number, only: string): void {
  tally.defects++;
  const command = `npm run attack -- --only ${only} --seed ${seed}`;
  tally.findings.push({ what, calls: [], command });
}
