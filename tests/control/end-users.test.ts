import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openControl, ready, type Control } from '../support/control.ts'
import { reserveCall, settleCall } from '../support/samples.ts'

let control: Control
beforeEach(async () => {
  control = await openControl()
  await ready(control)
})
afterEach(() => control.close())

const put = (externalId: string, body: object) => control.call('PUT', `/v1/end-users/${externalId}`, { body })
const subscribe = (bundle: string) =>
  control.call('PUT', '/v1/end-users/user-1/subscription', { body: { bundle } })
const subscription = (mode: 'live' | 'test' = 'live') =>
  control.call('GET', '/v1/subscription?endUserId=user-1', { mode })
const ledger = (query = '') => control.call('GET', `/v1/end-users/user-1/ledger${query}`)

async function bundleWith(slug: string, amount: string, more: object = {}): Promise<void> {
  await control.call('PUT', `/v1/bundles/${slug}`, { body: { displayName: slug, priceMicros: '9000000' } })
  await control.call('POST', `/v1/bundles/${slug}/allow`, { body: { models: ['acme/*'] } })
  await control.call('POST', `/v1/bundles/${slug}/include`, {
    body: { slug: 'tokens', displayName: 'Tokens', unit: 'micros', amount, ...more },
  })
}

async function callOnce(): Promise<void> {
  const key = await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1' } })
  await settleCall(control, 'acme', await reserveCall(control, 'acme', key.body.id, null))
}

describe('an end user', () => {
  it('keeps fields that are left out, and stays one person when put again', async () => {
    const first = await put('user-2', { email: 'two@example.com' })
    const again = await put('user-2', {})
    expect(again.body).toEqual(first.body)
    expect((await put('user-2', { email: null })).body.email).toBeNull()
    expect((await put('user-2', { email: 'not an address' })).body.error.param).toBe('email')
    expect((await control.call('GET', '/v1/end-users')).body.data).toHaveLength(2)
  })

  it('is frozen and unfrozen, each as often as one likes', async () => {
    const frozen = await control.call('POST', '/v1/end-users/user-1/freeze')
    expect(frozen.body).toMatchObject({ frozen: true, frozenAt: '2026-11-20T12:00:00.000Z' })
    control.clock.nowMs += 1000
    expect((await control.call('POST', '/v1/end-users/user-1/freeze')).body.frozenAt).toBe(
      '2026-11-20T12:00:00.000Z',
    )
    for (let times = 0; times < 2; times++) {
      const free = await control.call('POST', '/v1/end-users/user-1/unfreeze')
      expect(free.body).toMatchObject({ frozen: false, frozenAt: null })
    }
  })

  it('is listed by bundle', async () => {
    await bundleWith('pro', '5')
    await put('user-2', { bundle: 'pro' })
    const list = await control.call('GET', '/v1/end-users?bundle=pro')
    expect(list.body.data.map((user: { externalId: string }) => user.externalId)).toEqual(['user-2'])
  })
})

describe('a wallet', () => {
  it('shows credits and calls on its ledger, newest first, and pools only when asked', async () => {
    await control.call('POST', '/v1/grants', {
      body: { endUsers: ['user-1'], amountUnits: '1000000', reason: 'welcome' },
    })
    await callOnce()
    const { body } = await ledger()
    expect(body.data.map((entry: object) => ({ ...entry, id: '', requestId: '' }))).toMatchObject([
      {
        kind: 'usage_debit',
        amountUnits: '-450',
        balanceAfterUnits: '999550',
        unit: 'micros',
        source: 'wallet',
      },
      { kind: 'grant', amountUnits: '1000000', balanceAfterUnits: '1000000', reason: 'welcome' },
    ])
    expect(body.data[0].requestId).toMatch(/^req_/)
    expect(body.data[0].id > body.data[1].id).toBe(true)
    expect(body.data[1].requestId).toBeUndefined()
    const first = await ledger('?limit=1')
    const second = await ledger(`?limit=1&cursor=${first.body.nextCursor}`)
    expect([...first.body.data, ...second.body.data]).toEqual(body.data)
    expect(second.body.nextCursor).toBeNull()

    const user = await control.call('GET', '/v1/end-users/user-1')
    expect(user.body).toMatchObject({
      balance: { balanceUnits: '999550', reservedUnits: '0' },
      usage: { calls: 1, inputTokens: 50, outputTokens: 100, billedMicros: '450', overHoldMicros: '0' },
    })
    const inTest = await control.call('GET', '/v1/end-users/user-1', { mode: 'test' })
    expect(inTest.body).toMatchObject({ balance: { balanceUnits: '0' }, usage: { calls: 0 } })
  })

  it('shows what calls in flight hold', async () => {
    await control.call('POST', '/v1/grants', {
      body: { endUsers: ['user-1'], amountUnits: '1000000', reason: 'welcome' },
    })
    const key = await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1' } })
    await reserveCall(control, 'acme', key.body.id, null)
    const user = await control.call('GET', '/v1/end-users/user-1')
    expect(user.body.balance).toEqual({ balanceUnits: '1000000', reservedUnits: '900' })
  })
})

