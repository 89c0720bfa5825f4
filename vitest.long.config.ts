import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/**
 * The soak, fuzz and crash runs, the looks at every page in every state, and packages as they are built and installed:
 * up to minutes each. Two at a time, since those that kill processes mostly wait for
 * them, and what is measured is processor time or a ratio.
 */
export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'long', include: ['tests/long/*.test.ts'] } },
      // Their servers end with their files, and one browser serves all files of a process.
      { extends: true, test: { name: 'pages', include: ['tests/long/pages/*.test.ts'], isolate: false } },
    ],
    pool: 'forks',
    // Of the commands that tests start: half of what a start takes is compiling.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url)) },
    globalSetup: ['tests/support/postgres-teardown.ts', 'tests/support/made-once.ts'],
    maxWorkers: 2,
    // As in vitest.config.ts.
    expect: { poll: { timeout: 90_000, interval: 10 } },
    testTimeout: 900_000,
    hookTimeout: 900_000,
  },
})
