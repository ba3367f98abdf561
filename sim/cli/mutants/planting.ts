/** How a bug gets into a build: a text of one file is replaced while it is loaded. */
import { resolve } from 'node:path';

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
  return {
    name: 'plant',
    // Before the types are taken out: what is looked for is written in TypeScript.
    enforce: 'pre' as const,
    transform: (code: string, id: string) =>
      id.split('?')[0] === target ? { code: code.replace(find, () => replace), map: null } : undefined,
  };
}
