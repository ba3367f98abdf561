import { createContext, runInContext } from 'node:vm';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';
import { createCluster, seconds } from './core.ts';

/** What every browser has, beside the language itself. */
const browser = () => ({ console, crypto, performance, TextEncoder, TextDecoder, URL, structuredClone });

it('the core runs where there is no Node, with the same digests', async () => {
  const bundle = await rolldown({
    input: 'sim/core.ts',
    platform: 'browser',
    external: [/^node:/],
    logLevel: 'silent',
  });
  const { output } = await bundle.generate({ format: 'iife', name: 'kubesim' });
  const [{ code, imports, dynamicImports }] = output;
  expect([...imports, ...dynamicImports]).toEqual([]);
  const context = createContext(browser());
  runInContext(code, context);
  const script = 'const cluster = kubesim.createCluster({ nodes: 2, seed: 9 });';
  const digest: unknown = runInContext(
    `${script} cluster.advance(kubesim.seconds(90)); cluster.digest`,
    context,
  );
  const cluster = createCluster({ nodes: 2, seed: 9 });
  cluster.advance(seconds(90));
  expect(digest).toBe(cluster.digest);
});
