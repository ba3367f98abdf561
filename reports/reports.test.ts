import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { htmlReport } from './html-report.ts';
import { junitXml } from './junit-xml.ts';
import { diffLines, diffSnapshots } from './object-diff.ts';
import { rememberRuns } from './run-history.ts';
import type { FailureRecord, RunRecord, Verdict } from './run-record.ts';
import { exitCodeOf, formatVirtual, type RunSummary } from './run-summary.ts';
import { summaryText } from './summary-text.ts';
import { writeReport } from './write-report.ts';

const FAILURE: FailureRecord = {
  kind: 'eventually',
  property: 'the node <b>comes</b> back',
  at: 61_000_000,
  details: ['status should be 200, but is 404'],
  file: 'scenarios/a.yaml',
  line: 7,
  column: 5,
  excerpt: '  7 |     - get: x',
  trace: ['#17 3.000500s node/a timer lease'],
  before: { 'Pod default/a': { kind: 'Pod', spec: { nodeName: 'n1' } } },
  after: { 'Pod default/a': { kind: 'Pod', spec: { nodeName: 'n2' } } },
  choices: [{ site: 'link', occurrence: 0, answer: 7 }],
  allChoices: 9,
  command: 'kubesim replay failures/a-1.json',
};

function recordOf(scenario: string, verdict: Verdict = 'passed', seed = 1): RunRecord {
  return {
    key: `${scenario}#${seed}`,
    scenario,
    file: `scenarios/${scenario}.yaml`,
    seed,
    verdict,
    digest: '0123456789abcdef',
    virtualMicros: 61_000_000,
    realMs: 12.5,
    records: 40,
    isDeterminismChecked: true,
    steps: [
      {
        path: 'steps[0]',
        title: 'get Node worker-1',
        verb: 'get',
        from: 0,
        to: 1_000,
        outcome: verdict === 'passed' ? 'passed' : 'failed',
        status: 404,
      },
    ],
    timeline: {
      from: 0,
      to: 61_000_000,
      omitted: 0,
      lanes: [
        {
          actor: 'node/a',
          marks: [
            { at: 5, kind: 'timer', text: 'lease' },
            { at: 60_000_000, kind: 'crash', text: '' },
          ],
        },
      ],
    },
    ...(verdict !== 'passed' && { failure: FAILURE }),
  };
}

const summaryOf = (...records: readonly RunRecord[]): RunSummary => ({
  startedAt: '2026-01-02T03:04:05.000Z',
  realMs: 1_234,
  command: 'kubesim run',
  records,
  changes: {
    since: '2026-01-01T00:00:00.000Z',
    newFailures: records.filter(({ verdict }) => verdict !== 'passed').map(({ key }) => key),
    fixed: [],
    stillFailing: [],
  },
});

describe('the exit code is that of the worst run', () => {
  test.each<[Verdict[], number]>([
    [['passed', 'passed'], 0],
    [['passed', 'failed'], 1],
    [['failed', 'invalid'], 2],
    [['failed', 'invalid', 'defect'], 3],
  ])('%j: %i', (verdicts, code) => {
    expect(exitCodeOf(verdicts.map((verdict, seed) => recordOf('a', verdict, seed)))).toBe(code);
  });
});

