import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { reserveCall, settleCall } from '../support/valid-request-of-every-operation.ts'

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
  it('a PUT keeps omitted fields, and a second PUT does not create a second end user', async () => {
    const first = await put('user-2', { email: 'two@example.com' })
    const again = await put('user-2', {})
    expect(again.body).toEqual(first.body)
    expect((await put('user-2', { email: null })).body.email).toBeNull()
    expect((await put('user-2', { email: 'not an address' })).body.error.param).toBe('email')
    expect((await control.call('GET', '/v1/end-users')).body.data).toHaveLength(2)
  })

  it('an end user can be frozen and unfrozen any number of times', async () => {
    const frozen = await control.call('POST', '/v1/end-users/user-1/freeze')
    expect(frozen.body).toMatchObject({ frozen: true, frozenAt: '2026-11-20T12:00:00.000Z' })
    control.clock.nowMs += 1000
    expect((await control.call('POST', '/v1/end-users/user-1/freeze')).body.frozenAt).toBe(
      '2026-11-20T12:00:00.000Z',
    )
    for (let times = 0; times < 2; times++) {
      const free = await control.call('POST', '/v1/end-users/user-1/unfreeze')
      expect(free.body).toMatchObject({ frozen: false, frozenAt: null, frozenReason: null })
    }
    const freeze = async (body: object) =>
      (await control.call('POST', '/v1/end-users/user-1/freeze', { body })).body
    expect((await freeze({ reason: 'chargeback' })).frozenReason).toBe('chargeback')
    expect((await freeze({})).frozenReason).toBe('chargeback')
    expect((await freeze({ reason: 'fraud' })).frozenReason).toBe('fraud')
    expect((await control.call('GET', '/v1/end-users/user-1')).body.frozenReason).toBe('fraud')
    expect((await freeze({ reason: '' })).error.param).toBe('reason')
  })

  it('the list of end users can be filtered by bundle', async () => {
    await bundleWith('pro', '5')
    await put('user-2', { bundle: 'pro' })
    const list = await control.call('GET', '/v1/end-users?bundle=pro')
    expect(list.body.data.map((user: { externalId: string }) => user.externalId)).toEqual(['user-2'])
  })
})

