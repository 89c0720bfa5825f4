/** A closed month must not change after it is invoiced, and is cleared once. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ClearMonthRequest } from '#domain/ledger-interface.ts'
import { bringUp, payInvoice, setOnDemand } from '#operations/billing/shared/keep-subscription-current.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import { engines, type Opened } from './engines.ts'
import { World, type Caller } from './add-rows-that-calls-need.ts'

const decemberMs = Date.UTC(2026, 11, 1)

describe.each(engines)('months of on-demand usage on $name', ({ open }) => {
  const clock = { nowMs: decemberMs }
  let opened: Opened
  let world: World
  let caller: Caller

  beforeEach(async () => {
    clock.nowMs = decemberMs - 60_000
    opened = await open(() => clock.nowMs)
    world = new World(opened.store, clock)
    await world.found()
    caller = await world.person(0n)
    await subscription('turn on', clock.nowMs)
  })
  afterEach(() => opened.closeSound())

  const rows = () => sqlStore(opened.store.database)
  const subscription = (work: 'turn on' | 'bring up' | 'pay', nowMs: number): Promise<void> =>
    rows().transaction(async (nouns) => {
      const endUser = await nouns.endUsers.byId(world.applicationId, caller.endUserId)
      assert(endUser)
      const billing = { store: nouns, newId: world.newId }
      const who = { endUser, mode: caller.mode, nowMs }
      if (work === 'turn on') await setOnDemand(billing, who, { isEnabled: true, limitMicros: null })
      else await bringUp(billing, who)
      const [invoice] = work === 'pay' ? await nouns.invoices.unpaid(endUser.id, caller.mode) : []
      if (invoice) await payInvoice(billing, who, invoice)
    })
  const call = async (): Promise<void> => {
    const request = world.request(caller, { input: 0, output: 10 })
    expect(await world.reserve(request)).toMatchObject({ kind: 'reserved' })
    await world.settle(request, { output: 10 })
  }
  const sources = () =>
    opened.store.database.read
      .selectFrom('sources')
      .select(['id', 'posted', 'held'])
      .where('kind', '=', 'on_demand')
      .orderBy('id')
      .execute()
  const unwritten = async (): Promise<ClearMonthRequest[]> => {
    const months = await rows().read.onDemandMonths.unwritten(null, 10)
    return months.map(({ testClockOffsetMs: _offset, ...month }) => ({ ...month, nowMs: clock.nowMs }))
  }

  test('if a month is closed while calls end, each call counts once, on its invoice or in the next month', async () => {
    const calls = Array.from({ length: 40 }, async (_, i) => {
      // Half of the calls come from a process with a slow clock.
      clock.nowMs = i % 2 === 0 ? decemberMs - 1 : decemberMs
      await call()
    })
    const closes = Array.from({ length: 10 }, () => subscription('bring up', decemberMs))
    await Promise.all([...calls, ...closes])
    clock.nowMs = decemberMs + 120_000
    await subscription('bring up', clock.nowMs)
    const [november, december, ...others] = await sources()
    expect(others).toEqual([])
    expect((november?.posted ?? 0n) + (december?.posted ?? 0n)).toBe(-400n)
    const lines = await opened.store.database.read.selectFrom('invoice_lines').selectAll().execute()
    expect(lines.map(({ amount_micros: amount, name }) => [name, amount])).toEqual(
      november?.posted === 0n ? [] : [['2026-11', -(november?.posted ?? 0n)]],
    )
    clock.nowMs = decemberMs - 1
    await call()
    expect((await sources())[0]).toEqual(november)
  })

  test('while a transaction has locked an end user, the ledger moves no money of the end user', async () => {
    let isReserved = false
    let reserving: Promise<unknown> = Promise.resolve()
    await rows().transaction(async (nouns) => {
      await nouns.onDemandMonths.lock(caller.endUserId)
      const request = world.request(caller, { input: 0, output: 10 })
      reserving = world.reserve(request).then(() => (isReserved = true))
      // Longer than a reserve takes.
      for (let i = 0; i < 200; i++) {
        // oxlint-disable-next-line no-await-in-loop -- time passes
        await nouns.onDemandMonths.unclosed(caller.endUserId, caller.mode, 0)
      }
      expect(isReserved).toBe(false)
    })
    await reserving
    expect(isReserved).toBe(true)
  })

  test('a month is not closed while a call holds money of that month', async () => {
    const request = world.request(caller, { input: 0, output: 10 })
    await world.reserve(request)
    await subscription('bring up', decemberMs)
    clock.nowMs = decemberMs + 1
    await world.settle(request, { output: 10 })
    expect((await sources())[0]).toMatchObject({ id: 'on_demand/2026-11', posted: -10n, held: 0n })
    await subscription('bring up', decemberMs + 60_000)
    const months = await opened.store.database.read.selectFrom('on_demand_months').selectAll().execute()
    expect(months).toMatchObject([{ amount_micros: 10n, reason: null }])
  })

  test('if several API requests clear a month, only one ledger entry is written, and the balance of the month’s source is then 0', async () => {
    await call()
    clock.nowMs = decemberMs
    await subscription('pay', decemberMs)
    const [request, ...others] = await unwritten()
    assert(request)
    expect(others).toEqual([])
    await Promise.all([1, 2, 3].map(() => opened.store.ledger.clearMonth(request)))
    await opened.store.ledger.clearMonth(request)
    expect(await unwritten()).toEqual([])
    expect((await sources())[0]).toMatchObject({ id: 'on_demand/2026-11', posted: 0n })
    const entries = await opened.store.database.read
      .selectFrom('ledger')
      .select(['sequence', 'amount', 'kind', 'reason'])
      .where('reason', '=', 'on_demand_paid')
      .execute()
    expect(entries).toMatchObject([{ amount: 10n, kind: 'adjustment' }])
    const months = await opened.store.database.read.selectFrom('on_demand_months').selectAll().execute()
    expect(months).toMatchObject([{ entry: entries[0]?.sequence }])
  })

  test('clearing an unknown month fails, and later operations succeed', async () => {
    const request: ClearMonthRequest = {
      endUserId: caller.endUserId,
      mode: caller.mode,
      sourceId: 'on_demand/2020-01',
      invoiceId: 'inv_none',
      amountMicros: 5n,
      reason: 'on_demand_paid',
      nowMs: clock.nowMs,
    }
    await expect(opened.store.ledger.clearMonth(request)).rejects.toThrow('there is no on_demand/2020-01')
    const stranger = { ...request, endUserId: 'eu_none' }
    await expect(opened.store.ledger.clearMonth(stranger)).rejects.toThrow('no end user has')
    await call()
  })
})
