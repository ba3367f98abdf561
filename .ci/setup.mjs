// Makes a fresh clone ready: installs modules that are missing or older than the lock file, and
// builds what is older than its sources. Needs nothing but Node. Quiet when there is nothing to do.
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { isBuilt, modifiedAt, root } from './built.mjs';

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

if (process.argv.includes('--build') || !isBuilt()) {
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
