/** What a verification found: as text, as JSON, and as cases that can be replayed. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GoldenCase } from '../../../model/golden/replay/golden-case.ts';
import { type Outcome, type Rule, sumOfTallies, type Tally } from './campaign.ts';

const MAX_RULES_SHOWN = 60;

export function outcomeText({ tally, rules, failures }: Outcome): string {
  const lines = [row(['kind', 'sequences', 'equal', 'answers', 'equal'])];
  for (const [area, one] of Object.entries(tally).sort(([, a], [, b]) => share(a) - share(b)))
    lines.push(tallyRow(area, one));
  lines.push(tallyRow('all', sumOfTallies(Object.values(tally))), '');
  for (const rule of rules.slice(0, MAX_RULES_SHOWN)) lines.push(ruleText(rule));
  if (rules.length > MAX_RULES_SHOWN) lines.push(`… and ${rules.length - MAX_RULES_SHOWN} more`);
  for (const failure of failures) lines.push(`not run: ${failure}`);
  const head = rules.length === 0 ? 'no difference' : `${rules.length} rules differ`;
  return `${lines.join('\n')}\n${head}\n`;
}

const row = (cells: readonly string[]): string =>
  cells.map((cell, at) => (at === 0 ? cell.padEnd(58) : cell.padStart(10))).join('');

const share = ({ sequences, sequencesEqual }: Tally): number =>
  sequences === 0 ? 1 : sequencesEqual / sequences;

const percent = (part: number, whole: number): string =>
  whole === 0 ? '' : `${((part / whole) * 100).toFixed(2)}%`;

const tallyRow = (area: string, { sequences, sequencesEqual, answers, answersEqual }: Tally): string =>
  row([
    area,
    String(sequences),
    percent(sequencesEqual, sequences),
    String(answers),
    percent(answersEqual, answers),
  ]);

function ruleText({ rule, real, simulated, count, foundIn, example }: Rule): string {
  const last = example.steps.findLast(({ request }) => request)?.request;
  const body = last?.body === undefined ? '' : ` ${JSON.stringify(last.body)}`;
  return [
    `${count}x ${rule} (${foundIn})`,
    ...(last ? [`    ${last.method} ${last.path}${body}`.slice(0, 400)] : []),
    `    real:      ${real}`,
    `    simulated: ${simulated}`,
  ].join('\n');
}

/** `verification.json`, and a case for each rule in `cases/`. */
export function writeVerification(directory: string, outcome: Outcome): void {
  const cases = join(directory, 'cases');
  mkdirSync(cases, { recursive: true });
  const { tally, rules, failures } = outcome;
  const told = rules.map(({ example: _example, ...rest }, at) => ({ ...rest, case: caseName(at) }));
  const text = JSON.stringify({ tally, rules: told, failures }, undefined, 2);
  writeFileSync(join(directory, 'verification.json'), `${text}\n`);
  for (const [at, { example }] of rules.entries())
    writeFileSync(join(cases, `${caseName(at)}.json`), `${JSON.stringify(example, undefined, 1)}\n`);
}

const caseName = (at: number): string => `rule-${String(at + 1).padStart(4, '0')}`;

/** A case on a line, as the project keeps them: who manages which field is left out, for it doubles everything. */
export const compactCase = (golden: GoldenCase): string =>
  JSON.stringify({ ...golden, ignore: [...(golden.ignore ?? []), MANAGED] }, withoutManagers);

const MANAGED = '/metadata/managedFields';

const withoutManagers = (name: string, value: unknown): unknown =>
  name === 'managedFields' ? undefined : value;
