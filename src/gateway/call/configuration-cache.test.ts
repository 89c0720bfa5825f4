import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Failure } from '#domain/errors.ts'
import type { Directory } from '#domain/gateway-directory-interface.ts'
import type { Alias, AliasSource, Bundle, ApplicationConfig, KeyRecord } from '#domain/application-config.ts'
import { gatewayRulesOf, unsetGateway } from '#domain/gateway-settings.ts'
import type { ProviderKind } from '#domain/accounts/provider-kinds.ts'
import type { Price } from '#money/price.ts'
import { Configuration } from './configuration-cache.ts'

const bundle: Bundle = {
  id: 'bun_1',
  slug: 'free',
  allow: ['*'],
  deny: [],
  policy: 'hard_token',
  maxOverdraftMicros: 0n,
  basis: 'provider_cost',
  prices: new Map(),
}

function source(label: string, kind: ProviderKind, price: Price | null): AliasSource {
  const account = { id: label, organizationId: 'org_1', label, kind, baseUrl: null, sealedCredential: null }
  return { account, model: 'm', price }
}

function configOf(sources: readonly AliasSource[], more: Partial<ApplicationConfig> = {}): ApplicationConfig {
  const alias: Alias = { name: 'a', createdAtMs: 1_800_000_000_000, isDisabled: false, sources, ceilings: {} }
  return {
    applicationId: 'app_1',
    organizationId: 'org_1',
    slug: 'acme',
    code: 'acme02',
    version: 1,
    isArchived: false,
    testClockOffsetMs: 0,
    pricesChangeAtMs: null,
    aliases: new Map([['a', alias]]),
    routers: new Map(),
    bundles: new Map([[bundle.id, bundle]]),
    outcomes: new Map(),
    gateway: null,
    dailyLimits: [],
    topUpUrl: null,
    payUrl: null,
    ...more,
  }
}

function directoryOf(configs: ApplicationConfig[]): Directory {
  return {
    config: async () => configs.shift() ?? null,
    configVersion: async () => null,
    dayUse: async () => ({ calls: 0, spentMicros: 0n, inFlight: [] }),
    key: async () => null,
    keysAmong: async () => new Set(),
    overdueInvoice: async () => null,
    means: async () => ({ isFrozen: false, micros: null, hasCredits: false }),
    applications: async () => [],
  }
}

const textOnly: Price = { input: 1n, output: 2n }
const whole: Price = { ...textOnly, cacheWrite: 3n, cacheWriteLong: 4n }

describe('a cached configuration', () => {
  it('a cached configuration is used until a published price changes, and is loaded again in that millisecond', async () => {
    const first = configOf([], { pricesChangeAtMs: 1000 })
    const second = configOf([])
    const clock = { nowMs: 0 }
    const configuration = new Configuration(directoryOf([first, second]), () => clock.nowMs)
    expect(await configuration.config('app_1')).toBe(first)
    clock.nowMs = 999
    expect(configuration.config('app_1')).toBe(first)
    clock.nowMs = 1000
    expect(await configuration.config('app_1')).toBe(second)
    clock.nowMs = 2000
    expect(configuration.config('app_1')).toBe(second)
  })

  it('plans of model names are cached up to a maximum number, and the oldest plans are dropped first', () => {
    const bundles = Array.from({ length: 30 }, (_, i): Bundle => ({ ...bundle, id: `bun_${i}` }))
    const alias: Alias = {
      name: 'a',
      createdAtMs: 0,
      isDisabled: false,
      sources: [source('main', 'openai_compatible', whole)],
      ceilings: {},
    }
    const names = Array.from({ length: 1_000 }, (_, i) => `name-${i}`)
    const config = configOf([], {
      aliases: new Map(names.map((name) => [name, { ...alias, name }])),
      bundles: new Map(bundles.map((one) => [one.id, one])),
    })
    const configuration = new Configuration(directoryOf([]))
    const served = (bundleId: string, name: string) =>
      configuration.served({ config, key: { bundleId, mode: 'live' } }, name)
    const first = served('bun_0', 'name-0')
    expect(first).not.toBeInstanceOf(Failure)
    expect(served('bun_0', 'name-0')).toBe(first)
    for (const { id } of bundles) for (const name of names) served(id, name)
    const last = served('bun_29', 'name-999')
    expect(served('bun_29', 'name-999')).toBe(last)
    expect(served('bun_0', 'name-0')).not.toBe(first)
  })
})

