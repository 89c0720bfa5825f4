/**
 * Runs tests/end-to-end/shared-limits.test.ts with eight trials of each limit. SHARED_LIMIT_TRIALS=50 takes an
 * hour on a busy machine.
 */
process.env['SHARED_LIMIT_TRIALS'] ??= '8'
await import('../end-to-end/shared-limits.test.ts')
