/**
 * Runs Kubernetes' own [Conformance] tests against `kubesim serve`:
 * `npx tsx sim/cli/run-conformance.ts RUNNER [OPTION…]`. RUNNER is a program that takes `--kubeconfig FILE --out DIR`
 * and the options, and writes a line of JSON for each test into `DIR/results.jsonl` (`sig`, `name`, `state`, `message`).
 * Prints how many of each group passed, and what the others said. Exit code 1 if one did not pass.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PORT = '16443';
const MESSAGE_LENGTH = 160;

interface Result {
  readonly sig: string;
  readonly name: string;
  readonly state: string;
  readonly message: string;
}

const [runner, ...options] = process.argv.slice(2);
if (runner === undefined) throw new Error('usage: run-conformance.ts RUNNER [OPTION…]');

const folder = mkdtempSync(join(tmpdir(), 'kubesim-conformance-'));
const kubeconfig = join(folder, 'kubeconfig');
const cli = join(import.meta.dirname, '../../dist/cli.js');
const flags = ['--nodes', '3', '--authorization-mode', 'RBAC', '--allow-privileged=true'];
const server = spawn(
  process.execPath,
  [cli, 'serve', ...flags, '--secure-port', PORT, '--kubeconfig-out', kubeconfig],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
server.stdout.once('data', () => {
  const out = join(folder, 'results');
  spawnSync(runner, ['--kubeconfig', kubeconfig, '--out', out, ...options], { stdio: 'inherit' });
  server.kill();
  report(join(out, 'results.jsonl'));
});

function report(file: string): void {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  const results = lines.map((line) => JSON.parse(line) as Result);
  for (const group of new Set(results.map(({ sig }) => sig))) {
    const all = results.filter(({ sig }) => sig === group);
    process.stdout.write(`${group}: ${all.filter(hasPassed).length} of ${all.length} passed\n`);
  }
  for (const { state, name, message } of results.filter((result) => !hasPassed(result)))
    process.stdout.write(
      `${state}: ${name}\n  ${message.replaceAll(/\s+/g, ' ').slice(0, MESSAGE_LENGTH)}\n`,
    );
  process.stdout.write(`results are in ${folder}\n`);
  if (!results.every(hasPassed) || results.length === 0) process.exitCode = 1;
}

function hasPassed({ state }: Result): boolean {
  return state === 'passed';
}
