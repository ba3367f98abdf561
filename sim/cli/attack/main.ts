/**
 * `npm run attack -- --for 10m [--count 1000] [--only NAME] [--seed 1] [--json FILE]`: attacks the simulator as hostile
 * clients would, and its data directory as kills, losses of power and failing disks do.
 * Exit code 1 when something was found, with the command that does it again.
 */
import { writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import type { Fsync } from '../../host/data-directory/data-directory.ts';
import { durationOf, integerOf } from '../flag-values.ts';
import { wholeNumber } from '../command-options.ts';
import { newTally, readCalls, type Tally } from './finding.ts';
import { fuzz, type FuzzOptions } from './fuzz.ts';
import { harmOf } from './harm.ts';
import { attackMemory, attackSilently, attackWatches } from './memory.ts';
import { attackSockets } from './sockets.ts';
import { attackSteering } from './steering.ts';
import { attackCrashes, attackStories } from './storage-attackers.ts';
import { attackWire } from './wire.ts';

interface Attacker {
  readonly attack: (options: FuzzOptions, tally: Tally) => Promise<void> | void;
  /** What it counts. */
  readonly unit: string;
  /** Ends there at the latest: beyond, it would find the limits of the machine. */
  readonly most?: number;
}

const ATTACKERS: Readonly<Record<string, Attacker>> = {
  fuzz: { attack: fuzz, unit: 'requests' },
  wire: { attack: attackWire, unit: 'requests' },
  steering: { attack: attackSteering, unit: 'requests' },
  sockets: { attack: attackSockets, unit: 'connections' },
  crashes: { attack: attackCrashes, unit: 'kills' },
  disk: { attack: attackStories, unit: 'writes' },
  memory: { attack: attackMemory, unit: 'pairs' },
  watches: { attack: attackWatches, unit: 'watches', most: 10_000 },
  readers: { attack: attackSilently, unit: 'events' },
};

interface AttackFlags {
  readonly for: number;
  readonly only?: string;
  readonly seed: number;
  readonly count?: number;
  readonly requests?: string;
  readonly json?: string;
  readonly fsync: Fsync;
  readonly oneFaultIn: number;
}

await new Command('attack')
  .description('Attack the simulator as hostile clients would, and say what it did not bear.')
  .option('--for <duration>', 'how long, shared by all attackers', durationOf, 60_000)
  .option('--count <number>', 'instead: end each attacker after so many of what it counts', wholeNumber)
  .addOption(new Option('--only <attacker>', 'one of them').choices(Object.keys(ATTACKERS)))
  .option('--seed <number>', 'equal seeds, equal attacks', integerOf, 1)
  .option('--json <file>', 'where the figures are written')
  .addOption(
    new Option('--fsync <when>', 'of servers that are killed')
      .choices(['always', 'interval', 'never'])
      .default('always'),
  )
  .option('--one-fault-in <number>', 'of their operations on files (0: none)', integerOf, 60)
  .option('--requests <file>', 'send requests that were written down, and nothing else')
  .addHelpText(
    'after',
    `\nThey count: ${Object.entries(ATTACKERS)
      .map(([name, { unit }]) => `${name} ${unit}`)
      .join(', ')}.`,
  )
  .action(attack)
  .parseAsync();

async function attack(flags: AttackFlags): Promise<void> {
  if (flags.requests !== undefined) {
    const harm = harmOf(readCalls(flags.requests));
    process.stdout.write(`${harm ? `${harm.kind}: ${harm.text}` : 'no harm done'}\n`);
    process.exitCode = harm ? 1 : 0;
    return;
  }
  const chosen = Object.entries(ATTACKERS).filter(
    ([name]) => flags.only === undefined || flags.only === name,
  );
  const figures: Record<string, object> = {};
  for (const [name, attacker] of chosen) {
    const tally = newTally();
    const startedMs = performance.now();
    await attacker.attack(optionsOf(flags, attacker, chosen.length), tally);
    report(name, attacker.unit, tally);
    figures[name] = figuresOf(attacker.unit, tally, Math.round((performance.now() - startedMs) / 1_000));
    if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify(figures, undefined, 2)}\n`);
    if (tally.findings.length > 0) process.exitCode = 1;
  }
}

function optionsOf(flags: AttackFlags, { unit, most = Infinity }: Attacker, shares: number): FuzzOptions {
  const { seed, for: ms, count, fsync, oneFaultIn } = flags;
  const end = performance.now() + ms / shares;
  return {
    seed,
    fsync,
    oneFaultIn,
    isOver: ({ requests }) =>
      requests >= Math.min(count ?? Infinity, most) || (count === undefined && performance.now() > end),
    onProgress: ({ requests: done, findings }) => {
      if (process.stdout.isTTY) process.stdout.write(`\r${done} ${unit}, ${findings.length} findings `);
    },
  };
}

function figuresOf(unit: string, tally: Tally, seconds: number): object {
  const { requests, defects, hangs, figures, findings } = tally;
  const told = findings.map(({ what, command }) => ({ what, command }));
  return { [unit]: requests, seconds, defects, hangs, ...figures, findings: told };
}

function report(name: string, unit: string, { requests, defects, hangs, figures, findings }: Tally): void {
  if (process.stdout.isTTY) process.stdout.write('\r');
  const more = Object.entries(figures).map(([figure, value]) => `, ${figure} ${value}`);
  process.stdout.write(`${name}: ${requests} ${unit}, ${defects} defects, ${hangs} hangs${more.join('')}\n`);
  for (const { what, calls, command } of findings) {
    process.stdout.write(`  ${what}\n`);
    for (const call of calls)
      process.stdout.write(`    ${call.method} ${call.path} (${call.body?.length ?? 0} bytes)\n`);
    process.stdout.write(`    ${command}\n`);
  }
}
