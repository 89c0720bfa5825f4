import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { verifySqlite } from '#store/sqlite/verify.ts'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import { reserveCall, settleCall, signIn } from '../support/valid-request-of-every-operation.ts'

const dayMs = 86_400_000
const iso = (ms: number): string => new Date(ms).toISOString()

describe.each(testedEngines)('on %s', (engine) => {
  let control: Control
  let keyId: string
  beforeEach(async () => {
    control = await openControl({ engine })
    await ready(control)
    await ok('PUT', '/v1/bundles/pro', { displayName: 'Pro' })
    await ok('POST', '/v1/bundles/pro/allow', { models: ['acme/*'] })
    await ok('PUT', '/v1/end-users/a', { bundle: 'pro' })
    keyId = (await ok('POST', '/v1/keys', { endUserId: 'a' })).id
  })
  afterEach(async () => {
    const found = engine === 'SQLite' ? await verifySqlite(sqlitePath(control.folder)) : []
    await control.close()
    assert.deepEqual(
      found.filter(({ difference }) => difference !== null),
      [],
    )
  })

  async function ok(method: string, path: string, body?: unknown) {
    const answer = await control.call(method, path, { body })
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`)
    return answer.body
  }

  const issue = (body: object) =>
    control.call('POST', '/v1/grants', {
      body: { endUsers: ['a'], amountUnits: '1000', reason: 'trial', ...body },
    })

  const call = async () => settleCall(control, 'acme', await reserveCall(control, 'acme', keyId, null))

  const ledger = async (): Promise<string[]> => {
    const { data } = await ok('GET', '/v1/end-users/a/ledger?source=all&limit=200')
    return data
      .toReversed()
      .map((entry: { source: string; kind: string; amountUnits: string; reason: string | null }) =>
        [entry.source, entry.kind, entry.amountUnits, ...(entry.reason ? [entry.reason] : [])].join(' '),
      )
  }

  const balance = async () => (await ok('GET', '/v1/end-users/a')).balance

  it('expiring credit is spent before the wallet, earliest expiry first, and lapses with a ledger entry', async () => {
    const { nowMs } = control.clock
    await issue({ reason: 'paid' })
    const late = (await issue({ expiresAt: iso(nowMs + 20 * dayMs) })).body
    const soon = (await issue({ amountUnits: '500', expiresAt: iso(nowMs + 10 * dayMs) })).body
    expect(soon).toMatchObject({ startsAt: null, expiresAt: iso(nowMs + 10 * dayMs), status: 'done' })
    await call()
    const credit = (grant: { id: string; expiresAt: string }, remainingMicros: string) => ({
      grantId: grant.id,
      remainingMicros,
      startsAt: iso(nowMs),
      expiresAt: grant.expiresAt,
    })
    expect(await balance()).toEqual({
      balanceUnits: '2050',
      reservedUnits: '0',
      expiringCredit: [credit(soon, '50'), credit(late, '1000')],
    })
    const token = await signIn(control, 'a')
    const { body: account } = await control.call('GET', '/v1/portal/account', { token })
    expect(account.balance).toMatchObject({
      balanceMicros: '2050',
      expiringCredit: [credit(soon, '50'), credit(late, '1000')],
    })
    await call()
    control.clock.nowMs += 15 * dayMs
    await call()
    control.clock.nowMs += 10 * dayMs
    expect(await balance()).toEqual({ balanceUnits: '1000', reservedUnits: '0', expiringCredit: [] })
    await call()
    expect(await ledger()).toEqual([
      'wallet grant 1000 paid',
      `credit/${late.id} grant 1000 trial`,
      `credit/${soon.id} grant 500 trial`,
      `credit/${soon.id} usage_debit -450`,
      `credit/${soon.id} usage_debit -50`,
      `credit/${late.id} usage_debit -400`,
      `credit/${late.id} usage_debit -450`,
      `credit/${late.id} reversal -150 expired`,
      'wallet usage_debit -450',
    ])
  })

  it('expiring credit is shown before its start, but is not spent before its start', async () => {
    const { nowMs } = control.clock
    const span = { startsAt: iso(nowMs + dayMs), expiresAt: iso(nowMs + 2 * dayMs) }
    const { body } = await issue(span)
    expect(body).toMatchObject(span)
    expect(await balance()).toEqual({
      balanceUnits: '0',
      reservedUnits: '0',
      expiringCredit: [{ grantId: body.id, remainingMicros: '1000', ...span }],
    })
    await expect(call()).rejects.toThrow('insufficient_credit')
    control.clock.nowMs += dayMs
    await call()
    expect((await balance()).balanceUnits).toBe('550')
  })

  it('expiring credit limits a call, and is shown in the subscription separately from the pools', async () => {
    const { nowMs } = control.clock
    const { body } = await issue({ expiresAt: iso(nowMs + dayMs) })
    await call()
    const { limits, pace } = await ok('GET', '/v1/end-users/a/limits')
    expect(limits).toEqual([
      expect.objectContaining({
        kind: 'credit',
        id: body.id,
        limitUnits: '1000',
        usedUnits: '450',
        availableUnits: '550',
        resetsAt: null,
        expiresAt: iso(nowMs + dayMs),
      }),
    ])
    expect(pace.availableMicros).toBe('550')
    const subscription = await ok('GET', '/v1/subscription?endUserId=a')
    expect(subscription.pools).toEqual([])
    expect(subscription.expiringCredit).toMatchObject([{ grantId: body.id, remainingMicros: '550' }])
  })

  it('a change of plan does not affect expiring credit', async () => {
    await issue({ expiresAt: iso(control.clock.nowMs + 40 * dayMs) })
    await ok('PUT', '/v1/end-users/a/subscription', { bundle: 'free' })
    control.clock.nowMs += 31 * dayMs
    await ok('PUT', '/v1/end-users/a/subscription', { bundle: 'pro' })
    expect((await balance()).balanceUnits).toBe('1000')
    expect((await ledger()).filter((line) => line.startsWith('credit/'))).toHaveLength(1)
  })

  it('a grant is issued once for its idempotency key, and a request with a different expiry counts as a different grant', async () => {
    const expiresAt = iso(control.clock.nowMs + dayMs)
    const first = await issue({ expiresAt, idempotencyKey: 'k' })
    expect((await issue({ expiresAt, idempotencyKey: 'k' })).body.id).toBe(first.body.id)
    expect((await issue({ idempotencyKey: 'k' })).body.error.code).toBe('idempotency_mismatch')
    expect((await balance()).balanceUnits).toBe('1000')
  })

  it('a grant that expires needs an expiry in the future, after its start', async () => {
    const { nowMs } = control.clock
    for (const [span, param] of [
      [{ expiresAt: iso(nowMs) }, 'expiresAt'],
      [{ startsAt: iso(nowMs + 5), expiresAt: iso(nowMs + 5) }, 'startsAt'],
      [{ startsAt: iso(nowMs + 5) }, 'startsAt'],
    ] as const) {
      const answer = await issue(span)
      expect([answer.status, answer.body.error.param]).toEqual([400, param])
    }
    expect(await ledger()).toEqual([])
  })

  it('a large grant that expires credits each end user once', async () => {
    const ids = Array.from({ length: 600 }, (_, i) => `many-${i}`)
    const one = await control.store.read.endUsers.byExternalId(
      (await control.store.read.applications.bySlug('acme'))?.id ?? '',
      'a',
    )
    assert(one)
    await control.store.transaction(async (store) => {
      for (const id of ids) await store.endUsers.put({ ...one, id: `eu_${control.newId()}`, externalId: id })
    })
    const { body } = await issue({ endUsers: ids, expiresAt: iso(control.clock.nowMs + dayMs) })
    expect(body).toMatchObject({ endUsers: 600, done: 600 })
    const rows = await control.database.read
      .selectFrom('sources')
      .select(['posted', 'ends_at_ms'])
      .where('id', '=', `credit/${body.id}`)
      .execute()
    expect(rows).toHaveLength(600)
    expect(new Set(rows.map((row) => `${row.posted} ${row.ends_at_ms}`))).toEqual(
      new Set([`1000 ${control.clock.nowMs + dayMs}`]),
    )
  })

  it('an allotment rolls over according to its terms, even across months without requests', async () => {
    const include = { slug: 'tokens', displayName: 'Tokens', unit: 'micros', amount: '1000' }
    const rollover = { percent: 50, periodsMax: 2 }
    expect((await ok('POST', '/v1/bundles/pro/include', { ...include, rollover })).rollover).toEqual(rollover)
    control.clock.nowMs += 1000
    await ok('PUT', '/v1/end-users/b', { bundle: 'pro' })
    keyId = (await ok('POST', '/v1/keys', { endUserId: 'b' })).id
    await call()
    const pools = async () => (await ok('GET', '/v1/subscription?endUserId=b')).pools
    control.clock.nowMs += 31 * dayMs
    expect(await pools()).toMatchObject([
      { slug: 'tokens', granted: '1275', consumed: '0', rolledOver: '275' },
    ])
    await call()
    expect(await pools()).toMatchObject([{ granted: '1275', consumed: '450', rolledOver: '275' }])
    // After two months, half of the 1,000 micros of the month without requests has been carried over. The rest of the
    // previous grant has been carried over twice, and 206 micros of it remain.
    control.clock.nowMs += 62 * dayMs
    const [pool] = await pools()
    expect(pool).toMatchObject({ granted: '1706', consumed: '0', rolledOver: '706' })
    const { data } = await ok('GET', '/v1/end-users/b/ledger?source=all&limit=200')
    const sum = data.reduce(
      (all: bigint, entry: { amountUnits: string }) => all + BigInt(entry.amountUnits),
      0n,
    )
    expect(sum).toBe(1706n)
  })

  it('credits that were sold for money keep their value when they roll over', async () => {
    const credits = { slug: 'stars', displayName: 'Stars', unit: 'credits', amount: '2000', price: '1000' }
    const rollover = { percent: 50, periodsMax: 2 }
    await ok('POST', '/v1/bundles/pro/include', { ...credits, rollover })
    control.clock.nowMs += 1000
    await ok('PUT', '/v1/end-users/b', { bundle: 'pro' })
    const shown = async () => {
      const { pools } = await ok('GET', '/v1/subscription?endUserId=b')
      const { pace } = await ok('GET', '/v1/end-users/b/limits')
      const [{ consumed, granted, rolledOver, unit }] = pools
      return { unit, granted, consumed, rolledOver, available: pace.availableMicros }
    }
    expect(await shown()).toEqual({
      unit: 'micros',
      granted: '1000',
      consumed: '0',
      rolledOver: '0',
      available: '1000',
    })
    control.clock.nowMs += 31 * dayMs
    expect(await shown()).toEqual({
      unit: 'micros',
      granted: '1500',
      consumed: '0',
      rolledOver: '500',
      available: '1500',
    })
    // A quarter of the first month's credits is carried over a second time.
    control.clock.nowMs += 31 * dayMs
    expect(await shown()).toMatchObject({ granted: '1750', rolledOver: '750', available: '1750' })
  })

  it('an included pool in credits cannot be shared with a team', async () => {
    const body = { slug: 'stars', displayName: 'Stars', unit: 'credits', amount: '5', memberCap: '5' }
    const answer = await control.call('POST', '/v1/bundles/pro/include', { body })
    expect([answer.status, answer.body.error.param]).toEqual([400, 'memberCap'])
  })

  it('a rollover of a one-time included pool is rejected', async () => {
    const include = { slug: 'x', displayName: 'X', unit: 'micros', amount: '1', recurring: false }
    const body = { ...include, rollover: { percent: 50, periodsMax: 1 } }
    const answer = await control.call('POST', '/v1/bundles/pro/include', { body })
    expect([answer.status, answer.body.error.param]).toEqual([400, 'rollover'])
  })
})
