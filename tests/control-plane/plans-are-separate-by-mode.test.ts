import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { verifySqlite } from '#store/sqlite/verify.ts'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import { NotReserved, reserveCall, settleCall } from '../support/valid-request-of-every-operation.ts'

const dayMs = 86_400_000
type Mode = 'live' | 'test'

describe.each(testedEngines)('on %s', (engine) => {
  let control: Control
  beforeEach(async () => {
    control = await openControl({ engine })
    await ready(control)
    for (const [slug, priceMicros] of [
      ['pro', '20000000'],
      ['max', '90000000'],
    ]) {
      await ok('PUT', `/v1/bundles/${slug}`, { displayName: slug, priceMicros })
      await ok('POST', `/v1/bundles/${slug}/allow`, { models: ['acme/*'] })
      const include = { slug: 'tokens', displayName: 'Tokens', unit: 'micros', amount: '1000' }
      await ok('POST', `/v1/bundles/${slug}/include`, include)
    }
  })
  afterEach(async () => {
    const found = engine === 'SQLite' ? await verifySqlite(sqlitePath(control.folder)) : []
    await control.close()
    assert.deepEqual(
      found.filter(({ difference }) => difference !== null),
      [],
    )
  })

  async function ok(method: string, path: string, body?: unknown, mode: Mode = 'live') {
    const answer = await control.call(method, path, { body, mode })
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`)
    return answer.body
  }

  const plan = async (id: string, mode: Mode): Promise<string | null> =>
    (await ok('GET', `/v1/end-users/${id}`, undefined, mode)).bundle

  const plans = async (id: string) => [await plan(id, 'live'), await plan(id, 'test')]

  const invoices = async (mode: Mode): Promise<string[]> =>
    (await ok('GET', '/v1/invoices', undefined, mode)).data.map(
      ({ amountMicros }: { amountMicros: string }) => amountMicros,
    )

  const named = async (bundle: string, mode: Mode): Promise<string[]> =>
    (await ok('GET', `/v1/end-users?bundle=${bundle}`, undefined, mode)).data.map(
      ({ externalId }: { externalId: string }) => externalId,
    )

  it('an end user who is created in test mode has no plan, no invoice and no revenue in live mode', async () => {
    await ok('PUT', '/v1/end-users/a', { bundle: 'pro' }, 'test')
    expect(await plans('a')).toEqual([null, 'pro'])
    expect([await invoices('live'), await invoices('test')]).toEqual([[], ['20000000']])
    control.clock.nowMs += 40 * dayMs
    expect(await invoices('live')).toEqual([])
    expect(await invoices('test')).toHaveLength(2)
    const margin = await ok('GET', '/v1/margin?by=bundle')
    expect(JSON.stringify(margin)).not.toContain('20000000')
    expect((await control.call('GET', '/v1/subscription?endUserId=a')).status).toBe(404)
    expect([await named('pro', 'live'), await named('pro', 'test')]).toEqual([[], ['a']])
    await ok('PUT', '/v1/end-users/a', { bundle: 'pro' }, 'test')
    expect(await plans('a')).toEqual([null, 'pro'])
    expect(await invoices('live')).toEqual([])
  })

  it('a test key gives its end user a plan in test mode only', async () => {
    const { id } = await ok('POST', '/v1/keys', { endUserId: 'a', bundle: 'pro', livemode: false })
    expect(await plans('a')).toEqual([null, 'pro'])
    await settleCall(control, 'acme', await reserveCall(control, 'acme', id, null), {}, 'test')
    const { pools } = await ok('GET', '/v1/subscription?endUserId=a', undefined, 'test')
    expect(pools).toMatchObject([{ granted: '1000', consumed: '450' }])
    expect(await invoices('live')).toEqual([])
  })

  it('users.subscribe, keys.mint and users.create in live mode give an end user of test mode a live plan', async () => {
    for (const id of ['a', 'b', 'c']) await ok('PUT', `/v1/end-users/${id}`, { bundle: 'pro' }, 'test')
    control.clock.nowMs += 10 * dayMs
    const subscription = await ok('PUT', '/v1/end-users/a/subscription', { bundle: 'max' })
    // The first live period starts with this live request.
    expect(subscription).toMatchObject({ planName: 'max', periodStart: '2026-11-30T12:00:00.000Z' })
    expect(subscription.pools).toMatchObject([{ granted: '1000' }])
    await ok('POST', '/v1/keys', { endUserId: 'b' })
    await ok('PUT', '/v1/end-users/c', {})
    expect(await plans('a')).toEqual(['max', 'pro'])
    expect(await plans('b')).toEqual(['free', 'pro'])
    expect(await plans('c')).toEqual(['free', 'pro'])
    expect(await invoices('live')).toEqual(['90000000'])
  })

  it('test mode uses the live plan until a plan is set in test mode, and live mode never uses the plan of test mode', async () => {
    await ok('PUT', '/v1/end-users/a', { bundle: 'pro' })
    expect(await plans('a')).toEqual(['pro', 'pro'])
    await ok('PUT', '/v1/end-users/a/subscription', { bundle: 'max' })
    expect(await plans('a')).toEqual(['max', 'max'])
    control.clock.nowMs += dayMs
    await ok('PUT', '/v1/end-users/a/subscription', { bundle: 'free' }, 'test')
    expect(await plans('a')).toEqual(['max', 'free'])
    await ok('PUT', '/v1/end-users/a/subscription', { bundle: 'pro' })
    expect(await plans('a')).toEqual(['pro', 'free'])
    expect([await named('pro', 'live'), await named('pro', 'test'), await named('free', 'test')]).toEqual([
      ['a'],
      [],
      expect.arrayContaining(['a']),
    ])
    // The mode of a key determines which models the key may call.
    const key = await ok('POST', '/v1/keys', { endUserId: 'a', livemode: false })
    await expect(reserveCall(control, 'acme', key.id, null)).rejects.toThrow(NotReserved)
  })

  it('a grant to everyone on a bundle credits the end users with this bundle in the mode of the grant', async () => {
    await ok('PUT', '/v1/end-users/a', { bundle: 'pro' })
    await ok('PUT', '/v1/end-users/b', { bundle: 'pro' }, 'test')
    const body = { bundle: 'pro', amountUnits: '5', reason: 'x' }
    expect((await ok('POST', '/v1/grants', body)).endUsers).toBe(1)
    expect((await ok('POST', '/v1/grants', body, 'test')).endUsers).toBe(2)
  })

  it('a bundle that only test mode uses counts as in use until its end user is deleted', async () => {
    await ok('PUT', '/v1/end-users/a', { bundle: 'max' }, 'test')
    expect((await control.call('DELETE', '/v1/bundles/max')).body.error.code).toBe('in_use')
    await ok('DELETE', '/v1/end-users/a')
    await ok('DELETE', '/v1/bundles/max')
  })
})