describe('a wallet', () => {
  it('the wallet shows credits and calls on its ledger, newest first, and pools only if requested', async () => {
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

  it('wallets are found by a part of the end user’s ID or email address, page by page as in any list', async () => {
    await put('Ada-1', { email: 'ada@acme.example' })
    await put('ada-2', {})
    await put('bob', { email: 'bob@ADA.example' })
    const found = async (query: string) => {
      const { body } = await control.call('GET', `/v1/end-users?${query}`)
      return [body.data.map((user: { externalId: string }) => user.externalId), body.nextCursor]
    }
    expect(await found('search=ADA')).toEqual([['bob', 'ada-2', 'Ada-1'], null])
    expect((await found('search=ada-&bundle=free'))[0]).toEqual(['ada-2', 'Ada-1'])
    expect((await found('search=%25'))[0]).toEqual([])
    const [first, cursor] = await found('search=ada&limit=2')
    expect(first).toEqual(['bob', 'ada-2'])
    expect((await found(`search=ada&limit=2&cursor=${cursor}`))[0]).toEqual(['Ada-1'])
    const empty = await control.call('GET', '/v1/end-users?search=')
    expect([empty.status, empty.body.error.param]).toEqual([400, 'search'])
  })

  it('wallets are listed in the requested order, with the total number of rows', async () => {
    await put('b', {})
    await put('a', {})
    await put('c', {})
    const grant = (externalId: string, amountUnits: string) =>
      control.call('POST', '/v1/grants', { body: { endUsers: [externalId], amountUnits, reason: 'welcome' } })
    await grant('b', '2000000')
    await grant('user-1', '1000000')
    await callOnce()
    await control.call('POST', '/v1/end-users/c/freeze')
    const list = async (query: string) => {
      const { body } = await control.call('GET', `/v1/end-users?${query}`)
      const ids = (body.data ?? []).map((user: { externalId: string }) => user.externalId)
      return { ids, total: body.total, cursor: body.nextCursor, error: body.error }
    }
    expect((await list('sort=name')).ids).toEqual(['a', 'b', 'c', 'user-1'])
    expect((await list('sort=name&direction=desc')).ids).toEqual(['user-1', 'c', 'b', 'a'])
    expect((await list('sort=balance')).ids.slice(0, 2)).toEqual(['b', 'user-1'])
    expect((await list('sort=spent')).ids[0]).toBe('user-1')
    expect((await list('sort=last_seen&direction=asc')).ids.at(-1)).toBe('user-1')
    expect((await list('sort=created')).ids).toEqual((await list('')).ids)
    expect(await list('state=frozen&total=true')).toMatchObject({ ids: ['c'], total: 1 })
    const first = await list('sort=name&limit=3&total=true')
    expect([first.ids, first.total]).toEqual([['a', 'b', 'c'], 4])
    expect(await list(`sort=name&limit=3&cursor=${first.cursor}`)).toMatchObject({
      ids: ['user-1'],
      total: undefined,
      cursor: null,
    })
    for (const query of ['sort=balance', 'sort=name&direction=desc', 'sort=created']) {
      const { error } = await list(`${query}&cursor=${first.cursor}`)
      expect([query, error.code, error.param]).toEqual([query, 'invalid_request', 'cursor'])
    }
    const newest = await list('limit=2')
    expect((await list(`sort=name&cursor=${newest.cursor}`)).error.param).toBe('cursor')
    expect((await list('sort=name%20asc')).error.param).toBe('sort')
  })

  it('a wallet shows whether overage is on and when the end user’s keys were last used, in the requested mode', async () => {
    await control.call('POST', '/v1/grants', {
      body: { endUsers: ['user-1'], amountUnits: '1000000', reason: 'welcome' },
    })
    await callOnce()
    await control.call('POST', '/v1/subscription/on-demand', {
      body: { endUserId: 'user-1', enabled: true, limitMicros: '7' },
    })
    const user = (mode: 'live' | 'test') => control.call('GET', '/v1/end-users/user-1', { mode })
    expect((await user('live')).body).toMatchObject({ onDemandEnabled: true })
    expect((await user('test')).body).toMatchObject({ onDemandEnabled: false, lastSeenAt: null })
    expect(Date.parse((await user('live')).body.lastSeenAt)).toBeLessThanOrEqual(control.clock.nowMs)
  })

  it('a balance may exceed the largest single amount, and the response contains the whole balance', async () => {
    const largest = 10n ** 15n
    for (const reason of ['first', 'second']) {
      const body = { endUsers: ['user-1'], amountUnits: String(largest), reason }
      expect((await control.call('POST', '/v1/grants', { body })).status).toBe(200)
    }
    const { body, status } = await control.call('GET', '/v1/end-users/user-1/limits')
    expect([status, body.pace?.availableMicros]).toEqual([200, String(2n * largest)])
  })

  it('users.limits shows the limits of pools, overage, plan and keys, each with its used and held amount', async () => {
    const limits = async () => (await control.call('GET', '/v1/end-users/user-1/limits')).body
    expect(await limits()).toMatchObject({
      onPlan: true,
      callsInFlight: 0,
      heldMicros: '0',
      pace: { chargedMicros: '0', days: 1, from: '2026-11-20T00:00:00.000Z', lastsDays: null },
      onDemandBlockedSince: null,
      limits: [],
    })
    await bundleWith('pro', '500')
    await control.call('PATCH', '/v1/bundles/pro', {
      body: { spendLimitMicros: '5000', spendLimitPeriod: 'week' },
    })
    await subscribe('pro')
    await control.call('POST', '/v1/grants', {
      body: { endUsers: ['user-1'], amountUnits: '1000000', reason: 'welcome' },
    })
    await control.call('POST', '/v1/subscription/on-demand', {
      body: { endUserId: 'user-1', enabled: true, limitMicros: null },
    })
    const mint = async (body: object) =>
      (await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1', ...body } })).body.id
    const capped = await mint({ name: 'ci', capMicros: '4000', capPeriod: 'day' })
    const revoked = await mint({ capMicros: '1' })
    await control.call('DELETE', `/v1/keys/${revoked}`)
    await settleCall(control, 'acme', await reserveCall(control, 'acme', capped, null))
    await reserveCall(control, 'acme', capped, null)
    const shown = await limits()
    expect(shown).toMatchObject({ callsInFlight: 1, heldMicros: '900', pace: { chargedMicros: '450' } })
    const brief = shown.limits.map(
      ({ availableUnits, heldUnits, kind, limitUnits, name, period, usedUnits }: Record<string, string>) =>
        [kind, name, limitUnits, usedUnits, heldUnits, availableUnits, period].join(' '),
    )
    expect(brief).toEqual([
      'pool Tokens 500 450 50 0 ',
      'on_demand On-demand  0 0  month',
      'bundle_limit pro 5000 450 900 3650 week',
      'key_cap ci 4000 450 900 2650 day',
    ])
    expect((await control.call('GET', `/v1/keys/${capped}`)).body).toMatchObject({
      spentMicros: '450',
      heldMicros: '900',
      resetsAt: '2026-11-21T00:00:00.000Z',
    })
    // Yesterday's usage does not count against today's cap.
    control.clock.nowMs += 86_400_000
    expect((await control.call('GET', `/v1/keys/${capped}`)).body.spentMicros).toBe('0')
    expect((await limits()).pace.chargedMicros).toBe('450')
    control.clock.nowMs += 6 * 86_400_000
    expect((await limits()).pace.chargedMicros).toBe('0')
  })

  it('the wallet shows the amounts that calls in flight hold', async () => {
    await control.call('POST', '/v1/grants', {
      body: { endUsers: ['user-1'], amountUnits: '1000000', reason: 'welcome' },
    })
    const key = await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1' } })
    await reserveCall(control, 'acme', key.body.id, null)
    const user = await control.call('GET', '/v1/end-users/user-1')
    expect(user.body.balance).toEqual({ balanceUnits: '1000000', reservedUnits: '900', expiringCredit: [] })
  })
})

describe('a subscription', () => {
  it('before the first call, a subscription already shows the pools that the call will grant', async () => {
    await bundleWith('pro', '5000')
    control.clock.nowMs += 86_400_000
    const moved = await subscribe('pro')
    expect(moved.status).toBe(200)
    expect(moved.body).toEqual({
      planName: 'pro',
      priceMicros: '9000000',
      interval: 'month',
      // A change of plan does not move the periods, which started when the end user was created.
      periodStart: '2026-11-20T12:00:00.000Z',
      periodEnd: '2026-12-20T12:00:00.000Z',
      onDemandEnabled: false,
      onDemandLimitMicros: null,
      onDemandSpentMicros: '0',
      onDemandOwedMicros: '0',
      pools: [
        {
          slug: 'tokens',
          displayName: 'Tokens',
          unit: 'micros',
          granted: '5000',
          consumed: '0',
          spilloverTo: null,
          thenOnDemand: true,
          rolledOver: '0',
          aliases: [],
        },
      ],
      expiringCredit: [],
      onDemandBlockedSince: null,
      creditMicros: '0',
      endsAt: null,
      // 29 of the period's 30 days remain, so the invoice covers 29 days.
      invoices: [expect.objectContaining({ amountMicros: '8700000', status: 'open' })],
    })
    expect((await subscription()).body).toEqual(moved.body)
    control.clock.nowMs += 40 * 86_400_000
    const later = await subscription()
    expect(later.body).toMatchObject({ periodStart: '2026-12-20T12:00:00.000Z' })
    expect(later.body.pools).toMatchObject([{ granted: '5000', consumed: '0' }])
  })

  it('a subscription shows the usage of a pool for each model name', async () => {
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

  it('repeated switches between plans grant at most the credit of the larger plan', async () => {
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

  it('a subscription for the same plan changes nothing', async () => {
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

  it('sign-up includes are granted once to an end user who moves to the plan, and not again', async () => {
    await bundleWith('pro', '5000', { recurring: false })
    control.clock.nowMs += 100 * 86_400_000
    await subscribe('pro')
    expect((await subscription()).body.pools).toMatchObject([{ granted: '5000' }])
    await subscribe('free')
    expect((await subscription()).body.pools).toEqual([])
    await subscribe('pro')
    expect((await subscription()).body.pools).toMatchObject([{ granted: '5000', consumed: '0' }])
  })

  it('a subscription has its own overage setting in each mode, and an omitted ceiling is kept', async () => {
    const set = (body: object, mode: 'live' | 'test' = 'live') =>
      control.call('POST', '/v1/subscription/on-demand', { mode, body: { endUserId: 'user-1', ...body } })
    const on = await set({ enabled: true, limitMicros: '5000000' })
    expect(on.body).toMatchObject({
      onDemandEnabled: true,
      onDemandLimitMicros: '5000000',
      onDemandSpentMicros: '0',
      onDemandOwedMicros: '0',
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
