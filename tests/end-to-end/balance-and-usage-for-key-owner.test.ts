/** The charge report, the balance and the usage agree, on SQLite and PostgreSQL, while another call is in flight. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayWithRoom } from '../support/wait-past-midnight.ts'
import {
  eventually,
  makeApplication,
  startServer,
  testKeyOf,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'
import type { TestDatabase } from '../support/start-postgres.ts'
import { databaseOf } from '../support/reused-databases.ts'
import { testedEngines } from '../support/reduced-suite.ts'

const report = { svc: { report: true } }
const credit = 10_000_000n

describe.each(testedEngines)('with %s', (engine) => {
  let database: TestDatabase | null = null
  let server: LocalServer
  let app: Application

  beforeAll(dayWithRoom)
  beforeAll(async () => {
    database = await databaseOf(engine)
    server = await startServer(database === null ? {} : { databaseUrl: database.url })
    app = await makeApplication(server, {
      bundle: { spendLimitMicros: '9000000', spendLimitPeriod: 'month' },
    })
    const include = (fields: object): Promise<unknown> =>
      app.api('POST', '/v1/bundles/basic/include', { unit: 'micros', ...fields })
    await include({ slug: 'base', displayName: 'Base', amount: '2000' })
    await app.api('PUT', '/v1/models/acme%2Fother', { sources: [{ provider: app.slug, model: 'other-1' }] })
    await include({ slug: 'other', displayName: 'Other', amount: '7000', models: ['acme/other'] })
  })
  afterAll(async () => {
    await app.provider.close()
    await server.close()
    await database?.drop()
  })

  async function read(user: Pick<User, 'key'>, path: string, init: RequestInit = {}) {
    const response = await fetch(`${app.gateway}${path}`, {
      headers: { authorization: `Bearer ${user.key}` },
      ...init,
    })
    const text = await response.text()
    return { status: response.status, body: JSON.parse(text), text }
  }

  const remainingOf = async (user: User): Promise<string | null> =>
    (await read(user, `/v1/svc/balance?model=${encodeURIComponent(app.model)}`)).body.remainingMicros

  async function reported(user: User): Promise<{ charge: bigint; remaining: string | null }> {
    const { headers, status } = await app.call(user, { max_tokens: 20, ...report })
    expect(status).toBe(200)
    const remaining = headers.get('x-svc-remaining-micros')
    expect(await remainingOf(user)).toBe(remaining === 'unlimited' ? null : remaining)
    const [{ chargeMicros }] = await user.requests()
    expect(headers.get('x-svc-charge-micros')).toBe(chargeMicros)
    return { charge: BigInt(chargeMicros), remaining }
  }

  test('the balance shows the amounts of pools, wallet, limits and on-demand that the next reserve uses', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const { charge, remaining } = await reported(user)
    // The remaining amount comes from the plan's limit of 9,000,000 micros, because the balance is higher.
    expect(remaining).toBe(String(9_000_000n - charge))
    await app.api('POST', `/v1/keys/${user.keyId}/cap`, { capMicros: '5000', capPeriod: 'day' })
    const capped = await reported(user)
    expect(capped.remaining).toBe(String(5_000n - charge - capped.charge))
    const { body } = await read(user, '/v1/svc/balance')
    expect(body).toMatchObject({
      livemode: true,
      frozen: false,
      wallet: { heldMicros: '0' },
      pools: [{ slug: 'base' }, { slug: 'other', balanceUnits: '7000', models: ['acme/other'] }],
      onDemand: { enabled: false, remainingMicros: '0' },
      limits: [
        { kind: 'key_cap', limitMicros: '5000', usedMicros: String(charge + capped.charge) },
        { kind: 'bundle_limit', limitMicros: '9000000', usedMicros: String(charge + capped.charge) },
      ],
    })
    expect(JSON.stringify(body)).not.toContain('costMicros')
  })

  test('a further request of exactly the remaining amount is served, and a larger request is rejected', async () => {
    const user = await app.newUser({ balanceMicros: 100_000n })
    const { remaining } = await reported(user)
    const body = { max_tokens: 1_000_000, messages: [{ role: 'user', content: 'x'.repeat(2_000_000) }] }
    const refused = await app.call(user, body)
    expect(refused.status).toBe(402)
    await eventually(async () => expect(await remainingOf(user)).toBe(remaining))
  })

  test('money that calls in flight hold does not count as remaining', async () => {
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    const before = BigInt((await remainingOf(user)) ?? 0)
    app.provider.enqueue({ hang: 'headers' })
    const first = app.call(user, { max_tokens: 30 })
    const held = await eventually(async () => {
      const { reservedMicros } = await user.balance()
      const left = before - BigInt((await remainingOf(user)) ?? 0)
      expect(left).toBeGreaterThan(0n)
      return { left, reservedMicros }
    })
    // The call in flight also holds a part of the pool, which the wallet's `reservedMicros` does not contain.
    expect(held.left >= held.reservedMicros).toBe(true)
    await reported(user)
    app.provider.release()
    expect((await first).status).toBe(200)
  })

  test('the debt of a wallet does not reduce the remaining expiring credit', async () => {
    const policy = { displayName: 'Whole', terminationPolicy: 'complete_message' }
    await app.api('PUT', '/v1/bundles/whole', policy)
    await app.api('POST', '/v1/bundles/whole/allow', { models: ['acme/*'] })
    const user = await app.newUser({ balanceMicros: 2_000n, bundle: 'whole' })
    app.provider.enqueue({ usage: { prompt_tokens: 4_000, completion_tokens: 3, total_tokens: 4_003 } })
    expect((await app.call(user, { max_tokens: 20 })).status).toBe(200)
    expect((await user.balance()).balanceMicros).toBeLessThan(0n)
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
    const expiring = { endUsers: [user.externalId], amountUnits: '5000', reason: 'test', expiresAt }
    await app.api('POST', '/v1/grants', expiring)
    expect(await remainingOf(user)).toBe('5000')
    const { charge, remaining } = await reported(user)
    expect(remaining).toBe(String(5_000n - charge))
  })

  test('on-demand billing without a ceiling and without a limit has no remaining amount', async () => {
    await app.api('PUT', '/v1/bundles/open', { displayName: 'Open' })
    await app.api('POST', '/v1/bundles/open/allow', { models: ['acme/*'] })
    const user = await app.newUser({ bundle: 'open' })
    const settings = { endUserId: user.externalId, enabled: true, limitMicros: null }
    await app.api('POST', '/v1/subscription/on-demand', settings)
    expect((await reported(user)).remaining).toBe('unlimited')
    await app.api('POST', '/v1/subscription/on-demand', { ...settings, limitMicros: '4000' })
    const { charge, remaining } = await reported(user)
    expect(BigInt(remaining ?? 0)).toBeLessThan(4_000n - charge + 1n)
  })

  test('an hourly limit on charges limits the remaining amount of the models that it counts', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const { charge: before } = await reported(user)
    const micros = { measure: 'micros', window: 'hour', most: '3000' }
    await app.api('PUT', `/v1/end-users/${user.externalId}/limit`, {
      limits: [
        { ...micros, models: ['other/*'] },
        { measure: 'requests', window: 'month', most: '50' },
      ],
    })
    const unbounded = await reported(user)
    expect(BigInt(unbounded.remaining ?? 0)).toBeGreaterThan(3_000n)
    await app.api('PUT', `/v1/end-users/${user.externalId}/limit`, {
      limits: [{ ...micros, models: [app.model] }],
    })
    const { charge, remaining } = await reported(user)
    expect(before > 0n && charge > 0n).toBe(true)
    expect(remaining).toBe(String(3_000n - charge))
    const { body } = await read(user, `/v1/svc/balance?model=${encodeURIComponent(app.model)}`)
    expect(body.limits).toContainEqual({
      kind: 'end_user_limit',
      limitMicros: '3000',
      usedMicros: String(charge),
      heldMicros: '0',
      remainingMicros: remaining,
      resetsAt: expect.stringMatching(/:00:00/),
    })
    // Without a model name, limits that count only some model names do not apply.
    const { body: all } = await read(user, '/v1/svc/balance')
    expect(BigInt(all.remainingMicros)).toBeGreaterThan(3_000n)
  })

  test('the key returns only the usage of its own end user, by model name, in the mode of the key', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const other = await app.newUser({ balanceMicros: credit })
    const { charge } = await reported(user)
    await reported(other)
    const { body } = await read(user, '/v1/svc/usage')
    const [used] = body.models
    expect(body).toMatchObject({ livemode: true, totals: { calls: 1, chargeMicros: String(charge) } })
    expect(used).toMatchObject({ model: app.model, calls: 1, chargeMicros: String(charge) })
    expect(used.inputTokens).toBeGreaterThan(0)
    expect(body.from).toMatch(/-01$/)
    const inTest = await read({ key: await testKeyOf(app) }, '/v1/svc/usage')
    expect(inTest.body).toMatchObject({
      livemode: false,
      models: [],
      totals: { calls: 0, chargeMicros: '0' },
    })
  })

  test('a frozen end user can read their balance, and the owner of a revoked key cannot', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    await app.api('POST', `/v1/end-users/${user.externalId}/freeze`)
    const { body, status } = await read(user, '/v1/svc/balance')
    expect([status, body.frozen, body.remainingMicros]).toEqual([200, true, '0'])
    expect((await read(user, '/v1/svc/usage')).status).toBe(200)
    await app.api('DELETE', `/v1/keys/${user.keyId}`)
    for (const path of ['/v1/svc/balance', '/v1/svc/usage']) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const refused = await read(user, path)
      expect([refused.status, refused.body.error.code]).toEqual([401, 'key_revoked'])
    }
  })

  test.each([
    ['/v1/svc/balance?endUser=x', 'GET', 400, 'invalid_request'],
    ['/v1/svc/usage?model=acme/smart', 'GET', 400, 'invalid_request'],
    ['/v1/svc/balance?model=a&model=b', 'GET', 400, 'invalid_request'],
    ['/v1/svc/balance?model=unknown', 'GET', 404, 'model_not_found'],
    ['/v1/svc/balance', 'POST', 405, 'method_not_allowed'],
    ['/v1/svc/wallet', 'GET', 404, 'no_such_path'],
  ])('an invalid request to %s with the method %s returns %i', async (path, method, status, code) => {
    const user = await app.newUser({ balanceMicros: credit })
    const refused = await read(user, path, { method, headers: { authorization: `Bearer ${user.key}` } })
    expect([refused.status, refused.body.error.code]).toEqual([status, code])
  })

  test.each([1, 'yes', {}, []])(
    'the value %j for svc.report is rejected, because svc.report must be true or false',
    async (value) => {
      const user = await app.newUser({ balanceMicros: credit })
      const { body, status } = await app.call(user, { svc: { report: value } })
      expect([status, body.error.param, body.error.message]).toEqual([
        400,
        'svc.report',
        'The field svc.report must be true or false.',
      ])
    },
  )
})
