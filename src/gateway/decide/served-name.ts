import { createHash } from 'node:crypto'
import type { Mode } from '#domain/account.ts'
import type {
  Alias,
  AliasSource,
  ApplicationConfig,
  AttemptRules,
  Bundle,
  ProviderAccount,
  Router,
  RouterTarget,
} from '#domain/application-config.ts'
import { Failure } from '#domain/errors.ts'
import type { Target } from '#domain/ledger.ts'
import { modelLimits } from '#domain/model-limits.ts'
import type { OnClientLeft } from '#domain/on-client-left.ts'
import { kindFacts } from '#domain/provider-kinds.ts'
import { attemptDefaults } from '#domain/router-definition.ts'
import { sourcesOfName, sourcesServing, type ServedSource, type SourceServing } from '#domain/serving.ts'
import type { Deadlines } from '#domain/deadlines.ts'
import type { Quote } from '#money/hold.ts'
import { isAllowed, matchesAny } from '#money/name-pattern.ts'
import { priceToJson, type Price } from '#money/price.ts'
import { outputTokensDefault } from '#gateway/ports.ts'
import type { Branch, Leaf, RouteNode, Skip } from '#routing/route.ts'

/** A name that a caller may ask for, with everything that can answer it. Compiled once per configuration. */
export interface ServedName {
  readonly name: string
  readonly createdAtMs: number
  readonly bundle: Bundle
  /** Null: it is an alias, and its sources are tried in their order. */
  readonly router: Router | null
  readonly route: RouteNode<RouteLeaf>
  /** In the order of the tree. */
  readonly leaves: readonly RouteLeaf[]
  /** The first that can answer at all: for what one target decides (lists of models, counting tokens). */
  readonly first: Plan
  /** It is the only one and nothing is asked of a call: there is nothing to decide. */
  readonly isSingle: boolean
  readonly attempts: AttemptRules
  /** A condition of some branch asks for features of the request. */
  readonly asksForFeatures: boolean
}

/** A target of a name; without a plan it can answer no call, and `skip` says why. */
export interface RouteLeaf extends Leaf {
  readonly source: AliasSource
  readonly plan: Plan | null
  readonly skip: Skip | null
  /** The dimensions that its price lacks. */
  readonly lacking: readonly string[]
}

/** All facts of a call at one target that follow from its name and its caller's bundle. */
export interface Plan {
  /** Of health: the account and the model. */
  readonly key: string
  /** The name that the client asks for. */
  readonly name: string
  readonly bundle: Bundle
  readonly source: AliasSource
  /** The account that is called: the source's, or the simulator in test mode. */
  readonly account: ProviderAccount
  readonly target: Target
  /** What its calls in flight may be, by its own branch and those above it. */
  readonly bounds: readonly InFlightBound[]
  /** What differs from the gateway's own; null: nothing. */
  readonly deadlines: Partial<Deadlines> | null
  /** Output tokens of one answer to a request without a maximum: at most the model's own. */
  readonly outputTokensDefault: number
  /** The alias sets `outputTokensDefault`: it is held whole. */
  readonly hasCeiling: boolean
  /** The application wants a maximum in every request: where its client states none, the default is sent. */
  readonly isMaximumImposed: boolean
  /** What happens to a stream when the client leaves. */
  readonly onClientLeft: OnClientLeft
  /** Distinguishes signatures of this account's models from others' (wire/signatures.ts) without naming it. */
  readonly signatureOrigin: string
  readonly quote: Quote
}

/** The most calls in flight of some accounts and models together. */
export interface InFlightBound {
  readonly max: number
  /** Keys of health. */
  readonly keys: readonly string[]
}

/** The account and model of a key of health, and the mode whose calls it is of. */
export function targetOfKey(key: string): { mode: Mode; accountId: string; model: string } {
  const isTest = key.startsWith(testPrefix)
  const [accountId = '', ...model] = key.slice(isTest ? testPrefix.length : 0).split(' ')
  return { mode: isTest ? 'test' : 'live', accountId, model: model.join(' ') }
}

const testPrefix = 'test '

/** In test mode no call leaves this process, whatever the alias points to. */
const simulatorAccount: ProviderAccount = {
  id: 'simulator',
  organizationId: '',
  label: 'simulator',
  kind: 'simulator',
  baseUrl: null,
  sealedCredential: null,
}

/** Routers that lead to routers: checked when they are saved (routing/validate-routers.ts). */
const depthMax = 4

