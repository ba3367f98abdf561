/** Builds the Go programs that tests run, for machines that have no Go: `npx tsx sim/cli/build-go-programs.ts`. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { goBuild } from './go-build-command.ts';

const ROOT = join(import.meta.dirname, '../..');
/** By their folders. */
const PROGRAMS = {
  'sim/host/go/probe': 'probe.wasm.br',
  'sim/host/go/outlaw': 'outlaw.wasm.br',
  'scenarios/examples/go/standard-library': 'operator.wasm.br',
};
const SMALLEST = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };

const aside = mkdtempSync(join(tmpdir(), 'kubesim-go-'));
for (const [folder, name] of Object.entries(PROGRAMS)) {
  const directory = join(ROOT, folder);
  const output = join(aside, name);
  goBuild({ directory, package: '.', output });
  const packed = brotliCompressSync(readFileSync(output), { params: SMALLEST });
  writeFileSync(join(directory, name), packed);
  process.stdout.write(`${folder}/${name}: ${packed.length} bytes\n`);
}
rmSync(aside, { recursive: true });
