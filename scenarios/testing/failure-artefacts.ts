/** What a failed test leaves behind: a report with its story and time line, and a recording to run it again from. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { htmlReport } from '../../reports/html-report.ts';
import type { FailureRecord, RunRecord } from '../../reports/run-record.ts';
import { timelineOf } from '../runner/timeline.ts';
import { objectsOf, recordOf } from '../world/cluster-records.ts';
import { KEPT_RECORDS, type TestRecording, type TestRun } from './test-run.ts';

/** Of what went before, so much is told in the error itself. */
const STORY_LINES = 12;

export interface Artefacts {
  readonly report: string;
  readonly recording: string;
  /** Runs the same again. */
  readonly command: string;
  /** What happened just before, one line each. */
  readonly story: readonly string[];
}

/** Where a test failed: in its own file, if that can be told. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Writes them below KUBESIM_REPORT_DIR, by default `kubesim-failures`. */
export function writeArtefacts(run: TestRun, error: Error, property?: TestRecording['property']): Artefacts {
  const { test, cluster } = run;
  const root = process.env['KUBESIM_REPORT_DIR'] || 'kubesim-failures';
  const folder = join(root, folderName(`${test.file} ${test.name} ${cluster.seed}`));
  const recordingFile = join(folder, 'recording.json');
  const command = `KUBESIM_REPLAY=${recordingFile} npx vitest run ${test.file} -t ${JSON.stringify(test.name)}`;
  const record = recordOfRun(run, error, command);
  const recording: TestRecording = {
    apiVersion: 'kubesim.dev/v1',
    kind: 'TestRecording',
    test,
    seed: cluster.seed,
    choices: cluster.simulation.choices.log(),
    ...(property && { property }),
    failure: error.message,
  };
  const report = join(folder, 'report.html');
  mkdirSync(folder, { recursive: true });
  writeFileSync(recordingFile, `${JSON.stringify(recording)}\n`);
  writeFileSync(report, htmlReport(summaryOf(record, command)));
  return { report, recording: recordingFile, command, story: record.failure?.trace ?? [] };
}

const folderName = (text: string): string =>
  text
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(-120);

const summaryOf = (record: RunRecord, command: string): Parameters<typeof htmlReport>[0] => ({
  startedAt: new Date(Date.now() - record.realMs).toISOString(),
  realMs: record.realMs,
  command,
  records: [record],
  changes: { newFailures: [record.key], fixed: [], stillFailing: [] },
});

function recordOfRun(run: TestRun, error: Error, command: string): RunRecord {
  const { test, cluster, startedMs } = run;
  const tail = cluster.trace.records(KEPT_RECORDS).map(recordOf);
  return {
    key: `${test.name}#${cluster.seed}`,
    scenario: test.name,
    file: test.file,
    seed: cluster.seed,
    verdict: 'failed',
    digest: cluster.digest,
    virtualMicros: cluster.now,
    realMs: Date.now() - startedMs,
    records: cluster.trace.length,
    isDeterminismChecked: false,
    steps: [],
    failure: failureOf(run, error, { command, story: tail.slice(-STORY_LINES).map(({ text }) => text) }),
    timeline: timelineOf({ tail, records: cluster.trace.length, now: cluster.now }),
  };
}

function failureOf(
  { test, cluster, before }: TestRun,
  error: Error,
  { command, story }: { readonly command: string; readonly story: readonly string[] },
): FailureRecord {
  return {
    kind: error.name === 'InvariantViolation' ? 'invariant' : 'expectation',
    property: test.name,
    at: cluster.now,
    details: error.message.split('\n'),
    file: test.file,
    ...placeOf(error, test.file),
    excerpt: '',
    trace: story,
    before: before(),
    after: objectsOf(cluster),
    // Nobody has looked for those that matter.
    choices: [],
    allChoices: 0,
    command,
  };
}

/** The first line of the stack that lies in the test's own file. */
function placeOf({ stack = '' }: Error, file: string): Place {
  const found = stack
    .split('\n')
    .map((line) => /\(?(?:file:\/\/)?([^()\s]+):([0-9]+):([0-9]+)\)?$/.exec(line))
    .find((match) => match?.[1] !== undefined && relative(process.cwd(), match[1]) === file);
  return { line: Number(found?.[2] ?? 1), column: Number(found?.[3] ?? 1) };
}

/** The error's message, and below it how the story went and how to see it again. */
export function toldMessage(message: string, seed: number, { story, command, report }: Artefacts): string {
  const lines = [
    message,
    '',
    `in a cluster with seed ${seed}; the last records:`,
    ...story.map((line) => `  ${line}`),
    `report: ${report}`,
    `reproduce: ${command}`,
  ];
  return lines.join('\n');
}