/** Refuses in the order of the contract: the name, then the bundle, then the price. */
export function servedName(
  config: ApplicationConfig,
  name: string,
  bundleId: string | null,
  mode: Mode,
  nowMs: number,
): ServedName | Failure {
  const router = config.routers.get(name) ?? null
  const alias = config.aliases.get(name)
  const param = 'model'
  const { gateway } = config
  const isServed = gateway === null || gateway.models === null || matchesAny(gateway.models, name)
  const asked = router ?? alias
  if (!asked || !isServed) return new Failure('model_not_found', { model: name }, { param })
  const bundle = bundleId === null ? undefined : config.bundles.get(bundleId)
  if (!bundle || !isAllowed(name, bundle.allow, bundle.deny))
    return new Failure('model_not_allowed', { model: name, bundle: bundle?.slug ?? 'none' }, { param })
  if (alias?.isDisabled === true) return new Failure('model_disabled', { model: name }, { param })
  const tree = new RouteTree(config, name, bundle, mode, nowMs)
  const route = router === null ? tree.ofAlias(name, {}) : tree.ofRouter(router, 1, {})
  const { leaves } = tree
  const first = leaves.find(({ plan }) => plan !== null)?.plan
  if (!first) return unserved(name, leaves)
  const attempts = router?.attempts ?? attemptDefaults
  return {
    name,
    createdAtMs: asked.createdAtMs,
    bundle,
    router,
    route,
    leaves,
    first,
    isSingle:
      leaves.length === 1 && (router === null || attempts.retriesPerTarget === 0) && tree.isUnconditional,
    attempts,
    asksForFeatures: tree.asksForFeatures,
  }
}

function unserved(name: string, leaves: readonly RouteLeaf[]): Failure {
  const param = 'model'
  const unpriced = leaves.find(({ skip }) => skip?.code === 'unpriced')
  if (unpriced === undefined) {
    const isTestOnly = leaves.some(({ skip }) => skip?.code === 'test_only')
    const code = leaves.length === 0 ? 'model_not_found' : isTestOnly ? 'no_live_source' : 'model_disabled'
    return new Failure(code, { model: name }, { param })
  }
  const { lacking, source } = unpriced
  const operatorDetails = { dimensions: lacking.join(', '), account: source.account.label }
  const details = { model: name, reason: 'its application has to set one' }
  return new Failure('model_unpriced', details, { param, operatorDetails })
}

/** Where a source stands in the configuration. */
interface Place {
  readonly alias?: Alias
  readonly deadlines?: Partial<Deadlines>
}

/** Builds the tree of one name for one bundle: nodes for the policies, leaves with their prices. */
class RouteTree {
  readonly leaves: RouteLeaf[] = []
  isUnconditional = true
  asksForFeatures = false
  readonly #config: ApplicationConfig
  readonly #bounds = new Map<Plan, InFlightBound[]>()
  readonly #name: string
  readonly #bundle: Bundle
  readonly #mode: Mode
  readonly #nowMs: number
  readonly #serving: ReadonlyMap<AliasSource, SourceServing<AliasSource>>

  constructor(config: ApplicationConfig, name: string, bundle: Bundle, mode: Mode, nowMs: number) {
    this.#config = config
    this.#name = name
    this.#bundle = bundle
    this.#mode = mode
    this.#nowMs = nowMs
    // All sources that the name leads to, since one price for all of them stands in where none has its own.
    const sources = sourcesOfName(name, config)
    const own = bundle.prices.get(name)?.sell ?? null
    this.#serving = new Map(sourcesServing(sources, own, mode).map((serving) => [serving.source, serving]))
  }

  ofRouter(router: Router, depth: number, { deadlines }: Place): RouteNode<RouteLeaf> {
    const { name, policy, stickyBy, targets, attempts } = router
    const branches: Branch<RouteLeaf>[] = []
    for (const target of targets) {
      const inner = { ...deadlines, ...attempts.deadlines, ...target.deadlines }
      const firstBelow = this.leaves.length
      const to = this.#toOf(target, depth, inner)
      if (to === null) continue
      this.#bound(this.leaves.slice(firstBelow), target.maxInFlight)
      const { maxInFlight, weight, when } = target
      if (maxInFlight !== null || when !== null) this.isUnconditional = false
      if (when?.features !== undefined && when.features.length > 0) this.asksForFeatures = true
      branches.push({ weight, maxInFlight, when, to })
    }
    return { kind: 'node', name, policy, stickyBy, branches }
  }

  ofAlias(name: string, { deadlines = {} }: Place): RouteNode<RouteLeaf> {
    const alias = this.#config.aliases.get(name)
    const branches = (alias?.sources ?? []).map((source): Branch<RouteLeaf> => {
      const to = this.#leaf(source, alias === undefined ? { deadlines } : { alias, deadlines })
      return { weight: 1, maxInFlight: null, when: null, to }
    })
    return { kind: 'node', name, policy: 'priority', stickyBy: 'end_user', branches }
  }

