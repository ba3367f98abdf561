import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { defineConfig, type RolldownOptions } from 'rolldown';
import { esmExternalRequirePlugin } from 'rolldown/plugins';
import { spreadMembersOfChunks } from './.ci/spread-members.ts';

/** What Node has, and what jest gives to tests that run in it. */
const external = [/^node:/, '@jest/globals'];
/** Whoever tests with vitest has it, and brings arbitraries of the same fast-check. */
const ofTheirs = ['vitest', 'fast-check'];
const output = {
  dir: 'dist',
  format: 'esm',
  entryFileNames: '[name].js',
  // It would throw out what `spreadMembersOfChunks` brings in.
  minify: false,
  chunkFileNames: 'chunks/[name]-[hash].js',
} as const;

/** For browsers as for Node: what the core is made of needs neither. */
const library: RolldownOptions = {
  input: {
    index: 'sim/index.ts',
    core: 'sim/core.ts',
    guests: 'sim/guests.ts',
    vitest: 'scenarios/testing/vitest.ts',
  },
  platform: 'browser',
  external: [...external, ...ofTheirs],
  // Where guests have a network there is Node.
  resolve: { alias: { ws: join(import.meta.dirname, 'node_modules/ws/wrapper.mjs') } },
  // What guests' timers and WebSockets ask for as CommonJS modules do.
  plugins: [spreadMembersOfChunks(), esmExternalRequirePlugin({ external: [...builtinModules] })],
  output: { ...output, cleanDir: true },
};

/** What the command line starts, and what it gives to threads: modules by themselves. */
const programs: RolldownOptions = {
  input: {
    cli: 'sim/cli/start.ts',
    'http-worker': 'sim/cli/verify/http-worker.ts',
    'yaml-worker': 'sim/host/yaml-worker.ts',
  },
  platform: 'node',
  external,
  plugins: [spreadMembersOfChunks()],
  output,
};

/** Text of one byte a letter takes half the time to read and to check. */
const inAscii = {
  name: 'in-ascii',
  renderChunk: (code: string) => ({
    code: code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
    map: null,
  }),
};

/** As scripts, whose machine code can be kept: see `start.ts`. */
const commandLine: RolldownOptions = {
  input: { main: 'sim/cli/main.ts' },
  platform: 'node',
  external,
  plugins: [spreadMembersOfChunks(), inAscii],
  output: {
    ...output,
    comments: { legal: true, annotation: false, jsdoc: false },
    dir: 'dist/cli',
    format: 'cjs',
    // Kept code knows no way to import.
    dynamicImportInCjs: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
  },
};

export default defineConfig([library, programs, commandLine]);
