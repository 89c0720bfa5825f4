/**
 * Runs tests/end-to-end/shared-limits.test.ts with fifteen trials of each limit. SHARED_LIMIT_TRIALS=50 takes ten
 * minutes.
 */
process.env['SHARED_LIMIT_TRIALS'] ??= '15'
await import('../end-to-end/shared-limits.test.ts')
