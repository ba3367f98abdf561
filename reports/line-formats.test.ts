import { expect, test } from 'vitest';
import { githubAnnotations, githubStepSummary } from './github.ts';
import { jsonLines, tapText } from './line-formats.ts';
import { mergeSummaries, MergeError, parseSummary } from './merge-summaries.ts';
import type { RunRecord } from './run-record.ts';
import type { RunSummary } from './run-summary.ts';

const passed: RunRecord = {
  key: 'a#1',
  scenario: 'a',
  file: 'a.yaml',
  seed: 1,
  verdict: 'passed',
  digest: '',
  virtualMicros: 1,
  realMs: 2,
  records: 3,
  isDeterminismChecked: false,
  steps: [],
};
const failed: RunRecord = {
  ...passed,
  key: 'b#7',
  scenario: 'b',
  file: 'b.yaml',
  seed: 7,
  verdict: 'failed',
  failure: {
    kind: 'expectation',
    property: 'it # holds, 100%: | yes',
    at: 5,
    details: ['first', 'second'],
    file: 'b.yaml',
    line: 3,
    column: 9,
    excerpt: '',
    trace: [],
    before: { 'Pod default/x': {} },
    choices: [],
    allChoices: 0,
    command: 'kubesim replay x',
  },
};
const summary = (...records: readonly RunRecord[]): RunSummary => ({
  startedAt: '2026-01-01T00:00:00Z',
  realMs: 10,
  command: 'kubesim run',
  records,
  changes: { newFailures: ['b#7'], fixed: [], stillFailing: [] },
});

test('TAP has a point for each run, and says that it was cut off', () => {
  expect(tapText(summary(passed, failed))).toBe(`TAP version 14
1..2
ok 1 - a seed 1
not ok 2 - b seed 7
  ---
    message: "it # holds, 100%: | yes"
    severity: "expectation"
    at: {"file":"b.yaml","line":3,"column":9}
    details: ["first","second"]
    command: "kubesim replay x"
    duration_ms: 2
  ...
`);
  const cut = tapText({ ...summary(passed), interrupted: { planned: 5 } });
  expect(cut).toBe('TAP version 14\n1..5\nok 1 - a seed 1\nBail out! interrupted\n');
});

test('JSON lines have an object for each run without all that was there, and a summary', () => {
  const lines = jsonLines(summary(passed, failed))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly kind: string; readonly failure?: object });
  expect(lines.map(({ kind }) => kind)).toEqual(['Run', 'Run', 'Summary']);
  expect(lines[1]?.failure).not.toHaveProperty('before');
  expect(lines[2]).toMatchObject({ runs: 2, failed: 1 });
});

test('annotations and tables hold whatever a property is called', () => {
  expect(githubAnnotations(summary(passed, failed))).toBe(
    '::error file=b.yaml,line=3,col=9,title=b%3A it # holds%2C 100%25%3A | yes::first%0Asecond%0Aseed 7%0Areproduce: kubesim replay x\n',
  );
  expect(githubStepSummary(summary(failed))).toContain('| b **new** | it # holds, 100%: \\| yes |');
});

test('a run of two parts counts once, as failed if it failed in one', () => {
  const again: RunRecord = { ...failed, verdict: 'passed' };
  const merged = mergeSummaries([summary(failed), { ...summary(again, passed), realMs: 30 }], 'merge');
  expect(merged.records.map(({ key, verdict }) => `${key} ${verdict}`)).toEqual(['a#1 passed', 'b#7 failed']);
  expect(merged.realMs).toBe(30);
  expect(() => parseSummary('{}')).toThrow(MergeError);
});
