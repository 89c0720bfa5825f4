/** Creates the application of the oracle's end users, with model names, bundles and outcomes of every kind. */
import { apiOf, control, type LocalServer } from '../support/start-product.ts'
import {
  startFakeProvider,
  type Behaviour,
  type FakeCall,
  type FakeProvider,
} from '../support/fake-provider.ts'
import { NaiveBooks } from './compare-earnings.ts'
import type { Earning } from './naive-end-user-invoices.ts'
import type { Bundle, Include, Name, Rates } from './naive-types.ts'

const include = (slug: string, fields: Partial<Include>): Include => ({
  slug,
  unit: 'micros',
  amount: 1000n,
  price: null,
  recurring: true,
  thenOnDemand: true,
  spilloverTo: '*',
  models: null,
  rollover: null,
  memberCap: null,
  ...fields,
})

const rates = (input: bigint, output: bigint): Rates => ({ input, output })

const single = (label: string, cost: Rates): Name => ({
  model: `acme/${label}`,
  targets: [{ model: `up-${label}`, cost }],
})

/** The only router whose targets may reject a call. */
const routed = 'acme/any'

/** The prices do not divide evenly, so that an amount that is rounded twice would be different. */
export const names: ReadonlyMap<string, Name> = new Map(
  [
    single('plain', rates(1_000_000n, 2_000_000n)),
    single('odd', rates(333_333n, 1_250_001n)),
    single('cheap', rates(50_000n, 100_001n)),
    single('dear', rates(3_000_000n, 15_000_000n)),
    {
      model: routed,
      targets: [
        { model: 'up-any-1', cost: rates(1_000_001n, 6_000_000n) },
        { model: 'up-any-2', cost: rates(4_000_000n, 12_000_001n) },
        // The model has expensive input, so the most expensive target depends on the length of the answer.
        { model: 'up-any-3', cost: rates(5_000_003n, 1_000_000n) },
      ],
    },
    {
      model: 'acme/both',
      targets: [
        { model: 'up-both-1', cost: rates(700_001n, 3_000_000n) },
        { model: 'up-both-2', cost: rates(300_000n, 900_001n) },
      ],
    },
  ].map((name) => [name.model, name]),
)

const bundle = (slug: string, fields: Partial<Bundle>): Bundle => ({
  slug,
  policy: 'hard_token',
  overdraft: 0n,
  basis: 'provider_cost',
  spendLimit: null,
  sell: {},
  credits: {},
  includes: [],
  ...fields,
  plan: fields.plan ? { ...fields.plan, bundle: slug } : null,
})

export const bare = bundle('bare', { spendLimit: 3000n })

/** The bundle of end users who pay for teams. Team members share two pools of this bundle. */
export const company = bundle('company', {
  includes: [
    include('shared', { amount: 900n, memberCap: 500n, rollover: { percent: 50, periodsMax: 1 } }),
    include('narrow', { amount: 400n, memberCap: 250n, models: ['acme/odd', 'acme/plain'] }),
    include('own', { amount: 300n }),
  ],
})

export const bundles: readonly Bundle[] = [
  bare,
  bundle('plan', {
    plan: { price: 1999n, interval: 'month' },
    includes: [
      include('monthly', { amount: 1500n }),
      include('signup', { amount: 900n, recurring: false, price: 500n }),
    ],
  }),
  bundle('stars', {
    plan: { price: 3001n, interval: 'month' },
    basis: 'sell_price',
    sell: { 'acme/odd': rates(500_001n, 2_500_000n), 'acme/dear': rates(4_000_000n, 20_000_000n) },
    credits: { 'acme/odd': rates(100_000n, 700_003n) },
    includes: [
      include('sparks', { unit: 'credits', amount: 600n, models: ['acme/odd'] }),
      include('monthly', { amount: 1200n, models: ['acme/odd', 'acme/plain'] }),
      include('only', { amount: 2000n, models: ['acme/dear'], thenOnDemand: false }),
    ],
  }),
  bundle('spills', {
    includes: [
      include('bonus', { amount: 300n, recurring: false }),
      include('top', { amount: 250n, models: ['acme/plain', 'acme/odd'], spilloverTo: 'bonus' }),
      include('monthly', { amount: 700n, spilloverTo: null }),
    ],
  }),
  bundle('rolls', {
    plan: { price: 700n, interval: 'month' },
    includes: [
      include('monthly', { amount: 777n, rollover: { percent: 35, periodsMax: 2 } }),
      include('extra', { amount: 333n, models: ['acme/odd'], rollover: { percent: 100, periodsMax: 1 } }),
    ],
  }),
  // Days of this plan cost less than days of most other plans, so a change to these plans creates credit.
  bundle('annual', { plan: { price: 9001n, interval: 'year' } }),
  bundle('grace', { policy: 'grace', overdraft: 250n, includes: [include('monthly', { amount: 400n })] }),
  bundle('whole', {
    policy: 'complete_message',
    sell: { 'acme/plain': rates(1_000_003n, 3_000_000n), 'acme/any': rates(1_500_001n, 4_000_000n) },
  }),
]

