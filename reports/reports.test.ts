import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { htmlReport } from './html-report.ts';
import { junitXml } from './junit-xml.ts';
import { patchesBetween } from './object-patches.ts';
import { timelineSvg } from './timeline-svg.ts';
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
      '<div class="op replace"><b>replace</b> <span class="path">/spec/nodeName</span> <span class="value">&quot;n2&quot; <span class="soft">was &quot;n1&quot;</span></span></div>',
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
  expect(new Set(opened)).toEqual(new Set(closed));
  expect(opened).toHaveLength(closed.length);
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
  test('are JSON Patches of the objects that differ, with what was there', () => {
    const patches = patchesBetween(
      {
        'Pod default/a': {
          metadata: { name: 'a', managedFields: [1] },
          status: { phase: 'Pending' },
          list: [1, 2],
        },
        'Pod default/b': { metadata: { name: 'b' } },
        'Pod default/same': { metadata: { name: 'same', managedFields: [1] } },
      },
      {
        'Pod default/a': {
          metadata: { name: 'a', managedFields: [2] },
          status: { phase: 'Running' },
          list: [1],
        },
        'Pod default/c': { metadata: { name: 'c' } },
        'Pod default/same': { metadata: { name: 'same', managedFields: [2] } },
      },
    );
    expect(patches).toEqual([
      {
        name: 'Pod default/a',
        change: 'changed',
        operations: [
          { op: 'remove', path: '/list/1', old: 2 },
          { op: 'replace', path: '/status/phase', value: 'Running', old: 'Pending' },
        ],
      },
      {
        name: 'Pod default/b',
        change: 'deleted',
        operations: [{ op: 'remove', path: '', old: { metadata: { name: 'b' } } }],
      },
      {
        name: 'Pod default/c',
        change: 'created',
        operations: [{ op: 'add', path: '', value: { metadata: { name: 'c' } } }],
      },
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

describe('the time line', () => {
  const mark = (at: number) => ({ at, kind: 'timer', text: 'tick' });
  const svg = timelineSvg({
    timeline: {
      from: 0,
      to: 2_000,
      omitted: 0,
      lanes: [
        { actor: 'busy', marks: [mark(0), mark(1_000), mark(1_006), mark(1_012), mark(1_018)] },
        { actor: 'early-only', marks: [mark(10)] },
      ],
    },
    steps: [{ path: 'steps[0]', title: 'get', verb: 'get', from: 1_000, to: 1_010, outcome: 'passed' }],
    scale: 'time',
  });

  test('begins where the test begins, and folds who has nothing to show', () => {
    expect(svg.match(/<circle/g)).toHaveLength(4);
    expect(svg).toContain('1 actor without events');
    expect(svg).toContain('early-only</span>');
    expect(svg).not.toContain('>early-only</text>');
  });

  test('spreads dots that would hide one another', () => {
    const heights = [...svg.matchAll(/cy="([0-9.]+)"/g)].map(([, y]) => Number(y));
    expect(new Set(heights).size).toBeGreaterThan(1);
  });
});
