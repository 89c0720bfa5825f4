import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/**
 * The soak, fuzz and crash runs: up to minutes each. Two at a time, since those that kill processes mostly wait for
 * them, and what is measured is processor time or a ratio.
 */
export default defineConfig({
  test: {
    include: ['tests/long/**/*.test.ts'],
    pool: 'forks',
    // Of the commands that tests start: half of what a start takes is compiling.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url)) },
    globalSetup: ['tests/support/postgres-teardown.ts'],
    maxWorkers: 2,
    testTimeout: 900_000,
    hookTimeout: 900_000,
  },
})
