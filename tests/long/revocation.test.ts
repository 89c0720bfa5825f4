/** Runs tests/end-to-end/revocation.test.ts with forty trials of each change. */
process.env['REVOCATIONS'] ??= '40'
await import('../end-to-end/revocation.test.ts')
