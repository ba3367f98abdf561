import { defineConfig } from 'rolldown';

/** One bundle for the command line, one for the library; what they share is split off. */
export default defineConfig({
  input: { cli: 'sim/cli/main.ts', index: 'sim/index.ts' },
  platform: 'node',
  external: [/^node:/],
  output: {
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    cleanDir: true,
  },
});
