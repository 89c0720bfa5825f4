import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { costMicros, worstMicros } from '../support/expected-costs.ts'
import { dayWithRoom } from '../support/wait-past-midnight.ts'
import {
  arrival,
  eventually,
  makeApplication,
  sendRaw,
  settledBalance,
  startServer,
  testKeyOf,
  upstreamModel,
  type Answer,
  type Application,
  type LocalServer,
  type RawAnswer,
  type User,
} from '../support/start-product.ts'
import { hasPostgres, type TestDatabase } from '../support/start-postgres.ts'
import { databaseOf, migratedDatabase } from '../support/reused-databases.ts'
import { testedEngines } from '../support/reduced-suite.ts'

const credit = 100_000_000n
beforeAll(dayWithRoom)

const none = { callsPerDay: null, spendPerDayMicros: null }

const codeOf = ({ body, status }: Answer): string => (status === 200 ? 'served' : body.error.code)

describe.each(testedEngines)('on %s', (engine) => {
  let database: TestDatabase | null = null
  let server: LocalServer
  let app: Application
  let user: User

  beforeAll(async () => {
    database = await databaseOf(engine)
    server = await startServer(database === null ? {} : { databaseUrl: database.url })
    app = await makeApplication(server)
    user = await app.newUser({ balanceMicros: credit })
  })
  beforeEach(async () => {
    app.provider.script({})
    await app.api('PATCH', '/v1/limits', none)
    await app.api('PATCH', '/v1/limits', { ...none, application: app.slug })
  })
  afterAll(async () => {
    await app.provider.close()
    await server.close()
    await database?.drop()
  })

  const today = async (): Promise<{ calls: number; spentMicros: string; heldMicros: string }> =>
    (await app.api('GET', '/v1/limits')).organization.today

  test('a limit with 10 remaining calls admits exactly 10 of 100 concurrent calls', async () => {
    const { calls } = await today()
    const set = await app.api('PATCH', '/v1/limits', { callsPerDay: calls + 10 })
    expect(set.organization).toMatchObject({ callsPerDay: calls + 10, spendPerDayMicros: null })
    const before = app.provider.calls.length
    const answers = await Promise.all(Array.from({ length: 100 }, () => app.call(user, { max_tokens: 5 })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
    const refused = answers.filter((answer) => codeOf(answer) === 'organization_limit_reached')
    expect(refused).toHaveLength(90)
    expect(app.provider.calls).toHaveLength(before + 10)
    expect((await today()).calls).toBe(calls + 10)
    for (const { headers, status } of refused) {
      expect([status, headers.get('x-should-retry'), headers.get('retry-after')]).toEqual([
        403,
        'false',
        null,
      ])
    }
    await settledBalance(user)
  })

  test('the error for the end user states when to retry, and only explain shows the numbers of the limit', async () => {
    const { calls } = await today()
    await app.api('PATCH', '/v1/limits', { callsPerDay: calls, application: app.slug })
    const answer = await app.call(user)
    const midnight = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000).toISOString()
    expect(answer.body.error).toMatchObject({
      code: 'organization_limit_reached',
      limitSource: 'calls_per_day',
      resetsAt: midnight,
    })
    for (const name of ['limit', 'used', 'requested', 'scope'])
      expect(answer.body.error).not.toHaveProperty(name)
    const explained = await app.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)
    expect(explained).toMatchObject({
      status: 'refused',
      refusal: { scope: 'application', limit: String(calls), used: String(calls), resetsAt: midnight },
    })
  })

  test('a spend limit counts the holds of calls in flight, and the cost of calls that have ended', async () => {
    const body = { max_tokens: 50 }
    const worst = worstMicros(app.rates, app.bodyOf(body), 50)
    const cost = costMicros(app.rates, { input: 10, output: 3 })
    const { spentMicros } = await today()
    const limit = BigInt(spentMicros) + worst + cost
    await app.api('PATCH', '/v1/limits', { spendPerDayMicros: String(limit) })
    app.provider.enqueue({ hang: 'headers' })
    const arrived = arrival(app.provider)
    const first = app.call(user, body)
    await arrived
    expect((await today()).heldMicros).toBe(String(worst))
    expect(codeOf(await app.call(user, body))).toBe('organization_limit_reached')
    app.provider.release()
    expect(codeOf(await first)).toBe('served')
    // The call now counts with its actual cost, so the worst case of another call just fits.
    expect(codeOf(await app.call(user, body))).toBe('served')
    expect(codeOf(await app.call(user, body))).toBe('organization_limit_reached')
    expect((await today()).spentMicros).toBe(String(BigInt(spentMicros) + 2n * cost))
  })

  test('a call that fails at its provider no longer counts toward the limit', async () => {
    const { calls } = await today()
    await app.api('PATCH', '/v1/limits', { callsPerDay: calls + 1 })
    app.provider.enqueue({ status: 500 })
    expect(codeOf(await app.call(user))).toBe('upstream_error')
    expect(codeOf(await app.call(user))).toBe('served')
    expect(codeOf(await app.call(user))).toBe('organization_limit_reached')
  })

  test('the provider cost of a call that failed counts toward the spend limit', async () => {
    const other = 'upstream-model-2'
    const price = { input: String(app.rates.input), output: String(app.rates.output) }
    await app.api('POST', `/v1/providers/${app.slug}/price`, { model: other, price })
    // The name has as many letters as `app.model`, so requests for both names have the same hold.
    const router = 'acme/other'
    const targets = [upstreamModel, other].map((model) => ({ provider: app.slug, model }))
    await app.api('PUT', `/v1/routers/${encodeURIComponent(router)}`, { policy: 'priority', targets })
    app.provider.script((call) =>
      call.body?.model === upstreamModel
        ? { chunks: [], usage: { prompt_tokens: 40, completion_tokens: 0, total_tokens: 40 } }
        : { status: 500 },
    )
    const body = { max_tokens: 5 }
    const worst = worstMicros(app.rates, app.bodyOf(body), 5)
    const cost = costMicros(app.rates, { input: 40, output: 0 })
    const { calls, spentMicros } = await today()
    const limit = BigInt(spentMicros) + cost + worst - 1n
    await app.api('PATCH', '/v1/limits', { callsPerDay: calls + 1, spendPerDayMicros: String(limit) })
    expect(codeOf(await app.call(user, { ...body, model: router }))).not.toBe('organization_limit_reached')
    expect(await today()).toMatchObject({ calls, spentMicros: String(BigInt(spentMicros) + cost) })
    app.provider.script({})
    expect(codeOf(await app.call(user, body))).toBe('organization_limit_reached')
    await app.api('PATCH', '/v1/limits', { spendPerDayMicros: String(limit + 1n) })
    expect(codeOf(await app.call(user, body))).toBe('served')
  })

  test('calls in test mode and of other applications do not count toward the limit', async () => {
    const other = await makeApplication(server, { provider: app.provider })
    const another = await other.newUser({ balanceMicros: credit })
    await app.api('PATCH', '/v1/limits', { callsPerDay: 0, application: app.slug })
    expect(codeOf(await app.call(user))).toBe('organization_limit_reached')
    expect(codeOf(await app.call({ key: await testKeyOf(app) }))).toBe('served')
    expect(codeOf(await other.call(another))).toBe('served')
    const shown = await app.api('GET', '/v1/limits')
    expect(shown.applications).toMatchObject([{ application: app.slug, callsPerDay: 0 }])
    await app.api('PATCH', '/v1/limits', { callsPerDay: 0 })
    expect(codeOf(await other.call(another))).toBe('organization_limit_reached')
  })

  test('a limit that is set while calls are in flight includes these calls', async () => {
    app.provider.enqueue({ hang: 'headers' })
    const arrived = arrival(app.provider)
    const first = app.call(user, { max_tokens: 5 })
    await arrived
    const { calls } = await today()
    await app.api('PATCH', '/v1/limits', { callsPerDay: calls + 1 })
    const second = app.call(user, { max_tokens: 5 })
    expect(codeOf(await second)).toBe('served')
    expect(codeOf(await app.call(user, { max_tokens: 5 }))).toBe('organization_limit_reached')
    app.provider.release()
    expect(codeOf(await first)).toBe('served')
  })

  test('a stream counts with its hold while it runs, and with its cost after it has ended', async () => {
    const { calls, spentMicros } = await today()
    await app.api('PATCH', '/v1/limits', { callsPerDay: calls + 1, spendPerDayMicros: '900000000' })
    expect(codeOf(await app.call(user, { stream: true }))).toBe('served')
    expect(await today()).toMatchObject({
      calls: calls + 1,
      heldMicros: '0',
      spentMicros: String(BigInt(spentMicros) + costMicros(app.rates, { input: 10, output: 3 })),
    })
  })
})

