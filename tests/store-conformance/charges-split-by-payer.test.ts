import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Paid } from '#money/charge-split-by-payer.ts'
import { engines, type Opened } from './engines.ts'
import { type Caller, startMs, World } from './add-rows-that-calls-need.ts'

const graceful = { id: 'quote_grace', policy: 'grace', maxOverdraftMicros: 1_000n } as const

describe.each(engines)('payers on $name', ({ open }) => {
  let opened: Opened
  let world: World
  const clock = { nowMs: startMs }

  beforeEach(async () => {
    clock.nowMs = startMs
    opened = await open(() => clock.nowMs)
    world = new World(opened.store, clock)
    await world.found()
  })
  // `verify`, which `closeSound` runs, computes the granted part of each wallet's balance from the ledger entries.
  afterEach(() => opened.closeSound())

  async function call(caller: Caller, micros: number, isGraceful = false): Promise<string> {
    const plain = world.request(caller, { input: 10, output: 10 })
    const request = isGraceful ? { ...plain, quote: { ...plain.quote, ...graceful } } : plain
    expect(await world.reserve(request)).toMatchObject({ kind: 'reserved' })
    await world.settle(request, { output: micros })
    return request.callId
  }

  async function paidOf(callId: string): Promise<Paid> {
    const row = await opened.store.database.read
      .selectFrom('usage_records')
      .select(['paid_plan_micros', 'paid_wallet_micros', 'paid_gift_micros', 'on_demand_micros'])
      .select(['overdraft_micros', 'charge_micros'])
      .where('call_id', '=', callId)
      .executeTakeFirstOrThrow()
    const paid = {
      planMicros: row.paid_plan_micros ?? -1n,
      walletMicros: row.paid_wallet_micros ?? -1n,
      giftMicros: row.paid_gift_micros ?? -1n,
      onDemandMicros: row.on_demand_micros ?? -1n,
      overdraftMicros: row.overdraft_micros ?? -1n,
    }
    expect(Object.values(paid).reduce((sum, part) => sum + part, 0n)).toBe(row.charge_micros)
    return paid
  }

  async function givenOf({ endUserId }: Caller): Promise<bigint | null> {
    const row = await opened.store.database.read
      .selectFrom('sources')
      .select('given')
      .where('end_user_id', '=', endUserId)
      .where('id', '=', 'wallet')
      .executeTakeFirstOrThrow()
    return row.given
  }

  const none = { planMicros: 0n, walletMicros: 0n, giftMicros: 0n, onDemandMicros: 0n, overdraftMicros: 0n }

  test('the plan pays first, then granted credit, then paid credit, then the overdraft', async () => {
    await world.include({ slug: 'included', amount: 15n })
    const caller = await world.person(20n)
    await world.credit([caller.endUserId], 10n, { kind: 'topup' })
    expect(await paidOf(await call(caller, 10))).toEqual({ ...none, planMicros: 10n })
    expect(await paidOf(await call(caller, 12))).toEqual({ ...none, planMicros: 5n, giftMicros: 7n })
    expect(await givenOf(caller)).toBe(13n)
    expect(await paidOf(await call(caller, 16))).toEqual({ ...none, giftMicros: 13n, walletMicros: 3n })
    expect(await givenOf(caller)).toBe(0n)
    await world.credit([caller.endUserId], 13n, { kind: 'topup' })
    expect(await paidOf(await call(caller, 25, true))).toEqual({
      ...none,
      walletMicros: 20n,
      overdraftMicros: 5n,
    })
    expect(await world.wallet(caller)).toEqual({ posted: -5n, held: 0n })
  })

  test('a gift to a wallet below 0 first pays the debt, and only the remaining credit counts as granted', async () => {
    const caller = await world.person(20n)
    await call(caller, 25, true)
    await world.credit([caller.endUserId], 12n)
    expect([await world.wallet(caller), await givenOf(caller)]).toEqual([{ posted: 7n, held: 0n }, 7n])
    await world.credit([caller.endUserId], 30n, { kind: 'topup' })
    await world.credit([caller.endUserId], 32n, { kind: 'reversal' })
    expect(await givenOf(caller)).toBe(5n)
  })

  test('a charge to on-demand is recorded separately from a charge to the wallet', async () => {
    const caller = await world.person(8n)
    await opened.store.database.transaction((tx) =>
      tx
        .insertInto('accounts')
        .values({
          end_user_id: caller.endUserId,
          mode: 'live',
          on_demand_enabled: 1,
          on_demand_limit_micros: null,
        })
        .execute(),
    )
    expect(await paidOf(await call(caller, 18))).toEqual({ ...none, giftMicros: 8n, onDemandMicros: 10n })
  })
})
