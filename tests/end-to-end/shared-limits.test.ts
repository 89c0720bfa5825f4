/**
 * Limits of an application and of a tag that all end users share, raced through one, two and four processes. Exactly the allowed
 * requests are served, whichever end users send them. Only the team sees the numbers.
 */
import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boundTokens, costMicros } from '../support/expected-costs.ts'
import {
  control,
  defaultRates,
  eventually,
  makeApplication,
  startServer,
  type Answer,
  type Application,
  type LocalServer,
  type User,
} from '../support/harness.ts'
import { hasPostgres, type TestDatabase } from '../support/postgres.ts'
import { migratedDatabase } from '../support/reused-databases.ts'

/** The number of trials of each limit. The file tests/long/shared-limits.test.ts sets a higher number. */
const trials = Number(process.env['SHARED_LIMIT_TRIALS'] ?? '1')
const crowd = trials > 1 ? 500 : 150
const allowed = trials > 1 ? 100 : 50
const outputTokens = 5
const credit = 1_000_000_000n

/** Several processes need a PostgreSQL database. The long run has time for at most four processes. */
const processes = hasPostgres ? (trials > 1 ? [1, 2, 4] : [1, 2]) : [1]

/** With the measures of the short run, each measure of the application and of a tag. */
const measuresOfLongRun = [
  { of: 'the application', measure: 'inputTokens' },
  { of: 'the application', measure: 'outputTokens' },
  { of: 'the application', measure: 'micros' },
  { of: 'a tag', measure: 'tokens' },
  { of: 'a tag', measure: 'inputTokens' },
  { of: 'a tag', measure: 'outputTokens' },
]

