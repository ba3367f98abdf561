// Makes a fresh clone ready: installs modules that are missing or older than the lock file, and
// builds what is older than its sources. Needs nothing but Node. Quiet when there is nothing to do.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const SOURCES = [
  'sim',
  'scenarios',
  'model',
  'reports',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'rolldown.config.ts',
  '.ci/spread-members.ts',
];

const modifiedAt = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

/** Newest change among files below `path`, outputs and tests left aside. */
function newest(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return /\.(test|contract|fixture|arbitrary)\.ts$/.test(path) ? 0 : stats.mtimeMs;
  return readdirSync(path)
    .filter(
      (name) => !['latest', 'out', 'golden', 'node_modules', 'history.json', 'bench.json'].includes(name),
    )
    .reduce((time, name) => Math.max(time, newest(join(path, name))), 0);
}

/** What it says on standard output is left out if `isQuiet`. */
function run(command, args, isQuiet = false) {
  const isWindows = process.platform === 'win32';
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', isQuiet ? 'ignore' : 'inherit', 'inherit'],
    shell: isWindows,
  });
  if (status !== 0) process.exit(status ?? 1);
}

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`kubesim needs Node 20.19 or later; this is ${process.versions.node}`);
  process.exit(1);
}

if (modifiedAt(join(root, 'node_modules/.package-lock.json')) < modifiedAt(join(root, 'package-lock.json'))) {
  console.log('installing modules');
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
}

const sources = Math.max(...SOURCES.map((name) => newest(join(root, name))));
if (process.argv.includes('--build') || modifiedAt(join(root, 'dist/cli.js')) < sources) {
  console.log('building');
  const bundler = join(root, 'node_modules/rolldown/bin/cli.mjs');
  run(
    process.execPath,
    [bundler, '-c', 'rolldown.config.ts', '.ci/spread-members.ts', '--logLevel', 'warn'],
    true,
  );
  // `npx kubesim` starts the file itself.
  chmodSync(join(root, 'dist/cli.js'), 0o755);
  // Leaves the machine code of what every run needs, so that the first one of the user starts fast as well.
  run(
    process.execPath,
    [join(root, 'dist/cli.js'), 'run', join(root, 'scenarios/api/watch-resume.yaml')],
    true,
  );
}