describe('the page', () => {
  const page = htmlReport(summaryOf(recordOf('good'), recordOf('bad', 'failed')));

  test('needs nothing from elsewhere', () => {
    expect(page).not.toMatch(/(src|href)=|@import|url\(/);
  });

  test('says verdict, property, command, story, changes and records', () => {
    for (const text of [
      '1 of 2 runs failed',
      'kubesim replay failures/a-1.json',
      'get Node worker-1',
      '1 of 9 decisions of chance',
      '#17 3.000500s',
      '1m1s of virtual time',
    ])
      expect(page).toContain(text);
    expect(page).toContain(
      '<span class="removed">-   nodeName: n1</span><span class="added">+   nodeName: n2</span>',
    );
    expect(page).toContain('<svg');
  });

  test('escapes what scenarios say', () => {
    expect(page).toContain('the node &lt;b&gt;comes&lt;/b&gt; back');
    expect(page).not.toContain('<b>comes</b>');
  });
});

test('JUnit tells failures from errors, and is well formed', () => {
  const xml = junitXml(summaryOf(recordOf('good'), recordOf('bad', 'failed'), recordOf('ugly', 'defect')));
  expect(xml).toContain('<testsuites name="kubesim" tests="3" failures="1" errors="1" time="1.234">');
  expect(xml).toContain('<testcase classname="good" name="seed 1" file="scenarios/good.yaml" time="0.013"/>');
  expect(xml).toContain(
    '<failure type="eventually" message="the node &lt;b&gt;comes&lt;/b&gt; back: status should be 200, but is 404">',
  );
  expect(xml).toContain('<error type="eventually"');
  const opened = [...xml.matchAll(/<([a-z]+)[^>]*[^/?]>/g)].map(([, name]) => name);
  const closed = [...xml.matchAll(/<\/([a-z]+)>/g)].map(([, name]) => name);
  expect(opened.sort()).toEqual(closed.sort());
});

test('the text names property, virtual time, place, records and the command', () => {
  const text = summaryText(summaryOf(recordOf('bad', 'failed')), { isColoured: false, showsPassed: false });
  for (const part of [
    'the node <b>comes</b> back',
    'at 1m1s of virtual time',
    'scenarios/a.yaml:7:5',
    '#17 3.000500s',
    'reproduce: kubesim replay failures/a-1.json',
    '1 new',
    '0 of 1 run passed',
  ])
    expect(text).toContain(part);
});

describe('differences', () => {
  test('are the lines that go and come, in order', () => {
    expect(
      diffLines(['a', 'b', 'c'], ['a', 'x', 'c', 'd']).map(({ kind, text }) => `${kind} ${text}`),
    ).toEqual(['same a', 'removed b', 'added x', 'same c', 'added d']);
  });

  test('say which objects were created, changed and deleted', () => {
    const diffs = diffSnapshots(
      { a: { x: 1 }, b: { x: 1 }, same: { y: 1 } },
      { b: { x: 2 }, c: { x: 3 }, same: { y: 1 } },
    );
    expect(diffs.map(({ name, change }) => `${name} ${change}`)).toEqual([
      'a deleted',
      'b changed',
      'c created',
    ]);
  });
});

test.each([
  [0, '0µs'],
  [1_500, '1.5ms'],
  [60_000_000, '1m'],
  [90_500_000, '1m30.5s'],
  [3_600_000_000, '1h'],
])('%i microseconds are %s', (micros, text) => {
  expect(formatVirtual(micros)).toBe(text);
});

describe('the history', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubesim-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  test('says what is new, fixed and still failing', async () => {
    const file = join(folder, 'history.json');
    const first = await rememberRuns(file, 'monday', [
      recordOf('a', 'failed'),
      recordOf('b', 'failed'),
      recordOf('c'),
    ]);
    expect(first).toEqual({ newFailures: ['a#1', 'b#1'], fixed: [], stillFailing: [] });
    const second = await rememberRuns(file, 'tuesday', [
      recordOf('a', 'failed'),
      recordOf('b'),
      recordOf('c', 'defect'),
    ]);
    expect(second).toEqual({ since: 'monday', newFailures: ['c#1'], fixed: ['b#1'], stillFailing: ['a#1'] });
  });

  test('begins anew when its file is damaged', async () => {
    const file = join(folder, 'history.json');
    await writeFile(file, '{"calls": [');
    expect((await rememberRuns(file, 'monday', [recordOf('a')])).since).toBeUndefined();
    expect((await rememberRuns(file, 'tuesday', [recordOf('a')])).since).toBe('monday');
  });

  test('and the report lie in one folder', async () => {
    await writeReport(join(folder, 'deep', 'report'), summaryOf(recordOf('bad', 'failed')));
    const report = JSON.parse(
      await readFile(join(folder, 'deep', 'report', 'report.json'), 'utf8'),
    ) as RunSummary;
    expect(report.records[0]?.failure?.property).toBe(FAILURE.property);
  });
});
