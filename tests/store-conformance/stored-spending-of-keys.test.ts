/**
 * Compares the stored spending of keys (store/sum-spending-of-keys.ts) with the sums of the days, in random histories.
 * Covers lists of keys and `verify`. Runs of the summing job fail midway, overlap, or run while calls are charged on
 * summed days. SEED=<seed> repeats a run.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '#store/sql/database-interface.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import { foldSpending } from '#store/sum-spending-of-keys.ts'
import { foldUsageDays } from '#store/usage-sums-by-day.ts'
import { type Random, randomFrom, seedOfRun, withSeed } from '../support/seeded-random.ts'
import { engines, type Opened } from './engines.ts'
import { type Caller, dayMs, startMs, World } from './add-rows-that-calls-need.ts'

const steps = 60

describe.each(engines)('spending of keys on $name', ({ open }) => {
  const clock = { nowMs: startMs }
  let opened: Opened
  let world: World
  let callers: Caller[]

  beforeEach(async () => {
    clock.nowMs = startMs
    opened = await open(() => clock.nowMs)
    world = new World(opened.store, clock)
    await world.found()
    callers = []
    for (const cap_period of ['day', 'week', 'month', 'total'] as const)
      callers.push(await world.person(1_000_000n, { cap_period }))
  })
  afterEach(() => opened.closeSound())

  async function chargeOn(day: number, caller: Caller, output = 20): Promise<void> {
    const { nowMs } = clock
    clock.nowMs = startMs + day * dayMs
    const request = world.request(caller, { input: 100, output: 100 })
    await world.reserve(request)
    await world.settle(request, { input: 30, output })
    clock.nowMs = nowMs
  }

  const sumDays = (): Promise<number> => foldUsageDays(opened.store.database, clock.nowMs)
  const state = () =>
    opened.store.database.read.selectFrom('usage_fold').selectAll().executeTakeFirstOrThrow()

  /** @param before called before each transaction of the job */
  function disturbed(before: (transaction: number) => Promise<void>): Database {
    const { database } = opened.store
    let transactions = 0
    return {
      read: database.read,
      readFor: (reader) => database.readFor(reader),
      isEnvironmental: (error) => database.isEnvironmental(error),
      async transaction(work, reader) {
        await before(++transactions)
        return database.transaction(work, reader)
      },
    }
  }

  /** The order of both lists must be that of the sums over the days. */
  async function expectOrder(): Promise<void> {
    const { endUsers, keys, usage } = sqlStore(opened.store.database).read
    const page = { limit: 50, after: null, sorting: { by: 'spent', direction: 'desc' } as const }
    const { applicationId } = world
    const people = await endUsers.list(applicationId, { bundleId: null }, page, {
      mode: 'live',
      nowMs: clock.nowMs,
    })
    const ids = people.rows.map(({ id }) => id)
    const billed = await usage.byEndUser(ids, 'live')
    const amounts = ids.map((id) => billed.get(id)?.billedMicros ?? 0n)
    expect(amounts).toEqual(amounts.toSorted((one, other) => (one < other ? 1 : one > other ? -1 : 0)))
    const listed = await keys.list(applicationId, { mode: 'live', endUserId: null }, page, clock.nowMs)
    expect(new Set(listed.rows.map(({ id }) => id))).toEqual(new Set(callers.map(({ keyId }) => keyId)))
  }

  test('a run of the summing job stores the charges of all summed days, and lists then read only later days', async () => {
    for (const [day, caller] of callers.entries()) await chargeOn(day, caller)
    clock.nowMs = startMs + 20 * dayMs
    await sumDays()
    await foldSpending(opened.store.database)
    const { spending_day, spending_set, through_day } = await state()
    expect({ spending_day, spending_set }).toEqual({ spending_day: through_day, spending_set: 1 })
    const stored = await opened.store.database.read.selectFrom('key_spending').selectAll().execute()
    expect(new Map(stored.map(({ charge_micros, key_id }) => [key_id, charge_micros]))).toEqual(
      new Map(callers.map(({ keyId }) => [keyId, 50n])),
    )
    // The lists use the stored sums, so this change of the sums changes the order.
    const [first] = callers
    await opened.store.database.transaction((tx) =>
      tx
        .updateTable('key_spending')
        .set({ billed_micros: 1_000n })
        .where('key_id', '=', first?.keyId ?? '')
        .execute(),
    )
    const top = async () => {
      const page = { limit: 1, after: null, sorting: { by: 'spent', direction: 'desc' } as const }
      const at = { mode: 'live', nowMs: clock.nowMs } as const
      const { endUsers } = sqlStore(opened.store.database).read
      return (await endUsers.list(world.applicationId, { bundleId: null }, page, at)).rows[0]?.id
    }
    expect(await top()).toBe(first?.endUserId)
    await opened.store.database.transaction((tx) =>
      tx
        .updateTable('key_spending')
        .set({ billed_micros: 50n })
        .where('key_id', '=', first?.keyId ?? '')
        .execute(),
    )
  })

  test('if a call is charged on a summed day, the stored sums are dropped, and the next run of the summing job stores them again', async () => {
    const [caller] = callers
    if (caller === undefined) throw new Error('there is an end user')
    await chargeOn(0, caller)
    clock.nowMs = startMs + 20 * dayMs
    await sumDays()
    await foldSpending(opened.store.database)
    await chargeOn(1, caller)
    expect(await state()).toMatchObject({ spending_set: 0, spending_day: -1 })
    await opened.verify()
    // The dropped sums must not be used until the next run, although the days are summed up again.
    await sumDays()
    expect(await state()).toMatchObject({ spending_set: 0, spending_day: -1 })
    await opened.verify()
    await foldSpending(opened.store.database)
    const { spending_day, through_day } = await state()
    expect(spending_day).toBe(through_day)
    await opened.verify()
  })

  test.each([1, 2, 3])(
    'a call that is charged on a summed day before transaction %i of the summing job is never missing in stored sums',
    async (at) => {
      const [caller] = callers
      if (caller === undefined) throw new Error('there is an end user')
      await chargeOn(0, caller)
      clock.nowMs = startMs + 20 * dayMs
      await sumDays()
      const database = disturbed(async (transaction) => {
        if (transaction === at) await chargeOn(1, caller)
      })
      await foldSpending(database)
      const { spending_set } = await state()
      // A run reads nothing before its first transaction, so it includes a call that was charged before.
      expect(spending_set).toBe(at === 1 ? 1 : 0)
      await opened.verify()
      await sumDays()
      await foldSpending(opened.store.database)
      expect((await state()).spending_set).not.toBe(0)
      await opened.verify()
    },
  )

  test('the job ends before the next end users if the server stops, and its next run stores all sums', async () => {
    for (const [day, caller] of callers.entries()) await chargeOn(day, caller)
    clock.nowMs = startMs + 20 * dayMs
    await sumDays()
    const ending = new AbortController()
    let transactions = 0
    const database = disturbed(async (transaction) => {
      transactions = transaction
      // The first transaction begins the run, and the second one stores the first sums.
      if (transaction === 2) ending.abort()
    })
    await foldSpending(database, ending.signal)
    await foldSpending(database, ending.signal)
    expect(transactions).toBe(2)
    expect(await state()).toMatchObject({ spending_set: 0, spending_day: -1 })
    await opened.verify()
    await foldSpending(opened.store.database)
    const { spending_day, through_day } = await state()
    expect(spending_day).toBe(through_day)
    await opened.verify()
  })

  test.each([1, 2])(
    'after each step of a random history, the stored spending equals the sums of the days (history %i)',
    (history) => {
      const seed = (seedOfRun() + history) >>> 0
      return withSeed(seed - history, async () => {
        const random = randomFrom(seed)
        for (let step = 0; step < steps; step++) {
          await randomStep(random)
          if (random.chance(0.3)) {
            await expectOrder()
            await opened.verify()
          }
        }
        await sumDays()
        await foldSpending(opened.store.database)
        const { spending_day, through_day } = await state()
        expect(spending_day).toBe(through_day)
      })
    },
  )

  async function randomStep(random: Random): Promise<void> {
    const at = random.next()
    const today = Math.floor((clock.nowMs - startMs) / dayMs)
    const caller = random.pick(callers)
    if (at < 0.4) await chargeOn(today, caller, random.whole(0, 90))
    else if (at < 0.6) clock.nowMs += random.whole(1, 9) * dayMs
    else if (at < 0.65) await chargeOn(Math.max(0, today - random.whole(1, 20)), caller, random.whole(0, 90))
    else if (at < 0.7 && callers.length < 12) callers.push(await world.key(caller.endUserId))
    else if (at < 0.8) await sumDays()
    else if (at < 0.9) {
      const fails = random.chance(0.5) ? random.whole(1, 3) : null
      const lateAt = random.chance(0.3) ? random.whole(1, 3) : null
      const database = disturbed(async (transaction) => {
        if (transaction === lateAt) await chargeOn(random.whole(0, today), caller)
        if (transaction === fails) throw new Error('killed')
      })
      await sumDays()
      await foldSpending(database).catch((error: unknown) => {
        if (fails === null) throw error
      })
    } else {
      await sumDays()
      await Promise.all([foldSpending(opened.store.database), foldSpending(opened.store.database)])
    }
  }
})
