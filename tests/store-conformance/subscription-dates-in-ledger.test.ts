/** A date must take effect at its time, although no row changes at that time. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AccountRow } from '#store/sql/schema.ts'
import { engines, type Opened } from './engines.ts'
import { dayMs, startMs, World, type Caller } from './add-rows-that-calls-need.ts'

describe.each(engines)('subscriptions on $name', ({ open }) => {
  const clock = { nowMs: startMs }
  let opened: Opened
  let world: World

  beforeEach(async () => {
    clock.nowMs = startMs
    opened = await open(() => clock.nowMs)
    world = new World(opened.store, clock)
    await world.found()
  })
  afterEach(() => opened.closeSound())

  const setAccount = ({ endUserId, mode }: Caller, fields: Partial<AccountRow>): Promise<unknown> =>
    opened.store.database.transaction((tx) =>
      tx
        .insertInto('accounts')
        .values({ end_user_id: endUserId, mode, on_demand_enabled: 0, ...fields })
        .onConflict((conflict) => conflict.columns(['end_user_id', 'mode']).doUpdateSet(fields))
        .execute(),
    )
  const call = (caller: Caller) => world.request(caller, { input: 0, output: 10 })
  const pools = () =>
    opened.store.database.read.selectFrom('sources').selectAll().where('kind', '=', 'pool').execute()

  test('after its stored end, on-demand grants no new holds, even to a cached end user', async () => {
    const caller = await world.person(0n)
    await setAccount(caller, { on_demand_enabled: 1, on_demand_until_ms: startMs + 1_000 })
    clock.nowMs = startMs + 999
    const held = call(caller)
    expect((await world.reserve(held)).kind).toBe('reserved')
    clock.nowMs = startMs + 1_000
    expect(await world.reserve(call(caller))).toMatchObject({ kind: 'refused', code: 'insufficient_credit' })
    const more = { callId: held.callId, nowMs: clock.nowMs, moreOutputTokens: 5 }
    expect((await opened.store.ledger.extend(more)).kind).toBe('no_room')
    expect(await world.settle(held, { output: 10 })).toMatchObject({ chargeMicros: 10n, overHoldMicros: 0n })
    await setAccount(caller, { on_demand_until_ms: null })
    expect((await world.reserve(call(caller))).kind).toBe('reserved')
  })

  test('a plan ends at its stored end, even for a cached end user, and its pools pay again when the plan is assigned again', async () => {
    await world.include({ slug: 'tokens', amount: 100n })
    const caller = await world.person(0n)
    await setAccount(caller, { plan_ends_at_ms: startMs + 1_000 })
    clock.nowMs = startMs + 999
    const held = call(caller)
    expect(await world.reserve(held)).toMatchObject({ kind: 'reserved', legs: [{ kind: 'pool' }] })
    clock.nowMs = startMs + 1_000
    // The gateway checked this request with a plan that has ended since, so the reserve is stale.
    expect((await world.reserve(call(caller))).kind).toBe('stale')
    await world.settle(held, { output: 4 })
    expect(await pools()).toMatchObject([{ posted: 0n, held: 0n, withheld: 96n }])
    await setAccount(caller, { plan_ends_at_ms: null })
    expect(await world.reserve(call(caller))).toMatchObject({ kind: 'reserved', legs: [{ kind: 'pool' }] })
    expect(await pools()).toMatchObject([{ posted: 96n, held: 10n, withheld: 0n }])
  })

  test('the dates of the test account determine when its periods begin, not the dates of the live account', async () => {
    await world.include({ slug: 'tokens', amount: 100n })
    const caller = await world.person(0n, { mode: 'test' })
    const anchorMs = startMs + 400 * dayMs
    await setAccount(caller, { subscribed_at_ms: anchorMs, bundle_since_ms: anchorMs })
    clock.nowMs = anchorMs + dayMs
    expect((await world.reserve(call(caller))).kind).toBe('reserved')
    expect(await pools()).toMatchObject([{ starts_at_ms: anchorMs, mode: 'test' }])
    const live = await world.key(caller.endUserId)
    clock.nowMs = startMs
    expect((await world.reserve(call(live))).kind).toBe('reserved')
    expect((await pools()).map(({ mode, starts_at_ms }) => [mode, starts_at_ms])).toContainEqual([
      'live',
      startMs,
    ])
  })
})
