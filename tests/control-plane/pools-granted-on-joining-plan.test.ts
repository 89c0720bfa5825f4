import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StoreUnavailable } from '#domain/ledger-interface.ts'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { verifySqlite } from '#store/sqlite/verify.ts'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import { reserveCall, settleCall } from '../support/valid-request-of-every-operation.ts'

const dayMs = 86_400_000

describe.each(testedEngines)('on %s', (engine) => {
  let control: Control
  beforeEach(async () => {
    control = await openControl({ engine })
    await ready(control)
    for (const [slug, priceMicros] of [
      ['pro', '20000000'],
      ['free', null],
    ] as const) {
      await ok('PUT', `/v1/bundles/${slug}`, { displayName: slug, ...(priceMicros && { priceMicros }) })
      await ok('POST', `/v1/bundles/${slug}/allow`, { models: ['acme/*'] })
      await include(slug, 'tokens', '1000')
      await include(slug, 'welcome', '5000', false)
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

  async function ok(method: string, path: string, body?: unknown, mode?: 'test') {
    const answer = await control.call(method, path, { body, ...(mode && { mode }) })
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`)
    return answer.body
  }

  const include = (bundle: string, slug: string, amount: string, recurring = true) =>
    ok('POST', `/v1/bundles/${bundle}/include`, {
      slug,
      displayName: slug,
      unit: 'micros',
      amount,
      recurring,
    })

  /** Reads the ledger without writing due grants. */
  async function granted(mode: 'live' | 'test' = 'live'): Promise<string[]> {
    const rows = await control.database.read
      .selectFrom('ledger')
      .select(['source_id', 'amount'])
      .where('kind', '=', 'grant')
      .where('mode', '=', mode)
      .orderBy('sequence')
      .execute()
    return rows.map((row) => `${row.source_id.split('/')[1] ?? ''} ${row.amount}`)
  }

  const pools = async (endUserId: string, mode?: 'test'): Promise<string[]> => {
    const { pools: shown } = await ok('GET', `/v1/subscription?endUserId=${endUserId}`, undefined, mode)
    return shown.map((pool: { slug: string; granted: string; consumed: string }) =>
      [pool.slug, pool.granted, pool.consumed].join(' '),
    )
  }

  const both = ['tokens 1000', 'welcome 5000']

  it('users.create, keys.mint and users.subscribe grant the pools of the plan only once', async () => {
    await ok('PUT', '/v1/end-users/a', { bundle: 'pro' })
    expect((await granted()).toSorted()).toEqual(both)
    await ok('PUT', '/v1/end-users/a', { bundle: 'pro' })
    await ok('PUT', '/v1/end-users/a/subscription', { bundle: 'pro' })
    expect(await granted()).toHaveLength(2)

    await ok('POST', '/v1/keys', { endUserId: 'b', bundle: 'free' })
    expect(await granted()).toHaveLength(4)

    control.clock.nowMs += 1000
    await ok('PUT', '/v1/end-users/b/subscription', { bundle: 'pro' })
    expect(await granted()).toHaveLength(6)
  })

  it('a sign-up include remains available after the first period, even if this period had no calls', async () => {
    await ok('PUT', '/v1/end-users/a', { bundle: 'pro' })
    control.clock.nowMs += 31 * dayMs
    expect((await pools('a')).toSorted()).toEqual(['tokens 1000 0', 'welcome 5000 0'])
    const { id } = await ok('POST', '/v1/keys', { endUserId: 'a' })
    await settleCall(control, 'acme', await reserveCall(control, 'acme', id, null))
    control.clock.nowMs += 400 * dayMs
    expect(await pools('a')).toContain('welcome 5000 0')
  })

  it('a sign-up include that is granted a minute before a period ends remains available in the next period', async () => {
    await ok('PUT', '/v1/end-users/a', { bundle: 'free' })
    control.clock.nowMs = Date.UTC(2026, 11, 20, 11, 59)
    await ok('PUT', '/v1/end-users/a/subscription', { bundle: 'pro' })
    control.clock.nowMs += 61_000
    expect(await pools('a')).toContain('welcome 5000 0')
  })

  it('in test mode, the test clock determines when the pools of a plan are granted', async () => {
    await ok('PUT', '/v1/end-users/a', { bundle: 'pro' }, 'test')
    expect((await granted('test')).toSorted()).toEqual(both)
    const to = new Date(control.clock.nowMs + 31 * dayMs).toISOString()
    await ok('POST', '/v1/test-clock/advance', { to })
    expect((await pools('a', 'test')).toSorted()).toEqual(['tokens 1000 0', 'welcome 5000 0'])
    // The test clock also dates an edit of the bundle. End users who join after the edit get the new terms, and all
    // others keep their terms.
    await include('pro', 'welcome', '7', false)
    await include('pro', 'tokens', '8')
    await ok('PUT', '/v1/end-users/b', { bundle: 'pro' }, 'test')
    expect((await pools('b', 'test')).toSorted()).toEqual(['tokens 8 0', 'welcome 7 0'])
    expect((await pools('a', 'test')).toSorted()).toEqual(['tokens 1000 0', 'welcome 5000 0'])
  })

  it('editing an included pool of a bundle does not change the pools of a period that has begun', async () => {
    await ok('PUT', '/v1/end-users/a', { bundle: 'pro' })
    await ok('PUT', '/v1/end-users/b', { bundle: 'pro' })
    const { id } = await ok('POST', '/v1/keys', { endUserId: 'a' })
    await settleCall(control, 'acme', await reserveCall(control, 'acme', id, null))
    control.clock.nowMs += dayMs
    await include('pro', 'tokens', '1')
    await include('pro', 'welcome', '1', false)
    expect(await pools('a')).toContain('tokens 1000 450')
    expect((await pools('b')).toSorted()).toEqual(['tokens 1000 0', 'welcome 5000 0'])
    control.clock.nowMs += 31 * dayMs
    expect((await pools('a')).toSorted()).toEqual(['tokens 1 0', 'welcome 5000 0'])
    expect((await pools('b')).toSorted()).toEqual(['tokens 1 0', 'welcome 5000 0'])
  })

  it('a recurring include that is added later is granted in the next period, and a one-time include only to new end users', async () => {
    await ok('PUT', '/v1/end-users/a', { bundle: 'free' })
    control.clock.nowMs += dayMs
    await include('free', 'more', '10')
    await include('free', 'gift', '20', false)
    expect(await pools('a')).toHaveLength(2)
    await ok('PUT', '/v1/end-users/b', { bundle: 'free' })
    expect((await pools('b')).toSorted()).toEqual([
      'gift 20 0',
      'more 10 0',
      'tokens 1000 0',
      'welcome 5000 0',
    ])
    control.clock.nowMs += 31 * dayMs
    expect((await pools('a')).toSorted()).toEqual(['more 10 0', 'tokens 1000 0', 'welcome 5000 0'])
  })

  it('a crash after the request loses no grant, because the grants follow from the stored data', async () => {
    const failing = vi.spyOn(control.ledger, 'complete').mockRejectedValue(new StoreUnavailable('away'))
    await ok('PUT', '/v1/end-users/a', { bundle: 'pro' })
    expect(await granted()).toEqual([])
    control.clock.nowMs += dayMs
    await include('pro', 'welcome', '1', false)
    await include('pro', 'tokens', '2')
    expect((await pools('a')).toSorted()).toEqual(['tokens 1000 0', 'welcome 5000 0'])
    control.clock.nowMs += 60 * dayMs
    expect((await pools('a')).toSorted()).toEqual(['tokens 2 0', 'welcome 5000 0'])
    failing.mockRestore()
    await pools('a')
    expect((await granted()).toSorted()).toEqual(['tokens 2', 'welcome 5000'])
    control.internal.length = 0
  })

  it('the first read in a period grants the pools of the period, and shows the resulting ledger', async () => {
    await ok('PUT', '/v1/end-users/a', { bundle: 'free' })
    control.clock.nowMs += 31 * dayMs
    await pools('a')
    expect((await granted()).toSorted()).toEqual(['tokens 1000', 'tokens 1000', 'welcome 5000'])
    control.clock.nowMs += 31 * dayMs
    await ok('GET', '/v1/end-users/a/limits')
    expect(await granted()).toHaveLength(4)
    await ok('GET', '/v1/end-users/a/limits')
    expect(await granted()).toHaveLength(4)
  })
})
