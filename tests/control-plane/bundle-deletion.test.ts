import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openControl, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import { filled, reserveCall, settleCall, type Filled } from '../support/valid-request-of-every-operation.ts'

describe.each(testedEngines)('bundles.rm on %s', (engine) => {
  let control: Control
  let ids: Filled
  beforeEach(async () => {
    control = await openControl({ engine })
    ids = await filled(control)
    await control.call('DELETE', '/v1/end-users/debtor')
    await control.call('DELETE', '/v1/bundles/spare')
  })
  afterEach(async () => {
    await control.verify()
    await control.close()
  })

  const remove = (slug: string) => control.call('DELETE', `/v1/bundles/${slug}`)
  const subscribe = async (bundle: string) => {
    control.clock.nowMs += 1000
    const body = { bundle }
    return control.call('PUT', '/v1/end-users/user-1/subscription', { body })
  }
  const ledger = async (): Promise<string[]> =>
    (await control.call('GET', '/v1/end-users/user-1/ledger?source=all')).body.data
      .filter(({ source }: { source: string }) => source !== 'wallet')
      .map(
        (entry: Record<'source' | 'kind' | 'amountUnits' | 'reason', string | undefined>) =>
          `${entry.source} ${entry.kind} ${entry.amountUnits} ${entry.reason ?? ''}`,
      )

  it('deletion returns the bundle, and the bundle no longer exists', async () => {
    const was = await control.call('GET', '/v1/bundles/pro')
    expect((await remove('pro')).body).toEqual(was.body)
    const asked = [
      ['DELETE', '/v1/bundles/pro'],
      ['GET', '/v1/bundles/pro'],
      ['PATCH', '/v1/bundles/pro', {}],
      ['POST', '/v1/bundles/pro/default'],
      ['GET', '/v1/end-users?bundle=pro'],
      ['PUT', '/v1/end-users/user-1/subscription', { bundle: 'pro' }],
      ['PUT', '/v1/end-users/user-2', { bundle: 'pro' }],
      ['POST', '/v1/grants', { bundle: 'pro', amountUnits: '1', reason: 'x' }],
    ] as const
    for (const [method, path, body] of asked) {
      expect((await control.call(method, path, { body })).body.error.code, `${method} ${path}`).toBe(
        'not_found',
      )
    }
    expect((await control.call('GET', '/v1/bundles')).body.data).toHaveLength(1)
    expect((await control.call('GET', '/v1/apps/acme')).body.bundles).toEqual(['free'])
  })

  it('a bundle with end users cannot be deleted, and the error states how many there are and how to move them', async () => {
    await subscribe('pro')
    await control.call('PUT', '/v1/end-users/user-2', { body: { bundle: 'pro' } })
    const before = await control.dump()
    const refused = await remove('pro')
    expect(refused.status).toBe(409)
    expect(refused.body.error).toMatchObject({
      code: 'in_use',
      details: { count: 2 },
      message:
        'The bundle pro is still used by 2 end users. List them with GET /v1/end-users?bundle=pro, and move them with PUT /v1/end-users/<externalId>/subscription.',
    })
    expect(await control.dump()).toBe(before)
    await control.call('DELETE', '/v1/end-users/user-2')
    expect((await remove('pro')).body.error.message).toContain('1 end user.')
    await subscribe('free')
    expect((await remove('pro')).status).toBe(200)
  })

  it('the default bundle can only be deleted if it is the only bundle', async () => {
    await subscribe('pro')
    expect((await remove('free')).body.error).toMatchObject({
      code: 'in_use',
      message: expect.stringContaining('POST /v1/bundles/<slug>/default'),
    })
    await subscribe('free')
    expect((await remove('pro')).status).toBe(200)
    await control.call('DELETE', '/v1/end-users/user-1')
    expect((await remove('free')).body).toMatchObject({ slug: 'free', default: true })
    const nobody = await control.call('PUT', '/v1/end-users/user-3', { body: {} })
    expect(nobody.body.error.code).toBe('bundle_required')
    // The first bundle that is created after all others were deleted becomes the application's default.
    const first = await control.call('PUT', '/v1/bundles/next', { body: { displayName: 'Next' } })
    expect(first.body.default).toBe(true)
    expect((await control.call('PUT', '/v1/end-users/user-3', { body: {} })).body.bundle).toBe('next')
  })

  it('past pools of a deleted bundle remain readable, and continue if a new bundle with the same slug is assigned', async () => {
    const include = (body: object) => control.call('POST', '/v1/bundles/pro/include', { body })
    const bonus = { slug: 'bonus', displayName: 'Bonus', unit: 'micros', amount: '900', recurring: false }
    await include(bonus)
    await control.call('POST', '/v1/bundles/pro/allow', { body: { models: ['acme/*'] } })
    await subscribe('pro')
    await settleCall(control, 'acme', await reserveCall(control, 'acme', ids.keyId, null))
    await subscribe('free')
    const past = await ledger()
    expect(past).toContain('pro/base/2026-11-20 usage_debit -450 ')
    expect((await remove('pro')).status).toBe(200)
    expect(await ledger()).toEqual(past)
    const usage = await control.call('GET', '/v1/usage?endUserId=user-1')
    expect(usage.body.totals.calls).toBe(2)

    control.clock.nowMs += 1000
    const again = await control.call('PUT', '/v1/bundles/pro', { body: { displayName: 'Pro again' } })
    expect(again.body).toMatchObject({
      includes: [],
      prices: [],
      allow: [],
      priceMicros: null,
      default: false,
    })
    expect(again.body.createdAt).toBe(new Date(control.clock.nowMs).toISOString())
    await include({ ...bonus, amount: '5000' })
    await subscribe('pro')
    const now = await ledger()
    expect(now.slice(-past.length)).toEqual(past)
    const news = now.slice(0, -past.length)
    // The remaining amounts of the earlier pools are available again, and the credit is not granted a second time.
    expect(news.filter((entry) => entry.includes(' grant '))).toEqual([])
    expect(news.every((entry) => entry.endsWith('plan_changed'))).toBe(true)
  })

  it('threat 8: removing a bundle of another application or organization returns 404 and writes nothing', async () => {
    await control.call('PUT', '/v1/apps/other', { body: { name: 'Other' } })
    const token = await control.found('Stranger')
    await control.call('PUT', '/v1/apps/theirs', { token, body: { name: 'Theirs' } })
    const before = await control.dump()
    for (const options of [{ app: 'other' }, { token }, { token, app: 'acme' }]) {
      const { body, status } = await control.call('DELETE', '/v1/bundles/pro', options)
      expect([status, body.error.code]).toEqual([404, 'not_found'])
    }
    expect(await control.dump()).toBe(before)
  })
})
