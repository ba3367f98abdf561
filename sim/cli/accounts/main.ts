/**
 * `npm run accounts`: runs what is shipped and writes down what each run came to (`scenarios/accounts.txt`), and what drawn
 * requests and expressions come to (`model/golden/drawn.txt`), and runs of properties (`__snapshots__`), for whoever has
 * changed the program and means it. `--show NAME --seed N` prints the account of one run instead, `--answers 1.31/reads` what
 * is told under one title: of the former program and of the present one, side by side, it says what became another.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { wholeNumber } from '../command-options.ts';
import { findScenarios } from '../run/find-scenarios.ts';
import { accountedRun, runName, seedsOf } from './accounted-run.ts';
import { DRAWN, drawnFile, printsOf } from './drawn.ts';
import { accountsFile, type Fingerprints, textOfAccounts } from './known-accounts.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

interface Flags {
  readonly show?: string;
  readonly answers?: string;
  readonly seed: number;
}

async function show(name: string, seed: number): Promise<void> {
  const { scenarios } = await findScenarios(['scenarios']);
  const loaded = scenarios.find(({ scenario }) => scenario.metadata.name === name);
  if (!loaded) throw new Error(`there is no scenario and no property \`${name}\``);
  for (const [title, lines] of (await accountedRun(loaded, seed)).account.lines())
    process.stdout.write(`${[title, ...lines].join('\n  ')}\n`);
}

async function writeAll(): Promise<void> {
  const { scenarios } = await findScenarios(['scenarios']);
  const accounts = new Map<string, Fingerprints>();
  for (const loaded of scenarios)
    for (const seed of seedsOf(loaded))
      accounts.set(runName(loaded, seed), (await accountedRun(loaded, seed)).account.fingerprints());
  writeFileSync(accountsFile(ROOT), textOfAccounts(accounts));
  writeFileSync(
    drawnFile(ROOT),
    DRAWN.map((drawn) => `${[drawn.title, ...printsOf(drawn)].join(' ')}\n`).join(''),
  );
  renewSnapshots();
  process.stdout.write(`${accounts.size} accounts of runs, ${DRAWN.length} of what is drawn\n`);
}

/** Those of properties that hold something in any order. */
function renewSnapshots(): void {
  const kept = readdirSync(join(ROOT, 'sim'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.property.test.ts.snap'))
    .map((file) => join('sim', file.replace('__snapshots__/', '').replace(/\.snap$/, '')));
  // At the end: what follows the option would be taken for its value.
  execFileSync(process.execPath, [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', ...kept, '--update'], {
    cwd: ROOT,
    stdio: 'inherit',
  });
}

function showDrawn(title: string): void {
  const drawn = DRAWN.find((each) => each.title === title);
  if (!drawn) throw new Error(`there are ${DRAWN.map((each) => each.title).join(', ')}`);
  for (const { name, said } of drawn.tell()) {
    const lines = Array.isArray(said) ? said : [said];
    process.stdout.write(`${name}\n${lines.map((each) => `  ${JSON.stringify(each)}\n`).join('')}`);
  }
}

await new Command('accounts')
  .description('Write down what the shipped runs come to, or show it.')
  .option('--show <name>', 'print the account of one scenario or property')
  .option('--seed <number>', 'of which run', wholeNumber, 1)
  .option('--answers <area>', 'print the answers to the sequences of one area')
  .action(async ({ show: name, seed, answers }: Flags) => {
    if (answers !== undefined) showDrawn(answers);
    else await (name === undefined ? writeAll() : show(name, seed));
  })
  .parseAsync();
process.exit();
