import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RouterRecord } from '#domain/router-records.ts'
import { attemptDefaults } from '#domain/router-records.ts'
import { sqlDirectory } from '#store/nouns/gateway-lookups.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import type { Nouns, Store } from '#domain/store-interface.ts'
import { engines, type Opened } from './engines.ts'
import { startMs, World } from './add-rows-that-calls-need.ts'

describe.each(engines)('routers on $name', ({ open }) => {
  let opened: Opened
  let world: World
  let store: Store
  const clock = { nowMs: startMs }

  beforeEach(async () => {
    opened = await open(() => clock.nowMs)
    world = new World(opened.store, clock)
    await world.found({ allow: '["acme/*"]', deny: '[]' })
    store = sqlStore(opened.store.database)
  })
  afterEach(() => opened.close())

  const write = (work: (nouns: Nouns) => Promise<void>): Promise<void> => store.transaction(work)
  const plain = { weight: 1, maxInFlight: null, when: null, deadlines: {} }
  const router = (name: string, fields: Partial<RouterRecord> = {}): RouterRecord => ({
    applicationId: world.applicationId,
    name,
    createdAtMs: startMs,
    policy: 'priority',
    stickyBy: 'end_user',
    targets: [{ to: { kind: 'alias', name: 'acme/fast' }, ...plain }],
    attempts: attemptDefaults,
    ...fields,
  })
  let whole: RouterRecord
  beforeEach(() => {
    whole = router('acme/whole', {
      policy: 'sticky',
      stickyBy: 'session',
      targets: [
        { to: { kind: 'router', name: 'acme/other' }, ...plain, weight: 3, maxInFlight: 20 },
        {
          to: { kind: 'source', accountId: 'pa_sim', model: 'm "quoted"' },
          ...plain,
          when: {
            bundles: ['pro'],
            features: ['tools', 'images'],
            inputTokensMin: 10,
            inputTokensMax: 9_000,
            mode: 'live',
          },
          deadlines: { connectMs: 5, firstByteMs: 6, idleMs: 7, totalMs: 8 },
        },
        { to: { kind: 'source', accountId: 'pa_gone', model: 'm' }, ...plain },
      ],
      attempts: {
        deadlines: { totalMs: 9 },
        withinMs: 1,
        attemptsMax: 2,
        retriesPerTarget: 3,
        alsoMovesOn: [451],
        neverMovesOn: [503, 529],
        onContextLength: 'fail',
      },
    })
  })

  test('a router is read as it was written, and replaced as a whole with the same creation time', async () => {
    await write(({ routers }) => routers.put(whole))
    expect(await store.read.routers.byName(world.applicationId, whole.name)).toEqual(whole)
    const next = router(whole.name, { createdAtMs: startMs + 5 })
    await write(({ routers }) => routers.put(next))
    const kept = { ...next, createdAtMs: startMs }
    expect(await store.read.routers.byName(world.applicationId, whole.name)).toEqual(kept)
    expect(await store.read.routers.byName('app_other', whole.name)).toBeNull()
  })

  test('the list of routers is sorted newest first or by name', async () => {
    await write(async ({ routers }) => {
      await routers.put(router('acme/b', { createdAtMs: startMs + 1 }))
      await routers.put(router('acme/a', { createdAtMs: startMs + 2 }))
      await routers.put(router('acme/c'))
    })
    const { routers } = store.read
    const page = await routers.list(world.applicationId, { limit: 2, after: null })
    expect(page.rows.map(({ name }) => name)).toEqual(['acme/a', 'acme/b'])
    const rest = await routers.list(world.applicationId, { limit: 2, after: page.next })
    expect([rest.rows.map(({ name }) => name), rest.next]).toEqual([['acme/c'], null])
    expect(await routers.names(world.applicationId)).toEqual(['acme/a', 'acme/b', 'acme/c'])
    expect((await routers.all(world.applicationId)).map(({ name }) => name)).toEqual([
      'acme/a',
      'acme/b',
      'acme/c',
    ])
  })

  test('deleting a router deletes its prices in bundles, and an account lists the routers that use it', async () => {
    await write(async ({ bundles, providers, routers }) => {
      await providers.insert({
        id: 'pa_sim',
        organizationId: world.organizationId,
        label: 'sim',
        kind: 'simulator',
        baseUrl: null,
        sealedCredential: null,
        lastFour: null,
        credentialSetAtMs: null,
        onClientLeft: null,
        createdAtMs: startMs,
      })
      await routers.put(whole)
      await bundles.setPrice(world.bundleId, { alias: whole.name, price: { input: 1n }, credits: null })
    })
    expect(await store.read.providers.dependents(world.organizationId, 'pa_sim')).toEqual(['acme/acme/whole'])
    await write(({ routers }) => routers.remove(world.applicationId, whole.name))
    expect(await store.read.bundles.prices(world.bundleId)).toEqual([])
    expect(await store.read.providers.dependents(world.organizationId, 'pa_sim')).toEqual([])
  })

  test('a configuration contains the targets of routers with accounts and prices, but no target whose account was deleted', async () => {
    await write(async ({ providers, routers }) => {
      await providers.insert({
        id: 'pa_sim',
        organizationId: world.organizationId,
        label: 'sim',
        kind: 'simulator',
        baseUrl: null,
        sealedCredential: null,
        lastFour: null,
        credentialSetAtMs: null,
        onClientLeft: null,
        createdAtMs: startMs,
      })
      await providers.setPrice('pa_sim', 'm "quoted"', { input: 5n, output: 6n }, startMs)
      await routers.put(whole)
    })
    const config = await sqlDirectory(opened.store.database).config(world.applicationId)
    const { applicationId: _, ...stored } = whole
    const [named, source] = whole.targets
    expect(config?.routers.get(whole.name)).toEqual({
      ...stored,
      targets: [
        named,
        {
          ...source,
          to: {
            kind: 'source',
            source: {
              account: {
                id: 'pa_sim',
                organizationId: world.organizationId,
                label: 'sim',
                kind: 'simulator',
                baseUrl: null,
                sealedCredential: null,
                onClientLeft: null,
              },
              model: 'm "quoted"',
              price: { input: 5n, output: 6n },
            },
          },
        },
      ],
    })
  })
})
