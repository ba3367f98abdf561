/**
 * Runs the tests of the helpers in the languages whose tools are at hand, against the program as it was built:
 * `npx tsx scenarios/examples/helpers/run-all.ts`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROGRAM = join(import.meta.dirname, '../../../dist/cli.js');
const aside = mkdtempSync(join(tmpdir(), 'kubesim-helpers-'));
const binary = join(aside, 'tests');

/** Commands one after the other, by the folder they run in. */
const SUITES: Readonly<Record<string, readonly (readonly [string, ...string[]])[]>> = {
  go: [['go', 'test', '-count=1', './...']],
  python: [['python3', '-B', '-m', 'pytest', '-q', '-p', 'no:cacheprovider']],
  rust: [['rustc', '--edition', '2021', '--test', 'kubesim.rs', '-o', binary], [binary]],
  java: [['java', 'Kubesim.java']],
};

function verdictOn(language: string): 'passed' | 'failed' | 'no tools' {
  const env = { ...process.env, KUBESIM: `${process.execPath} ${PROGRAM}` };
  for (const [command, ...args] of SUITES[language] ?? []) {
    const options = { cwd: join(import.meta.dirname, language), env, encoding: 'utf8' } as const;
    const { error, status, stdout, stderr } = spawnSync(command, args, options);
    if (error) return 'no tools';
    if (status === 0) continue;
    process.stderr.write(stdout + stderr);
    return 'failed';
  }
  return 'passed';
}

for (const language of Object.keys(SUITES)) {
  const verdict = verdictOn(language);
  if (verdict === 'failed') process.exitCode = 1;
  process.stdout.write(`${language}: ${verdict}\n`);
}
rmSync(aside, { recursive: true });
