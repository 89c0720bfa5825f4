/** The test clock must affect test mode as if time had passed, and must not affect live mode. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { verifySqlite } from '#store/sqlite/verify.ts'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import { NotReserved, reserveCall, settleCall } from '../support/valid-request-of-every-operation.ts'

const dayMs = 86_400_000
const startMs = Date.UTC(2026, 10, 20, 12)

const iso = (ms: number): string => new Date(ms).toISOString()

async function plansOf(control: Control): Promise<void> {
  await ready(control)
  for (const [slug, body] of [
    ['pro', { displayName: 'Pro', priceMicros: '31000000' }],
    ['year', { displayName: 'Year', priceMicros: '365000000', interval: 'year' }],
  ] as const) {
    await ok(control, 'PUT', `/v1/bundles/${slug}`, body)
    await ok(control, 'POST', `/v1/bundles/${slug}/allow`, { models: ['acme/*'] })
    await ok(control, 'POST', `/v1/bundles/${slug}/include`, {
      slug: 'tokens',
      displayName: 'Tokens',
      unit: 'micros',
      amount: '2000',
    })
    await ok(control, 'POST', `/v1/bundles/${slug}/include`, {
      slug: 'welcome',
      displayName: 'Welcome',
      unit: 'micros',
      amount: '700',
      recurring: false,
    })
  }
}

async function ok(control: Control, method: string, path: string, body?: unknown, mode?: 'test') {
  const answer = await control.call(method, path, { body, ...(mode && { mode }) })
  assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`)
  return answer.body
}

const advance = (control: Control, to: number | string) =>
  control.call('POST', '/v1/test-clock/advance', { body: { to: typeof to === 'number' ? iso(to) : to } })

describe.each(testedEngines)('on %s', (engine) => {
  let control: Control
  beforeEach(async () => {
    control = await openControl({ engine })
    await plansOf(control)
  })
  afterEach(async () => {
    const found = engine === 'SQLite' ? await verifySqlite(sqlitePath(control.folder)) : []
    await control.close()
    assert.deepEqual(
      found.filter(({ difference }) => difference !== null),
      [],
    )
  })

  describe('the test clock', () => {
    it('threat 73: the test clock moves only forward, at most ten years ahead, and then advances in real time', async () => {
      expect((await control.call('GET', '/v1/test-clock')).body).toEqual({
        now: iso(startMs),
        realNow: iso(startMs),
        offsetMs: 0,
        latest: '2036-11-20T12:00:00.000Z',
      })
      const moved = await advance(control, '2026-12-25T00:00:00+01:00')
      expect(moved.body).toMatchObject({ now: '2026-12-24T23:00:00.000Z', realNow: iso(startMs) })
      control.clock.nowMs += 1000
      expect((await control.call('GET', '/v1/test-clock')).body).toMatchObject({
        now: '2026-12-24T23:00:01.000Z',
        realNow: iso(startMs + 1000),
      })
      const wrong = ['2026-12-24T23:00:01Z', iso(startMs), '2036-11-20T12:00:01.001Z', '9999-12-31T00:00:00Z']
      for (const to of wrong) {
        const { body } = await advance(control, to)
        expect([to, body.error.code, body.error.param]).toEqual([to, 'invalid_request', 'to'])
      }
      expect((await advance(control, '2036-11-20T12:00:01Z')).status).toBe(200)
    })

    it('a test clock belongs to one application', async () => {
      await control.call('PUT', '/v1/apps/other', { body: { name: 'Other' } })
      await ok(control, 'POST', '/v1/apps/acme/use')
      await advance(control, startMs + 100 * dayMs)
      const other = await control.call('GET', '/v1/test-clock', { app: 'other' })
      expect(other.body.offsetMs).toBe(0)
    })

    it('advancing the test clock has the same effects in test mode as waiting, and does not change live mode', async () => {
      const to = Date.UTC(2027, 2, 31, 12)
      await historyOf(control, 'test')
      const liveBefore = await seen(control, 'live')
      await advance(control, to)
      await callIn(control, 'user-2')
      expect(await seen(control, 'live')).toEqual(liveBefore)
      await laterIn(control, 'test')
      const byClock = await seen(control, 'test')

      const waited = await openControl({ engine })
      await plansOf(waited)
      await historyOf(waited, 'test')
      waited.clock.nowMs = to
      await callIn(waited, 'user-2')
      await laterIn(waited, 'test')
      expect(byClock).toEqual(await seen(waited, 'test'))
      await waited.close()
    })

    it('advancing the test clock moves the calendar windows of caps and limits, and the expiry of keys', async () => {
      await ok(control, 'PATCH', '/v1/bundles/free', { spendLimitMicros: '510', spendLimitPeriod: 'month' })
      await ok(control, 'POST', '/v1/grants', { everyone: true, amountUnits: '1000000', reason: 'x' }, 'test')
      const key = await ok(control, 'POST', '/v1/keys', {
        endUserId: 'user-1',
        livemode: false,
        capMicros: '500',
        capPeriod: 'day',
        expiresAt: iso(startMs + 40 * dayMs),
      })
      const call = async (): Promise<string> => {
        const callId = await reserved(control, key.id)
        if (callId.startsWith('!')) return callId
        await settleCall(control, 'acme', callId, {}, 'test')
        return 'settled'
      }
      expect([await call(), await call()]).toEqual(['settled', '!spend_limit_exceeded key_cap'])
      await advance(control, startMs + dayMs)
      // The cap is available again, but the monthly limit of the bundle is still used up.
      expect(await call()).toBe('!spend_limit_exceeded bundle_limit')
      await advance(control, Date.UTC(2026, 11, 1))
      expect(await call()).toBe('settled')
      await advance(control, startMs + 40 * dayMs)
      expect(await call()).toBe('!key_expired key')
      const sums = await control.database.read
        .selectFrom('usage_days')
        .select(['mode', 'day'])
        .orderBy('day')
        .execute()
      expect(sums).toEqual([
        { mode: 'test', day: startMs / dayMs - 0.5 },
        { mode: 'test', day: Date.UTC(2026, 11, 1) / dayMs },
      ])
    })

    it('a plan that begins while the test clock is advanced begins at the real time in live mode', async () => {
      await advance(control, startMs + 1000 * dayMs)
      await control.call('PUT', '/v1/end-users/late', { body: { bundle: 'pro' } })
      const of = async (mode: 'live' | 'test') =>
        (await control.call('GET', '/v1/subscription?endUserId=late', { mode })).body
      expect(await of('live')).toMatchObject({
        periodStart: iso(startMs),
        periodEnd: '2026-12-20T12:00:00.000Z',
      })
      expect(await of('test')).toMatchObject({ periodStart: iso(startMs + 1000 * dayMs) })
      control.clock.nowMs += dayMs
      await ok(control, 'PUT', '/v1/end-users/late/subscription', { bundle: 'year' })
      expect(await of('live')).toMatchObject({ periodEnd: '2027-11-20T12:00:00.000Z' })
      const key = await ok(control, 'POST', '/v1/keys', { endUserId: 'late', livemode: false })
      expect(await reserved(control, key.id)).not.toMatch(/^!/)
    })

    it('advancing the test clock raises the version of the configuration, and dates objects that are created in test mode', async () => {
      const key = await ok(control, 'POST', '/v1/keys', { endUserId: 'user-1', livemode: false })
      const application = await control.store.read.applications.bySlug('acme')
      await advance(control, startMs + 10 * dayMs)
      const after = await control.store.read.applications.bySlug('acme')
      expect(after?.configVersion).toBeGreaterThan(application?.configVersion ?? Infinity)
      const late = await ok(control, 'POST', '/v1/keys', { endUserId: 'user-1', livemode: false })
      const live = await ok(control, 'POST', '/v1/keys', { endUserId: 'user-1' })
      expect([key.createdAt, late.createdAt, live.createdAt]).toEqual([
        iso(startMs),
        iso(startMs + 10 * dayMs),
        iso(startMs),
      ])
      const revoked = await ok(control, 'DELETE', `/v1/keys/${late.id}`)
      expect(revoked.revokedAt).toBe(iso(startMs + 10 * dayMs))
    })
  })
})

async function historyOf(control: Control, mode: 'test'): Promise<void> {
  await ok(control, 'PUT', '/v1/end-users/user-1/subscription', { bundle: 'pro' }, mode)
  await ok(control, 'PUT', '/v1/end-users/user-2', { bundle: 'year' }, mode)
  await ok(control, 'POST', '/v1/subscription/on-demand', { endUserId: 'user-1', enabled: true }, mode)
  await callIn(control, 'user-1')
}

/** These actions depend on the earlier actions in `historyOf`. */
async function laterIn(control: Control, mode: 'test'): Promise<void> {
  await callIn(control, 'user-1')
  await callIn(control, 'user-2')
  await ok(control, 'PUT', '/v1/end-users/user-1/subscription', { bundle: 'year' }, mode)
  await callIn(control, 'user-1')
}

