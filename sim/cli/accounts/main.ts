/**
 * `npm run accounts`: runs what is shipped and writes down what each run came to (`scenarios/accounts.txt`), and what drawn
 * requests are answered (`model/golden/drawn.txt`), for whoever has changed the program and means it. `--show NAME --seed N`
 * prints the account of one run instead, `--answers 1.31/reads` the answers of one area: those of the former program and
 * of the present one, side by side, say what became another.
 */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { wholeNumber } from '../command-options.ts';
import { findScenarios } from '../run/find-scenarios.ts';
import { accountOf, runName, seedsOf } from './accounted-run.ts';
import { ASKED, answersOf, drawnFile } from './drawn-answers.ts';
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
  for (const [title, lines] of (await accountOf(loaded, seed)).lines())
    process.stdout.write(`${[title, ...lines].join('\n  ')}\n`);
}

async function writeAll(): Promise<void> {
  const { scenarios } = await findScenarios(['scenarios']);
  const accounts = new Map<string, Fingerprints>();
  for (const loaded of scenarios)
    for (const seed of seedsOf(loaded))
      accounts.set(runName(loaded, seed), (await accountOf(loaded, seed)).fingerprints());
  writeFileSync(accountsFile(ROOT), textOfAccounts(accounts));
  writeFileSync(
    drawnFile(ROOT),
    ASKED.map((asked) => `${[asked.title, ...answersOf(asked)].join(' ')}\n`).join(''),
  );
  process.stdout.write(`${accounts.size} accounts of runs, ${ASKED.length} of answers\n`);
}

function showAnswers(title: string): void {
  const asked = ASKED.find((each) => each.title === title);
  if (!asked) throw new Error(`there are ${ASKED.map((each) => each.title).join(', ')}`);
  answersOf(asked, (name, answers) =>
    process.stdout.write(`${name}\n${answers.map((each) => `  ${JSON.stringify(each)}\n`).join('')}`),
  );
}

await new Command('accounts')
  .description('Write down what the shipped runs come to, or show it.')
  .option('--show <name>', 'print the account of one scenario or property')
  .option('--seed <number>', 'of which run', wholeNumber, 1)
  .option('--answers <area>', 'print the answers to the sequences of one area')
  .action(async ({ show: name, seed, answers }: Flags) => {
    if (answers !== undefined) showAnswers(answers);
    else await (name === undefined ? writeAll() : show(name, seed));
  })
  .parseAsync();
process.exit();
