import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunRecord } from '../../reports/run-record.ts';
import { PROGRAM, PROGRAM_PARTS } from './program.fixture.ts';
import { findScenarios } from './run/find-scenarios.ts';
import { runAll, shardOf } from './run/run-all.ts';
import { runInPool } from './run/worker-pool.ts';

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

const kubesim = (...words: readonly string[]): Promise<Ended> => kubesimTold('', words);

function kubesimTold(input: string, words: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...PROGRAM, ...words], {
      env: { ...process.env, CI: 'false' },
    });
    child.stdin.end(input);
    let output = '';
    let errors = '';
    child.stdout.on('data', (piece: Buffer) => (output += piece.toString()));
    child.stderr.on('data', (piece: Buffer) => (errors += piece.toString()));
    child.on('close', (code) => resolve({ code, output, errors }));
  });
}

const scenario = (name: string, ...steps: readonly string[]): string =>
  `apiVersion: kubesim.dev/v1\nkind: Scenario\nmetadata: { name: ${name} }\nspec:\n  runs: 2\n  steps:\n${steps.map((step) => `    - ${step}\n`).join('')}`;

let folder = '';
/** Of a run that failed. */
let recording = '';
const path = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kubesim-'));
  await writeFile(
    path('good.yaml'),
    scenario('good', 'advance: 5s', 'get: { kind: Namespace, name: default }'),
  );
  await writeFile(path('bad.yaml'), scenario('bad', 'get: { kind: Namespace, name: none }'));
  await writeFile(path('wrong.yaml'), scenario('wrong', 'advance: 5 parsecs'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

test('an output that nobody reads to its end changes nothing about how a command ends', async () => {
  const child = spawn(process.execPath, [...PROGRAM, 'schema', '--reference']);
  let errors = '';
  child.stderr.on('data', (piece: Buffer) => (errors += piece.toString()));
  child.stdout.destroy();
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
});

describe('kubesim run', () => {
  test('ends with 0 when everything holds', async () => {
    const { code, output } = await kubesim('run', path('good.yaml'), '--check-determinism', '--jobs', '2');
    expect(output).toContain('2 of 2 runs passed');
    expect(code).toBe(0);
  });

  test('ends with 1 when something does not, and its command reproduces it', async () => {
    const { code, output } = await kubesim(
      'run',
      path('bad.yaml'),
      path('good.yaml'),
      '--report-dir',
      path('report'),
    );
    expect(code).toBe(1);
    const command = /reproduce: kubesim (.*)/.exec(output)?.[1] ?? '';
    const replayed = await kubesim(...command.split(' '));
    expect(replayed.output).toContain('the same failure as recorded');
    expect(replayed.code).toBe(1);
    expect(await readFile(path('report/report.html'), 'utf8')).toContain('2 of 4 runs failed');
    recording = command.split(' ')[1] ?? '';
  });

  test('leaves what can be asked how it was at some time, by a script too', async () => {
    const until = (time: string) => ['replay', recording, '--until', time];
    const [asked, wrong, bad, late] = await Promise.all([
      kubesimTold('objects namespaces\n# and then\nflight\nquit\n', until('1ms')),
      kubesimTold('shoe pods\n', until('1ms')),
      kubesim('replay', recording, '--break', 'eaten pods'),
      kubesim(...until('noon')),
    ]);
    expect(asked.output).toContain('Namespace default\n');
    expect(asked.output).toContain('user/test > apiserver/0: GET /api/v1/namespaces/none');
    expect(asked.code).toBe(0);
    expect([wrong.code, wrong.errors]).toEqual([2, expect.stringContaining('there is no command `shoe`')]);
    expect([bad.code, bad.errors]).toEqual([2, expect.stringContaining('`eaten` is nothing that happens')]);
    expect([late.code, late.errors]).toEqual([2, expect.stringContaining('--until noon: expected a time')]);
  });

  test('ends with 2 when the report cannot be written, before anything is run', async () => {
    const folder = join(path('good.yaml'), 'report');
    const { code, output, errors } = await kubesim('run', path('good.yaml'), '--report-dir', folder);
    expect(errors).toContain(`--report-dir ${folder}: ENOTDIR`);
    expect(output).toBe('');
    expect(code).toBe(2);
  });

  test('ends with 2 when the history is a file of something else, and leaves it as it is', async () => {
    const file = path('mine.yaml');
    await writeFile(file, 'kind: Scenario\n');
    const { code, output, errors } = await kubesim('run', path('good.yaml'), '--history', file);
    expect([code, output, errors]).toEqual([
      2,
      '',
      `--history ${file}: it is no history of runs, but something else\n`,
    ]);
    expect(await readFile(file, 'utf8')).toBe('kind: Scenario\n');
  });

  test('says in words that a recording is not there', async () => {
    const { code, errors } = await kubesim('replay', path('none.json'));
    expect([code, errors]).toEqual([2, `${path('none.json')}: there is no such file or folder\n`]);
  });

  test('shows no codes of a terminal that come out of a scenario', async () => {
    const step = 'get: { kind: Namespace, name: "x\\e[2Jy" }';
    await writeFile(path('codes.yaml'), scenario('codes', step));
    const { output } = await kubesim('run', path('codes.yaml'), '--report-dir', path('codes'));
    const summary = await readFile(path('codes/summary.txt'), 'utf8');
    expect(output).toContain('\\u{1b}[2J');
    expect(output + summary).not.toContain('\u001b[2J');
  });

  test('ends with 2 when a file is bad, before anything is run', async () => {
    const { code, output, errors } = await kubesim('run', path('wrong.yaml'), path('good.yaml'));
    expect(errors).toContain('wrong.yaml:7:16: spec.steps[0].advance is "5 parsecs"');
    expect(output).toBe('');
    expect(code).toBe(2);
  });

  test('ends with 2 when the command line is bad', async () => {
    const { code, errors } = await kubesim('run', '--sed', '1');
    expect(errors).toContain("unknown option '--sed'");
    expect(code).toBe(2);
  });
});

test('a recording of something that passes now ends with 0', async () => {
  const recording = {
    kind: 'Recording',
    scenario: 'good',
    file: path('good.yaml'),
    text: scenario('good', 'advance: 5s'),
    seed: 1,
    choices: [],
    failure: { property: 'it holds', kind: 'expectation', at: 0, line: 1, details: [] },
  };
  await writeFile(path('old.json'), JSON.stringify(recording));
  const { code, output } = await kubesim('replay', path('old.json'));
  expect(output).toContain('passes now');
  expect(code).toBe(0);
});

test('runs in worker processes give the same digests as here', async () => {
  const { scenarios } = await findScenarios([path('good.yaml')]);
  const options = {
    checksDeterminism: false,
    processors: 2,
    ...PROGRAM_PARTS,
    limitMs: 60_000,
    runs: 6,
  };
  const here = await runAll(scenarios, { ...options, jobs: 1 });
  const there = await runAll(scenarios, { ...options, jobs: 2 });
  expect(there.map(({ seed, digest }) => `${seed} ${digest}`)).toEqual(
    here.map(({ seed, digest }) => `${seed} ${digest}`),
  );
  expect(new Set(here.map(({ digest }) => digest)).size).toBe(6);
});

test('a worker that does not come to an end costs one run', async () => {
  const endless = path('endless.mjs');
  await writeFile(endless, "process.on('message', () => { for (;;); }); process.send({ kind: 'ready' });");
  const lost: string[] = [];
  const items = [1, 2].map((seed) => ({
    scenario: 's',
    file: 'x',
    seed,
    checksDeterminism: false,
    hasTimeline: false,
  }));
  await runInPool(items, {
    jobs: 1,
    entry: endless,
    execArgv: [],
    limitMs: 300,
    textOf: () => '',
    onRecord: () => undefined,
    lost: ({ seed }, reason) => {
      lost.push(`${seed}: ${reason}`);
      return {} as RunRecord;
    },
  });
  expect(lost).toEqual(['1: no end after 0.3s of real time', '2: no end after 0.3s of real time']);
});

test('shards are parts that together are everything', () => {
  const items = [1, 2, 3, 4, 5, 6, 7];
  const parts = [1, 2, 3].map((index) => shardOf(items, { index, count: 3 }));
  expect(parts).toEqual([
    [1, 4, 7],
    [2, 5],
    [3, 6],
  ]);
});