describe.each(processes)('at %i processes', (count) => {
  let database: TestDatabase | null = null
  let one: LocalServer
  let others: LocalServer[]
  let app: Application
  /** The application in each process. */
  let places: Application[]
  let there: Application
  let users: User[]
  let tokens: number
  let usage: object
  /** The amount of each request, by measure. The response uses the whole hold. */
  let amounts: Readonly<Record<string, number>>

  beforeAll(async () => {
    if (count > 1) database = await migratedDatabase()
    one = await startServer({ ...(database !== null && { databaseUrl: database.url }) })
    app = await makeApplication(one)
    const { folder, token } = one
    others = []
    places = [app]
    const databaseUrl = database?.url ?? ''
    while (places.length < count) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const other = await startServer({ databaseUrl, folder, token })
      others.push(other)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      places.push(await app.again(other))
    }
    there = places.at(-1) ?? app
    const input = boundTokens(app.bodyOf({ max_tokens: outputTokens }))
    tokens = input + outputTokens
    const micros = Number(costMicros(defaultRates, { input, output: outputTokens }))
    amounts = { requests: 1, tokens, inputTokens: input, outputTokens, micros }
    usage = { prompt_tokens: input, completion_tokens: outputTokens, total_tokens: tokens }
    app.provider.script({ usage })
    users = []
    while (users.length < 100)
      // oxlint-disable-next-line no-await-in-loop -- as many as wait in one share of the store
      users.push(
        ...(await Promise.all(Array.from({ length: 10 }, () => app.newUser({ balanceMicros: credit })))),
      )
  })
  afterAll(async () => {
    await app.provider.close()
    for (const other of others) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await other.close()
    }
    await one.close()
    await database?.drop()
  })

  /** On a busy machine, the database can be too slow to decide a request. Such a request is sent again. */
  const call = async (at: number, more: object = {}): Promise<Answer> => {
    const user = users[at % users.length] ?? assert.fail()
    const body = { max_tokens: outputTokens, ...more }
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const answer = await (places[at % places.length] ?? app).call(user, body)
      if (answer.status !== 503) return answer
    }
  }
  const crowdOf = (more: object = {}): Promise<Answer[]> =>
    Promise.all(Array.from({ length: crowd }, (_, at) => call(at, more)))
  const limit = (limits: readonly object[]): Promise<unknown> => app.api('PATCH', '/v1/gateway', { limits })
  const limitTag = (limits: readonly object[]): Promise<unknown> =>
    app.api('PUT', '/v1/tags', { tags: [{ slug: 'batch', limits }, { slug: 'search' }] })
  /** The number of responses by error code. Served requests count under `200`. */
  const outcomes = (answers: readonly Answer[]): Record<string, number> => {
    const codeOf = ({ body, status }: Answer): string => (status === 200 ? '200' : body.error.code)
    return Object.fromEntries([...Map.groupBy(answers, codeOf)].map(([code, own]) => [code, own.length]))
  }
  const served = (answers: readonly Answer[]): number => answers.filter(({ status }) => status === 200).length

  test.each([
    { of: 'the application', measure: 'requests' },
    { of: 'the application', measure: 'tokens' },
    { of: 'a tag', measure: 'requests' },
    { of: 'a tag', measure: 'micros' },
    ...(trials > 1 ? measuresOfLongRun : []),
  ])(
    `a limit of $of on $measure admits exactly ${allowed} of ${crowd} requests of 100 end users`,
    async ({ measure, of }) => {
      const isOfTag = of === 'a tag'
      const set = isOfTag ? limitTag : limit
      const more = isOfTag ? { svc: { tags: ['search', 'batch'] } } : {}
      const each = amounts[measure] ?? assert.fail(`no amount of ${measure}`)
      const counts: unknown[] = []
      for (let trial = 1; trial <= trials; trial++) {
        // Each trial raises the limit by the same number of requests.
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await set([
          { measure, window: measure === 'micros' ? '5h' : 'month', most: String(allowed * each * trial) },
        ])
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        counts.push(outcomes(await crowdOf(more)))
      }
      const outcome = { 200: allowed, rate_limited: crowd - allowed }
      expect(counts).toEqual(Array.from({ length: trials }, () => outcome))
      await set([])
    },
  )

  test(`a limit of ${allowed} requests in flight admits exactly ${allowed} of ${crowd} requests`, async () => {
    const counts: unknown[] = []
    for (let trial = 1; trial <= trials; trial++) {
      // oxlint-disable no-await-in-loop -- one after the other
      await limit([{ measure: 'calls', most: String(allowed) }])
      app.provider.script({ usage, hang: 'headers' })
      let rejected = 0
      const answers = Array.from({ length: crowd }, async (_, at) => {
        const answer = await call(at)
        if (answer.status !== 200) rejected += 1
        return answer
      })
      await eventually(async () => expect(rejected).toBe(crowd - allowed))
      app.provider.release()
      app.provider.script({ usage })
      counts.push(outcomes(await Promise.all(answers)))
      await limit([])
      // oxlint-enable no-await-in-loop
    }
    const outcome = { 200: allowed, rate_limited: crowd - allowed }
    expect(counts).toEqual(Array.from({ length: trials }, () => outcome))
  })

  test('a rejection by a shared limit says when to retry, and shows the numbers to the team only', async () => {
    await limit([{ measure: 'requests', window: 'day', most: '1' }])
    expect(served(await crowdOf())).toBe(1)
    const refused = await call(1)
    expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([429, 'true'])
    const { error } = refused.body
    expect(error).toMatchObject({
      code: 'rate_limited',
      limitSource: 'application_limit',
      measure: 'requests',
      window: 'day',
      requested: '1',
    })
    expect([error.limit, error.used, error.held, error.available]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
    expect(error.message).toMatch(
      /^The limit of this application for requests per day is reached\. Retry in \d+ s\.$/,
    )
    expect(Number(refused.headers.get('retry-after'))).toBe(Math.min(60, error.waitSeconds))
    expect(refused.headers.get('x-ratelimit-limit-requests')).toBeNull()
    const id = refused.headers.get('x-request-id')
    const story = await there.api('GET', `/v1/requests/${id}`)
    expect(story.refusal).toMatchObject({ limit: '1', used: '1', held: '0', fixOperation: 'gateway.set' })
    const user = users[1] ?? assert.fail()
    const link = await app.api('POST', '/v1/portal-sessions', { endUserId: user.externalId })
    const handoff = new URL(link.url).hash.replace('#handoff=', '')
    const { sessionToken } = await app.api('POST', '/v1/portal-sessions/redeem', { token: handoff })
    const own = await control({ ...one, token: sessionToken }, 'GET', `/v1/portal/requests/${id}`)
    expect(own.body.refusal).toMatchObject({ limitSource: 'application_limit', limit: null, used: null })
    await limit([])
    expect((await call(1)).status).toBe(200)
  })

  test('a stream grows within the shared limit, and its unused part is available to other requests', async () => {
    const input = boundTokens(app.bodyOf({ max_tokens: outputTokens }))
    await limit([
      { measure: 'calls', most: '2' },
      { measure: 'tokens', window: 'week', most: '1000000' },
    ])
    const answers = await Promise.all(
      users.slice(0, 2).map((user) => app.call(user, { stream: true, max_tokens: 400 })),
    )
    expect(answers.map(({ status, text }) => [status, status === 200 ? '' : text])).toEqual([
      [200, ''],
      [200, ''],
    ])
    await limit([{ measure: 'tokens', window: 'week', most: String(2 * tokens + input + outputTokens) }])
    expect((await call(0)).status).toBe(200)
    expect((await call(0)).body.error).toMatchObject({ code: 'rate_limited', measure: 'tokens' })
    await limit([])
  })
})
