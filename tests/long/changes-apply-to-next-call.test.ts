process.env['REVOCATIONS'] ??= '40'
await import('../end-to-end/changes-apply-to-next-call.test.ts')
