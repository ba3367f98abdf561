/**
 * What guests cost: a run of an operator on the JavaScript client that reconciles five objects, and the fresh cluster that the
 * fixture of vitest gives to each test. In processor time, collectors and all, which is about the same on a machine that
 * has other things to do.
 */
import { spawn } from 'node:child_process';
import { beginRun } from '../../../scenarios/testing/test-run.ts';
import type { Measurement } from './engine.ts';

/** Runs before those that count: the engine has made machine code by then. */
const WARM_RUNS = 100;
const RUNS = 200;

const rounded = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits;

/** In a process of its own, from the sources: the client is nothing that the package has. Run from the repository. */
export async function measureClientRuns(): Promise<Measurement> {
  const program = 'sim/cli/digests/main.ts';
  const options = ['--run', 'client-node', '--warm', `${WARM_RUNS}`, '--seeds', `${RUNS}`];
  const text = await printed(process.execPath, ['--import', 'tsx', program, ...options]);
  const { processorSeconds } = JSON.parse(text) as { readonly processorSeconds: number };
  return {
    name: 'runs of an operator on client-node, five objects and a crash',
    value: rounded(RUNS / processorSeconds, 1),
    unit: 'runs/s of one core',
  };
}

const printed = (command: string, args: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (piece: Buffer) => (text += piece.toString()));
    child.on('close', (code) =>
      code === 0 ? resolve(text) : reject(new Error(`${command} ended with ${String(code)}`)),
    );
  });

export function measureTestClusters(): Measurement[] {
  const test = { file: 'a.test.ts', name: 'a test' };
  const elapsed: number[] = [];
  let before = process.cpuUsage();
  for (let seed = 1; seed <= WARM_RUNS + RUNS; seed++) {
    if (seed === WARM_RUNS + 1) before = process.cpuUsage();
    const start = performance.now();
    beginRun(test, { seed }).cluster.guests.close();
    if (seed > WARM_RUNS) elapsed.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(before);
  const sorted = elapsed.toSorted((a, b) => a - b);
  const figure = (name: string, value = 0): Measurement => ({
    name: `fresh cluster of a test, ${name}`,
    value: rounded(value, 2),
    unit: 'ms',
  });
  return [
    figure('least', sorted[0]),
    figure('median', sorted[RUNS >> 1]),
    figure('mean of processor time', (user + system) / 1_000 / RUNS),
  ];
}
