/** Sums of past days (store/usage-sums-by-day.ts) must not change any response, whenever the sums are created. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Database, isPostgres } from '#store/sql/database-interface.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import { foldUsageDays } from '#store/usage-sums-by-day.ts'
import { engines, type Opened } from './engines.ts'
import { dayMs, startMs, World } from './add-rows-that-calls-need.ts'

describe.each(engines)('$name', ({ open }) => {
  let opened: Opened
  let world: World
  const clock = { nowMs: startMs }

  beforeEach(async () => {
    clock.nowMs = startMs
    opened = await open(() => clock.nowMs)
    world = new World(opened.store, clock)
    await world.found()
  })
  afterEach(() => opened.closeSound())

  const fold = (afterDays: number): Promise<number> =>
    foldUsageDays(opened.store.database, startMs + afterDays * dayMs)

  async function callOn(day: number): Promise<void> {
    clock.nowMs = startMs + day * dayMs
    const caller = await world.person(1_000n)
    const request = world.request(caller, { input: 100, output: 100 })
    await world.reserve(request)
    await world.settle(request, { input: 30, output: 20 })
  }

  const used = async (fromDay: number | null = null, toDay: number | null = null): Promise<unknown> => {
    const { usage } = sqlStore(opened.store.database).read
    return usage.byAlias(world.applicationId, 'live', { endUserId: null, fromDay, toDay })
  }

  const sum = (calls: number): object[] =>
    calls === 0
      ? []
      : [
          {
            alias: 'acme/fast',
            calls,
            inputTokens: 30 * calls,
            outputTokens: 20 * calls,
            billedMicros: 50n * BigInt(calls),
          },
        ]

  test('a day is summed up on the following day, and on PostgreSQL one day later than that', async () => {
    await callOn(0)
    const isOnPostgres = isPostgres(opened.store.database.read)
    expect(await fold(1)).toBe(isOnPostgres ? 0 : 1)
    // A later run also sums up the first day again.
    expect(await fold(2)).toBe(isOnPostgres ? 1 : 2)
    await callOn(1)
    await callOn(0)
    expect(await used()).toMatchObject(sum(3))
    const first = Math.floor(startMs / dayMs)
    expect(await used(first, first + 1)).toMatchObject(sum(2))
  })

  test('an application’s sums are the same before and after they are stored, even if some days have not ended', async () => {
    for (const day of [0, 0, 1, 4]) await callOn(day)
    expect(await used()).toMatchObject(sum(4))
    expect(await fold(4)).toBeGreaterThan(0)
    expect(await used()).toMatchObject(sum(4))
    expect(await fold(4)).toBe(0)
    await callOn(4)
    expect(await used()).toMatchObject(sum(5))
    const first = Math.floor(startMs / dayMs)
    expect(await used(first, first + 1)).toMatchObject(sum(2))
    expect(await used(first + 1, first + 2)).toMatchObject(sum(1))
    expect(await used(first + 4)).toMatchObject(sum(2))
    expect(await used(first + 5)).toEqual([])
  })

  test('a settlement that was delayed for days is in the sums immediately, and also after the sums are computed again', async () => {
    await callOn(0)
    await fold(4)
    await callOn(0)
    expect(await used()).toMatchObject(sum(2))
    await fold(5)
    expect(await used()).toMatchObject(sum(2))
  })

  for (const back of [1, 30, 400]) {
    test(`every sum is correct after the clock was set back (days: ${back}) and forward again`, async () => {
      for (const day of [0, 1]) await callOn(day)
      await fold(40)
      await callOn(40)
      // With the clock set back, these calls are on days that are already summed up, and before the first call.
      await callOn(40 - back)
      await callOn(1 - back)
      expect(await used()).toMatchObject(sum(5))
      await opened.verify()
      // By the clock that was set back, these days have ended.
      await fold(40 - back)
      expect(await used()).toMatchObject(sum(5))
      await opened.verify()
      await callOn(60)
      await fold(60)
      expect(await used()).toMatchObject(sum(6))
      await opened.verify()
      await fold(80)
      expect(await used()).toMatchObject(sum(6))
      await opened.verify()
    })
  }

  test('if a settlement of a summed day arrives, the job stops before the next day, and its next run sums up the day again', async () => {
    await callOn(0)
    const database = opened.store.database
    let days = 0
    const disturbed: Database = {
      read: database.read,
      readFor: () => database.read,
      isEnvironmental: () => false,
      async transaction(work) {
        if (++days === 6) await callOn(1)
        return database.transaction(work)
      },
    }
    // When the settlement arrives, days 0 to 4 are summed up, and day 5 is not.
    expect(await foldUsageDays(disturbed, startMs + 40 * dayMs)).toBe(5)
    expect(await used()).toMatchObject(sum(2))
    await fold(40)
    expect(await used()).toMatchObject(sum(2))
    await opened.verify()
  })

  test('the process does other work before the job has summed up all days', async () => {
    await callOn(0)
    const ending = new AbortController()
    setImmediate(() => ending.abort())
    expect(await foldUsageDays(opened.store.database, startMs + 40 * dayMs, ending.signal)).toBeLessThan(30)
  })

  test('the job ends before the next day if the server stops, and its next run sums up the remaining days', async () => {
    await callOn(0)
    const { database } = opened.store
    const ending = new AbortController()
    let days = 0
    const disturbed: Database = {
      read: database.read,
      readFor: (reader) => database.readFor(reader),
      isEnvironmental: (error) => database.isEnvironmental(error),
      transaction(work) {
        if (++days === 3) ending.abort()
        return database.transaction(work)
      },
    }
    const nowMs = startMs + 40 * dayMs
    expect(await foldUsageDays(disturbed, nowMs, ending.signal)).toBe(3)
    expect(await foldUsageDays(disturbed, nowMs, ending.signal)).toBe(0)
    expect(days).toBe(3)
    expect(await used()).toMatchObject(sum(1))
    expect(await fold(40)).toBeGreaterThan(30)
    expect(await used()).toMatchObject(sum(1))
    await opened.verify()
  })
})
