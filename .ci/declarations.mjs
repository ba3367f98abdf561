// Makes one declaration file for each entry of the package, dist/<entry>.d.ts; what they share (a Cluster is the same for
// all of them) stands once, in dist/chunks.
// For `prepack`: nobody but users of the package needs them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const ENTRIES = {
  index: 'sim/index',
  core: 'sim/core',
  guests: 'sim/guests',
  vitest: 'scenarios/testing/vitest',
};

/** Declarations of every source file, in the folders of the sources. */
function emit(directory) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const flags = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', directory];
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.json', ...flags], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}

async function rollUp(directory) {
  const bundle = await rolldown({
    input: Object.fromEntries(
      Object.entries(ENTRIES).map(([entry, source]) => [entry, join(directory, `${source}.d.ts`)]),
    ),
    external: [/^node:/, 'vitest', 'fast-check'],
    plugins: [dts({ dtsInput: true, tsconfig: false, emitDtsOnly: true })],
  });
  await bundle.write({
    dir: join(root, 'dist'),
    format: 'esm',
    entryFileNames: '[name].ts',
    chunkFileNames: ({ name }) => `chunks/${name.replace(/\.d$/, '')}-[hash].d.ts`,
  });
}

const directory = mkdtempSync(join(tmpdir(), 'declarations-'));
try {
  emit(directory);
  await rollUp(directory);
} finally {
  rmSync(directory, { recursive: true });
}
