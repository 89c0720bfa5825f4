/**
 * Runs tests/end-to-end/shared-limits.test.ts with two trials of each limit. SHARED_LIMIT_TRIALS=8 takes ten
 * minutes on a busy machine.
 */
process.env['SHARED_LIMIT_TRIALS'] ??= '2'
await import('../end-to-end/shared-limits.test.ts')