export interface World {
  readonly provider: FakeProvider
  readonly books: NaiveBooks
  /** The revenue of plans in all histories that have ended. */
  readonly earnings: Earning[]
  /** Sum of the invoices of ended histories by end user, without void invoices. */
  readonly invoiced: Map<string, bigint>
  readonly gateway: string
  outcome: string
  ceiling: bigint
  // oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
  api(method: string, path: string, body?: unknown): Promise<any>
  /** The server may reject the request. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  tryApi(method: string, path: string, body?: unknown): Promise<{ status: number; body: any }>
  /** The end user signs in at the portal first. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  asEndUser(externalId: string, method: string, path: string, body?: unknown): Promise<any>
  raiseCeiling(micros: bigint): Promise<void>
  /** A new outcome keeps the list of its runs short. */
  nextOutcome(): Promise<void>
  /** No two histories run an action in `alone` concurrently. */
  alone(act: () => Promise<void>): Promise<void>
  failuresOf(target: string): number
  readonly callsWaiting: number
}

export interface Play {
  readonly input: number
  readonly output: number
  readonly chunks: number
  readonly bytes: number
  /** The provider waits before the usage, until the test releases it. */
  readonly waits: boolean
  readonly fails: boolean
  /**
   * Targets in `refusing` reject the call. Targets in `empty` bill its input, although their answer has no text. Commas
   * separate the target names.
   */
  readonly refusing: string
  readonly empty: string
  /** Makes the prompt different from the prompts of all other calls. */
  readonly name: string
}

/** Applies as long as another target remains. */
export function deedOf(play: Play, target: string): 'fails' | 'refuses' | 'is empty' | 'answers' {
  if (play.fails) return 'fails'
  if (play.refusing.split(',').includes(target)) return 'refuses'
  return play.empty.split(',').includes(target) ? 'is empty' : 'answers'
}

/**
 * After a 418, a call tries the next target, and the circuit of the failed target remains closed. Only the router uses
 * the status 418. Other model names try the next target only after the default statuses.
 */
const refusal = 418

export const mayRefuse = (name: string): boolean => name === routed

export function promptOf(play: Play, padding: number): string {
  return `${JSON.stringify(play)} ${'word '.repeat(padding)}`
}

function behaviourOf(call: FakeCall, failures: Map<string, number>): Behaviour {
  const [message] = call.body?.messages ?? []
  const text = JSON.stringify(message)
  const play: Play = JSON.parse(
    JSON.parse(/"content":("(?:[^"\\]|\\.)*")/.exec(text)?.[1] ?? '""').split('}')[0] + '}',
  )
  const model = call.body?.model ?? ''
  const deed = deedOf(play, model)
  if (deed === 'fails' || deed === 'is empty') failures.set(model, (failures.get(model) ?? 0) + 1)
  if (deed === 'fails') return { status: 500 }
  if (deed === 'refuses') return { status: refusal }
  const isEmpty = deed === 'is empty'
  const output = isEmpty ? 0 : play.output
  return {
    chunks: isEmpty ? [] : Array.from({ length: play.chunks }, () => 'x'.repeat(play.bytes)),
    usage: { prompt_tokens: play.input, completion_tokens: output, total_tokens: play.input + output },
    ...(play.waits ? { hang: 'before-usage' as const } : {}),
  }
}

/** Per end user and calendar month, for all keys from the portal together. */
export const portalTotal = 4000n

