import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { hasClients, sharing } from './vitest.config.ts'

/**
 * In `npm test`, these files test only some of their cases or engines, or check their properties fewer times
 * (tests/support/reduced-suite.ts).
 */
const sampled = globSync(['src/**/*.test.ts', 'tests/**/*.test.ts'], {
  cwd: import.meta.dirname,
  exclude: ['**/node_modules/**', ...(hasClients ? [] : ['tests/clients/**'])],
}).filter((file) =>
  /\/support\/reduced-suite\.ts'|'\.\/(?:engines|conversation-cases-of-wire|sampled-client-upstream-pairs)\.ts'|\bsampledRuns\(/.test(
    readFileSync(file, 'utf8'),
  ),
)

/**
 * Tests that compare times or ratios of times. These tests run last, two at a time, so that they rarely wait for a
 * core.
 */
const measuring = [
  'tests/long/{bodies-without-money,crashes-of-processes-and-databases,fuzz-control,fuzz-gateway,fuzz-wires}.test.ts',
  'tests/long/{cost-of-rejections,one-abusive-tenant,read-times,routing-day,cpu-cost-of-unresponsive-destinations,wrong-keys}.test.ts',
  'tests/long/pages/requests-page-scrolling.test.ts',
]

/**
 * Tests of how a server reads requests and writes responses. These tests also run with Node's HTTP server in place of
 * the edge.
 */
const framing = [
  'tests/end-to-end/{charges-after-client-disconnects,hosts-and-malformed-requests}.test.ts',
  'tests/end-to-end/{rejections-under-overload,memory-and-time-of-request-bodies}.test.ts',
  'tests/end-to-end/{calls-in-progress-at-shutdown,unusual-provider-responses}.test.ts',
]

/**
 * Runs soak, fuzz and crash tests, and tests every page in every state, and the built and installed packages. A single
 * file can take several minutes. Tests that kill processes mostly wait, so more files than cores run concurrently.
 */
export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'long',
          include: ['tests/long/*.test.ts', ...(hasClients ? ['tests/clients/long/*.test.ts'] : [])],
          exclude: measuring,
        },
      },
      {
        extends: true,
        test: { name: 'sampled', include: sampled.filter((file) => sharing.has(file)), isolate: false },
      },
      {
        extends: true,
        test: { name: 'sampled-alone', include: sampled.filter((file) => !sharing.has(file)) },
      },
      {
        extends: true,
        test: { name: 'node-edge', include: framing, env: { TOLLGATE_HTTP_EDGE: 'node' } },
      },
      // Each file stops the servers that it starts, and one browser serves all files of a process.
      {
        extends: true,
        test: { name: 'pages', include: ['tests/long/pages/*.test.ts'], exclude: measuring, isolate: false },
      },
      {
        extends: true,
        test: { name: 'measuring', include: measuring, maxWorkers: 2, sequence: { groupOrder: 1 } },
      },
    ],
    pool: 'forks',
    // Commands that tests start inherit the compile cache, because compiling is half of their start time.
    env: {
      NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url)),
      TEST_SUITE: 'long',
      TOLLGATE_WARM_UP: 'false',
    },
    reporters: ['default', './tests/support/report-failures-to-file.ts'],
    globalSetup: ['tests/support/stop-postgres-after-tests.ts', 'tests/support/cached-folders.ts'],
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // vitest.config.ts explains these times.
    expect: { poll: { timeout: 90_000, interval: 10 } },
    testTimeout: 900_000,
    hookTimeout: 900_000,
  },
})
