/**
 * Tests the limits of each owner (such as an application or a team) on each measure (such as requests or spending).
 * 100 end users share the limits of an application, a tag and a team, and only the team sees their amounts.
 * Concurrent requests with one key test the limits of a key, a bundle, an end user and a model name.
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
} from '../support/start-product.ts'
import { hasPostgres, type TestDatabase } from '../support/start-postgres.ts'
import { migratedDatabase } from '../support/reused-databases.ts'

/** tests/long/limits-shared-by-end-users.test.ts sets a higher number of trials. */
const trials = Number(process.env['SHARED_LIMIT_TRIALS'] ?? '1')
const crowd = trials > 1 ? 500 : 150
const allowed = trials > 1 ? 100 : 50
/** The smallest number of trials with which every owner and measure is tested at every number of processes. */
const completeTrials = 8
const outputTokens = 5
const credit = 1_000_000_000n

/** Several processes need a PostgreSQL database. The long suite has time for at most four processes. */
const processes = hasPostgres ? (trials > 1 ? [1, 2, 4] : [1, 2]) : [1]

const measures = ['requests', 'tokens', 'inputTokens', 'outputTokens', 'micros', 'calls'] as const
const owners = [
  'an application',
  'a tag',
  'a team',
  'a key',
  'a bundle',
  'an end user',
  'a model name',
] as const
interface Race {
  readonly of: (typeof owners)[number]
  readonly measure: (typeof measures)[number]
}
/**
 * If the trials are few, each pair of an owner and a measure is tested at only one number of processes. Every number
 * of processes still tests every owner and every measure.
 */
function racesAt(count: number): readonly Race[] {
  if (trials === 1)
    return [
      { of: 'an application', measure: 'requests' },
      { of: 'an application', measure: 'tokens' },
      { of: 'an application', measure: 'calls' },
      { of: 'a tag', measure: 'requests' },
      { of: 'a tag', measure: 'micros' },
    ]
  const isComplete = trials >= completeTrials
  return owners.flatMap((of, row) =>
    measures
      .filter((_, column) => isComplete || (row + column) % processes.length === processes.indexOf(count))
      .map((measure) => ({ of, measure })),
  )
}

