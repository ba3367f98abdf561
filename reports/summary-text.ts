/** A report for the terminal. */
import { printable } from './printable.ts';
import type { RunRecord } from './run-record.ts';
import { countsOf, failureGroupsOf, formatVirtual, groupsOf, type RunSummary } from './run-summary.ts';

export interface TextOptions {
  /** With ANSI colours. */
  readonly isColoured: boolean;
  /** Also scenarios that passed, one line each. */
  readonly showsPassed: boolean;
}

const MOST_FAILURES = 5;

export function summaryText(summary: RunSummary, { isColoured, showsPassed }: TextOptions): string {
  const paint = (code: number, text: string): string =>
    isColoured ? `\u001b[${code}m${text}\u001b[0m` : text;
  const lines: string[] = [];
  for (const { scenario, counts, records } of groupsOf(summary.records)) {
    const isGood = counts.passed === counts.runs;
    if (isGood && !showsPassed) continue;
    const mark = isGood ? paint(32, '✓') : paint(31, '✗');
    const runs = counts.runs === 1 ? '' : `, ${counts.passed} of ${counts.runs} runs`;
    const longest = Math.max(...records.map(({ virtualMicros }) => virtualMicros));
    lines.push(`${mark} ${printable(scenario)} ${paint(2, `(${formatVirtual(longest)} virtual${runs})`)}`);
  }
  for (const record of summary.records.filter(({ found }) => found)) lines.push('', foundText(record, paint));
  const groups = failureGroupsOf(summary.records);
  for (const { first, others } of groups.slice(0, MOST_FAILURES)) {
    lines.push('', failureText(first, paint));
    if (others.length > 0)
      lines.push(
        `  the same with ${others.length} more ${others.length === 1 ? 'seed' : 'seeds'}: ${seedList(others)}`,
      );
  }
  if (groups.length > MOST_FAILURES)
    lines.push('', `… and ${groups.length - MOST_FAILURES} other failures; the report shows them`);
  lines.push('', ...changeLines(summary), totals(summary, paint));
  return `${lines.join('\n')}\n`;
}

/** What was to be found, and was: a property at work. */
function foundText(
  { scenario, seed, found }: RunRecord,
  paint: (code: number, text: string) => string,
): string {
  if (!found) return '';
  const lines = [
    paint(32, printable(`✓ ${scenario} (seed ${seed}) has found what it was to find: ${found.property}`)),
    ...found.details.slice(0, 1).map((detail) => printable(`    ${shortened(detail)}`)),
    ...smallestLines(found, paint),
  ];
  return lines.join('\n');
}

const MOST_SEEDS = 10;

/** `2, 3, 5`, or as many as fit. */
export function seedList(records: readonly RunRecord[]): string {
  const seeds = records
    .slice(0, MOST_SEEDS)
    .map(({ seed }) => seed)
    .join(', ');
  return records.length > MOST_SEEDS ? `${seeds}, …` : seeds;
}

/** Property, place, time, what differs, the last records, and the command that reproduces it. */
export function failureText(
  { scenario, seed, failure }: RunRecord,
  paint: (code: number, text: string) => string = (_, text) => text,
): string {
  if (!failure) return '';
  const { property, kind, at, details, file, line, column, excerpt, trace, choices, allChoices, command } =
    failure;
  const lines = [
    paint(31, printable(`✗ ${scenario} (seed ${seed}): ${property}`)),
    printable(`  ${kind} at ${formatVirtual(at)} of virtual time; ${file}:${line}:${column}`),
  ];
  for (const detail of details) lines.push(printable(`    ${shortened(detail)}`));
  if (excerpt !== '') lines.push(printable(excerpt));
  if (allChoices > 0) lines.push(`  ${choices.length} of ${allChoices} decisions of chance are needed`);
  if (trace.length > 0)
    lines.push('  the last records:', ...trace.map((record) => paint(2, printable(`    ${record}`))));
  lines.push(...smallestLines(failure, paint));
  if (command !== undefined) lines.push(`  reproduce: ${paint(36, printable(command))}`);
  return lines.join('\n');
}

const LONGEST_SCENARIO = 60;

/** The scenario that is left when all that is not needed is gone, and what is to be said of its causes. */
function smallestLines(
  { smallest, explanation }: NonNullable<RunRecord['failure']>,
  paint: (code: number, text: string) => string,
): string[] {
  if (!smallest) return [];
  const { steps, faults, choices, allSteps, allFaults, text } = smallest;
  const all = text.trimEnd().split('\n');
  return [
    `  the smallest scenario that fails alike has ${steps} of ${allSteps} steps and ${faults} of ${allFaults} faults${choicesText(choices)}:`,
    ...all.slice(0, LONGEST_SCENARIO).map((line) => paint(2, printable(`    ${line}`))),
    ...(all.length > LONGEST_SCENARIO
      ? [`    … ${all.length - LONGEST_SCENARIO} more lines in report.json`]
      : []),
    ...(explanation ?? []).map((line) => printable(`  ${line}`)),
  ];
}

/** How much of chance is left, to go behind the rest of it. */
export function choicesText(choices: number | undefined): string {
  if (choices === undefined) return ', and the chance of its seed';
  return choices === 0 ? ', and nothing by chance' : `, and ${choices} decisions of chance`;
}

const LONG_TEXT = 600;

/** A whole answer would push everything else off the screen. */
const shortened = (text: string): string =>
  text.length <= LONG_TEXT
    ? text
    : `${text.slice(0, LONG_TEXT)}… (${text.length - LONG_TEXT} more characters in report.json)`;

function changeLines({ changes }: RunSummary): string[] {
  const { since, newFailures, fixed, stillFailing } = changes;
  if (since === undefined) return [];
  const parts = [
    newFailures.length > 0 && `${newFailures.length} new`,
    fixed.length > 0 && `${fixed.length} fixed`,
    stillFailing.length > 0 && `${stillFailing.length} still failing`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? [] : [`since ${since}: ${parts.join(', ')}`];
}

function totals(
  { records, realMs, interrupted }: RunSummary,
  paint: (code: number, text: string) => string,
): string {
  const { runs, passed, failed, invalid, defects } = countsOf(records);
  const virtual = records.reduce((sum, record) => sum + record.virtualMicros, 0);
  const parts = [
    paint(passed === runs ? 32 : 31, `${passed} of ${runs} ${runs === 1 ? 'run' : 'runs'} passed`),
    failed > 0 && `${failed} failed`,
    invalid > 0 && `${invalid} invalid`,
    defects > 0 && `${defects} with a bug of the simulator`,
    interrupted && `interrupted, ${interrupted.planned - runs} not made`,
  ].filter((part) => typeof part === 'string');
  return `${parts.join(', ')}; ${formatVirtual(virtual)} of virtual time in ${(realMs / 1_000).toFixed(2)}s`;
}
