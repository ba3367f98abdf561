/** Test runners such as jest give tests a global object of their own, which is not the platform's. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('guests live in a realm of its own as they do in the one of the platform', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubesim-realm-'));
  const config = join(folder, 'vitest.config.mjs');
  const test = { include: ['sim/host/other-realm.fixture.ts'], pool: 'vmThreads', maxWorkers: 1 };
  writeFileSync(config, `export default ${JSON.stringify({ test })};\n`);
  const said = await new Promise<string>((resolve) => {
    const words = ['node_modules/vitest/vitest.mjs', 'run', '--root', '.', '--no-color', '--config', config];
    execFile(process.execPath, words, (_error, stdout, stderr) => resolve(stdout + stderr));
  });
  rmSync(folder, { recursive: true });
  expect(said).toMatch(/2 passed/);
}, 120_000);
