import { createHash } from 'node:crypto'
import type { Mode } from '#domain/billing/money-account-key.ts'
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
import type { Target } from '#domain/ledger-interface.ts'
import { ownSearchesOf, type OwnSearches } from '#domain/accounts/models-that-search-by-themselves.ts'
import { modelLimits } from '#domain/accounts/published-model-limits.ts'
import type { OnClientLeft } from '#domain/accounts/client-disconnect-choices.ts'
import { accessOf } from '#domain/accounts/text-of-account-access.ts'
import { kindFacts } from '#domain/accounts/provider-kinds.ts'
import { attemptDefaults } from '#domain/router-records.ts'
import {
  simulatorId,
  sourcesOfName,
  sourcesServing,
  type ServedSource,
  type SourceServing,
} from '#domain/sources-serving-model-name.ts'
import type { Deadlines } from '#domain/calls/call-deadlines.ts'
import { toolRulesWithin, type ToolRules } from '#domain/provider-tool-rules.ts'
import type { Quote } from '#money/decision-types.ts'
import { isAllowed, matchesAny } from '#money/model-name-pattern.ts'
import { priceToJson, type Price } from '#money/price.ts'
import type { Branch, HealthTarget, Leaf, RouteNode, Skip } from '#routing/route-tree-types.ts'
import { outputTokensBackground, outputTokensDefault } from './dependencies-of-gateway.ts'

export interface ServedName {
  readonly name: string
  readonly createdAtMs: number
  readonly bundle: Bundle
  /** Null for an alias, whose accounts are tried in the listed order. */
  readonly router: Router | null
  readonly route: RouteNode<RouteLeaf>
  /** In the order of the router's tree. */
  readonly leaves: readonly RouteLeaf[]
  /** The plan of the first target that can serve requests. Model lists and token counts use only this plan. */
  readonly first: Plan
  /** Whether the name has a single target without conditions, so that no routing decision is needed. */
  readonly isSingle: boolean
  readonly attempts: AttemptRules
  /** Whether the condition of any branch depends on features of the request. */
  readonly asksForFeatures: boolean
}

/** If `plan` is null, `skip` gives the reason. */
export interface RouteLeaf extends Leaf {
  readonly source: AliasSource
  readonly plan: Plan | null
  readonly skip: Skip | null
  /** Price dimensions, such as output tokens, for which the target's price has no rate. */
  readonly lacking: readonly string[]
}

/** Facts about a target that depend only on the model name and the caller's bundle. */
export interface Plan {
  /** The account and the model. The target's health is recorded under this key. */
  readonly key: string
  /** The account's kind, URL and encrypted credential (routing/route-tree-types.ts). */
  readonly access: string
  /** The name that the client requests. */
  readonly name: string
  readonly bundle: Bundle
  readonly source: AliasSource
  /** The simulator in test mode. */
  readonly account: ProviderAccount
  readonly target: Target
  /** Limits of the target's own branch and of the branches above it. */
  readonly bounds: readonly InFlightBound[]
  /** Null if all deadlines are the gateway's own. */
  readonly deadlines: Partial<Deadlines> | null
  readonly contextTokens: number | null
  /** Maximum output tokens per choice for a request without a maximum. Never exceeds the model's own maximum. */
  readonly outputTokensDefault: number
  /**
   * Maximum output tokens of a background response whose request has no maximum: set by the alias or the application,
   * or else the model's own maximum. The provider gets this maximum, because the hold cannot be extended.
   */
  readonly outputTokensMax: number
  /** Whether the alias sets `outputTokensDefault`. The hold then covers this default in full. */
  readonly hasCeiling: boolean
  /**
   * Whether the application requires a maximum in every request. If the client sets none, the provider gets the default
   * maximum.
   */
  readonly isMaximumImposed: boolean
  /** Undefined if the application has no such rules. */
  readonly toolRules: ToolRules | undefined
  /** The web searches that the model makes by itself, without a search tool in the request. Null if it makes none. */
  readonly ownSearches: OwnSearches | null
  readonly onClientLeft: OnClientLeft
  /** Identifies the account in signatures of its models, without naming it (wire/tagged-reasoning-signatures.ts). */
  readonly signatureOrigin: string
  /**
   * Identifies the account and the model that store a response, without naming them. Null if the account does not store
   * responses. Another model of the account would count different tokens for the same conversation.
   */
  readonly stateOrigin: string | null
  /** Like `stateOrigin`, for the account that stores files. */
  readonly fileOrigin: string | null
  /** Like `stateOrigin`, for the account and the model that store cached content. */
  readonly cacheOrigin: string | null
  readonly quote: Quote
}

export interface InFlightBound {
  readonly max: number
  /** The health keys of the targets that share the maximum. */
  readonly keys: readonly string[]
}

export function targetOfKey(key: string): { mode: Mode; accountId: string; model: string } {
  const isTest = key.startsWith(testPrefix)
  const [accountId = '', ...model] = key.slice(isTest ? testPrefix.length : 0).split(' ')
  return { mode: isTest ? 'test' : 'live', accountId, model: model.join(' ') }
}

