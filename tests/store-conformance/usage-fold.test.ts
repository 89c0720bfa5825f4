/** Sums of days that are over (store/usage-fold.ts) change no answer, whenever they are made. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sqlStore } from '#store/nouns/store.ts'
import { foldUsageDays } from '#store/usage-fold.ts'
import { engines, type Opened } from './engines.ts'
import { dayMs, startMs, World } from './world.ts'

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

  test('what everyone used is the same before and after, and with days that are not over', async () => {
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

  test('a settle that was kept for days is in the sums once they are made again', async () => {
    await callOn(0)
    await fold(4)
    await callOn(0)
    expect(await used()).toMatchObject(sum(1))
    await fold(5)
    expect(await used()).toMatchObject(sum(2))
  })
})