export async function makeWorld(server: LocalServer): Promise<World> {
  const failures = new Map<string, number>()
  const provider = await startFakeProvider((call) => behaviourOf(call, failures))
  const slug = 'oracle'
  const api = apiOf(server, slug)
  const created = await api('PUT', `/v1/apps/${slug}`, { name: slug })
  await api('PUT', '/v1/providers/main', {
    kind: 'openai_compatible',
    baseUrl: provider.baseUrl,
    apiKey: 'sk-oracle-0123456789',
  })
  for (const { model, targets } of names.values()) {
    for (const target of targets)
      await api('POST', '/v1/providers/main/price', { model: target.model, price: texts(target.cost) })
    const sources = targets.map((target) => ({ provider: 'main', model: target.model }))
    if (targets.length > 1) {
      // The naive model calls each target only once, so the router may not call a target again.
      const attempts = { alsoMovesOn: mayRefuse(model) ? [refusal] : [], retriesPerTarget: 0 }
      await api('PUT', `/v1/routers/${encodeURIComponent(model)}`, {
        policy: 'priority',
        targets: sources,
        attempts,
      })
    } else await api('PUT', `/v1/models/${encodeURIComponent(model)}`, { sources })
  }
  for (const each of [...bundles, company]) {
    await api('PUT', `/v1/bundles/${each.slug}`, {
      displayName: each.slug,
      terminationPolicy: each.policy,
      maxOverdraftMicros: String(each.overdraft),
      debitBasis: each.basis,
      ...(each.plan === null ? {} : { priceMicros: String(each.plan.price), interval: each.plan.interval }),
      ...(each.spendLimit === null
        ? {}
        : { spendLimitMicros: String(each.spendLimit), spendLimitPeriod: 'month' }),
    })
    await api('POST', `/v1/bundles/${each.slug}/allow`, { models: ['acme/*'] })
    const priced = new Set([...Object.keys(each.sell), ...Object.keys(each.credits)])
    for (const model of priced) {
      const sell = each.sell[model]
      const credits = each.credits[model]
      await api('POST', `/v1/bundles/${each.slug}/price`, {
        model,
        ...(sell ? { price: texts(sell) } : {}),
        ...(credits ? { credits: texts(credits) } : {}),
      })
    }
    // A pool that receives the overflow of another pool must be created first.
    for (const { amount, memberCap, models, price, ...rest } of each.includes) {
      await api('POST', `/v1/bundles/${each.slug}/include`, {
        ...rest,
        displayName: rest.slug,
        amount: String(amount),
        memberCap: memberCap === null ? null : String(memberCap),
        price: price === null ? null : String(price),
        models,
      })
    }
  }
  await api('PATCH', '/v1/portal-settings', {
    endUsersMayMintKeys: true,
    keyCapsTotalMicros: String(portalTotal),
  })
  let last: Promise<void> = Promise.resolve()
  let outcomes = 0
  const world: World = {
    provider,
    books: new NaiveBooks(),
    earnings: [],
    invoiced: new Map(),
    gateway: created.localGateway,
    outcome: 'report-0',
    ceiling: 0n,
    api,
    tryApi: (method, path, body) => control(server, method, path, body, { 'x-svc-app': slug }),
    async asEndUser(externalId, ...request) {
      const link = await api('POST', '/v1/portal-sessions', { endUserId: externalId })
      const token = new URL(link.url).hash.replace('#handoff=', '')
      const { sessionToken } = await api('POST', '/v1/portal-sessions/redeem', { token })
      return apiOf({ ...server, token: sessionToken }, slug)(...request)
    },
    async raiseCeiling(micros) {
      await api('PUT', `/v1/outcomes/${world.outcome}`, {
        displayName: 'Report',
        ceilingMicros: String(micros),
      })
      world.ceiling = micros
    },
    async nextOutcome() {
      world.outcome = `report-${++outcomes}`
      await world.raiseCeiling(2500n)
    },
    alone(act) {
      const mine = last.then(act)
      last = mine.catch(() => {})
      return mine
    },
    failuresOf: (target) => failures.get(target) ?? 0,
    get callsWaiting() {
      return server.callsWaiting
    },
  }
  return world
}

function texts({ input, output }: Rates): { input: string; output: string } {
  return { input: String(input), output: String(output) }
}
