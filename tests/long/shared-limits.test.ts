/** Runs tests/end-to-end/shared-limits.test.ts with fifty trials of each measure. */
process.env['SHARED_LIMIT_TRIALS'] ??= '50'
await import('../end-to-end/shared-limits.test.ts')
