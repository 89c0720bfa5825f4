/** A process that has cached the old key must reject it from the same millisecond as every other process. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  makeApplication,
  sendRaw,
  startServer,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'
import { hasPostgres, type TestDatabase } from '../support/start-postgres.ts'
import { migratedDatabase } from '../support/reused-databases.ts'

const credit = 1_000_000_000n

describe.each(hasPostgres ? ['one process', 'another process'] : ['one process'])('at %s', (place) => {
  let database: TestDatabase | null = null
  let rotating: LocalServer
  let serving: LocalServer
  let app: Application

  beforeAll(async () => {
    if (place === 'another process') database = await migratedDatabase()
    rotating = await startServer(database === null ? {} : { databaseUrl: database.url })
    app = await makeApplication(rotating)
    const { folder, token } = rotating
    serving = database === null ? rotating : await startServer({ databaseUrl: database.url, folder, token })
  })
  afterAll(async () => {
    await app.provider.close()
    if (serving !== rotating) await serving.close()
    await rotating.close()
    await database?.drop()
  })

  const send = async (line: string, key: string, body = ''): Promise<string> => {
    const head = `${line} HTTP/1.1\r\nhost: ${app.gatewayHost}:${serving.port}\r\nauthorization: Bearer ${key}`
    const { body: answered, status } = await sendRaw(
      serving.port,
      `${head}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
    return status === 200 ? 'served' : answered.error.code
  }
  const call = (key: string): Promise<string> =>
    send('POST /v1/chat/completions', key, app.bodyOf({ max_tokens: 5 }))
  const list = (key: string): Promise<string> => send('GET /v1/models', key)

  test('without a grace period, the old key is rejected as soon as the rotation has returned', async () => {
    for (let i = 0; i < 10; i++) {
      /* oxlint-disable no-await-in-loop -- one trial after the other */
      const user = await app.newUser({ balanceMicros: credit })
      expect(await call(user.key)).toBe('served')
      const rotated = await app.api('POST', `/v1/keys/${user.keyId}/rotate`, { graceSeconds: 0 })
      expect([await call(user.key), await list(user.key)]).toEqual(['key_expired', 'key_expired'])
      expect([await call(rotated.key), await list(rotated.key)]).toEqual(['served', 'served'])
      /* oxlint-enable no-await-in-loop */
    }
  })

  test('threat 12: both keys are served during the grace period, and the old key is rejected exactly from the end of the period', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    expect(await call(user.key)).toBe('served')
    const rotated = await app.api('POST', `/v1/keys/${user.keyId}/rotate`, { graceSeconds: 2 })
    const endsAtMs = Date.parse(rotated.replacedEndsAt)
    let isOver = false
    while (!isOver) {
      const startedAtMs = Date.now()
      // oxlint-disable-next-line no-await-in-loop -- until it is refused
      const outcome = await call(user.key)
      if (startedAtMs >= endsAtMs) expect(outcome).toBe('key_expired')
      if (Date.now() < endsAtMs) expect(outcome).toBe('served')
      isOver = outcome !== 'served'
    }
    expect(await call(rotated.key)).toBe('served')
    expect(await list(user.key)).toBe('key_expired')
  })
})
