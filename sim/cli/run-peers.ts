/**
 * Runs controller-runtime's own suites, unchanged, against the stand-ins of `kubesim assets`:
 * `npx tsx sim/cli/run-peers.ts [--release vX.Y.Z] [PACKAGE…]`. Needs Go, which brings the module. Prints how many specs of
 * each package passed, and those that did not with the reason where it is known. Exit code 1 if one failed for no known
 * reason, or if a suite did not run to its end.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';

const MODULE = 'sigs.k8s.io/controller-runtime';
const RELEASE = 'v0.19.4';
const PACKAGES = [
  ...[
    'pkg/builder',
    'pkg/cache',
    'pkg/client',
    'pkg/controller',
    'pkg/envtest',
    'pkg/manager',
    'pkg/webhook',
  ],
  'pkg/internal/testing/controlplane',
];
/** Specs that fail, by a part of their names. All pass at present. */
const REASONS: Readonly<Record<string, string>> = {};
// oxlint-disable-next-line no-control-regex -- colours of terminals
const ESCAPES = /\u001b\[[0-9;]*m/g;
const MOST_OUTPUT_BYTES = 512 * 1024 * 1024;

interface Outcome {
  readonly passed: number;
  readonly ran: number;
  readonly failures: readonly string[];
}

new Command('run-peers')
  .description("Run controller-runtime's own suites against the stand-ins of `kubesim assets`.")
  .argument('[packages...]', 'of the module', PACKAGES)
  .option('--release <version>', 'of controller-runtime', RELEASE)
  .action(runPeers)
  .parse();

function runPeers(packages: readonly string[], { release }: { readonly release: string }): void {
  const folder = join(mkdtempSync(join(tmpdir(), 'kubesim-peers-')), 'module');
  cpSync(sourceOf(release), folder, { recursive: true });
  // Go keeps modules read-only, and their scripts as texts.
  spawnSync('chmod', ['-R', 'u+wx', folder]);
  const assets = output(process.execPath, [join(import.meta.dirname, '../../dist/cli.js'), 'assets']).trim();
  for (const name of packages) {
    const outcome = suiteOf(folder, name, assets);
    const unexplained = outcome?.failures.filter((spec) => reasonOf(spec) === undefined) ?? [];
    if (!outcome || unexplained.length > 0) process.exitCode = 1;
    process.stdout.write(
      `${name}: ${outcome ? `${outcome.passed} of ${outcome.ran} passed` : 'did not run to its end'}\n`,
    );
    for (const spec of outcome?.failures ?? [])
      process.stdout.write(`  ${spec}\n    ${reasonOf(spec) ?? 'nobody knows why'}\n`);
  }
}

/** Where Go keeps the module, which it fetches first if it has to. */
function sourceOf(release: string): string {
  const { Dir } = JSON.parse(output('go', ['mod', 'download', '-json', `${MODULE}@${release}`])) as {
    readonly Dir: string;
  };
  return Dir;
}

/** Undefined: it was not built, or broke off. */
function suiteOf(folder: string, name: string, assets: string): Outcome | undefined {
  const { stdout, stderr } = spawnSync('go', ['test', '-count=1', '-timeout=30m', '-v', `./${name}`], {
    cwd: folder,
    env: { ...process.env, KUBEBUILDER_ASSETS: assets, GOFLAGS: '-mod=mod' },
    encoding: 'utf8',
    maxBuffer: MOST_OUTPUT_BYTES,
  });
  const text = stdout.replaceAll(ESCAPES, '');
  const ran = /^Ran (\d+) of \d+ Specs/m.exec(text)?.[1];
  const passed = /(\d+) Passed \| \d+ Failed/.exec(text)?.[1];
  if (ran === undefined || passed === undefined) process.stderr.write(stderr);
  if (ran === undefined || passed === undefined) return undefined;
  const failures = [...text.matchAll(/^ {2}\[FAIL\] (.*)$/gm)].map(([, spec = '']) => spec);
  return { passed: Number(passed), ran: Number(ran), failures: [...new Set(failures)] };
}

function reasonOf(spec: string): string | undefined {
  return Object.entries(REASONS).find(([part]) => spec.includes(part))?.[1];
}

/** @throws Error when the program fails */
function output(program: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr}`);
  return stdout;
}
