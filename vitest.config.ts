import { defineConfig } from 'vitest/config';
import { spreadMembersOfFiles } from './.ci/spread-members.ts';

export default defineConfig({
  plugins: [spreadMembersOfFiles()],
  test: {
    include: ['{sim,scenarios,model,reports}/**/*.test.ts'],
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
