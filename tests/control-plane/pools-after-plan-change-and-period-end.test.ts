import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { verifySqlite } from '#store/sqlite/verify.ts'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { reserveCall, settleCall } from '../support/valid-request-of-every-operation.ts'

const dayMs = 86_400_000

let control: Control
beforeEach(async () => {
  control = await openControl()
  await ready(control)
})
afterEach(async () => {
  const found = await verifySqlite(sqlitePath(control.folder))
  await control.close()
  assert.deepEqual(
    found.filter(({ difference }) => difference !== null),
    [],
  )
})

const subscribe = async (bundle: string) => {
  control.clock.nowMs += 1000
  const answer = await control.call('PUT', '/v1/end-users/user-1/subscription', { body: { bundle } })
  expect(answer.status).toBe(200)
  return answer.body
}
const pools = async () => (await control.call('GET', '/v1/subscription?endUserId=user-1')).body.pools

interface Entry {
  kind: string
  source: string
  amountUnits: string
  balanceAfterUnits: string
  reason?: string
}
const ledger = async (): Promise<Entry[]> =>
  (await control.call('GET', '/v1/end-users/user-1/ledger?source=all&limit=200')).body.data.toReversed()

async function bundleWith(slug: string, ...includes: object[]): Promise<void> {
  await control.call('PUT', `/v1/bundles/${slug}`, { body: { displayName: slug, priceMicros: '9000000' } })
  await control.call('POST', `/v1/bundles/${slug}/allow`, { body: { models: ['acme/*'] } })
  for (const include of includes) {
    const answer = await control.call('POST', `/v1/bundles/${slug}/include`, {
      body: { slug: 'tokens', displayName: 'Tokens', unit: 'micros', ...include },
    })
    expect(answer.status, answer.text).toBe(200)
  }
}

let keyId: string | null = null
beforeEach(() => (keyId = null))

