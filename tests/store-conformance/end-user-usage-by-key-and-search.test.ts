import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Store } from '#domain/store-interface.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import { engines, type Opened } from './engines.ts'
import { dayMs, startMs, World } from './add-rows-that-calls-need.ts'

describe.each(engines)('usage and search of end users on $name', ({ open }) => {
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

  test('each key has its own charges, holds and last time of use', async () => {
    const one = await world.person(1_000n)
    const other = await world.person(1_000n)
    const { keys } = store.read
    const people = [one.endUserId, other.endUserId]
    const inFlight = () => keys.inFlight(world.applicationId, people, 'live')
    const running = world.request(one, { input: 30, output: 30 })
    await world.reserve(running)
    const { heldMicros = 0n } = (await inFlight()).get(one.keyId) ?? {}
    expect(heldMicros).toBeGreaterThan(0n)
    expect(await inFlight()).toEqual(new Map([[one.keyId, { calls: 1, heldMicros }]]))
    const second = world.request(one, { input: 30, output: 30 })
    await world.reserve(second)
    expect((await inFlight()).get(one.keyId)).toEqual({ calls: 2, heldMicros: 2n * heldMicros })
    expect(await keys.inFlight('app_other', people, 'live')).toEqual(new Map())
    expect(await keys.inFlight(world.applicationId, people, 'test')).toEqual(new Map())
    await world.settle(running, { input: 20, output: 0 })
    await world.settle(second, { input: 7, output: 0 })
    expect(await inFlight()).toEqual(new Map())

    const today = Math.floor(clock.nowMs / dayMs)
    const charged = (fromDay: number, toDay: number | null = null) =>
      keys.charged(people, 'live', { fromDay, toDay })
    expect(await charged(today)).toEqual(new Map([[one.keyId, 27n]]))
    expect(await charged(today, today)).toEqual(new Map())
    expect(await charged(today + 1)).toEqual(new Map())
    expect(await keys.charged([other.endUserId], 'live', { fromDay: 0, toDay: null })).toEqual(new Map())
    const lastUsed = await keys.lastUsed(people, 'live')
    expect([...lastUsed.keys()]).toEqual([one.endUserId])
    expect(Math.abs((lastUsed.get(one.endUserId) ?? 0) - startMs)).toBeLessThanOrEqual(60_000)
    for (const none of [
      await keys.charged([], 'live', { fromDay: 0, toDay: null }),
      await keys.lastUsed([], 'live'),
    ]) {
      expect(none.size).toBe(0)
    }
  })

  test('if on-demand billing is turned on in live mode, it remains off in test mode', async () => {
    const { endUserId } = await world.person(0n)
    const { balances } = store.read
    const on = () => balances.withOnDemand([endUserId, 'eu_nobody'], 'live')
    expect(await on()).toEqual(new Set())
    await store.transaction((nouns) =>
      nouns.balances.setOnDemand(endUserId, 'live', { isEnabled: true, limitMicros: null }),
    )
    expect(await on()).toEqual(new Set([endUserId]))
    expect(await balances.withOnDemand([endUserId], 'test')).toEqual(new Set())
    expect(await balances.withOnDemand([], 'live')).toEqual(new Set())
    expect(await balances.onDemandHeld(endUserId, 'live', clock.nowMs)).toBe(0n)
  })

  test('end users are found by a part of their names, in upper or lower case, and every character is matched literally', async () => {
    const put = (id: string, externalId: string, email: string | null) =>
      store.transaction((nouns) =>
        nouns.endUsers.put({
          id,
          applicationId: world.applicationId,
          externalId,
          email,
          bundleId: null,
          subscribedAtMs: startMs,
          bundleSinceMs: startMs,
          frozenAtMs: null,
          frozenReason: null,
          payerId: null,
          payerCapMicros: null,
          removedAtMs: null,
          createdAtMs: startMs,
        }),
      )
    await put('eu_1', 'Ada-1', 'ADA@acme.example')
    await put('eu_2', 'bob_2', null)
    await put('eu_3', 'bobx2%', 'b@acme.example')
    await put('eu_4', String.raw`c\d`, null)
    await put('eu_5', 'ÖBB-Straße [7]*?', null)
    const found = async (search: string) => {
      const page = { limit: 10, after: null }
      const filter = { bundleId: null, search }
      const at = { mode: 'live', nowMs: clock.nowMs } as const
      const { rows } = await store.read.endUsers.list(world.applicationId, filter, page, at)
      return rows.map(({ id }) => id).toSorted()
    }
    expect(await found('ada')).toEqual(['eu_1'])
    expect(await found('ACME.')).toEqual(['eu_1', 'eu_3'])
    expect(await found('b_2')).toEqual(['eu_2'])
    expect(await found('%')).toEqual(['eu_3'])
    expect(await found(String.raw`\d`)).toEqual(['eu_4'])
    expect(await found('eu_4')).toEqual(['eu_4'])
    expect(await found('nobody')).toEqual([])
    for (const search of ['ÖBB', 'öbb', 'Öbb-straße', 'Straße [7]*?', '[7]']) {
      expect([search, await found(search)]).toEqual([search, ['eu_5']])
    }
    expect(await found('ß*7')).toEqual([])
    expect(await found('ß ?7')).toEqual([])
  })
})
