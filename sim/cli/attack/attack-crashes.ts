/** The crash tester as a command of its own: `--kills N --fsync WHEN --seed N --one-in N`. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import type { Fsync } from '../../host/data-directory/data-directory.ts';
import { countOf, integerOf } from '../flag-values.ts';
import { attackByCrashes } from './crashes.ts';

interface Flags {
  readonly kills: number;
  readonly seed: number;
  readonly oneIn: number;
  readonly fsync: Fsync;
}

const PROGRESS_EVERY = 100;

/** Starts in a third of the time. */
function bundledServer(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'kubesim-server-')), 'server.mjs');
  const entry = join(import.meta.dirname, 'faulty-server.ts');
  execFileSync('npx', ['rolldown', entry, '--platform', 'node', '--format', 'esm', '--file', file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return file;
}

await new Command('attack-crashes')
  .option('--kills <number>', 'how many servers end', countOf, 100)
  .option('--seed <number>', 'seed of every random value', integerOf, 1)
  .option('--one-in <number>', 'operations on files for each fault, on average (0: none)', integerOf, 60)
  .addOption(new Option('--fsync <when>').choices(['always', 'interval', 'never']).default('always'))
  .action(async ({ kills, ...flags }: Flags) => {
    let told = 0;
    const figures = await attackByCrashes({
      ...flags,
      lifeMs: 600,
      server: [bundledServer()],
      isOver: (now) => {
        if (now.kills >= told + PROGRESS_EVERY) {
          told = now.kills;
          process.stdout.write(`${JSON.stringify(now)}\n`);
        }
        return now.kills >= kills || now.broken.length > 0;
      },
    });
    process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`);
    process.exitCode = figures.broken.length > 0 ? 1 : 0;
  })
  .parseAsync();
