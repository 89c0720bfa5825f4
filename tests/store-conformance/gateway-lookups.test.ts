import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { simulatorPrice } from '#domain/prices/simulator-price.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { sqlDirectory } from '#store/nouns/gateway-lookups.ts'
import { engines, type Opened } from './engines.ts'
import { startMs, World, type Caller } from './add-rows-that-calls-need.ts'

describe.each(engines)('the directory on $name', ({ open }) => {
  let opened: Opened
  let world: World
  const clock = { nowMs: startMs }

  beforeEach(async () => {
    opened = await open(() => clock.nowMs)
    world = new World(opened.store, clock)
    await world.found({ allow: '["acme/*"]', deny: '["acme/old"]', max_overdraft_micros: 5n })
  })
  afterEach(() => opened.close())

  const change = (work: (tx: Query) => Promise<unknown>): Promise<unknown> =>
    opened.store.database.transaction(work)

  async function account(
    id: string,
    kind: 'simulator' | 'openai_compatible' | 'google',
    baseUrl = 'https://models.example/v1',
  ): Promise<void> {
    await change((tx) =>
      tx
        .insertInto('provider_accounts')
        .values({
          id,
          organization_id: world.organizationId,
          label: id,
          kind,
          base_url: kind === 'simulator' ? null : baseUrl,
          sealed_credential: kind === 'simulator' ? null : 'sealed',
          last_four: null,
          on_client_left: kind === 'simulator' ? null : 'cut',
          created_at_ms: startMs,
        })
        .execute(),
    )
  }

  async function alias(name: string, sources: { account: string; model: string }[]): Promise<void> {
    await change((tx) =>
      tx
        .insertInto('aliases')
        .values({
          application_id: world.applicationId,
          name,
          sources: JSON.stringify(sources),
          ceilings: '{"outputTokens":2000}',
          is_disabled: 0,
          created_at_ms: startMs,
        })
        .execute(),
    )
  }

  test('a configuration that changes during each read is still read, without a change in between', async () => {
    const { database } = opened.store
    let changes = 0
    let isInTransaction = false
    const addOutcome = async (): Promise<void> => {
      changes += 1
      await world.outcome(`outcome-${changes}`, 1n)
      await change((tx) =>
        tx
          .updateTable('applications')
          .set((row) => ({ config_version: row('config_version', '+', 1) }))
          .execute(),
      )
    }
    const read = database.read.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        // A change waits for the transaction.
        if (!isInTransaction && result.rows.some((row) => 'config_version' in row)) await addOutcome()
        return result
      },
    })
    const directory = sqlDirectory({
      read,
      transaction: (work) =>
        database.transaction((tx) => {
          isInTransaction = true
          return work(tx)
        }),
    })
    const config = await directory.config(world.applicationId)
    expect(changes).toBeGreaterThan(0)
    expect(config?.version).toBe(1 + changes)
    expect(config?.outcomes.size).toBe(changes)
  })

  test('a compiled configuration contains all settings, with defaults applied', async () => {
    await account('pa_vendor', 'openai_compatible')
    await alias('acme/fast', [{ account: 'pa_vendor', model: 'vendor-1' }])
    await world.outcome('report', 700n)
    await world.outcome('retired', 700n)
    await change((tx) =>
      tx.updateTable('outcomes').set({ archived_at_ms: startMs }).where('slug', '=', 'retired').execute(),
    )
    await change((tx) =>
      tx
        .insertInto('bundle_prices')
        .values({ bundle_id: world.bundleId, alias: 'acme/fast', price: '{"input":"3"}', credits: null })
        .execute(),
    )
    const config = await sqlDirectory(opened.store.database).config(world.applicationId)
    expect(config).toEqual({
      applicationId: world.applicationId,
      organizationId: world.organizationId,
      slug: 'acme',
      code: 'acme02',
      version: 1,
      isArchived: false,
      testClockOffsetMs: 0,
      pricesChangeAtMs: null,
      aliases: new Map([
        [
          'acme/fast',
          {
            name: 'acme/fast',
            isDisabled: false,
            createdAtMs: startMs,
            sources: [
              {
                account: {
                  id: 'pa_vendor',
                  organizationId: world.organizationId,
                  label: 'pa_vendor',
                  kind: 'openai_compatible',
                  baseUrl: 'https://models.example/v1',
                  sealedCredential: 'sealed',
                  onClientLeft: 'cut',
                },
                model: 'vendor-1',
                price: null,
              },
            ],
            ceilings: { outputTokens: 2000 },
          },
        ],
      ]),
      routers: new Map(),
      bundles: new Map([
        [
          world.bundleId,
          {
            id: world.bundleId,
            slug: 'plain',
            allow: ['acme/*'],
            deny: ['acme/old'],
            policy: 'hard_token',
            maxOverdraftMicros: 5n,
            basis: 'provider_cost',
            onClientLeft: null,
            toolRules: null,
            prices: new Map([['acme/fast', { sell: { input: 3n }, credits: null }]]),
          },
        ],
      ]),
      outcomes: new Map([
        ['report', { slug: 'report', ceilingMicros: 700n, isArchived: false }],
        ['retired', { slug: 'retired', ceilingMicros: 700n, isArchived: true }],
      ]),
      gateway: null,
      dailyLimits: [],
      topUpUrl: null,
      payUrl: null,
    })
  })

  test('the account’s own price of a model applies; without such a price, only the simulator has a price', async () => {
    await account('pa_vendor', 'openai_compatible')
    await account('pa_sim', 'simulator')
    await alias('acme/fast', [
      { account: 'pa_vendor', model: 'priced' },
      { account: 'pa_vendor', model: 'unpriced' },
      { account: 'pa_sim', model: 'plain' },
      { account: 'pa_sim', model: 'priced' },
      { account: 'pa_gone', model: 'any' },
    ])
    for (const accountId of ['pa_vendor', 'pa_sim']) {
      // oxlint-disable-next-line no-await-in-loop -- arranged one after the other
      await change((tx) =>
        tx
          .insertInto('account_prices')
          .values({
            account_id: accountId,
            model: 'priced',
            price: '{"input":"7","output":"9"}',
            created_at_ms: 1,
          })
          .execute(),
      )
    }
    const config = await sqlDirectory(opened.store.database).config(world.applicationId)
    const sources = config?.aliases.get('acme/fast')?.sources ?? []
    expect(sources.map(({ account: { id }, model, price }) => [id, model, price])).toEqual([
      ['pa_vendor', 'priced', { input: 7n, output: 9n }],
      ['pa_vendor', 'unpriced', null],
      ['pa_sim', 'plain', simulatorPrice],
      ['pa_sim', 'priced', { input: 7n, output: 9n }],
    ])
  })

  test('an account at its vendor’s address has the current published price, with its end time', async () => {
    await account('pa_google', 'google', 'https://generativelanguage.googleapis.com')
    await account('pa_proxy', 'google', 'https://proxy.example')
    await alias('acme/fast', [
      { account: 'pa_google', model: 'gemini-3.8-flash' },
      { account: 'pa_google', model: 'gemini-3.8-flash-lite' },
      { account: 'pa_proxy', model: 'gemini-3.8-flash' },
    ])
    const changeMs = Date.UTC(2027, 0, 1)
    for (const [nowMs, output, pricesChangeAtMs] of [
      [changeMs - 1, 3_750_000n, changeMs],
      [changeMs, 7_500_000n, null],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one time after the other
      const config = await sqlDirectory(opened.store.database, () => nowMs).config(world.applicationId)
      const sources = config?.aliases.get('acme/fast')?.sources ?? []
      expect(sources.map(({ price }) => price?.output)).toEqual([output, undefined, undefined])
      expect(config?.pricesChangeAtMs).toBe(pricesChangeAtMs)
    }
  })

  test('an unknown application has no configuration', async () => {
    expect(await sqlDirectory(opened.store.database).config('app_none')).toBeNull()
  })

  test('a key is found by its hash only in its own application, revoked or not', async () => {
    const caller = await world.person(0n, { hash: 'abc', revoked_at_ms: startMs })
    const directory = sqlDirectory(opened.store.database)
    expect(await directory.key(world.applicationId, 'abc')).toEqual({
      keyId: caller.keyId,
      lineId: caller.keyId,
      isPortalLine: false,
      applicationId: world.applicationId,
      endUserId: caller.endUserId,
      mode: 'live',
      bundleId: world.bundleId,
      revokedAtMs: startMs,
      expiresAtMs: null,
      isFrozen: false,
      tags: [],
    })
    await change((tx) => tx.updateTable('end_users').set({ frozen_at_ms: startMs }).execute())
    expect(await directory.key(world.applicationId, 'abc')).toMatchObject({ isFrozen: true })
    expect(await directory.key('app_other', 'abc')).toBeNull()
    expect(await directory.key(world.applicationId, 'abd')).toBeNull()
  })

  test('the key of a deleted end user counts as revoked since the deletion, even if the key’s row states otherwise', async () => {
    await world.person(0n, { hash: 'abc' })
    await change((tx) => tx.updateTable('end_users').set({ removed_at_ms: startMs }).execute())
    expect(await sqlDirectory(opened.store.database).key(world.applicationId, 'abc')).toMatchObject({
      revokedAtMs: startMs,
    })
  })

  describe('the available money of an end user', () => {
    const meansOf = (caller: Caller): Promise<unknown> =>
      sqlDirectory(opened.store.database).means(caller, clock.nowMs)
    const onDemand = ({ endUserId, mode }: Caller, limitMicros: bigint | null): Promise<unknown> =>
      change((tx) =>
        tx
          .insertInto('accounts')
          .values({ end_user_id: endUserId, mode, on_demand_enabled: 1, on_demand_limit_micros: limitMicros })
          .execute(),
      )

    test('the available money is the balance of the wallet, including held money, and at least zero', async () => {
      const poor = await world.person(0n)
      expect(await meansOf(poor)).toEqual({ isFrozen: false, micros: 0n, hasCredits: false })
      const rich = await world.person(500n)
      await world.reserve(world.request(rich, { input: 100, output: 10 }))
      expect(await meansOf(rich)).toEqual({ isFrozen: false, micros: 500n, hasCredits: false })
      expect(await meansOf({ ...rich, mode: 'test' })).toMatchObject({ micros: 0n })
    })

    test('the available money includes unused on-demand money, and has no maximum without a limit', async () => {
      const limited = await world.person(500n)
      await onDemand(limited, 70n)
      expect(await meansOf(limited)).toMatchObject({ micros: 570n })
      const unlimited = await world.person(0n)
      await onDemand(unlimited, null)
      expect(await meansOf(unlimited)).toMatchObject({ micros: null })
    })

    test('the debt of a wallet does not reduce the available on-demand money', async () => {
      const indebted = await world.person(500n)
      const plain = world.request(indebted, { input: 100, output: 10 })
      const policy = { id: 'quote_grace', policy: 'grace', maxOverdraftMicros: 1_000n } as const
      const request = { ...plain, quote: { ...plain.quote, ...policy } }
      await world.reserve(request)
      await world.settle(request, { input: 900 })
      expect(await meansOf(indebted)).toMatchObject({ micros: 0n })
      await onDemand(indebted, 70n)
      expect(await meansOf(indebted)).toMatchObject({ micros: 70n })
    })

    test('if the next call will grant a pool, the available money is unknown until then, and afterwards includes the pool', async () => {
      await world.include({ slug: 'monthly', amount: 300n })
      const member = await world.person(0n)
      expect(await meansOf(member)).toMatchObject({ micros: null })
      await world.reserve(world.request(member, { input: 100, output: 10 }))
      expect(await meansOf(member)).toMatchObject({ micros: 300n })
    })

    test('the available money follows the test clock in test mode, and excludes on-demand that has ended', async () => {
      const caller = await world.person(5n, { mode: 'test' })
      await onDemand(caller, 70n)
      await change((tx) =>
        tx
          .updateTable('accounts')
          .set({ on_demand_until_ms: startMs + 1_000 })
          .where('end_user_id', '=', caller.endUserId)
          .execute(),
      )
      expect(await meansOf(caller)).toMatchObject({ micros: 75n })
      await change((tx) => tx.updateTable('applications').set({ test_clock_offset_ms: 1_000 }).execute())
      expect(await meansOf(caller)).toMatchObject({ micros: 5n })
    })

    test('the available money states whether spending is stopped', async () => {
      const frozen = await world.person(500n)
      await change((tx) =>
        tx
          .updateTable('end_users')
          .set({ frozen_at_ms: startMs })
          .where('id', '=', frozen.endUserId)
          .execute(),
      )
      expect(await meansOf(frozen)).toMatchObject({ isFrozen: true })
    })
  })

  test('applications are listed with their ports, even if they are archived', async () => {
    const directory = sqlDirectory(opened.store.database)
    const { applicationId } = world
    const host = { applicationId, slug: 'acme', gatewayPort: 8101, portalPort: null }
    expect(await directory.applications()).toEqual([{ ...host, isArchived: false }])
    await change((tx) => tx.updateTable('applications').set({ archived_at_ms: startMs }).execute())
    expect(await directory.applications()).toEqual([{ ...host, isArchived: true }])
  })
})
