/** Runs tests/end-to-end/revocation.test.ts with a hundred trials of each change. */
process.env['REVOCATIONS'] ??= '100'
await import('../end-to-end/revocation.test.ts')
