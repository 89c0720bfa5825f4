/**
 * Model names resolve to accounts through aliases and routers with conditions and bounds. The applications have open
 * circuits, calls in flight, different prices, and end users with too little money.
 */
import type { AliasSource, ApplicationConfig, Bundle, Router } from '#domain/application-config.ts'
import { attemptDefaults } from '#domain/router-records.ts'
import type { RouteAsk } from '#domain/route-preview-interface.ts'
import { accessOf } from '#domain/accounts/text-of-account-access.ts'
import { callTargets, type CallTargets } from '#gateway/call/health-budgets-of-targets.ts'
import { policies } from '#routing/route-tree-types.ts'
import type { Random } from './seeded-random.ts'

const acts = [
  'answers',
  'says 500',
  'says 409',
  'says 401',
  'says 400',
  'resets',
  'is empty',
  'is broken',
] as const
export type Act = (typeof acts)[number]

const accounts = Array.from({ length: 5 }, (_, i) => ({
  id: `pa_${i}`,
  organizationId: 'org_1',
  label: `account-${i}`,
  kind: 'openai_compatible' as const,
  baseUrl: 'http://provider.test/v1',
  sealedCredential: null,
}))

export interface RoutedWorld {
  readonly config: ApplicationConfig
  readonly targets: CallTargets
  readonly acts: ReadonlyMap<string, Act>
  readonly ask: RouteAsk & { readonly body: object }
  readonly walletMicros: bigint
}

export function routedWorld(random: Random, nowMs: number): RoutedWorld {
  const drawn = Array.from({ length: random.whole(1, 6) }, () => sourceOf(random))
  const sources = [
    ...new Map(drawn.map((source) => [`${source.account.id} ${source.model}`, source])).values(),
  ]
  const aliases = new Map(
    ['a/1', 'a/2'].map((name) => [
      name,
      {
        name,
        createdAtMs: 0,
        isDisabled: random.chance(0.1),
        sources: Array.from({ length: random.whole(1, 3) }, () => random.pick(sources)),
        ceilings: random.chance(0.2) ? { outputTokens: random.whole(10, 5_000) } : {},
      },
    ]),
  )
  const inner = routerOf('r/inner', random, sources, ['a/1', 'a/2'], [])
  const outer = routerOf('r/outer', random, sources, ['a/1', 'a/2'], ['r/inner'])
  const bundle: Bundle = {
    id: 'bun_1',
    slug: random.pick(['free', 'pro']),
    allow: ['*'],
    deny: [],
    policy: 'hard_token',
    maxOverdraftMicros: 0n,
    basis: random.chance(0.7) ? 'provider_cost' : 'sell_price',
    prices: new Map(),
  }
  const targets = callTargets()
  for (const { account, model } of sources) {
    const target = { key: `${account.id} ${model}`, access: accessOf(account) }
    for (let failed = random.chance(0.15) ? 5 : 0; failed > 0; failed--) {
      const begun = targets.health.begin(target, nowMs - 10)
      targets.health.end(begun, { kind: 'failed', failure: 'server_error', retryAfterMs: null }, nowMs - 9)
    }
    for (let busy = random.chance(0.3) ? random.whole(1, 3) : 0; busy > 0; busy--)
      targets.health.begin(target, nowMs)
  }
  const maximum = random.chance(0.7) ? { max_tokens: random.whole(1, 3_000) } : {}
  // The long text exceeds the context of some models.
  const content = random.chance(0.02) ? 'long '.repeat(15_000) : 'word '.repeat(random.whole(1, 60))
  return {
    config: {
      applicationId: 'app_1',
      organizationId: 'org_1',
      slug: 'acme',
      code: 'acme02',
      version: 1,
      isArchived: false,
      testClockOffsetMs: 0,
      pricesChangeAtMs: null,
      aliases,
      routers: new Map([inner, outer].map((router) => [router.name, router])),
      bundles: new Map([[bundle.id, bundle]]),
      outcomes: new Map(),
      gateway: null,
      dailyLimits: [],
      topUpUrl: null,
      payUrl: null,
    },
    targets,
    acts: new Map(sources.map(({ account, model }) => [`${account.id} ${model}`, random.pick(acts)])),
    ask: {
      applicationId: 'app_1',
      name: random.pick(['a/1', 'r/inner', 'r/outer', 'r/outer']),
      mode: 'live',
      bundleId: bundle.id,
      endUserId: `eu_${random.whole(1, 50)}`,
      wire: 'chat',
      isStream: random.chance(0.5),
      body: { messages: [{ role: 'user', content }], ...maximum },
      size: null,
    },
    walletMicros: BigInt(random.chance(0.5) ? random.whole(0, 3_000) : random.whole(0, 2_000_000)),
  }
}

function sourceOf(random: Random): AliasSource {
  const isVendors = random.chance(0.2)
  const account = { ...random.pick(accounts), ...(isVendors && { kind: 'openai' as const, baseUrl: null }) }
  const price = {
    input: BigInt(random.whole(1, 5_000_001)),
    cacheWrite: BigInt(random.whole(1, 6_000_001)),
    output: BigInt(random.whole(1, 20_000_001)),
  }
  return {
    account: isVendors ? { ...account, id: `${account.id}v` } : account,
    model: isVendors ? 'gpt-3.5-turbo' : random.pick(['m1', 'm2']),
    price: random.chance(0.1) ? null : price,
  }
}

function routerOf(
  name: string,
  random: Random,
  sources: readonly AliasSource[],
  aliases: readonly string[],
  routers: readonly string[],
): Router {
  return {
    name,
    createdAtMs: 0,
    policy: random.pick(policies),
    stickyBy: 'end_user',
    targets: Array.from({ length: random.whole(1, 4) }, () => ({
      to: random.chance(0.6)
        ? { kind: 'source' as const, source: random.pick(sources) }
        : routers.length > 0 && random.chance(0.5)
          ? { kind: 'router' as const, name: random.pick(routers) }
          : { kind: 'alias' as const, name: random.pick(aliases) },
      weight: random.whole(0, 3),
      maxInFlight: random.chance(0.2) ? random.whole(1, 3) : null,
      when: random.chance(0.2)
        ? random.pick([{ bundles: ['pro'] }, { inputTokensMax: 40 }, { features: ['stream' as const] }])
        : null,
      deadlines: {},
    })),
    attempts: {
      ...attemptDefaults,
      attemptsMax: random.whole(1, 6),
      retriesPerTarget: random.chance(0.3) ? random.whole(1, 2) : 0,
    },
  }
}