async function callIn(control: Control, endUserId: string): Promise<void> {
  const { id } = await ok(control, 'POST', '/v1/keys', { endUserId, livemode: false })
  const callId = await reserved(control, id)
  expect(callId).not.toMatch(/^!/)
  await settleCall(control, 'acme', callId, {}, 'test')
}

/** Returns `!` and the reason if the call is rejected. */
async function reserved(control: Control, keyId: string): Promise<string> {
  try {
    return await reserveCall(control, 'acme', keyId, null)
  } catch (error) {
    if (!(error instanceof NotReserved) || error.result.kind !== 'refused') throw error
    return `!${error.result.code} ${error.result.limitSource}`
  }
}

async function seen(control: Control, mode: 'live' | 'test'): Promise<unknown> {
  const shown: unknown[] = []
  for (const endUserId of ['user-1', 'user-2']) {
    for (const path of [
      `/v1/subscription?endUserId=${endUserId}`,
      `/v1/end-users/${endUserId}/ledger?source=all&limit=200`,
      `/v1/invoices?endUserId=${endUserId}&limit=200`,
      `/v1/usage?endUserId=${endUserId}`,
      `/v1/end-users/${endUserId}`,
      `/v1/keys?endUserId=${endUserId}`,
    ]) {
      const { text } = await control.call('GET', path, { mode })
      shown.push(text.replaceAll(/"(id|requestId|keyPrefix|lastFour|nextCursor)":"[^"]*"/g, '"$1":""'))
    }
  }
  return shown
}