async function callOnce(): Promise<void> {
  keyId ??= (await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1' } })).body.id
  await settleCall(control, 'acme', await reserveCall(control, 'acme', keyId ?? '', null))
}

/** For each source of credit, the balance after an entry must be the previous balance plus the entry's amount. */
function expectChains(entries: readonly Entry[]): void {
  const balances = new Map<string, bigint>()
  for (const { amountUnits, balanceAfterUnits, source } of entries) {
    const balance = (balances.get(source) ?? 0n) + BigInt(amountUnits)
    expect([source, balance]).toEqual([source, BigInt(balanceAfterUnits)])
    balances.set(source, balance)
  }
}

const told = (entries: readonly Entry[]) =>
  entries.map(({ amountUnits, balanceAfterUnits, kind, reason, source }) =>
    [source, kind, amountUnits, balanceAfterUnits, ...(reason === undefined ? [] : [reason])].join(' '),
  )

describe('a sign-up pool', () => {
  it('a sign-up pool is suspended while the end user is on another plan, and continues with exactly its remaining amount afterwards', async () => {
    await bundleWith('pro', { amount: '5000', recurring: false })
    await bundleWith('other')
    await subscribe('pro')
    await callOnce()
    for (let times = 0; times < 3; times++) {
      expect((await subscribe('other')).pools).toEqual([])
      expect((await subscribe('pro')).pools).toMatchObject([{ granted: '5000', consumed: '450' }])
    }
    await callOnce()
    expect(await pools()).toMatchObject([{ granted: '5000', consumed: '900' }])
    const entries = await ledger()
    expectChains(entries)
    const change = [
      'pro/tokens reversal -4550 0 plan_changed',
      'pro/tokens adjustment 4550 4550 plan_changed',
    ]
    expect(told(entries)).toEqual([
      'pro/tokens grant 5000 5000 included',
      'pro/tokens usage_debit -450 4550',
      ...change,
      ...change,
      ...change,
      'pro/tokens usage_debit -450 4100',
    ])
  })

  it('a sign-up pool is granted only once, even to an end user who returns in another period', async () => {
    await bundleWith('pro', { amount: '5000', recurring: false })
    await bundleWith('other')
    await subscribe('pro')
    await callOnce()
    await subscribe('other')
    control.clock.nowMs += 100 * dayMs
    expect((await subscribe('pro')).pools).toMatchObject([{ granted: '5000', consumed: '450' }])
    expect(told(await ledger()).filter((line) => line.includes(' grant '))).toHaveLength(1)
  })
})

describe('a recurring pool', () => {
  it('usage that another plan’s pool has paid in the period counts as consumed in a recurring pool', async () => {
    await bundleWith('small', { amount: '1000' })
    await bundleWith('large', { amount: '5000' })
    await subscribe('small')
    await callOnce()
    expect((await subscribe('large')).pools).toMatchObject([{ granted: '5000', consumed: '450' }])
    await callOnce()
    expect((await subscribe('small')).pools).toMatchObject([{ granted: '1000', consumed: '900' }])
    expect((await subscribe('large')).pools).toMatchObject([{ granted: '5000', consumed: '900' }])
    const entries = await ledger()
    expectChains(entries)
    expect(told(entries)).toEqual([
      'small/tokens/2026-11-20 grant 1000 1000 included',
      'small/tokens/2026-11-20 usage_debit -450 550',
      'small/tokens/2026-11-20 reversal -550 0 plan_changed',
      'large/tokens/2026-11-20 grant 5000 5000 included',
      'large/tokens/2026-11-20 adjustment -450 4550 used_on_another_plan',
      'large/tokens/2026-11-20 usage_debit -450 4100',
      'large/tokens/2026-11-20 reversal -4100 0 plan_changed',
      'small/tokens/2026-11-20 adjustment 100 100 plan_changed',
      'small/tokens/2026-11-20 reversal -100 0 plan_changed',
      'large/tokens/2026-11-20 adjustment 4100 4100 plan_changed',
    ])
  })

  it('a recurring pool lapses at the end of its period with a ledger entry, and the next period has a separate source', async () => {
    await bundleWith('pro', { amount: '5000' })
    await subscribe('pro')
    await callOnce()
    control.clock.nowMs += 31 * dayMs
    await callOnce()
    control.clock.nowMs += 62 * dayMs
    const entries = await ledger()
    expectChains(entries)
    expect(told(entries)).toEqual([
      'pro/tokens/2026-11-20 grant 5000 5000 included',
      'pro/tokens/2026-11-20 usage_debit -450 4550',
      'pro/tokens/2026-11-20 reversal -4550 0 expired',
      'pro/tokens/2026-12-20 grant 5000 5000 included',
      'pro/tokens/2026-12-20 usage_debit -450 4550',
      // No call arrived in the period that began on January 20. Reading the ledger writes the entry for the lapsed
      // amount.
      'pro/tokens/2026-12-20 reversal -4550 0 expired',
      'pro/tokens/2027-02-20 grant 5000 5000 included',
    ])
    expect(told(await ledger())).toEqual(told(entries))
  })
})

describe('on-demand', () => {
  it('on-demand is a separate source in each month', async () => {
    await control.call('POST', '/v1/subscription/on-demand', { body: { endUserId: 'user-1', enabled: true } })
    await callOnce()
    control.clock.nowMs += 31 * dayMs
    await callOnce()
    const entries = await ledger()
    expectChains(entries)
    expect(entries.map(({ source }) => source)).toEqual(['on_demand/2026-11', 'on_demand/2026-12'])
  })
})

describe('a pool in the portal', () => {
  it('by default, a pool overflows into the next pool, and shows the name of that pool', async () => {
    await bundleWith('pro', { slug: 'a', amount: '100' }, { slug: 'b', amount: '5000' })
    await subscribe('pro')
    expect(await pools()).toMatchObject([
      { slug: 'a', spilloverTo: 'b' },
      { slug: 'b', spilloverTo: null },
    ])
    await callOnce()
    expect(await pools()).toMatchObject([{ consumed: '100' }, { consumed: '350' }])
  })

  it('a pool without a spillover overflows into no other pool', async () => {
    await bundleWith('pro', { slug: 'a', amount: '100', spilloverTo: null }, { slug: 'b', amount: '5000' })
    await control.call('POST', '/v1/grants', {
      body: { endUsers: ['user-1'], amountUnits: '1000', reason: 'welcome' },
    })
    await subscribe('pro')
    await callOnce()
    expect(await pools()).toMatchObject([
      { slug: 'a', consumed: '100', spilloverTo: null },
      { slug: 'b', consumed: '0' },
    ])
    const user = await control.call('GET', '/v1/end-users/user-1')
    expect(user.body.balance.balanceUnits).toBe('650')
  })

  it('explanations of calls use the same names of pools as the ledger', async () => {
    await bundleWith('pro', { amount: '5000' })
    await subscribe('pro')
    await callOnce()
    const [debit] = (await control.call('GET', '/v1/end-users/user-1/ledger?source=all')).body.data
    const { body } = await control.call('GET', `/v1/requests/${debit.requestId}`)
    expect(debit.source).toBe('pro/tokens/2026-11-20')
    expect(body.settle.legs).toMatchObject([{ sourceId: debit.source }])
    expect(body.ledger).toMatchObject([{ source: debit.source }])
  })

  it('a pool in credits is shown in micros at its sell price, and in credits if it has no price', async () => {
    await bundleWith(
      'pro',
      { slug: 'sold', unit: 'credits', amount: '3000000', price: '1000' },
      { slug: 'free', unit: 'credits', amount: '3000000' },
    )
    await control.call('POST', '/v1/bundles/pro/price', {
      body: { model: 'acme/smart', credits: { input: '10000000000', output: '10000000000' } },
    })
    await subscribe('pro')
    expect(await pools()).toMatchObject([
      { slug: 'sold', unit: 'micros', granted: '1000', consumed: '0' },
      { slug: 'free', unit: 'credits', granted: '3000000', consumed: '0' },
    ])
  })
})