const testPrefix = 'test '

/** In test mode, no call leaves this process, whatever targets the alias has. */
export const simulatorAccount: ProviderAccount = {
  id: simulatorId,
  organizationId: '',
  label: 'simulator',
  kind: 'simulator',
  baseUrl: null,
  sealedCredential: null,
}

/** Checked when a router is saved (routing/validate-routers.ts). */
const depthMax = 4

/**
 * Compiles the targets for one bundle. Fails if the model name is unknown, excluded by the bundle, or without a
 * complete price.
 */
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
  const reason = lacking.includes('webSearch')
    ? 'The model searches the web by itself, so the application must set the rate webSearch in the price of the model'
    : 'The application must set a price'
  const details = { model: name, reason }
  return new Failure('model_unpriced', details, { param, operatorDetails })
}

/** The source's alias, and the deadlines from the routers above the alias. */
interface Place {
  readonly alias?: Alias
  readonly deadlines?: Partial<Deadlines>
}

/** Inner nodes of the tree are policies, and leaves are targets with their prices. */
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
    // Whether a source without a complete price can serve calls depends on the prices of the name's other sources.
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

  /** The limit of a branch applies to all plans below it, and is checked again right before a call begins. */
  #bound(below: readonly RouteLeaf[], max: number | null): void {
    if (max === null) return
    const keys = [...new Set(below.map(({ key }) => key))]
    for (const { plan } of below) if (plan) this.#bounds.get(plan)?.push({ max, keys })
  }

  /** Null if the model or router was deleted after the target was saved. */
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
    // In test mode, the simulator serves all calls, so no account is probed.
    const isProbeable = this.#mode === 'live' && kindFacts(account.kind).place !== 'built_in'
    const target = { key, access: accessOf(account) }
    const rest = this.#planOrSkip(source, target, place)
    const leaf = { kind: 'leaf' as const, ...target, isProbeable, source, ...rest }
    this.leaves.push(leaf)
    return leaf
  }

  #planOrSkip(
    source: AliasSource,
    health: Required<HealthTarget>,
    { alias, deadlines = {} }: Place,
  ): Pick<RouteLeaf, 'lacking' | 'plan' | 'skip'> {
    if (alias?.isDisabled === true) {
      const skip: Skip = { code: 'disabled', reason: `the model ${alias.name} is disabled` }
      return { plan: null, skip, lacking: [] }
    }
    const serving = this.#serving.get(source)
    if (serving?.kind === 'test_only') {
      const skip: Skip = { code: 'test_only', reason: 'the simulator does not serve live requests' }
      return { plan: null, skip, lacking: [] }
    }
    if (serving?.kind !== 'served') {
      const lacking = serving?.dimensions ?? []
      const skip: Skip = { code: 'unpriced', reason: `it has no price for ${lacking.join(', ')}` }
      return { plan: null, skip, lacking }
    }
    const { gateway } = this.#config
    const own = this.#bundle.prices.get(this.#name)
    const account = this.#mode === 'test' ? simulatorAccount : source.account
    const ceiling = alias?.ceilings.outputTokens
    const limits = modelLimits(source.account, source.model, this.#nowMs)
    const bounds: InFlightBound[] = []
    const plan: Plan = {
      ...health,
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
        limits.outputTokens ?? Infinity,
      ),
      outputTokensMax: Math.min(
        ceiling ?? gateway?.defaultMaxTokens ?? Infinity,
        limits.outputTokens ?? outputTokensBackground,
      ),
      contextTokens: limits.contextTokens,
      toolRules: toolRulesWithin(gateway?.providerTools, this.#bundle.toolRules),
      ownSearches: ownSearchesOf(source.model),
      hasCeiling: ceiling !== undefined,
      // The account's setting also applies in test mode, although the simulator serves the call.
      onClientLeft:
        this.#bundle.onClientLeft ??
        source.account.onClientLeft ??
        kindFacts(source.account.kind).onClientLeft,
      signatureOrigin: shortHash(`seal ${account.id}`),
      stateOrigin:
        kindFacts(source.account.kind).storesResponses === true ? shortHash(`state ${health.key}`) : null,
      fileOrigin: fileOriginOf(source.account, this.#mode),
      cacheOrigin:
        kindFacts(source.account.kind).cachesContent === true ? shortHash(`cache ${health.key}`) : null,
      quote: quoteOf(this.#bundle, serving, own?.credits ?? null),
    }
    this.#bounds.set(plan, bounds)
    return { plan, skip: null, lacking: [] }
  }
}

/** In test mode too, a file belongs to the account of the model name, so that tests see the errors of live mode. */
function fileOriginOf({ id, kind }: ProviderAccount, mode: Mode): string | null {
  return kindFacts(kind).files === undefined ? null : shortHash(`files ${mode} ${id}`)
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12)
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
    // Quote IDs are computed from the fields of the quote, and quotes stored earlier have no field for assumed rates.
    ...(assumed.length > 0 ? [assumed] : []),
  ])
  return { id: createHash('sha256').update(text).digest('hex').slice(0, 32), ...body }
}
