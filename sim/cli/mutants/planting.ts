/** How a bug gets into a build: a text of one file is replaced when it is read, before anybody else changes it. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { VitestPluginContext } from 'vitest/node';

export interface Planted {
  /** From the top of the project. */
  readonly file: string;
  /** A text that is in it once. */
  readonly find: string;
  readonly replace: string;
}

const ROOT = resolve(import.meta.dirname, '../../..');

/** For bundlers and for tests. */
export function planting({ file, find, replace }: Planted) {
  const target = resolve(ROOT, file);
  const isTarget = (id: string): boolean => id.split('?')[0] === target;
  return {
    name: 'plant',
    enforce: 'pre' as const,
    // What is kept of files goes by what stands on the disk: not so this one.
    configureVitest: ({ experimental_defineCacheKeyGenerator: defineKey }: VitestPluginContext): void => {
      defineKey(({ id }) => (isTarget(id) ? false : undefined));
    },
    load: (id: string) =>
      isTarget(id)
        ? { code: readFileSync(target, 'utf8').replace(find, () => replace), map: null }
        : undefined,
  };
}