describe.skipIf(!hasPostgres)('two processes on one database', () => {
  let database: TestDatabase
  let one: LocalServer
  let two: LocalServer
  let app: Application

  beforeAll(async () => {
    database = await migratedDatabase()
    // The server reads the tally of a limit again after 1 ms instead of a second, so that the test need not wait.
    const limits = { dailyUse: { isShared: true, refreshMs: 1 } }
    one = await startServer({ databaseUrl: database.url, limits })
    const { folder, token } = one
    app = await makeApplication(one)
    two = await startServer({ databaseUrl: database.url, limits, folder, token })
  })
  afterAll(async () => {
    await app.provider.close()
    await two.close()
    await one.close()
    await database.drop()
  })

  /**
   * Sends a request to the other process with the shared host name, because each process has its own loopback ports.
   */
  const sendThere = (head: string, body = ''): Promise<RawAnswer> =>
    sendRaw(
      two.port,
      `${head}\r\nhost: ${app.gatewayHost}:${two.port}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
  const callThere = async ({ key }: User): Promise<string> => {
    const head = `POST /v1/chat/completions HTTP/1.1\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json`
    const { body, status } = await sendThere(head, app.bodyOf({ max_tokens: 5 }))
    return status === 200 ? 'served' : body.error.code
  }

  test('a limit counts the calls of both processes', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    expect(await callThere(user)).toBe('served')
    await app.api('PATCH', '/v1/limits', { callsPerDay: 5 })
    // A call that ends while the server reads the tally counts twice until the next read, so the next call may be
    // rejected. The test repeats rejected calls, because rejected calls do not count.
    for (let i = 0; i < 4; i++)
      await eventually(async () => expect(codeOf(await app.call(user, { max_tokens: 5 }))).toBe('served'))
    await eventually(async () => expect(await callThere(user)).toBe('organization_limit_reached'))
    await app.api('PATCH', '/v1/limits', none)
    expect(await callThere(user)).toBe('served')
  })

  test('gateway rules that one process sets apply to the next call at the other process, in both directions', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    expect(await callThere(user)).toBe('served')
    for (const [changes, code] of [
      [{ addresses: ['192.0.2.1'] }, 'address_not_allowed'],
      [{ addresses: null }, 'served'],
      [{ wires: ['messages'] }, 'wire_not_served'],
      [{ wires: null, models: ['acme/*'] }, 'served'],
    ] as const) {
      await app.api('PATCH', '/v1/gateway', changes)
      expect(await callThere(user), JSON.stringify(changes)).toBe(code)
    }
    await app.api('PATCH', '/v1/gateway', { origins: ['https://app.example.com'] })
    const asked = await sendThere(
      'OPTIONS /v1/chat/completions HTTP/1.1\r\norigin: https://app.example.com\r\naccess-control-request-method: POST\r\nconnection: close',
    )
    expect(asked.status).toBe(204)
  })
})
