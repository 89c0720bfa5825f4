/** tests/end-to-end/race.test.ts, twenty rounds of each. */
process.env['RACE_ROUNDS'] ??= '20'
await import('../end-to-end/race.test.ts')
