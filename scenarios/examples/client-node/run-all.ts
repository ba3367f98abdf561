/**
 * Runs this example with each release of `@kubernetes/client-node` that is at hand:
 * `npx tsx scenarios/examples/client-node/run-all.ts`. Node decides which they are: the second major release needs 22.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
/** By the name that it is installed under; and the Node that it can be loaded by. */
const RELEASES: readonly (readonly [string, number])[] = [
  ['client-node-2', 22],
  ['@kubernetes/client-node', 18],
  ['client-node-before', 18],
];
const aside = mkdtempSync(join(tmpdir(), 'kubesim-releases-'));

function versionOf(name: string): string {
  const text = readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

/** Everybody who asks for the client gets this release. */
function passes(name: string): boolean {
  const config = {
    resolve: { alias: { '@kubernetes/client-node': join(ROOT, 'node_modules', name) } },
    test: { include: ['scenarios/examples/client-node/*.test.ts'], testTimeout: 60_000 },
  };
  const file = join(aside, 'vitest.config.mjs');
  writeFileSync(
    file,
    `import own from ${JSON.stringify(join(ROOT, 'vitest.config.ts'))};
import { mergeConfig } from ${JSON.stringify(join(ROOT, 'node_modules/vitest/dist/config.js'))};
export default mergeConfig({ ...own, test: { ...own.test, include: [] } }, ${JSON.stringify(config)});\n`,
  );
  const args = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--root', ROOT, '--config', file];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) process.stderr.write(stdout + stderr);
  return status === 0;
}

const node = Number(process.versions.node.split('.', 1)[0]);
for (const [name, leastNode] of RELEASES) {
  const verdict = node < leastNode ? `needs Node ${leastNode}` : passes(name) ? 'passed' : 'failed';
  if (verdict === 'failed') process.exitCode = 1;
  process.stdout.write(
    `@kubernetes/client-node ${versionOf(name)} on Node ${process.versions.node}: ${verdict}\n`,
  );
}
rmSync(aside, { recursive: true });
