/** Runs tests/end-to-end/balance-race.test.ts with twenty rounds of each race. */
process.env['RACE_ROUNDS'] ??= '20'
await import('../end-to-end/balance-race.test.ts')
