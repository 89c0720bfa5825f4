/** A call waits if the balance would cover it without the holds of calls in flight. */
import { rmSync } from 'node:fs'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dollarsText } from '#domain/sentence-of-money-rejection.ts'
import { worstMicros } from '../support/expected-costs.ts'
import { newDataFolder } from '../support/data-folder.ts'
import {
  arrival,
  eventually,
  makeApplication,
  settledBalance,
  startServer,
  type Answer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'
import { hasPostgres, type TestDatabase } from '../support/start-postgres.ts'
import { databaseOf, migratedDatabase } from '../support/reused-databases.ts'
import { testedEngines } from '../support/reduced-suite.ts'

/** The maximum time to wait is longer than any wait in these tests. */
const environment = { TOLLGATE_HELD_WAIT_MS: '60000' }
const usage = { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 }
/** The call does not wait, because its client allows only a few milliseconds. */
const hurried = { headers: { 'x-stainless-timeout': '0.004' } }
const output = 50
const body = { max_tokens: output }

describe.each(testedEngines)('on %s', (engine) => {
  let database: TestDatabase | null = null
  let server: LocalServer
  let app: Application
  /** `cost` is the cost of the call whose hold is `held`. */
  let held: bigint
  const cost = 56n

  beforeAll(async () => {
    database = await databaseOf(engine)
    server = await startServer({ environment, ...(database && { databaseUrl: database.url }) })
    app = await makeApplication(server, { rates: { input: 2_000_000n, output: 12_000_000n } })
    held = worstMicros(app.rates, app.bodyOf(body), output)
  })
  beforeEach(() => app.provider.script({ usage }))
  afterAll(async () => {
    await app.provider.close()
    await server.close()
    await database?.drop()
  })

  async function begin(user: User, asked: object = body): Promise<{ end: () => Promise<Answer> }> {
    app.provider.enqueue({ usage, hang: 'headers' })
    const arrived = arrival(app.provider)
    const call = app.call(user, asked)
    await arrived
    return {
      end: () => {
        app.provider.release()
        return call
      },
    }
  }

  const explain = async (answer: Answer) =>
    app.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)

  test('if the first of two concurrent calls holds all remaining money, the second call is served when the first has ended', async () => {
    const user = await app.newUser({ balanceMicros: 60_000n })
    const first = await begin(user, {})
    expect((await user.balance()).reservedMicros).toBeGreaterThan(59_900n)
    const second = app.call(user, {})
    // The gateway has tried to reserve money for the call once, and the call is in the queue.
    await waitingAt(server, 1)
    const hasty = await app.call(user, {}, hurried)
    expect(hasty.status).toBe(429)
    const answers = [await first.end(), await second]
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await settledBalance(user)).toBe(60_000n - 2n * cost)
    const [before, after] = await Promise.all(answers.map(explain))
    expect(before.reserve.waitedMs).toBeNull()
    expect(after.reserve.waitedMs).toBeGreaterThanOrEqual(0)
  })

  test('if two streams without a maximum share ten cents, neither waits, and neither is shortened', async () => {
    const user = await app.newUser({ balanceMicros: 100_000n })
    app.provider.script({ usage, hang: 'headers' })
    const arrived = [arrival(app.provider)]
    const calls = [app.call(user, { stream: true })]
    await arrived[0]
    arrived.push(arrival(app.provider))
    calls.push(app.call(user, { stream: true }))
    await arrived[1]
    app.provider.release()
    for (const answer of await Promise.all(calls)) {
      expect(answer.status).toBe(200)
      expect((await explain(answer)).reserve).toMatchObject({
        waitedMs: null,
        isClamped: false,
        outputTokensPerChoice: 2_048,
      })
    }
    expect(await settledBalance(user)).toBe(100_000n - 2n * cost)
  })

  test('a call that cannot wait receives 429 with the amounts, and succeeds after the held money is released', async () => {
    const user = await app.newUser({ balanceMicros: held + 5n })
    const first = await begin(user)
    const answer = await app.call(user, body, hurried)
    expect(answer.status).toBe(429)
    expect(Object.fromEntries(answer.headers)).toMatchObject({ 'retry-after': '1', 'x-should-retry': 'true' })
    expect(answer.body.error).toMatchObject({
      type: 'rate_limit_error',
      code: 'balance_held',
      limitSource: 'balance',
      limit: String(held + 5n),
      held: String(held),
      available: '5',
      requested: String(worstMicros(app.rates, app.bodyOf(body), 1)),
    })
    expect(answer.body.error.message).toContain(
      `Requests in progress hold ${dollarsText(held)} of your balance, which leaves $0.000005.`,
    )
    const explained = await eventually(() => explain(answer))
    expect(explained).toMatchObject({ status: 'refused', httpStatus: 429, errorCode: 'balance_held' })
    expect(explained.refusal.waitedMs).toBeGreaterThanOrEqual(0)
    await first.end()
    expect((await app.call(user, body, hurried)).status).toBe(200)
  })

  test('if waiting cannot help a call, the call gets 402 immediately, even while other calls are in flight', async () => {
    const user = await app.newUser({ balanceMicros: held })
    const first = await begin(user, { max_tokens: 1 })
    const large = { ...body, messages: [{ role: 'user', content: 'x'.repeat(1_000) }] }
    const answer = await app.call(user, large)
    expect(answer.status).toBe(402)
    expect(answer.headers.get('x-should-retry')).toBe('false')
    expect(answer.body.error.code).toBe('insufficient_credit')
    await first.end()
  })

  describe('for every kind of limit, a call waits for money that other calls hold', () => {
    const once = () => held + 5n
    const limits: [string, string, (bundle: string) => Promise<{ user: User; call: object }>][] = [
      [
        'balance',
        'insufficient_credit',
        async () => ({ user: await app.newUser({ balanceMicros: once() }), call: body }),
      ],
      [
        'key_cap',
        'spend_limit_exceeded',
        async () => ({
          user: await app.newUser({ balanceMicros: 1_000_000n, capMicros: once() }),
          call: body,
        }),
      ],
      [
        'bundle_limit',
        'spend_limit_exceeded',
        async (bundle) => {
          await app.api('PATCH', `/v1/bundles/${bundle}`, {
            spendLimitMicros: String(once()),
            spendLimitPeriod: 'month',
          })
          return { user: await app.newUser({ balanceMicros: 1_000_000n, bundle }), call: body }
        },
      ],
      [
        'outcome_run',
        'outcome_capped',
        async (bundle) => {
          const call = { ...body, svc: { outcome: bundle, outcome_id: 'run-1' } }
          const ceiling = worstMicros(app.rates, app.bodyOf(call), output) + 5n
          await app.api('PUT', `/v1/outcomes/${bundle}`, {
            displayName: 'Report',
            ceilingMicros: String(ceiling),
          })
          return { user: await app.newUser({ balanceMicros: 1_000_000n }), call }
        },
      ],
      [
        'on_demand_ceiling',
        'spend_limit_exceeded',
        async () => {
          const user = await app.newUser()
          const settings = { endUserId: user.externalId, enabled: true, limitMicros: String(once()) }
          await app.api('POST', '/v1/subscription/on-demand', settings)
          return { user, call: body }
        },
      ],
      [
        'pool',
        'insufficient_credit',
        async (bundle) => {
          await app.api('POST', `/v1/bundles/${bundle}/include`, {
            slug: 'plan',
            displayName: 'Plan',
            unit: 'micros',
            amount: String(once()),
            price: null,
            thenOnDemand: false,
            recurring: true,
          })
          return { user: await app.newUser({ balanceMicros: 1_000_000n, bundle }), call: body }
        },
      ],
    ]
    test.each(limits)(
      'if the limit %s is exceeded only because of held money, calls wait until the money is released',
      async (limitSource, lasting, make) => {
        const bundle = `held-${limitSource.replaceAll('_', '-')}`
        await app.api('PUT', `/v1/bundles/${bundle}`, { displayName: 'Held' })
        await app.api('POST', `/v1/bundles/${bundle}/allow`, { models: ['acme/*'] })
        const { call, user } = await make(bundle)
        const first = await begin(user, call)
        const waiting = app.call(user, call)
        await waitingAt(server, 1)
        const hasty = await app.call(user, call, hurried)
        expect(hasty.status).toBe(429)
        expect(hasty.body.error).toMatchObject({ code: 'balance_held', limitSource })
        expect((await first.end()).status).toBe(200)
        expect((await waiting).status).toBe(200)
        // The remaining amount is now less than the minimum hold of the next call.
        const least = worstMicros(app.rates, app.bodyOf(call), 1)
        let last: Answer
        do last = await app.call(user, call)
        while (last.status === 200)
        expect(last.status).toBe(402)
        expect(last.body.error).toMatchObject({ code: lasting, limitSource, held: '0' })
        const { limit, used } = last.body.error
        expect(BigInt(limit) - BigInt(used ?? '0')).toBeLessThan(least)
      },
    )
  })

  test('sixteen calls wait and are served in order, and the next call is rejected immediately', async () => {
    const cheap = { prompt_tokens: 1, completion_tokens: 0, total_tokens: 1 }
    app.provider.script({ usage: cheap })
    // The balance covers one call at a time, and each call costs two micros.
    const balanceMicros = worstMicros(app.rates, app.bodyOf({ ...body, user: 'aa' }), output) + 40n
    const user = await app.newUser({ balanceMicros })
    app.provider.enqueue({ usage: cheap, hang: 'headers' })
    const arrived = arrival(app.provider)
    const first = app.call(user, { ...body, user: 'aa' })
    await arrived
    const names = Array.from({ length: 16 }, (_, i) => String(10 + i))
    const calls: Promise<Answer>[] = []
    for (const name of names) {
      calls.push(app.call(user, { ...body, user: name }))
      await waitingAt(server, calls.length)
    }
    const reached = app.provider.calls.length
    const next = await app.call(user, { ...body, user: 'zz' })
    expect(next.status).toBe(429)
    expect(next.body.error).toMatchObject({ code: 'balance_held', requested: null })
    // No call left the queue in the meantime, because calls may wait up to a minute in this server.
    expect(app.provider.calls).toHaveLength(reached)
    const refused = await eventually(() => app.api('GET', `/v1/requests/${next.headers.get('x-request-id')}`))
    expect(refused.refusal.waitedMs).toBeNull()
    app.provider.release()
    expect((await first).status).toBe(200)
    const answers = await Promise.all(calls)
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200))
    expect(app.provider.calls.slice(reached).map((call) => JSON.parse(call.text).user)).toEqual(names)
    expect(await settledBalance(user)).toBe(balanceMicros - 34n)
  })

  test('a client that disconnects while its call waits leaves the queue, and nothing is held or sent', async () => {
    const user = await app.newUser({ balanceMicros: held })
    const first = await begin(user)
    const leaving = new AbortController()
    const gone = app.call(user, body, { signal: leaving.signal }).catch(() => 'gone')
    await waitingAt(server, 1)
    leaving.abort()
    expect(await gone).toBe('gone')
    await waitingAt(server, 0)
    const reached = app.provider.calls.length
    expect((await first.end()).status).toBe(200)
    expect(await settledBalance(user)).toBe(held - cost)
    expect(app.provider.calls).toHaveLength(reached)
  })

  test('the official client waits a second and retries automatically', async () => {
    const user = await app.newUser({ balanceMicros: held })
    const first = await begin(user)
    const statuses: number[] = []
    const openai = new OpenAI({
      apiKey: user.key,
      baseURL: `${app.gateway}/v1`,
      defaultHeaders: hurried.headers,
      maxRetries: 2,
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        statuses.push(response.status)
        if (statuses.length === 1) await first.end()
        return response
      },
    })
    const completion = await openai.chat.completions.create({
      model: app.model,
      messages: [{ role: 'user', content: 'Hello' }],
      max_tokens: output,
    })
    expect(completion.choices).toHaveLength(1)
    expect(statuses).toEqual([429, 200])
  })

  test.each([
    [
      'messages',
      '/v1/messages',
      { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 9 },
      { type: 'error', error: { type: 'rate_limit_error' } },
    ],
    [
      'responses',
      '/v1/responses',
      { input: 'Hi' },
      { error: { type: 'rate_limit_error', code: 'balance_held' } },
    ],
    [
      'generate',
      '',
      { contents: [{ parts: [{ text: 'Hi' }] }] },
      { error: { code: 429, status: 'RESOURCE_EXHAUSTED' } },
    ],
  ])(
    'on the %s wire, a full queue returns the wire’s own rate-limit error',
    async (wire, path, asked, expected) => {
      const user = await app.newUser({ balanceMicros: held })
      const first = await begin(user)
      const at =
        wire === 'generate' ? `/v1beta/models/${encodeURIComponent(app.model)}:generateContent` : path
      const answer = await fetch(app.gateway + at, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${user.key}`,
          'content-type': 'application/json',
          ...hurried.headers,
        },
        body: JSON.stringify(wire === 'generate' ? asked : { model: app.model, ...asked }),
      })
      expect(answer.status).toBe(429)
      expect(answer.headers.get('retry-after')).toBe('1')
      expect(await answer.json()).toMatchObject(expected)
      await first.end()
    },
  )

  test('when a server stops, it rejects all waiting calls with 503', async () => {
    const folder = newDataFolder('held')
    const own = await databaseOf(engine)
    const stopping = await startServer({ environment, folder, ...(own && { databaseUrl: own.url }) })
    const there = await makeApplication(stopping, { provider: app.provider, rates: app.rates })
    const user = await there.newUser({ balanceMicros: held })
    app.provider.enqueue({ usage, hang: 'headers' })
    const arrived = arrival(app.provider)
    const first = there.call(user, body)
    await arrived
    const waiting = there.call(user, body)
    await waitingAt(stopping, 1)
    const closed = stopping.close()
    const answer = await waiting
    expect(answer.status).toBe(503)
    expect(answer.body.error.code).toBe('draining')
    app.provider.release()
    expect((await first).status).toBe(200)
    await closed
    await own?.drop()
    rmSync(folder, { recursive: true })
  })
})

describe.skipIf(!hasPostgres)('two processes on one database', () => {
  test('a call that waits in one process is admitted when the call of the other process has ended', async () => {
    const database = await migratedDatabase()
    const folder = newDataFolder('held')
    const one = await startServer({ databaseUrl: database.url, folder, environment })
    const app = await makeApplication(one, { script: { usage } })
    const other = await startServer({
      databaseUrl: database.url,
      folder,
      token: one.token,
      environment,
      mayLogFaults: true,
    })
    const there = await app.again(other)
    const held = worstMicros(app.rates, app.bodyOf(body), output)
    const user = await app.newUser({ balanceMicros: held })
    app.provider.enqueue({ usage, hang: 'headers' })
    const arrived = arrival(app.provider)
    const first = app.call(user, body)
    await arrived
    const waiting = there.call(user, body)
    await waitingAt(other, 1)
    app.provider.release()
    expect((await first).status).toBe(200)
    expect((await waiting).status).toBe(200)
    await settledBalance(user)
    await app.provider.close()
    await other.close()
    await one.close()
    await database.drop()
    rmSync(folder, { recursive: true })
  })
})

async function waitingAt(server: LocalServer, calls: number): Promise<void> {
  await eventually(async () => expect(server.callsWaiting).toBe(calls))
}