describe('threat 16: cached keys', () => {
  it('two applications never share a cached key, and two keys whose hashes begin alike are cached separately', async () => {
    const alike = 'a'.repeat(40)
    const hashes = Array.from({ length: 10_000 }, (_, i) => alike + String(i).padStart(24, '0'))
    const key = async (applicationId: string, hash: string): Promise<KeyRecord> => ({
      keyId: `${applicationId} ${hash}`,
      lineId: `${applicationId} ${hash}`,
      isPortalLine: false,
      tags: [],
      applicationId,
      endUserId: 'eu_1',
      mode: 'live',
      bundleId: null,
      revokedAtMs: null,
      expiresAtMs: null,
      isFrozen: false,
    })
    const configuration = new Configuration({ ...directoryOf([]), key })
    for (const round of ['looked up', 'remembered']) {
      for (const hash of hashes) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        expect((await configuration.key('app_1', hash))?.keyId, round).toBe(`app_1 ${hash}`)
      }
    }
    expect((await configuration.key('app_2', hashes[0] ?? ''))?.keyId).toBe(`app_2 ${hashes[0]}`)
  })
})

describe('a cached configuration and the stored configuration', () => {
  it('if the version is unchanged, the current configuration is the cached configuration; otherwise it is read from the store', async () => {
    const stored = [configOf([]), configOf([], { version: 2 })]
    const [first, second] = stored
    let version: number | null = 1
    const directory = { ...directoryOf(stored), configVersion: async () => version }
    const configuration = new Configuration(directory)
    expect(await configuration.current('app_1')).toBe(first)
    expect(await configuration.current('app_1')).toBe(first)
    version = 2
    expect(configuration.config('app_1')).toBe(first)
    expect(await configuration.current('app_1')).toBe(second)
    expect(configuration.config('app_1')).toBe(second)
    version = null
    expect(await configuration.current('app_1')).toBeNull()
  })
})

describe('the plan of a call', () => {
  const configuration = new Configuration(directoryOf([]))
  const planOf = (sources: readonly AliasSource[], prices: Bundle['prices'] = new Map()) => {
    const config = configOf(sources, { bundles: new Map([[bundle.id, { ...bundle, prices }]]) })
    const served = configuration.served({ config, key: { bundleId: bundle.id, mode: 'live' } }, 'a')
    if (served instanceof Failure) throw served
    return served.first
  }

  it('a plan skips an account whose price has no rate for tokens that the provider can report', () => {
    const plan = planOf([source('half', 'anthropic', textOnly), source('whole', 'anthropic', whole)])
    expect([plan.account.label, plan.quote.cost]).toEqual(['whole', whole])
    expect(planOf([source('plain', 'google', textOnly)]).quote.cost).toEqual(textOnly)
  })

  it('if the application sets a default maximum output, a plan uses this default, but at most the alias’s maximum, and requires a maximum in every request', () => {
    const sources = [source('whole', 'anthropic', whole)]
    const gateway = gatewayRulesOf({ ...unsetGateway('app_1'), defaultMaxTokens: 100 })
    const planIn = (more: Partial<ApplicationConfig>, outputTokens?: number) => {
      const ceilings = outputTokens === undefined ? {} : { outputTokens }
      const aliases = new Map([['a', { name: 'a', createdAtMs: 0, isDisabled: false, sources, ceilings }]])
      const config = configOf(sources, { aliases, ...more })
      const served = configuration.served({ config, key: { bundleId: bundle.id, mode: 'live' } }, 'a')
      if (served instanceof Failure) throw served
      return [served.first.outputTokensDefault, served.first.isMaximumImposed]
    }
    expect(planIn({})).toEqual([8_192, false])
    expect(planIn({}, 50)).toEqual([50, false])
    expect(planIn({ gateway })).toEqual([100, true])
    expect(planIn({ gateway }, 50)).toEqual([50, true])
    expect(planIn({ gateway: gatewayRulesOf(unsetGateway('app_1')) })).toEqual([8_192, false])
  })

  it('a model name that the application does not serve is rejected as unknown', () => {
    const gateway = gatewayRulesOf({ ...unsetGateway('app_1'), models: ['b*'] })
    const config = configOf([source('whole', 'anthropic', whole)], { gateway })
    const plan = configuration.served({ config, key: { bundleId: bundle.id, mode: 'live' } }, 'a')
    expect(plan).toMatchObject({ code: 'model_not_found' })
  })

  it('a request is rejected if no account has a complete price, and the error lists the missing rates of the first account', () => {
    const plan = () => planOf([source('half', 'anthropic', textOnly), source('none', 'openai', null)])
    expect(plan).toThrow(
      expect.objectContaining({
        code: 'model_unpriced',
        details: { model: 'a', reason: 'The application must set a price' },
        operatorDetails: { account: 'half', dimensions: 'cacheWrite, cacheWriteLong' },
      }),
    )
  })

  it('if no account has a complete price, a plan uses the known rates of the account and assumes the missing rates', () => {
    const sell = { input: 10n, output: 20n }
    const prices = new Map([['a', { sell, credits: null }]])
    const { quote } = planOf([source('half', 'anthropic', textOnly)], prices)
    expect(quote.cost).toEqual({ ...textOnly, cacheWrite: 10n, cacheWriteLong: 10n })
    expect([quote.assumed, quote.sell]).toEqual([['cacheWrite', 'cacheWriteLong'], sell])
    expect(planOf([source('whole', 'anthropic', whole)], prices).quote).not.toHaveProperty('assumed')
  })

  it('if the account has no price, a plan uses the sell price as the assumed cost, and the quote has another ID than with a known cost', () => {
    const sell = { input: 10n, output: 20n }
    const prices = new Map([['a', { sell, credits: null }]])
    const { quote } = planOf([source('none', 'google', null)], prices)
    expect(quote).toMatchObject({ cost: sell, sell, assumed: ['input', 'output'] })
    expect(quote.id).not.toBe(planOf([source('known', 'google', sell)], prices).quote.id)
  })
})

