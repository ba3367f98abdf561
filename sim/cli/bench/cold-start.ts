/** How long `kubesim run` takes from nothing for one small scenario: a fresh process each time. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Measurement } from './engine.ts';

const SCENARIO = `apiVersion: kubesim.dev/v1
kind: Scenario
metadata: { name: cold-start }
spec:
  steps:
    - create: { apiVersion: v1, kind: ConfigMap, metadata: { name: a, namespace: default } }
    - get: { kind: ConfigMap, name: a }
`;

/** The best of several starts: the others measure the machine. */
export function measureColdStart(entry = process.argv[1] ?? '', starts = 5): Measurement {
  const folder = mkdtempSync(join(tmpdir(), 'kubesim-'));
  try {
    const file = join(folder, 'cold-start.yaml');
    writeFileSync(file, SCENARIO);
    const times = Array.from({ length: starts }, () => {
      const started = performance.now();
      const { status, stderr } = spawnSync(
        process.execPath,
        [...process.execArgv, entry, 'run', file, '--no-check-determinism'],
        { encoding: 'utf8' },
      );
      if (status !== 0) throw new Error(`the run ended with ${status}: ${stderr}`);
      return performance.now() - started;
    });
    return {
      name: 'cold start of `kubesim run`, one small scenario',
      value: Math.round(Math.min(...times)),
      unit: 'ms',
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