describe.each(processes)('at %i processes', (count) => {
  let database: TestDatabase | null = null
  let one: LocalServer
  let others: LocalServer[]
  let app: Application
  let places: Application[]
  let there: Application
  let users: User[]
  /** Only the long suite tests the limit of the team and the limits of the owners in `alone`. */
  let members: User[]
  let alone: Readonly<Record<'a key' | 'a bundle' | 'an end user' | 'a model name', User>>
  let tokens: number
  let usage: object
  /** The amount that each request uses, by measure. Each response costs the whole hold of its request. */
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
    users = await newUsers(100)
    if (trials === 1) return
    const [payer = assert.fail()] = await newUsers(1)
    await app.api('PUT', '/v1/teams/crew', { displayName: 'Crew', payer: payer.externalId })
    members = await newUsers(100)
    for (const { externalId } of members)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await app.api('PUT', `/v1/teams/crew/members/${externalId}`, {})
    const [ofKey, ofBundle, endUser, ofName] = await newUsers(4)
    alone = {
      'a key': ofKey ?? assert.fail(),
      'a bundle': ofBundle ?? assert.fail(),
      'an end user': endUser ?? assert.fail(),
      'a model name': ofName ?? assert.fail(),
    }
    await app.api('PUT', '/v1/bundles/limited', { displayName: 'Limited' })
    await app.api('POST', '/v1/bundles/limited/allow', { models: ['*'] })
    const { externalId } = alone['a bundle']
    await app.api('PUT', `/v1/end-users/${externalId}/subscription`, { bundle: 'limited' })
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

  const newUsers = async (wanted: number): Promise<User[]> => {
    const made: User[] = []
    while (made.length < wanted) {
      const some = Array.from({ length: Math.min(10, wanted - made.length) }, () =>
        app.newUser({ balanceMicros: credit }),
      )
      // oxlint-disable-next-line no-await-in-loop -- as many as wait in one share of the store
      made.push(...(await Promise.all(some)))
    }
    return made
  }
  /**
   * On a busy machine, the database can be too slow to decide a request. If the database was too slow, the test sends
   * the request again.
   */
  const call = async (at: number, more: object = {}, by: readonly User[] = users): Promise<Answer> => {
    const user = by[at % by.length] ?? assert.fail()
    const body = { max_tokens: outputTokens, ...more }
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const answer = await (places[at % places.length] ?? app).call(user, body)
      if (answer.status !== 503) return answer
    }
  }
  const crowdOf = (more: object = {}, by: readonly User[] = users): Promise<Answer[]> =>
    Promise.all(Array.from({ length: crowd }, (_, at) => call(at, more, by)))
  const limit = (limits: readonly object[]): Promise<unknown> => app.api('PATCH', '/v1/gateway', { limits })
  const setLimits = (of: Race['of'], limits: readonly object[]): Promise<unknown> => {
    switch (of) {
      case 'an application':
        return limit(limits)
      case 'a tag':
        return app.api('PUT', '/v1/tags', { tags: [{ slug: 'batch', limits }, { slug: 'search' }] })
      case 'a team':
        return app.api('PUT', '/v1/teams/crew', { limits })
      case 'a key':
        return app.api('POST', `/v1/keys/${alone[of].keyId}/cap`, { limits })
      case 'a bundle':
        return app.api('PUT', '/v1/bundles/limited', { displayName: 'Limited', limits })
      case 'an end user':
      case 'a model name': {
        const models = of === 'a model name' ? { models: ['acme/*'] } : {}
        const own = limits.map((each) => ({ ...each, ...models }))
        return app.api('PUT', `/v1/end-users/${alone[of].externalId}/limit`, { limits: own })
      }
    }
  }
  const sendersOf = (of: Race['of']): readonly User[] => {
    if (of === 'an application' || of === 'a tag') return users
    return of === 'a team' ? members : [alone[of]]
  }
  /** Served requests count under the key `200`. */
  const outcomes = (answers: readonly Answer[]): Record<string, number> => {
    const codeOf = ({ body, status }: Answer): string => (status === 200 ? '200' : body.error.code)
    return Object.fromEntries([...Map.groupBy(answers, codeOf)].map(([code, own]) => [code, own.length]))
  }
  const served = (answers: readonly Answer[]): number => answers.filter(({ status }) => status === 200).length

  /** Admitted requests stay in flight until the server has rejected all other requests. */
  const crowdInFlight = async (more: object, by: readonly User[]): Promise<Answer[]> => {
    app.provider.script({ usage, hang: 'headers' })
    let rejected = 0
    const answers = Array.from({ length: crowd }, async (_, at) => {
      const answer = await call(at, more, by)
      if (answer.status !== 200) rejected += 1
      return answer
    })
    await eventually(async () => expect(rejected).toBe(crowd - allowed))
    app.provider.release()
    app.provider.script({ usage })
    return Promise.all(answers)
  }

  test.each(racesAt(count))(
    `a limit of $of on $measure admits exactly ${allowed} of ${crowd} requests`,
    async ({ measure, of }) => {
      const more = of === 'a tag' ? { svc: { tags: ['search', 'batch'] } } : {}
      const window = measure === 'micros' ? '5h' : 'month'
      const counts: unknown[] = []
      for (let trial = 1; trial <= trials; trial++) {
        // Each trial raises the limit by the same number of requests. The requests of the previous trial have ended by
        // then.
        const limited =
          measure === 'calls'
            ? { measure, most: String(allowed) }
            : { measure, window, most: String(allowed * (amounts[measure] ?? assert.fail()) * trial) }
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await setLimits(of, [limited])
        const send = measure === 'calls' ? crowdInFlight : crowdOf
        // oxlint-disable-next-line no-await-in-loop -- as above
        counts.push(outcomes(await send(more, sendersOf(of))))
      }
      const outcome = { 200: allowed, rate_limited: crowd - allowed }
      expect(counts).toEqual(Array.from({ length: trials }, () => outcome))
      await setLimits(of, [])
    },
  )

  test('a rejection by a shared limit states when to retry, and shows the amounts only to the team', async () => {
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

  test('the hold of a stream grows within the shared limit, and its unused part becomes available to other requests', async () => {
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
