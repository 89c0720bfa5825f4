import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const log = fileURLToPath(new URL('./server-log.ts', import.meta.url))

/** A separate process, because pino writes to standard error. */
function linesOf(statements: string): unknown[] {
  const program = `import { makeLog } from ${JSON.stringify(log)}; const log = makeLog('info'); ${statements}`
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  return stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test('the log contains plain values unchanged, and omits the fields of objects that could contain a secret', () => {
  const lines = linesOf(`
    log.info({ requestId: 'req_1', ms: 4, code: null }, 'call')
    log.debug({}, 'not at this level')
    log.warn({ request: { authorization: 'Bearer x', path: '/v1' }, account: { apiKey: 'sk' } }, 'nested')
    log.error({ err: new Error('broken') }, 'error')`)
  expect(lines).toMatchObject([
    { level: 30, requestId: 'req_1', ms: 4, code: null, msg: 'call' },
    { level: 40, request: { authorization: '[Redacted]', path: '/v1' }, account: { apiKey: '[Redacted]' } },
    { level: 50, err: { type: 'Error', message: 'broken' } },
  ])
})
