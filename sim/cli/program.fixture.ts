/**
 * The program as a process of its own: what was built of it, as users have it; where that is older than the sources, from
 * these, which takes seconds more.
 */
import { join } from 'node:path';
import { isBuilt, root } from '../../.ci/built.mjs';

/** Options of Node, and the file. */
export const PROGRAM_PARTS: { readonly execArgv: readonly string[]; readonly entry: string } = isBuilt()
  ? { execArgv: [], entry: join(root, 'dist/cli.js') }
  : { execArgv: ['--import', 'tsx'], entry: join(import.meta.dirname, 'main.ts') };

/** What Node is called with. */
export const PROGRAM: readonly string[] = [...PROGRAM_PARTS.execArgv, PROGRAM_PARTS.entry];
