/** Runs for programs that read line by line: the Test Anything Protocol, and JSON Lines. */
import { printable } from './printable.ts';
import type { RunRecord } from './run-record.ts';
import { countsOf, type RunSummary } from './run-summary.ts';

/** TAP version 14: a test point for each run, with what failed as a YAML block. */
export function tapText({ records, interrupted }: RunSummary): string {
  const points = records.map((record, index) => tapPoint(record, index + 1));
  const end = interrupted ? 'Bail out! interrupted\n' : '';
  return `TAP version 14\n1..${interrupted?.planned ?? records.length}\n${points.join('')}${end}`;
}

function tapPoint({ scenario, seed, verdict, failure, realMs }: RunRecord, number: number): string {
  const description = printable(`${scenario} seed ${seed}`).replace(
    /[\\#]/g,
    (character) => `\\${character}`,
  );
  const point = `${verdict === 'passed' ? 'ok' : 'not ok'} ${number} - ${description}\n`;
  if (!failure) return point;
  const { property, kind, details, file, line, column, command } = failure;
  const members = {
    message: property,
    severity: kind,
    at: { file, line, column },
    details,
    command,
    duration_ms: realMs,
  };
  const lines = Object.entries(members).flatMap(([name, value]) =>
    // JSON is YAML.
    value === undefined ? [] : [`    ${name}: ${JSON.stringify(value)}\n`],
  );
  return `${point}  ---\n${lines.join('')}  ...\n`;
}

/** One object for each run, and one for all of them at the end. */
export function jsonLines(summary: RunSummary): string {
  const runs = summary.records.map(({ steps: _steps, timeline: _timeline, failure, ...record }) => ({
    kind: 'Run',
    ...record,
    ...(failure && { failure: withoutState(failure) }),
  }));
  const { startedAt, realMs, command, changes, interrupted } = summary;
  const end = {
    kind: 'Summary',
    startedAt,
    realMs,
    command,
    ...countsOf(summary.records),
    changes,
    ...(interrupted && { interrupted }),
  };
  return [...runs, end].map((line) => `${JSON.stringify(line)}\n`).join('');
}

type Failure = NonNullable<RunRecord['failure']>;

/** All objects before and after belong into the report. */
const withoutState = ({
  before: _before,
  after: _after,
  ...rest
}: Failure): Omit<Failure, 'before' | 'after'> => rest;
