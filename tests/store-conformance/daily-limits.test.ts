import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { DailyLimit } from '#domain/daily-limits.ts'
import type { Store } from '#domain/store-interface.ts'
import { sqlDirectory } from '#store/nouns/gateway-lookups.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import { engines, type Opened } from './engines.ts'
import { dayMs, startMs, World } from './add-rows-that-calls-need.ts'

const midnight = Date.UTC(2026, 10, 20)

describe.each(engines)('daily limits on $name', ({ open }) => {
  let opened: Opened
  let world: World
  let store: Store
  const clock = { nowMs: startMs }

  beforeEach(async () => {
    clock.nowMs = startMs
    opened = await open(() => clock.nowMs)
    world = new World(opened.store, clock)
    await world.found()
    store = sqlStore(opened.store.database)
  })
  afterEach(() => opened.close())

  const put = (limit: DailyLimit): Promise<void> =>
    store.transaction((nouns) => nouns.dailyLimits.put(world.organizationId, limit))

  test('the organization and each application have at most one daily limit, which is deleted when it limits nothing', async () => {
    const { applicationId, organizationId } = world
    const whole = { applicationId: null, callsMax: 10, spendMaxMicros: 5_000_000n, setAtMs: 1 }
    const part = { applicationId, callsMax: null, spendMaxMicros: 0n, setAtMs: 2 }
    await put(whole)
    await put(part)
    expect(await store.read.dailyLimits.of(organizationId)).toEqual([whole, part])
    const directory = sqlDirectory(opened.store.database)
    expect((await directory.config(applicationId))?.dailyLimits).toEqual([whole, part])
    await put({ ...whole, callsMax: null })
    await put({ ...part, spendMaxMicros: null })
    expect(await store.read.dailyLimits.of(organizationId)).toEqual([{ ...whole, callsMax: null }])
    expect(await store.read.dailyLimits.of('org_none')).toEqual([])
    await put({ ...whole, applicationId: 'app_other' })
    expect((await directory.config(applicationId))?.dailyLimits).toEqual([{ ...whole, callsMax: null }])
  })

  test('daily limits count the calls in flight and the charged calls of the day, in live mode', async () => {
    const { applicationId, organizationId } = world
    const ada = await world.person(10_000n)
    const bob = await world.person(10_000n)
    const inTest = await world.person(10_000n, { mode: 'test' })
    const tokens = { input: 100, output: 200 }
    clock.nowMs = startMs - dayMs
    const yesterday = world.request(ada, tokens)
    await world.reserve(yesterday)
    await world.settle(yesterday, { input: 7 })
    clock.nowMs = startMs
    for (const caller of [ada, bob, inTest]) {
      const call = world.request(caller, tokens)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await world.reserve(call)
      // oxlint-disable-next-line no-await-in-loop -- as above
      await world.settle(call, { input: 50, output: 100 })
    }
    const inFlight = world.request(bob, tokens)
    await world.reserve(inFlight)
    const released = world.request(ada, tokens)
    await world.reserve(released)
    await world.release(released)
    const use = { calls: 2, spentMicros: 300n, inFlight: [{ callId: inFlight.callId, worstMicros: 300n }] }
    const { dailyLimits } = store.read
    expect(await dailyLimits.use({ organizationId, applicationId: null }, midnight)).toEqual(use)
    expect(await dailyLimits.use({ organizationId, applicationId }, midnight)).toEqual(use)
    expect(
      await sqlDirectory(opened.store.database).dayUse({ organizationId, applicationId }, midnight),
    ).toEqual(use)
    const before = { ...use, calls: 1, spentMicros: 7n }
    expect(await dailyLimits.use({ organizationId, applicationId }, midnight - dayMs)).toEqual(before)
    const nothing = { calls: 0, spentMicros: 0n, inFlight: [] }
    expect(await dailyLimits.use({ organizationId: 'org_none', applicationId: null }, midnight)).toEqual(
      nothing,
    )
    expect(await dailyLimits.use({ organizationId, applicationId: 'app_none' }, midnight)).toEqual(nothing)
  })
})
