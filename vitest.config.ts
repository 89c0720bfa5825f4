import { existsSync, globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { SmallTestsLast } from './tests/support/order-small-tests-last.ts'

/** tools/run.mjs installs the clients, and reports if it cannot. npm writes this file at the end of an install. */
export const hasClients = existsSync(
  new URL('tests/clients/node_modules/.package-lock.json', import.meta.url),
)

const tests = ['src/**/*.test.ts', 'tests/**/*.test.ts', 'bench/**/*.test.ts']
const others = [
  'tests/long/**',
  'tests/clients/long/**',
  '**/node_modules/**',
  ...(hasClients ? [] : ['tests/clients/**']),
]
/**
 * Coverage is measured only for this code, and only in its own tests. Measuring makes all code slower, and some code
 * five times slower.
 */
const money = 'src/money/**/*.test.ts'
const pages = 'tests/pages/**/*.test.ts'
const web = 'web/**/*.test.ts'
/** These files replace modules, which is not possible with Node's own loader. */
const mocking = filesWith(tests, /\bvi\.mock\(/)
/**
 * A file needs its own process if it replaces modules, counts timers or statements, or measures the CPU time or memory
 * of a server.
 */
const alone = [
  ...mocking,
  ...filesWith(tests, /\bvi\.getTimerCount\(|\bStatementSync\.prototype\b|\/count-postgres-statements\.ts'/),
  ...filesWith(['tests/end-to-end/*.test.ts'], /\/cpu-time\.ts'|\bmemoryUsage\(/),
]
/**
 * Test files that share processes. Each of these files stops everything that it starts, and restores everything that it
 * replaces. Loading the product again for each file took two seconds of CPU time.
 */
export const sharing: ReadonlySet<string> = new Set(globbed(tests).filter((file) => !alone.includes(file)))

function globbed(patterns: readonly string[]): string[] {
  return globSync([...patterns], { cwd: import.meta.dirname, exclude: [...others, pages] })
}

function filesWith(patterns: readonly string[], text: RegExp): string[] {
  return globbed(patterns).filter((file) => text.test(readFileSync(new URL(file, import.meta.url), 'utf8')))
}

/**
 * Node imports the files itself and uses its compile cache. With Vite's own loader, each process took a second more of
 * CPU time.
 */
const throughNode = { viteModuleRunner: false, nodeLoader: false }
const throughVite = { viteModuleRunner: true }
/** Workers and the commands that tests start inherit the cache, because compiling is half of their start time. */
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url))

export default defineConfig({
  test: {
    projects: [
      // Isolation is not needed, because the coverage of all files that a process runs is added up.
      { extends: true, test: { name: 'money', include: [money], isolate: false } },
      { extends: true, test: { name: 'alone', include: alone.filter((file) => !mocking.includes(file)) } },
      { extends: true, test: { name: 'mocking', include: mocking, experimental: throughVite } },
      // Vite compiles the components that the code of pages imports.
      { extends: true, test: { name: 'web', include: [web], isolate: false, experimental: throughVite } },
      { extends: true, test: { name: 'shared', include: [...sharing], exclude: [money], isolate: false } },
      // Each file stops the servers that it starts, and one browser serves all files of a process.
      { extends: true, test: { name: 'pages', include: [pages], isolate: false } },
    ],
    pool: 'forks',
    // Workers have as much space for young objects as a server (bin/tollgate).
    execArgv: ['--max-semi-space-size=32'],
    // A warm-up would take longer than most tests.
    env: { TOLLGATE_WARM_UP: 'false' },
    experimental: throughNode,
    reporters: [
      'default',
      './tests/support/report-slowest-files.ts',
      './tests/support/report-failures-to-file.ts',
    ],
    // By default, vitest leaves one core free. Tests spend half of their time waiting for processes, sockets, the
    // database and the browser.
    maxWorkers: availableParallelism() * 2,
    sequence: { sequencer: SmallTestsLast },
    setupFiles: ['tests/support/measure-cpu-of-test-file.ts', 'tests/support/sampled-postgres-tests.ts'],
    globalSetup: ['tests/support/stop-postgres-after-tests.ts', 'tests/support/cached-folders.ts'],
    // On an overloaded machine, a server in its own process takes a minute to start. A long time limit still ends a
    // test that hangs. A short limit would also fail tests that only have to wait for the machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // By default, a poll fails after one second.
    expect: { poll: { timeout: 90_000, interval: 10 } },
    coverage: {
      provider: 'v8',
      include: ['src/money/**/*.ts'],
      exclude: ['**/*.test.ts', '**/*.model.ts'],
      reporter: ['text-summary', 'json'],
      // Every line and every branch of money code must have a test.
      thresholds: { branches: 100, functions: 100, lines: 100, statements: 100 },
    },
  },
})
