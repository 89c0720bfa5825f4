/**
 * Two trials of each limit and measure. With eight trials or more, each limit is tested with each number of processes.
 * SHARED_LIMIT_TRIALS=50 takes hours.
 */
process.env['SHARED_LIMIT_TRIALS'] ??= '2'
await import('../end-to-end/limits-shared-by-end-users.test.ts')
