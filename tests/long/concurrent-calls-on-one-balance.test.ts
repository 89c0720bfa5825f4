process.env['RACE_ROUNDS'] ??= '10'
await import('../end-to-end/concurrent-calls-on-one-balance.test.ts')
