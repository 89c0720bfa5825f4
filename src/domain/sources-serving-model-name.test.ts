import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Configuration } from '#gateway/call/configuration-cache.ts'
import { modelState } from '#operations/models/shared/model-status.ts'
import type { Price } from '#money/price.ts'
import type { Mode } from '#domain/billing/money-account-key.ts'
import type { AliasSource, ApplicationConfig, Bundle, ProviderAccount, Router } from './application-config.ts'
import type { Directory } from './gateway-directory-interface.ts'
import { Failure } from './errors.ts'
import type { Provider } from '#domain/accounts/provider-account-record.ts'
import { attemptDefaults } from './router-records.ts'
import { sourcesOfName, sourcesServing } from './sources-serving-model-name.ts'

const rate = fc.bigInt(0n, 9n)
const wholePrice: fc.Arbitrary<Price> = fc.record({ input: rate, output: rate })
const anyPrice: fc.Arbitrary<Price> = fc.record(
  { input: rate, output: rate, cacheWrite: rate, cacheWriteLong: rate },
  { requiredKeys: [] },
)
const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })

const anySource = fc
  .record({
    kind: fc.constantFrom('openai', 'anthropic', 'google', 'openai_compatible', 'simulator' as const),
    price: orNull(anyPrice),
  })
  .map(({ kind, price }): AliasSource => {
    const account: ProviderAccount = {
      id: 'pa_1',
      organizationId: 'org_1',
      label: kind,
      kind,
      baseUrl: null,
      sealedCredential: null,
    }
    return { account, model: 'm', price }
  })

interface Configured {
  readonly mode: Mode
  readonly isDisabled: boolean
  readonly sources: readonly AliasSource[]
  /** The price is complete, because bundles.price accepts no other price. Null means that the bundle sells at cost. */
  readonly sells: readonly (Price | null)[]
}

const anyConfiguration: fc.Arbitrary<Configured> = fc.record({
  mode: fc.constantFrom('live', 'test'),
  isDisabled: fc.boolean(),
  sources: fc.array(anySource, { maxLength: 3 }),
  sells: fc.array(orNull(wholePrice), { minLength: 1, maxLength: 3 }),
})

const nothingStored: Directory = {
  config: async () => null,
  configVersion: async () => null,
  dayUse: async () => ({ calls: 0, spentMicros: 0n, inFlight: [] }),
  key: async () => null,
  keysAmong: async () => new Set(),
  overdueInvoice: async () => null,
  means: async () => ({ isFrozen: false, micros: null, hasCredits: false }),
  applications: async () => [],
}

/** Returns the gateway's decision about a call of the model name, for each bundle: served, or the error code. */
function gatewaySays({ isDisabled, mode, sells, sources }: Configured): string[] {
  const bundles = sells.map((sell, at): Bundle => {
    const prices = new Map([['a', { sell, credits: null }]])
    const limits = { policy: 'hard_token', maxOverdraftMicros: 0n, basis: 'provider_cost' } as const
    return { id: `bun_${at}`, slug: `bundle-${at}`, allow: ['*'], deny: [], prices, ...limits }
  })
  const config: ApplicationConfig = {
    applicationId: 'app_1',
    organizationId: 'org_1',
    slug: 'acme',
    code: 'acme02',
    version: 1,
    isArchived: false,
    testClockOffsetMs: 0,
    pricesChangeAtMs: null,
    aliases: new Map([['a', { name: 'a', createdAtMs: 0, isDisabled, sources, ceilings: {} }]]),
    routers: new Map(),
    bundles: new Map(bundles.map((bundle) => [bundle.id, bundle])),
    outcomes: new Map(),
    gateway: null,
    dailyLimits: [],
    topUpUrl: null,
    payUrl: null,
  }
  const configuration = new Configuration(nothingStored, () => 0)
  return bundles.map(({ id }) => {
    const plan = configuration.served({ config, key: { bundleId: id, mode } }, 'a')
    return plan instanceof Failure ? plan.code : 'served'
  })
}

function controlPlaneSays({ isDisabled, mode, sells, sources }: Configured) {
  const priced = sources.map(({ account, model, price }) => {
    const provider: Provider = {
      ...account,
      lastFour: null,
      credentialSetAtMs: null,
      onClientLeft: null,
      createdAtMs: 0,
    }
    return { provider, model, price }
  })
  const pricedIn = sells.flatMap((sell, at) => (sell === null ? [] : `bundle-${at}`))
  return modelState({ isDisabled }, priced, pricedIn, mode)
}

