import { defineConfig } from 'vitest/config'

/** The soak, fuzz and crash runs: minutes each, one file after the other. */
export default defineConfig({
  test: {
    include: ['tests/long/**/*.test.ts'],
    pool: 'forks',
    globalSetup: ['tests/support/postgres-teardown.ts'],
    fileParallelism: false,
    testTimeout: 900_000,
    hookTimeout: 120_000,
  },
})
