/**
 * How the tests run. The files of one worker share their modules: loading the program anew for each
 * file took half of the suite's time, and a cluster keeps nothing outside itself that shows in the next one.
 */
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { FirstFiles } from './.ci/first-files.ts';
import { spreadMembersOfFiles } from './.ci/spread-members.ts';
import StandingStill from './.ci/standing-still.ts';

export default defineConfig({
  plugins: [spreadMembersOfFiles()],
  // Examples name the package as its users do.
  resolve: {
    alias: [
      { find: /^kubesim$/, replacement: join(import.meta.dirname, 'sim/index.ts') },
      { find: /^kubesim\/vitest$/, replacement: join(import.meta.dirname, 'scenarios/testing/vitest.ts') },
    ],
  },
  test: {
    include: ['{sim,scenarios,model,reports}/**/*.test.ts'],
    pool: 'forks',
    isolate: false,
    maxWorkers: 2,
    reporters: ['default', new StandingStill()],
    sequence: { sequencer: FirstFiles },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
