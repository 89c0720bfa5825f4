import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { defaultBrand, type LogoFacts } from '#domain/portal-brand.ts'
import { defaultPortalSettings, type PortalLink } from '#domain/portal-settings-and-sessions.ts'
import type { Store } from '#domain/store-interface.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import { engines, type Opened } from './engines.ts'
import { dayMs, startMs, World } from './add-rows-that-calls-need.ts'

describe.each(engines)('portals on $name', ({ open }) => {
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

  const linkOf = (endUserId: string, terms: Partial<PortalLink> = {}): PortalLink => ({
    id: `pl_${world.newId()}`,
    organizationId: world.organizationId,
    applicationId: world.applicationId,
    endUserId,
    mode: 'test',
    returnPath: '/usage',
    createdAtMs: clock.nowMs,
    expiresAtMs: clock.nowMs + 60_000,
    access: 'read',
    openedById: 'mem_1',
    openedByLabel: 'grace@acme.example',
    ...terms,
  })
  const sessionOf = (endUserId: string, expiresAtMs = clock.nowMs + dayMs) => ({
    id: `pse_${world.newId()}`,
    organizationId: world.organizationId,
    applicationId: world.applicationId,
    endUserId,
    mode: 'live' as const,
    createdAtMs: clock.nowMs,
    lastUsedAtMs: clock.nowMs,
    expiresAtMs,
    access: null,
    openedById: null,
    openedByLabel: null,
    linkId: null,
  })
  const take = (hash: string, applicationId: string | null = world.applicationId, nowMs = clock.nowMs) =>
    store.transaction((nouns) => nouns.portals.takeLink(hash, applicationId, nowMs))

  test('threat 105: only one of twenty concurrent attempts gets the sign-in link', async () => {
    const link = linkOf('eu_1')
    await store.transaction((nouns) => nouns.portals.insertLink(link, 'hash-1'))
    const taken = await Promise.all(Array.from({ length: 20 }, () => take('hash-1')))
    expect(taken.filter((one) => one !== null)).toEqual([link])
    expect(await take('hash-1', null)).toBeNull()
  })

  test('a sign-in link belongs to one application, and expires', async () => {
    const link = linkOf('eu_1')
    await store.transaction((nouns) => nouns.portals.insertLink(link, 'hash-1'))
    expect(await take('hash-1', 'app_other')).toBeNull()
    expect(await take('hash-2')).toBeNull()
    expect(await take('hash-1', null, link.expiresAtMs)).toBeNull()
    expect(await take('hash-1', null, link.expiresAtMs - 1)).toEqual(link)
  })

  test('a sign-in link whose redemption is rolled back can be redeemed again', async () => {
    await store.transaction((nouns) => nouns.portals.insertLink(linkOf('eu_1'), 'hash-1'))
    const failing = store.transaction(async (nouns) => {
      await nouns.portals.takeLink('hash-1', null, clock.nowMs)
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await take('hash-1')).not.toBeNull()
  })

  test('expired rows are removed by the next write to the same table', async () => {
    await store.transaction(async ({ portals }) => {
      await portals.insertLink(linkOf('eu_1'), 'old-link')
      await portals.insertSession(sessionOf('eu_1', clock.nowMs + 1), 'old-session')
    })
    clock.nowMs += 60_000
    await store.transaction(async ({ portals }) => {
      await portals.insertLink(linkOf('eu_1'), 'new-link')
      await portals.insertSession(sessionOf('eu_1'), 'new-session')
    })
    const valid = await store.read.credentials.validAmong(['old-session', 'new-session'], clock.nowMs)
    expect(valid).toEqual(new Set(['new-session']))
    const { read } = opened.store.database
    expect(await read.selectFrom('portal_links').select('hash').execute()).toEqual([{ hash: 'new-link' }])
    expect(await read.selectFrom('portal_sessions').select('hash').execute()).toEqual([
      { hash: 'new-session' },
    ])
  })

  test('a session is found by its hash until it is ended, alone or with all sessions of its end user', async () => {
    const sessions = [sessionOf('eu_1'), sessionOf('eu_1'), sessionOf('eu_2')] as const
    const { portals } = store.read
    await store.transaction(async (nouns) => {
      await nouns.portals.insertSession(sessions[0], 'one')
      await nouns.portals.insertSession(sessions[1], 'two')
      await nouns.portals.insertSession(sessions[2], 'other')
      await nouns.portals.insertLink(linkOf('eu_1'), 'link')
    })
    expect(await portals.session('one')).toEqual(sessions[0])
    await store.transaction((nouns) => nouns.portals.touchSession(sessions[0].id, startMs + 5))
    expect(await portals.session('one')).toEqual({ ...sessions[0], lastUsedAtMs: startMs + 5 })
    expect(await portals.isSessionThere(sessions[0].id)).toBe(true)
    await store.transaction((nouns) => nouns.portals.endSession(sessions[0].id))
    expect(await portals.isSessionThere(sessions[0].id)).toBe(false)
    expect([await portals.session('one'), await portals.session('two')]).toEqual([null, sessions[1]])
    await store.transaction((nouns) => nouns.portals.endVisits('eu_1'))
    expect([await portals.session('two'), await take('link')]).toEqual([null, null])
    expect(await portals.session('other')).toEqual(sessions[2])
  })

  test('settings, ceilings and brands have defaults until they are set', async () => {
    const { brands, portals } = store.read
    const { applicationId } = world
    expect(await portals.settings(applicationId)).toEqual(defaultPortalSettings)
    expect(await portals.onDemandCeiling('eu_1', 'live')).toBeNull()
    expect(await brands.of(applicationId)).toEqual(defaultBrand)
    const settings = {
      endUsersMayMintKeys: true,
      keyCapMicros: 7n,
      keyCapPeriod: 'day',
      keyCapsTotalMicros: 9n,
    } as const
    const brand = {
      productName: 'Acme',
      primaryColor: '#112233',
      supportEmail: 'a@b.example',
      supportUrl: null,
      topUpUrl: 'https://acme.example/credit',
      payUrl: null,
    }
    for (const productName of ['Acme', 'Acme 2']) {
      await store.transaction(async (nouns) => {
        await nouns.portals.putSettings(applicationId, settings)
        await nouns.portals.setOnDemandCeiling('eu_1', 'live', 5n)
        await nouns.brands.put(applicationId, { ...brand, productName })
      })
    }
    expect(await portals.settings(applicationId)).toEqual(settings)
    expect(await portals.onDemandCeiling('eu_1', 'live')).toBe(5n)
    expect(await portals.onDemandCeiling('eu_1', 'test')).toBeNull()
    expect(await brands.of(applicationId)).toEqual({ ...brand, productName: 'Acme 2', logo: null })
  })

  test('a logo is found by its hash in its application, with every byte', async () => {
    const bytes = Uint8Array.from({ length: 1000 }, (_, at) => at & 255)
    const facts: LogoFacts = { hash: 'a'.repeat(64), mediaType: 'image/png', widthPx: 3, heightPx: 2 }
    const { brands } = store.read
    await store.transaction((nouns) => nouns.brands.putLogo(world.applicationId, facts, bytes))
    expect((await brands.of(world.applicationId)).logo).toEqual(facts)
    for (const application of [null, world.applicationId]) {
      const logo = await brands.logo(facts.hash, application)
      expect(logo?.mediaType).toBe('image/png')
      expect(Buffer.from(logo?.bytes ?? []).equals(bytes)).toBe(true)
    }
    expect(await brands.logo(facts.hash, 'app_other')).toBeNull()
    const next = { ...facts, hash: 'b'.repeat(64) }
    await store.transaction((nouns) => nouns.brands.putLogo(world.applicationId, next, bytes))
    expect(await brands.logo(facts.hash, null)).toBeNull()
    await store.transaction((nouns) => nouns.brands.removeLogo(world.applicationId))
    expect([await brands.logo(next.hash, null), (await brands.of(world.applicationId)).logo]).toEqual([
      null,
      null,
    ])
  })

  test('calls are counted while they run, and their charges are counted afterwards by day and model name', async () => {
    const caller = await world.person(1_000n)
    const { portals } = store.read
    const inFlight = () => portals.callsInFlight(world.applicationId, caller.endUserId, 'live')
    const today = Math.floor(clock.nowMs / dayMs)
    const days = { fromDay: today, toDay: today + 2 }
    expect([await inFlight(), await portals.chargedMicros(caller.endUserId, 'live', days)]).toEqual([0, 0n])
    expect(await portals.firstUseDay(caller.endUserId, 'live')).toBeNull()
    for (const [afterMs, tokens] of [
      [0, 10],
      [0, 20],
      [dayMs, 40],
    ] as const) {
      clock.nowMs += afterMs
      const request = world.request(caller, { input: 30, output: 30 })
      await world.reserve(request)
      expect(await inFlight()).toBe(1)
      await world.settle(request, { input: tokens, output: 0 })
    }
    expect(await inFlight()).toBe(0)
    const { endUserId } = caller
    expect(await portals.chargedMicros(endUserId, 'live', days)).toBe(70n)
    expect(await portals.chargedMicros(endUserId, 'live', { fromDay: today + 1, toDay: null })).toBe(40n)
    expect(await portals.chargedMicros(endUserId, 'test', days)).toBe(0n)
    expect(await portals.firstUseDay(endUserId, 'live')).toBe(today)
    expect(await portals.firstUseDay(endUserId, 'test')).toBeNull()
    const used = await portals.usageByDay(endUserId, 'live', days)
    expect(
      used.map(({ billedMicros, calls, chargeMicros, day }) => [
        day - today,
        calls,
        billedMicros,
        chargeMicros,
      ]),
    ).toEqual([
      [1, 1, 40n, 40n],
      [0, 2, 30n, 30n],
    ])
    expect(await portals.usageByDay('eu_nobody', 'live', days)).toEqual([])
  })
})
