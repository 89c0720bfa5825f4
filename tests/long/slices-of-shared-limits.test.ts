/** Runs src/domain/limits/give-slices-of-shared-limit.test.ts with ten thousand sequences. */
process.env['FC_RUNS'] ??= '10000'
await import('#domain/limits/give-slices-of-shared-limit.test.ts')
