/** What CI needs of `kubesim run`: an end when it is told to, shards that become one report, other forms of output. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROGRAM } from './program.fixture.ts';

/** On a busy machine. */
const RUNS_MS = 120_000;

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** `onStart`: may end it. */
function kubesim(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  onStart: (kill: (signal: NodeJS.Signals) => void) => void = () => undefined,
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...PROGRAM, ...words], {
      env: { ...process.env, CI: 'false', GITHUB_ACTIONS: 'false', ...env },
    });
    let output = '';
    let errors = '';
    child.stdout.on('data', (piece: Buffer) => (output += piece.toString()));
    child.stderr.on('data', (piece: Buffer) => (errors += piece.toString()));
    onStart((signal) => child.kill(signal));
    child.on('close', (code) => resolve({ code, output, errors }));
  });
}

const scenario = (name: string, step: string, runs = 2): string =>
  `apiVersion: kubesim.dev/v1\nkind: Scenario\nmetadata: { name: ${name} }\nspec:\n  runs: ${runs}\n  steps:\n    - ${step}\n`;

let folder = '';
const path = (name: string): string => join(folder, name);
const good = 'get: { kind: Namespace, name: default }';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubesim-ci-'));
  mkdirSync(path('all'));
  writeFileSync(path('all/good.yaml'), scenario('good', good));
  writeFileSync(path('all/bad.yaml'), scenario('bad', 'get: { kind: Namespace, name: none }'));
  writeFileSync(path('many.yaml'), scenario('many', good, 100_000));
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Report {
  readonly records: readonly { readonly key: string; readonly failure?: { readonly command: string } }[];
  readonly changes: { readonly fixed: readonly string[]; readonly newFailures: readonly string[] };
  readonly interrupted?: object;
}
const reportIn = (name: string): Report =>
  JSON.parse(readFileSync(path(`${name}/report.json`), 'utf8')) as Report;

test.concurrent.each([
  ['here', 'SIGINT', ['--jobs', '1']],
  ['in worker processes', 'SIGTERM', ['--jobs', '2']],
] as const)(
  'runs %s that are ended by %s leave the report of those that were made',
  async (_where, signal, words) => {
    const report = `ended-${signal}`;
    let timer: NodeJS.Timeout | undefined;
    const { code, output, errors } = await kubesim(
      ['run', path('many.yaml'), '--report-dir', path(report), ...words],
      {},
      (kill) => {
        // The folder is made when the runs begin.
        timer = setInterval(() => {
          if (!existsSync(path(`${report}/failures`))) return;
          clearInterval(timer);
          setTimeout(() => {
            kill(signal);
            // As npx does, which got it too.
            setTimeout(() => kill(signal), 20);
          }, 8_000);
        }, 50);
      },
    );
    clearInterval(timer);
    expect(errors).toBe('');
    expect(output).toMatch(/interrupted, [0-9]+ not made/);
    expect(code).toBe(130);
    const { records, interrupted } = reportIn(report);
    expect(interrupted).toEqual({ planned: 100_000 });
    // Worker processes may not even have begun on a busy machine.
    if (signal === 'SIGINT') expect(records.length).toBeGreaterThan(0);
    expect(records.every(({ failure }) => failure === undefined)).toBe(true);
    expect(readFileSync(path(`${report}/junit.xml`), 'utf8')).toContain(`tests="${records.length}"`);
  },
  RUNS_MS,
);

test(
  'shards become one report, which knows what is new, forgets recordings of what is fixed, and tells GitHub',
  async () => {
    const history = path('kept/history.json');
    for (const shard of ['1', '2'])
      await kubesim(['run', path('all'), '--shard', `${shard}/2`, '--report-dir', path(`shard-${shard}`)]);
    const merge = [
      'report',
      'merge',
      path('shard-1'),
      path('shard-2'),
      '--report-dir',
      path('merged'),
      '--history',
      history,
    ];
    const first = await kubesim(merge, { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: path('step.md') });
    expect(first.code).toBe(1);
    expect(first.output).toContain('2 of 4 runs passed');
    expect(first.output).toMatch(/^::error file=.*bad\.yaml,line=[0-9]+,col=[0-9]+,title=bad%3A /m);
    expect(readFileSync(path('step.md'), 'utf8')).toContain('2 of 4 runs passed');
    const { records, changes } = reportIn('merged');
    expect(records.map(({ key }) => key)).toEqual(['bad#1', 'bad#2', 'good#1', 'good#2']);
    expect(changes.newFailures).toEqual(['bad#1', 'bad#2']);
    const recording = path('merged/failures/bad-1.json');
    expect(records[0]?.failure?.command).toBe(`kubesim replay ${recording}`);
    expect(existsSync(recording)).toBe(true);

    writeFileSync(path('all/bad.yaml'), scenario('bad', good));
    const replayed = await kubesim(['replay', recording]);
    expect(replayed.output).toContain('--current runs it as it is now');
    await kubesim(['run', path('all'), '--report-dir', path('merged'), '--history', history]);
    expect(reportIn('merged').changes.fixed).toEqual(['bad#1', 'bad#2']);
    expect(existsSync(recording)).toBe(false);
    expect((await kubesim(['report', 'merge', path('all'), '--report-dir', path('x')])).code).toBe(2);
  },
  RUNS_MS,
);

test(
  'a completion script knows commands, options and values',
  async () => {
    const { output } = await kubesim(['completion', 'bash']);
    expect(output).toContain('run explore replay report serve');
    expect(output).toContain('--format) words="text tap jsonl"');
    expect(output).toContain('--kubeconfig-out');
  },
  RUNS_MS,
);
