import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/**
 * Soak, fuzz and crash runs, every page in every state, and built and installed packages. Each file takes up to minutes.
 * Two files run concurrently, because tests that kill processes mostly wait, and measurements are of CPU time or ratios.
 */
export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'long', include: ['tests/long/*.test.ts'] } },
      // Their servers end with their files, and one browser serves all files of a process.
      { extends: true, test: { name: 'pages', include: ['tests/long/pages/*.test.ts'], isolate: false } },
    ],
    pool: 'forks',
    // For commands that tests start, because compiling is half of their start time.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url)) },
    reporters: ['default', './tests/support/failures-reporter.ts'],
    globalSetup: ['tests/support/postgres-teardown.ts', 'tests/support/made-once.ts'],
    maxWorkers: 2,
    // See vitest.config.ts.
    expect: { poll: { timeout: 90_000, interval: 10 } },
    testTimeout: 900_000,
    hookTimeout: 900_000,
  },
})
