/** Runs src/domain/limits/slice-exchange.test.ts with ten thousand sequences. */
process.env['FC_RUNS'] ??= '10000'
await import('#domain/limits/slice-exchange.test.ts')