  /** The plans below a branch that has a bound know it, since it is asked again right before a call begins. */
  #bound(below: readonly RouteLeaf[], max: number | null): void {
    if (max === null) return
    const keys = [...new Set(below.map(({ key }) => key))]
    for (const { plan } of below) if (plan) this.#bounds.get(plan)?.push({ max, keys })
  }

  /** Null: what it names is gone since it was saved. */
  #toOf({ to }: RouterTarget, depth: number, deadlines: Partial<Deadlines>): Branch<RouteLeaf>['to'] | null {
    if (to.kind === 'source') return this.#leaf(to.source, { deadlines })
    if (to.kind === 'alias')
      return this.#config.aliases.has(to.name) ? this.ofAlias(to.name, { deadlines }) : null
    const inner = this.#config.routers.get(to.name)
    return inner === undefined || depth === depthMax ? null : this.ofRouter(inner, depth + 1, { deadlines })
  }

  #leaf(source: AliasSource, place: Place): RouteLeaf {
    const { account, model } = source
    const prefix = this.#mode === 'test' ? testPrefix : ''
    const key = `${prefix}${account.id} ${model}`
    // In test mode the simulator answers for every account.
    const isProbeable = this.#mode === 'live' && kindFacts(account.kind).place !== 'built_in'
    const leaf = { kind: 'leaf' as const, key, isProbeable, source, ...this.#planOrSkip(source, key, place) }
    this.leaves.push(leaf)
    return leaf
  }

  #planOrSkip(
    source: AliasSource,
    key: string,
    { alias, deadlines = {} }: Place,
  ): Pick<RouteLeaf, 'lacking' | 'plan' | 'skip'> {
    if (alias?.isDisabled === true) {
      const skip: Skip = { code: 'disabled', reason: `the alias ${alias.name} is disabled` }
      return { plan: null, skip, lacking: [] }
    }
    const serving = this.#serving.get(source)
    if (serving?.kind === 'test_only') {
      const skip: Skip = { code: 'test_only', reason: 'the simulator answers no live calls' }
      return { plan: null, skip, lacking: [] }
    }
    if (serving?.kind !== 'served') {
      const lacking = serving?.dimensions ?? []
      const skip: Skip = { code: 'unpriced', reason: `it has no price of ${lacking.join(', ')}` }
      return { plan: null, skip, lacking }
    }
    const { gateway } = this.#config
    const own = this.#bundle.prices.get(this.#name)
    const account = this.#mode === 'test' ? simulatorAccount : source.account
    const ceiling = alias?.ceilings.outputTokens
    const bounds: InFlightBound[] = []
    const plan: Plan = {
      key,
      bounds,
      name: this.#name,
      bundle: this.#bundle,
      source,
      account,
      target: { accountId: account.id, provider: account.kind, model: source.model },
      deadlines: Object.keys(deadlines).length === 0 ? null : deadlines,
      isMaximumImposed: gateway !== null && gateway.defaultMaxTokens !== null,
      outputTokensDefault: Math.min(
        ceiling ?? gateway?.defaultMaxTokens ?? outputTokensDefault,
        modelLimits(source.account, source.model, this.#nowMs).outputTokens ?? Infinity,
      ),
      hasCeiling: ceiling !== undefined,
      // In test mode as in live mode, although the simulator answers.
      onClientLeft:
        this.#bundle.onClientLeft ??
        source.account.onClientLeft ??
        kindFacts(source.account.kind).onClientLeft,
      signatureOrigin: createHash('sha256').update(`seal ${account.id}`).digest('base64url').slice(0, 12),
      quote: quoteOf(this.#bundle, serving, own?.credits ?? null),
    }
    this.#bounds.set(plan, bounds)
    return { plan, skip: null, lacking: [] }
  }
}

function quoteOf(
  bundle: Bundle,
  { assumed, cost, sell }: ServedSource<AliasSource>,
  credits: Price | null,
): Quote {
  const body = {
    cost,
    ...(assumed.length > 0 && { assumed }),
    sell,
    basis: bundle.basis,
    credits,
    policy: bundle.policy,
    maxOverdraftMicros: bundle.policy === 'grace' ? bundle.maxOverdraftMicros : 0n,
  }
  const text = JSON.stringify([
    priceToJson(cost),
    priceToJson(sell),
    body.basis,
    credits && priceToJson(credits),
    body.policy,
    String(body.maxOverdraftMicros),
    // Left out where nothing is assumed, so that such a quote keeps the id that it always had.
    ...(assumed.length > 0 ? [assumed] : []),
  ])
  return { id: createHash('sha256').update(text).digest('hex').slice(0, 32), ...body }
}