describe('whether a model name is served', () => {
  it('the gateway and the control plane agree whether a model name is served, for every configuration', () => {
    fc.assert(
      fc.property(anyConfiguration, (configuration) => {
        const { missing, status } = controlPlaneSays(configuration)
        const said = gatewaySays(configuration)
        if (status === 'disabled') {
          expect(new Set(said)).toEqual(new Set(['model_disabled']))
          return
        }
        const { mode, sources } = configuration
        const open = sources.filter(({ account: { kind } }) => mode === 'test' || kind !== 'simulator')
        if (open.length === 0) {
          const code = sources.length === 0 ? 'model_not_found' : 'no_live_source'
          expect(new Set(said)).toEqual(new Set([code]))
          expect(status).toBe(sources.length === 0 ? 'unpriced' : 'test_only')
          return
        }
        // If `missing` is not null, only bundles with a price for the model name serve the model name.
        const isServed = (sell: Price | null): boolean => missing === null || sell !== null
        expect(said.map((code) => code === 'served')).toEqual(configuration.sells.map(isServed))
        expect(status === 'serving').toBe(missing === null || said.includes('served'))
      }),
      { numRuns: 500 },
    )
  })
})

describe('the sources (models at provider accounts) to which a router resolves', () => {
  const whole: Price = { input: 1n, output: 1n }
  const source = (model: string, price: Price | null): AliasSource => ({
    account: {
      id: 'pa_1',
      organizationId: 'org_1',
      label: 'main',
      kind: 'openai_compatible',
      baseUrl: null,
      sealedCredential: null,
    },
    model,
    price,
  })
  const router = (name: string, ...to: Router['targets'][number]['to'][]): Router => ({
    name,
    createdAtMs: 0,
    policy: 'priority',
    stickyBy: 'end_user',
    targets: to.map((one) => ({ to: one, weight: 1, maxInFlight: null, when: null, deadlines: {} })),
    attempts: attemptDefaults,
  })
  const alias = (name: string, isDisabled: boolean, ...sources: AliasSource[]) =>
    [name, { name, createdAtMs: 0, isDisabled, sources, ceilings: {} }] as const
  const inner = router('inner', { kind: 'source', source: source('c', whole) })
  const outer = router(
    'outer',
    { kind: 'alias', name: 'some' },
    { kind: 'alias', name: 'off' },
    { kind: 'alias', name: 'removed' },
    { kind: 'router', name: 'inner' },
    { kind: 'router', name: 'removed' },
  )
  const config = {
    aliases: new Map([
      alias('some', false, source('a', whole), source('b', null)),
      alias('off', true, source('d', whole)),
      alias('bare', false, source('b', null)),
    ]),
    routers: new Map([inner, outer].map((one) => [one.name, one])),
  }
  const modelsOf = (name: string, own: Price | null): string[] =>
    sourcesServing(sourcesOfName(name, config), own, 'live').flatMap(({ kind, source: { model } }) =>
      kind === 'served' ? model : [],
    )

  it('a router resolves to the sources of its targets in the order of the targets, without disabled, removed and unpriced sources', () => {
    expect(modelsOf('outer', null)).toEqual(['a', 'c'])
    expect(modelsOf('outer', whole)).toEqual(['a', 'c'])
  })

  it('if no source of a router has a price of its own, all sources use the price of the bundle', () => {
    expect(modelsOf('bare', null)).toEqual([])
    expect(modelsOf('bare', whole)).toEqual(['b'])
  })

  it('in live mode, the sources of a router do not include the simulator, whatever its price is', () => {
    const vendor = source('vendor', null)
    const { account } = vendor
    const double = { ...source('double', whole), account: { ...account, kind: 'simulator' as const } }
    const kinds = (mode: Mode) => sourcesServing([double, vendor], whole, mode).map(({ kind }) => kind)
    // In live mode, the simulator is not available, so the vendor's source is served at the price of the bundle. In
    // test mode, the simulator has a complete price, so the vendor's source remains unpriced.
    expect(kinds('live')).toEqual(['test_only', 'served'])
    expect(kinds('test')).toEqual(['served', 'unpriced'])
  })

  it('each source of a router has the rates of its own account, and each missing rate is assumed separately', () => {
    const half = { input: 3n }
    const sources = [source('half', half), source('none', null)]
    const served = sourcesServing(sources, { input: 2n, output: 5n }, 'live')
    expect(served).toEqual([
      {
        kind: 'served',
        source: sources[0],
        cost: { input: 3n, output: 5n },
        sell: { input: 2n, output: 5n },
        assumed: ['output'],
      },
      {
        kind: 'served',
        source: sources[1],
        cost: { input: 2n, output: 5n },
        sell: { input: 2n, output: 5n },
        assumed: ['input', 'output'],
      },
    ])
  })
})
