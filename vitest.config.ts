import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts', 'bench/**/*.test.ts'],
    exclude: ['tests/long/**', 'node_modules/**'],
    pool: 'forks',
    globalSetup: ['tests/support/postgres-teardown.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    coverage: {
      provider: 'v8',
      include: ['src/money/**/*.ts'],
      exclude: ['**/*.test.ts', '**/*.model.ts'],
      reporter: ['text-summary', 'json'],
      // Money code that no test has taken is money code that nobody has checked.
      thresholds: { branches: 100, functions: 100, lines: 100, statements: 100 },
    },
  },
})
