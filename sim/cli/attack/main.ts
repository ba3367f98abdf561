/**
 * `npm run attack -- --for 10m [--only fuzz|wire|sockets|crashes|disk] [--seed 1]`: attacks the simulator as hostile
 * clients would, and its data directory as kills, losses of power and failing disks do.
 * Exit code 1 when something was found, with the command that does it again.
 */
import { Command, Option } from 'commander';
import { durationOf, integerOf } from '../flag-values.ts';
import { wholeNumber } from '../command-options.ts';
import { newTally, readCall, type Tally } from './finding.ts';
import { fuzz, type FuzzOptions, harmOf } from './fuzz.ts';
import { attackSockets } from './sockets.ts';
import { attackCrashes, attackStories } from './storage-attackers.ts';
import { attackWire } from './wire.ts';

type Attacker = (options: FuzzOptions, tally: Tally) => Promise<void> | void;

const ATTACKERS: Readonly<Record<string, Attacker>> = {
  fuzz,
  wire: attackWire,
  sockets: attackSockets,
  crashes: attackCrashes,
  disk: attackStories,
};

interface AttackFlags {
  readonly for: number;
  readonly only?: string;
  readonly seed: number;
  readonly requests?: number;
  readonly request?: string;
}

await new Command('attack')
  .description('Attack the simulator as hostile clients would, and say what it did not bear.')
  .option('--for <duration>', 'how long, shared by all attackers', durationOf, 60_000)
  .addOption(new Option('--only <attacker>', 'one of them').choices(Object.keys(ATTACKERS)))
  .option('--seed <number>', 'equal seeds, equal attacks', integerOf, 1)
  .option('--requests <number>', 'end after so many requests of each attacker', wholeNumber)
  .option('--request <file>', 'send one request that was written down, and nothing else')
  .action(attack)
  .parseAsync();

async function attack(flags: AttackFlags): Promise<void> {
  if (flags.request !== undefined) {
    const harm = harmOf(readCall(flags.request));
    process.stdout.write(`${harm ? `${harm.kind}: ${harm.text}` : 'no harm done'}\n`);
    process.exitCode = harm ? 1 : 0;
    return;
  }
  const chosen = Object.entries(ATTACKERS).filter(
    ([name]) => flags.only === undefined || flags.only === name,
  );
  for (const [name, attacker] of chosen) {
    const tally = newTally();
    await attacker(optionsOf(flags, name, chosen.length), tally);
    report(name, tally);
    if (tally.findings.length > 0) process.exitCode = 1;
  }
}

function optionsOf({ seed, for: ms, requests }: AttackFlags, name: string, shares: number): FuzzOptions {
  const end = performance.now() + ms / shares;
  return {
    seed,
    isOver: (tally) => (requests === undefined ? performance.now() > end : tally.requests >= requests),
    onProgress: ({ requests: sent, findings }) => {
      if (process.stdout.isTTY)
        process.stdout.write(`\r${name}: ${sent} requests, ${findings.length} findings `);
    },
  };
}

function report(name: string, { requests, defects, hangs, findings }: Tally): void {
  if (process.stdout.isTTY) process.stdout.write('\r');
  process.stdout.write(`${name}: ${requests} requests, ${defects} defects, ${hangs} hangs\n`);
  for (const { what, call, command } of findings) {
    process.stdout.write(`  ${what}\n`);
    if (call) process.stdout.write(`    ${call.method} ${call.path} (${call.body?.length ?? 0} bytes)\n`);
    process.stdout.write(`    ${command}\n`);
  }
}
