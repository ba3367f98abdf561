/**
 * Whether guests are functions of their seeds: `npx tsx sim/cli/digests/main.ts [--seeds N]`. Runs an operator on the
 * JavaScript client and one in Go with each seed, twice, in fresh processes at the same time that are each other's load, and
 * compares. Prints how many runs there were a second of processor time. Exit code 1 if a digest differs.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { digestOfFiveObjects } from '../../host/five-objects-run.fixture.ts';
import { digestOfGoOperator } from './go-operator-run.ts';

const RUNS: Readonly<Record<string, (seed: number) => Promise<string>>> = {
  'client-node': digestOfFiveObjects,
  go: digestOfGoOperator,
};
const SEEDS = 1_000;

interface Series {
  readonly digests: readonly string[];
  readonly processorSeconds: number;
}

/** In this process, after `warm` runs that do not count. */
async function series(name: string, seeds: number, warm: number): Promise<Series> {
  const run = RUNS[name];
  if (!run) throw new RangeError(`there is no ${name}: there are ${Object.keys(RUNS).join(', ')}`);
  const digests: string[] = [];
  for (let seed = 0; seed < warm; seed++) await run(seed);
  const before = process.cpuUsage();
  for (let seed = 1; seed <= seeds; seed++)
    digests.push(
      createHash('sha256')
        .update(await run(seed))
        .digest('hex'),
    );
  const { user, system } = process.cpuUsage(before);
  return { digests, processorSeconds: (user + system) / 1e6 };
}

const inProcess = (name: string, seeds: number): Promise<Series> =>
  new Promise((resolve, reject) => {
    const args = [fileURLToPath(import.meta.url), '--run', name, '--seeds', `${seeds}`];
    const child = spawn(process.execPath, ['--import', 'tsx', ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.on('close', (code) =>
      code === 0 ? resolve(JSON.parse(text) as Series) : reject(new Error(`${name} ended with ${code}`)),
    );
  });

async function compare(seeds: number): Promise<void> {
  for (const name of Object.keys(RUNS)) {
    const [first, second] = await Promise.all([inProcess(name, seeds), inProcess(name, seeds)]);
    const differing = first.digests.flatMap((digest, index) =>
      digest === second.digests[index] ? [] : [index + 1],
    );
    const seconds = first.processorSeconds + second.processorSeconds;
    const perSecond = Math.round((20 * seeds) / seconds) / 10;
    process.stdout.write(
      `${name}: ${seeds - differing.length} of ${seeds} seeds alike in two processes, ${new Set(first.digests).size} digests, ${perSecond} runs a second of processor time\n`,
    );
    if (differing.length > 0) {
      process.stdout.write(`  seeds that differ: ${differing.join(' ')}\n`);
      process.exitCode = 1;
    }
  }
}

const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? undefined : process.argv[at + 1];
};
const seeds = Number(option('seeds') ?? SEEDS);
const one = option('run');
if (one === undefined) await compare(seeds);
else process.stdout.write(JSON.stringify(await series(one, seeds, Number(option('warm') ?? 1))));