describe('a subscription', () => {
  it('shows the grants of the next call before there was one', async () => {
    await bundleWith('pro', '5000')
    control.clock.nowMs += 86_400_000
    const moved = await subscribe('pro')
    expect(moved.status).toBe(200)
    expect(moved.body).toEqual({
      planName: 'pro',
      priceMicros: '9000000',
      interval: 'month',
      // A change of plan does not move the periods: they began when the person was made.
      periodStart: '2026-11-20T12:00:00.000Z',
      periodEnd: '2026-12-20T12:00:00.000Z',
      onDemandEnabled: false,
      onDemandLimitMicros: null,
      onDemandSpentMicros: '0',
      pools: [
        {
          slug: 'tokens',
          displayName: 'Tokens',
          unit: 'micros',
          granted: '5000',
          consumed: '0',
          spilloverTo: null,
          thenOnDemand: true,
          aliases: [],
        },
      ],
      onDemandBlockedSince: null,
      creditMicros: '0',
      endsAt: null,
      // 29 of the period's 30 days are left.
      invoices: [expect.objectContaining({ amountMicros: '8700000', status: 'open' })],
    })
    expect((await subscription()).body).toEqual(moved.body)
    control.clock.nowMs += 40 * 86_400_000
    const later = await subscription()
    expect(later.body).toMatchObject({ periodStart: '2026-12-20T12:00:00.000Z' })
    expect(later.body.pools).toMatchObject([{ granted: '5000', consumed: '0' }])
  })

  it('shows the use of a pool by alias', async () => {
    await bundleWith('pro', '5000')
    await subscribe('pro')
    await callOnce()
    const { body } = await subscription()
    expect(body.pools).toMatchObject([
      { granted: '5000', consumed: '450', aliases: [{ requestedModel: 'acme/smart', consumed: '450' }] },
    ])
    expect((await ledger()).body.data).toEqual([])
    const all = await ledger('?source=all')
    expect(all.body.data).toMatchObject([
      {
        kind: 'usage_debit',
        amountUnits: '-450',
        balanceAfterUnits: '4550',
        source: 'pro/tokens/2026-11-20',
      },
      { kind: 'grant', amountUnits: '5000', balanceAfterUnits: '5000', source: 'pro/tokens/2026-11-20' },
    ])
    expect((await subscription('test')).body.pools).toMatchObject([{ granted: '5000', consumed: '0' }])
  })

  it('that is left and taken up again yields no more than the larger plan', async () => {
    await bundleWith('small', '1000')
    await bundleWith('large', '5000')
    await subscribe('small')
    await callOnce()
    for (const plan of ['large', 'small', 'large', 'small', 'large']) {
      control.clock.nowMs += 1000
      expect((await subscribe(plan)).status).toBe(200)
    }
    const { body } = await subscription()
    const left = body.pools.reduce(
      (sum: bigint, pool: { granted: string; consumed: string }) =>
        sum + BigInt(pool.granted) - BigInt(pool.consumed),
      0n,
    )
    expect(left).toBe(4550n)
    await callOnce()
    const after = await subscription()
    expect(after.body.pools).toMatchObject([{ granted: '5000', consumed: '900' }])
  })

  it('that is named again is not changed', async () => {
    await bundleWith('pro', '5000')
    await subscribe('pro')
    const before = await control.dump()
    await subscribe('pro')
    await put('user-1', { bundle: 'pro' })
    await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1', bundle: 'pro' } })
    const [withoutKeys, withKeys] = [before, await control.dump()].map((dump) =>
      dump.replace(/"keys",\[.*?\],"accounts"/, ''),
    )
    expect(withKeys).toBe(withoutKeys)
  })

  it('grants its sign-up includes once to a person who moves to it, and not again', async () => {
    await bundleWith('pro', '5000', { recurring: false })
    control.clock.nowMs += 100 * 86_400_000
    await subscribe('pro')
    expect((await subscription()).body.pools).toMatchObject([{ granted: '5000' }])
    await subscribe('free')
    expect((await subscription()).body.pools).toEqual([])
    await subscribe('pro')
    expect((await subscription()).body.pools).toMatchObject([{ granted: '5000', consumed: '0' }])
  })

  it('has overage of its own in each mode, with a ceiling that stays when it is left out', async () => {
    const set = (body: object, mode: 'live' | 'test' = 'live') =>
      control.call('POST', '/v1/subscription/on-demand', { mode, body: { endUserId: 'user-1', ...body } })
    const on = await set({ enabled: true, limitMicros: '5000000' })
    expect(on.body).toMatchObject({
      onDemandEnabled: true,
      onDemandLimitMicros: '5000000',
      onDemandSpentMicros: '0',
    })
    expect((await subscription('test')).body).toMatchObject({
      onDemandEnabled: false,
      onDemandLimitMicros: null,
    })
    expect((await set({ enabled: false })).body).toMatchObject({
      onDemandEnabled: false,
      onDemandLimitMicros: '5000000',
    })
    expect((await set({ enabled: true, limitMicros: null })).body.onDemandLimitMicros).toBeNull()
    await callOnce()
    expect((await subscription()).body.onDemandSpentMicros).toBe('450')
    expect((await ledger('?source=all')).body.data).toMatchObject([
      { source: 'on_demand/2026-11', amountUnits: '-450' },
    ])
  })
})
