/** `kubesim bench`: measures, prints a table and writes it down. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { BENCHMARKS, type Measurement } from './bench/benchmarks.ts';
import { regularExpression } from './command-options.ts';

interface BenchFlags {
  readonly output: string;
  readonly filter?: RegExp;
}

export function benchCommand(): Command {
  return new Command('bench')
    .description('Measure the speed of the simulator.')
    .option('--output <file>', 'where the figures go', 'reports/bench.json')
    .option('--filter <expression>', 'only measurements whose name matches', regularExpression)
    .action(bench);
}

async function bench({ output, filter }: BenchFlags): Promise<void> {
  const measurements: Measurement[] = [];
  for (const [name, measure] of Object.entries(BENCHMARKS)) {
    if (filter && !filter.test(name)) continue;
    for (const measurement of [await measure()].flat()) {
      measurements.push(measurement);
      process.stdout.write(
        `${measurement.name.padEnd(62)} ${measurement.value.toLocaleString('en-US').padStart(12)} ${measurement.unit}\n`,
      );
    }
  }
  await mkdir(dirname(output), { recursive: true });
  const { version, platform, arch } = process;
  await writeFile(
    output,
    `${JSON.stringify({ at: new Date().toISOString(), node: version, platform, arch, measurements }, undefined, 2)}\n`,
  );
  process.stdout.write(`written to ${output}\n`);
}
