/**
 * How the tests run. The files of one worker share their modules: loading the program anew for each
 * file took half of the suite's time, and a cluster keeps nothing outside itself that shows in the next one.
 */
import { defineConfig } from 'vitest/config';
import { spreadMembersOfFiles } from './.ci/spread-members.ts';

export default defineConfig({
  plugins: [spreadMembersOfFiles()],
  test: {
    include: ['{sim,scenarios,model,reports}/**/*.test.ts'],
    pool: 'forks',
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