describe('loads of the same configuration', () => {
  function cacheWithSlowStore() {
    const loads: PromiseWithResolvers<ApplicationConfig | null>[] = []
    const stored = { version: 1 }
    const config = (): Promise<ApplicationConfig | null> => {
      const load = Promise.withResolvers<ApplicationConfig | null>()
      loads.push(load)
      return load.promise
    }
    const configVersion = async (): Promise<number> => stored.version
    return { loads, stored, cache: new Configuration({ ...directoryOf([]), config, configVersion }) }
  }

  it('reads the store once for all calls that arrive during a load', async () => {
    const { cache, loads } = cacheWithSlowStore()
    const calls = [1, 2, 3].map(async () => cache.config('app_1'))
    expect(loads).toHaveLength(1)
    loads[0]?.resolve(configOf([]))
    const [first, ...others] = await Promise.all(calls)
    expect(first?.version).toBe(1)
    for (const other of others) expect(other).toBe(first)
    expect(cache.config('app_1')).toBe(first)
  })

  it('reads the store once for all calls that find the same change, early or late', async () => {
    const { cache, loads, stored } = cacheWithSlowStore()
    const first = cache.config('app_1')
    loads[0]?.resolve(configOf([]))
    await first
    stored.version = 2
    const early = Array.from({ length: 100 }, () => cache.current('app_1'))
    await nextTurn()
    const late = Array.from({ length: 100 }, () => cache.current('app_1'))
    await nextTurn()
    expect(loads).toHaveLength(2)
    const changed = configOf([], { version: 2 })
    loads[1]?.resolve(changed)
    for (const config of await Promise.all([...early, ...late])) expect(config).toBe(changed)
    // The reserve of this call used the old configuration, and ended after the load.
    expect(await cache.current('app_1')).toBe(changed)
    expect(loads).toHaveLength(2)
  })

  it('reads the store again if a load began before the change that a call has found', async () => {
    const { cache, loads, stored } = cacheWithSlowStore()
    const begun = cache.config('app_1')
    stored.version = 2
    const calls = [cache.current('app_1'), cache.current('app_1')]
    await nextTurn()
    loads[0]?.resolve(configOf([]))
    await begun
    await nextTurn()
    expect(loads).toHaveLength(2)
    loads[1]?.resolve(configOf([], { version: 2 }))
    for (const config of await Promise.all(calls)) expect(config?.version).toBe(2)
  })

  it('reads the store again after a failed load', async () => {
    const { cache, loads } = cacheWithSlowStore()
    const failed = cache.config('app_1')
    loads[0]?.reject(new Error('no store'))
    await expect(failed).rejects.toThrow('no store')
    const next = cache.config('app_1')
    loads[1]?.resolve(configOf([]))
    expect((await next)?.version).toBe(1)
  })
})
