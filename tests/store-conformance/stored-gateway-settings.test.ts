import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { unsetGateway, type GatewaySettings } from '#domain/gateway-settings.ts'
import { sqlDirectory } from '#store/nouns/gateway-lookups.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import { engines, type Opened } from './engines.ts'
import { startMs, World } from './add-rows-that-calls-need.ts'

describe.each(engines)('settings of a gateway on $name', ({ open }) => {
  let opened: Opened
  let world: World

  beforeEach(async () => {
    const clock = { nowMs: startMs }
    opened = await open(() => clock.nowMs)
    world = new World(opened.store, clock)
    await world.found()
  })
  afterEach(() => opened.close())

  test('the settings of a gateway are read as they were written, replaced as a whole, and compiled into the configuration', async () => {
    const store = sqlStore(opened.store.database)
    const { applicationId } = world
    const directory = sqlDirectory(opened.store.database)
    expect(await store.read.gatewaySettings.of(applicationId)).toBeNull()
    const settings: GatewaySettings = {
      applicationId,
      wires: ['chat', 'generate'],
      models: ['acme/*'],
      origins: ['https://app.example.com'],
      addresses: ['192.0.2.0/24', '2001:db8::/32'],
      hours: [{ days: ['mon', 'tue'], from: '08:00', until: '24:00' }],
      limits: [{ measure: 'tokens', window: '5h', most: 5_000_000_000n, models: ['acme/*'] }],
      tags: [
        { slug: 'search', limits: [] },
        { slug: 'batch', limits: [{ measure: 'calls', window: null, most: 5n, models: null }] },
      ],
      defaultMaxTokens: 4096,
      holdWaitMs: 0,
      filesMax: 5,
      fileBytesMax: 5_000_000_000,
      storagePrefixes: ['gs://acme-manuals/'],
      providerTools: 'refuse',
      conversion: 'strict',
      passTraceparent: true,
    }
    await store.transaction((nouns) => nouns.gatewaySettings.put(settings))
    expect(await store.read.gatewaySettings.of(applicationId)).toEqual(settings)
    const gateway = (await directory.config(applicationId))?.gateway
    expect(gateway).toMatchObject({
      wires: ['chat', 'generate'],
      models: ['acme/*'],
      origins: new Set(['https://app.example.com']),
      openings: [
        { fromMinute: 480, untilMinute: 1440 },
        { fromMinute: 1920, untilMinute: 2880 },
      ],
      defaultMaxTokens: 4096,
      holdWaitMs: 0,
      filesMax: 5,
      fileBytesMax: 5_000_000_000,
      storagePrefixes: ['gs://acme-manuals/'],
      providerTools: 'refuse',
      conversion: 'strict',
      passTraceparent: true,
    })
    expect([gateway?.addresses?.has('192.0.2.77'), gateway?.addresses?.has('192.0.3.1')]).toEqual([
      true,
      false,
    ])

    const byKind = { ...settings, providerTools: { webSearch: 'bounded', mcp: 7, other: 'refuse' } } as const
    await store.transaction((nouns) => nouns.gatewaySettings.put(byKind))
    expect(await store.read.gatewaySettings.of(applicationId)).toEqual(byKind)
    // This row is from a version without rules by kind of tool.
    await opened.store.database.transaction((query) =>
      query
        .updateTable('gateway_settings')
        .set({ tool_rules: null, provider_tools: 'drop' })
        .where('application_id', '=', applicationId)
        .execute(),
    )
    expect(await store.read.gatewaySettings.of(applicationId)).toEqual({ ...settings, providerTools: 'drop' })

    await store.transaction((nouns) => nouns.gatewaySettings.put(unsetGateway(applicationId)))
    expect(await store.read.gatewaySettings.of(applicationId)).toEqual(unsetGateway(applicationId))
    expect(await store.read.gatewaySettings.of('app_none')).toBeNull()
  })

  test('the version of a configuration can be read without the configuration', async () => {
    const directory = sqlDirectory(opened.store.database)
    expect(await directory.configVersion(world.applicationId)).toBe(1)
    await sqlStore(opened.store.database).transaction((nouns) =>
      nouns.applications.raiseVersion(world.applicationId),
    )
    expect(await directory.configVersion(world.applicationId)).toBe(2)
    expect(await directory.configVersion('app_none')).toBeNull()
  })
})
