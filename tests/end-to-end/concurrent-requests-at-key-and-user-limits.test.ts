import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boundTokens, costMicros, worstMicros } from '../support/expected-costs.ts'
import {
  control,
  makeApplication,
  settledBalance,
  startServer,
  type Answer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'
import { hasPostgres, type TestDatabase } from '../support/start-postgres.ts'
import { migratedDatabase } from '../support/reused-databases.ts'

const crowd = 60
const afforded = 7n
const outputTokens = 50
const credit = 1_000_000_000n

describe.each(hasPostgres ? ['one process', 'two processes'] : ['one process'])('at %s', (place) => {
  let database: TestDatabase | null = null
  let one: LocalServer
  let other: LocalServer
  let app: Application
  let there: Application
  /** The reported usage of each response costs the whole hold. */
  let held: bigint

  beforeAll(async () => {
    if (place === 'two processes') database = await migratedDatabase()
    one = await startServer(database === null ? {} : { databaseUrl: database.url })
    app = await makeApplication(one)
    const { folder, token } = one
    other = database === null ? one : await startServer({ databaseUrl: database.url, folder, token })
    there = database === null ? app : await app.again(other)
    const body = app.bodyOf({ max_tokens: outputTokens })
    held = worstMicros(app.rates, body, outputTokens)
    const input = boundTokens(body)
    assert.equal(costMicros(app.rates, { input, output: outputTokens }), held)
    app.provider.script({
      usage: { prompt_tokens: input, completion_tokens: outputTokens, total_tokens: input + outputTokens },
    })
  })
  afterAll(async () => {
    await app.provider.close()
    if (other !== one) await other.close()
    await one.close()
    await database?.drop()
  })

  const call = (at: number, keys: readonly User[]): Promise<Answer> =>
    (at % 4 < 2 ? app : there).call(keys[at % keys.length] ?? assert.fail(), { max_tokens: outputTokens })

  async function race(keys: readonly User[], limitSource: string): Promise<bigint> {
    const answers = await Promise.all(Array.from({ length: crowd }, (_, at) => call(at, keys)))
    const again = await Promise.all(Array.from({ length: crowd }, (_, at) => call(at, keys)))
    let served = 0n
    for (const { body, status } of [...answers, ...again]) {
      if (status === 200) served += 1n
      else {
        const code = status === 429 ? 'balance_held' : 'spend_limit_exceeded'
        expect([body.error.code, body.error.limitSource]).toEqual([code, limitSource])
      }
    }
    const last = await call(0, keys)
    expect([last.status, last.body.error.code]).toEqual([402, 'spend_limit_exceeded'])
    return served
  }

  const successor = async (user: User, graceSeconds: number): Promise<User> => {
    const rotated = await app.api('POST', `/v1/keys/${user.keyId}/rotate`, { graceSeconds })
    return app.person({ ...user, key: rotated.key, keyId: rotated.id })
  }

  test('an old and a new key together spend at most the cap, even after several rotations', async () => {
    const user = await app.newUser({ balanceMicros: credit, capMicros: afforded * held })
    expect((await app.call(user, { max_tokens: outputTokens })).status).toBe(200)
    const next = await successor(user, 3_600)
    expect(await race([user, next], 'key_cap')).toBe(afforded - 1n)
    const third = await successor(next, 0)
    expect((await there.call(third, { max_tokens: outputTokens })).body.error.code).toBe(
      'spend_limit_exceeded',
    )
    expect(await settledBalance(user)).toBe(credit - afforded * held)
  })

  test('two keys of an end user together make exactly the allowed requests, and a rejection states when to retry', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const minted = await app.api('POST', '/v1/keys', { endUserId: user.externalId })
    const keys = [user, app.person({ ...user, key: minted.key, keyId: minted.id })]
    await app.api('PUT', `/v1/end-users/${user.externalId}/limit`, {
      limits: [{ measure: 'requests', window: 'month', most: String(afforded) }],
    })
    const answers = await Promise.all(Array.from({ length: crowd }, (_, at) => call(at, keys)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(Number(afforded))
    const refused = answers.filter(({ status }) => status !== 200)
    for (const { body, headers, status } of refused) {
      expect([status, body.error.code, headers.get('x-should-retry')]).toEqual([429, 'rate_limited', 'true'])
      expect(body.error).toMatchObject({
        limitSource: 'end_user_limit',
        measure: 'requests',
        window: 'month',
        limit: String(afforded),
        used: String(afforded),
        requested: '1',
      })
      const { resetsAt, waitSeconds } = body.error
      const seconds = Math.min(60, Number(waitSeconds))
      expect(headers.get('retry-after')).toBe(String(seconds))
      expect(Math.abs(Date.parse(resetsAt) - Date.now() - waitSeconds * 1000)).toBeLessThan(60_000)
    }
    const story = await there.api('GET', `/v1/requests/${refused[0]?.headers.get('x-request-id')}`)
    expect(story.refusal).toMatchObject({
      code: 'rate_limited',
      measure: 'requests',
      window: 'month',
      fixOperation: 'users.limit',
    })
    expect(story.refusal.message).toContain(`Your limit of ${afforded} requests per month is reached.`)
  })

  test.each(['key', 'bundle'])(
    'keys together make exactly the requests that a limit of their %s allows',
    async (of) => {
      const user = await app.newUser({ balanceMicros: credit })
      const limits = [
        { measure: 'requests', window: 'day', most: String(afforded) },
        { measure: 'tokens', window: 'month', most: '100000000' },
      ]
      const keys = [user, await successor(user, 3_600)]
      if (of === 'bundle') {
        await app.api('PUT', '/v1/bundles/limited', { displayName: 'Limited', limits })
        await app.api('POST', '/v1/bundles/limited/allow', { models: ['*'] })
        await app.api('PUT', `/v1/end-users/${user.externalId}/subscription`, { bundle: 'limited' })
      } else {
        for (const { keyId } of keys)
          // oxlint-disable-next-line no-await-in-loop -- one after the other
          await app.api('POST', `/v1/keys/${keyId}/cap`, { limits })
      }
      const answers = await Promise.all(Array.from({ length: crowd }, (_, at) => call(at, keys)))
      const served = answers.filter(({ status }) => status === 200)
      expect(served).toHaveLength(Number(afforded))
      const remaining = served.map(({ headers }) => Number(headers.get('x-ratelimit-remaining-requests')))
      expect(remaining.toSorted((less, more) => less - more)).toEqual([0, 1, 2, 3, 4, 5, 6])
      expect(served[0]?.headers.get('x-ratelimit-limit-tokens')).toBe('100000000')
      const refused = answers.find(({ status }) => status !== 200) ?? assert.fail()
      expect(refused.body.error).toMatchObject({
        code: 'rate_limited',
        limitSource: `${of}_limit`,
        measure: 'requests',
        window: 'day',
        limit: String(afforded),
      })
      expect(refused.headers.get('x-ratelimit-remaining-requests')).toBe('0')
      const subject = of === 'key' ? "This key's limit" : "Your plan's limit"
      expect(refused.body.error.message).toContain(`${subject} of ${afforded} requests per day is reached.`)
      const story = await there.api('GET', `/v1/requests/${refused.headers.get('x-request-id')}`)
      expect(story.refusal).toMatchObject({ fixOperation: of === 'key' ? 'keys.cap' : 'bundles.edit' })
    },
  )

  test('two keys of an end user together spend at most the limit of the end user, and explain names the limit', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const minted = await app.api('POST', '/v1/keys', { endUserId: user.externalId })
    const second = app.person({ ...user, key: minted.key, keyId: minted.id })
    await app.api('PUT', `/v1/end-users/${user.externalId}/limit`, {
      limits: [
        { measure: 'micros', window: 'day', most: String(afforded * held) },
        { measure: 'micros', window: 'total', most: String(100n * held) },
      ],
    })
    expect(await race([user, second], 'end_user_limit')).toBe(afforded)
    expect(await settledBalance(user)).toBe(credit - afforded * held)
    const refused = await there.call(user, { max_tokens: outputTokens })
    const story = await there.api('GET', `/v1/requests/${refused.headers.get('x-request-id')}`)
    expect(story.refusal).toMatchObject({ limitSource: 'end_user_limit', fixOperation: 'users.limit' })
    expect(
      story.policy.limits.map(({ name, scope, verdict }: Record<string, string>) => [name, scope, verdict]),
    ).toEqual([
      ['end_user_limit', 'day', 'refused'],
      ['end_user_limit', 'total', 'pass'],
    ])
  })

  test('all portal keys of an end user, including replaced keys, together spend at most the total limit', async () => {
    await app.api('PATCH', '/v1/portal-settings', {
      endUsersMayMintKeys: true,
      keyCapsTotalMicros: String(afforded * held),
    })
    const user = await app.newUser({ balanceMicros: credit })
    const link = await app.api('POST', '/v1/portal-sessions', { endUserId: user.externalId })
    const handoff = new URL(link.url).hash.replace('#handoff=', '')
    const { sessionToken } = await app.api('POST', '/v1/portal-sessions/redeem', { token: handoff })
    const portal = async (method: string, path: string, body?: object): Promise<Answer['body']> => {
      const told = await control({ ...one, token: sessionToken }, method, path, body)
      assert.equal(told.status, 200, told.text)
      return told.body
    }
    const mint = async (): Promise<User> => {
      const { id, key } = await portal('POST', '/v1/portal/keys', { capMicros: '0' })
      // The keys have no caps of their own, so that only the total limit applies.
      await app.api('POST', `/v1/keys/${id}/cap`, { capMicros: null })
      return app.person({ ...user, key, keyId: id })
    }
    const first = await mint()
    expect((await app.call(first, { max_tokens: outputTokens })).status).toBe(200)
    await portal('DELETE', `/v1/portal/keys/${first.keyId}`)
    const keys = [await mint(), await mint()]
    expect(await race(keys, 'portal_total')).toBe(afforded - 1n)
    // A key that the team created does not count toward the total limit.
    expect((await there.call(user, { max_tokens: outputTokens })).status).toBe(200)
    expect(await settledBalance(user)).toBe(credit - (afforded + 1n) * held)
  })
})
