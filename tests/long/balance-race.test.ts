/** Runs tests/end-to-end/balance-race.test.ts with ten rounds of each race. */
process.env['RACE_ROUNDS'] ??= '10'
await import('../end-to-end/balance-race.test.ts')
