import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** The soak, fuzz and crash runs: minutes each, one file after the other. */
export default defineConfig({
  test: {
    include: ['tests/long/**/*.test.ts'],
    pool: 'forks',
    // Of the commands that tests start: half of what a start takes is compiling.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url)) },
    globalSetup: ['tests/support/postgres-teardown.ts'],
    fileParallelism: false,
    testTimeout: 900_000,
    hookTimeout: 900_000,
  },
})
