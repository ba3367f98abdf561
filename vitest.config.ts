import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{sim,scenarios,model,reports}/**/*.test.ts'],
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
