/** What a run tells GitHub Actions: annotations at the lines of scenarios, and a summary of the step in Markdown. */
import { printable } from './printable.ts';
import { countsOf, failureGroupsOf, formatVirtual, type RunSummary } from './run-summary.ts';
import { seedList } from './summary-text.ts';

/** GitHub shows no more of one step. */
const MOST_ANNOTATIONS = 10;
const MOST_ROWS = 50;

/** Workflow commands, one a line, for standard output. */
export function githubAnnotations({ records }: RunSummary): string {
  const lines = failureGroupsOf(records)
    .slice(0, MOST_ANNOTATIONS)
    .flatMap(({ first: { scenario, seed, failure }, others }) => {
      if (!failure) return [];
      const { property, file, line, column, details, command } = failure;
      const place = { file, line, col: column, title: `${scenario}: ${property}` };
      const text = [
        ...details,
        `seed ${seed}${others.length > 0 ? `, also ${seedList(others)}` : ''}`,
        ...(command === undefined ? [] : [`reproduce: ${command}`]),
      ].join('\n');
      const properties = Object.entries(place).map(
        ([name, value]) => `${name}=${escapeProperty(String(value))}`,
      );
      return [`::error ${properties.join(',')}::${escapeData(text)}\n`];
    });
  return lines.join('');
}

const escapeData = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const escapeProperty = (text: string): string =>
  escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** Markdown, to be appended to the file that `GITHUB_STEP_SUMMARY` names. */
export function githubStepSummary({ records, changes, realMs, interrupted }: RunSummary): string {
  const { runs, passed } = countsOf(records);
  const lines = [
    `### ${passed === runs ? '✅' : '❌'} kubesim: ${passed} of ${runs} runs passed in ${(realMs / 1_000).toFixed(1)} s`,
    ...(interrupted ? ['', `Interrupted after ${runs} of ${interrupted.planned} runs.`] : []),
    ...(changes.fixed.length > 0 ? ['', `Fixed since last time: ${changes.fixed.map(code).join(', ')}`] : []),
  ];
  const groups = failureGroupsOf(records);
  if (groups.length > 0)
    lines.push('', '| scenario | what did not hold | where | reproduce |', '| --- | --- | --- | --- |');
  for (const { first, others } of groups.slice(0, MOST_ROWS)) {
    const { failure, scenario, seed, key } = first;
    if (!failure) continue;
    const isNew = changes.newFailures.includes(key) ? ' **new**' : '';
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    const where = `${failure.file}:${failure.line}, ${formatVirtual(failure.at)}, seed ${seed}${more}`;
    const cells = [
      `${cell(scenario)}${isNew}`,
      cell(failure.property),
      cell(where),
      code(failure.command ?? ''),
    ];
    lines.push(`| ${cells.join(' | ')} |`);
  }
  if (groups.length > MOST_ROWS)
    lines.push('', `… and ${groups.length - MOST_ROWS} other failures; the report shows them.`);
  return `${lines.join('\n')}\n\n`;
}

const cell = (text: string): string =>
  printable(text)
    .replace(/[\\`*_{}[\]<>|]/g, (character) => `\\${character}`)
    .replaceAll('\n', ' ');

const code = (text: string): string =>
  text === ''
    ? ''
    : `\`${printable(text).replaceAll('`', "'").replaceAll('|', '\\|').replaceAll('\n', ' ')}\``;
