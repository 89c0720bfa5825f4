import { createHash } from 'node:crypto'
import type { Directory } from '#domain/directory.ts'
import { Failure } from '#domain/errors.ts'
import type { Target } from '#domain/ledger.ts'
import { modelLimits } from '#domain/model-limits.ts'
import { lackingDimensions, servingOf } from '#domain/serving.ts'
import type { Mode } from '#domain/account.ts'
import type {
  Alias,
  AliasSource,
  Bundle,
  KeyRecord,
  ProviderAccount,
  ApplicationConfig,
} from '#domain/application-config.ts'
import type { Quote } from '#money/hold.ts'
import { isAllowed, matchesAny } from '#money/name-pattern.ts'
import { priceToJson, type Price } from '#money/price.ts'
import { outputTokensDefault } from '#gateway/ports.ts'

/**
 * Keys and configuration as this process last saw them. They may be old: the reserve transaction reads version, key
 * and person again, and whatever it calls stale is forgotten here and loaded anew. So nothing polls, and a
 * revocation holds from the next reserve on in every process.
 *
 * A key is cached under its application and its whole hash (docs/reference/threats.md "Caches of keys").
 */
export class Configuration {
  readonly #directory: Directory
  readonly #nowMs: () => number
  readonly #configs = new Map<string, ApplicationConfig>()
  readonly #keys = new Map<string, KeyRecord>()
  readonly #plans = new WeakMap<ApplicationConfig, Map<string, Plan>>()

  constructor(directory: Directory, nowMs: () => number = Date.now) {
    this.#directory = directory
    this.#nowMs = nowMs
  }

  /** Returns without a promise when it is cached: the usual case, on every call. */
  config(applicationId: string): ApplicationConfig | Promise<ApplicationConfig | null> {
    const known = this.#configs.get(applicationId)
    // A published price changes on its day without a new version: no stored row changes.
    const isOld =
      known !== undefined && known.pricesChangeAtMs !== null && known.pricesChangeAtMs <= this.#nowMs()
    return known === undefined || isOld ? this.#loadConfig(applicationId) : known
  }

  /** The configuration as stored now, for a refusal that no reserve confirms: it costs one read unless it has changed. */
  async current(applicationId: string): Promise<ApplicationConfig | null> {
    const version = await this.#directory.configVersion(applicationId)
    const known = this.#configs.get(applicationId)
    return known?.version === version ? this.config(applicationId) : this.#loadConfig(applicationId)
  }

  key(applicationId: string, hash: string): KeyRecord | Promise<KeyRecord | null> {
    const id = `${applicationId} ${hash}`
    return this.#keys.get(id) ?? this.#loadKey(applicationId, hash, id)
  }

  /** The key as stored now. The configuration stays: a refusal must not compile it anew each time. */
  storedKey(applicationId: string, hash: string): Promise<KeyRecord | null> {
    const id = `${applicationId} ${hash}`
    this.#keys.delete(id)
    return this.#loadKey(applicationId, hash, id)
  }

  /** Forgets the configuration and key of a call that the store found stale. */
  forget(applicationId: string, hash: string): void {
    this.#configs.delete(applicationId)
    this.#keys.delete(`${applicationId} ${hash}`)
  }

  /**
   * The target and price of this name for this caller, compiled once per configuration. Refusals are not kept: a
   * caller may invent any number of names.
   */
  plan({ config, key: { bundleId, mode } }: Plannable, name: string): Plan | Failure {
    let plans = this.#plans.get(config)
    if (!plans) {
      plans = new Map()
      this.#plans.set(config, plans)
    }
    const id = `${bundleId} ${mode} ${name}`
    const known = plans.get(id)
    if (known) return known
    const plan = compilePlan(config, name, bundleId, mode, this.#nowMs())
    if (!(plan instanceof Failure)) plans.set(id, plan)
    return plan
  }

  async #loadConfig(applicationId: string): Promise<ApplicationConfig | null> {
    const config = await this.#directory.config(applicationId)
    if (config) this.#configs.set(applicationId, config)
    return config
  }

  async #loadKey(applicationId: string, hash: string, id: string): Promise<KeyRecord | null> {
    const key = await this.#directory.key(applicationId, hash)
    if (key) {
      // The oldest goes first: a Map keeps the order of insertion.
      if (this.#keys.size >= keysMax) this.#keys.delete(this.#keys.keys().next().value ?? '')
      this.#keys.set(id, key)
    }
    return key
  }
}

const keysMax = 100_000

/** The facts of a caller that a plan depends on. */
interface Plannable {
  readonly config: ApplicationConfig
  readonly key: Pick<KeyRecord, 'bundleId' | 'mode'>
}

/** All facts of a call that follow from its name and its caller's bundle. */
export interface Plan {
  readonly alias: Alias
  readonly bundle: Bundle
  readonly source: AliasSource
  /** The account that is called: the source's, or the simulator in test mode. */
  readonly account: ProviderAccount
  readonly target: Target
  /** Every source of the name and why it was passed over, for explain; null: there is one, or test mode. */
  readonly candidates: readonly Candidate[] | null
  /** Output tokens of one answer to a request without a maximum: at most the model's own. */
  readonly outputTokensDefault: number
  /** The application wants a maximum in every request: where its client states none, the default is sent. */
  readonly isMaximumImposed: boolean
  /** Distinguishes signatures of this account's models from others' (wire/signatures.ts) without naming it. */
  readonly signatureOrigin: string
  readonly quote: Quote
}

export interface Candidate {
  readonly provider: string
  readonly accountId: string
  readonly model: string
  /** Null: it was chosen. */
  readonly skipped: string | null
}

/** In test mode no call leaves this process, whatever the alias points to. */
const simulatorAccount: ProviderAccount = {
  id: 'simulator',
  organizationId: '',
  label: 'simulator',
  kind: 'simulator',
  baseUrl: null,
  sealedCredential: null,
}

/** Refuses in the order of the contract: the name, then the bundle, then the price. */
function compilePlan(
  config: ApplicationConfig,
  name: string,
  bundleId: string | null,
  mode: Mode,
  nowMs: number,
): Plan | Failure {
  const alias = config.aliases.get(name)
  const param = 'model'
  const { gateway } = config
  const isServed = gateway === null || gateway.models === null || matchesAny(gateway.models, name)
  if (!alias || !isServed) return new Failure('model_not_found', { model: name }, { param })
  const bundle = bundleId === null ? undefined : config.bundles.get(bundleId)
  if (!bundle || !isAllowed(name, bundle.allow, bundle.deny))
    return new Failure('model_not_allowed', { model: name, bundle: bundle?.slug ?? 'none' }, { param })
  const own = bundle.prices.get(name)
  const serving = servingOf(alias, own?.sell ?? null)
  if (serving.kind === 'model_unpriced') {
    const operatorDetails = {
      dimensions: serving.dimensions.join(', '),
      account: serving.source.account.label,
    }
    const details = { model: name, reason: 'its application has to set one' }
    return new Failure(serving.kind, details, { param, operatorDetails })
  }
  if (serving.kind !== 'served') return new Failure(serving.kind, { model: name }, { param })
  const { cost, sell, source } = serving
  const account = mode === 'test' ? simulatorAccount : source.account
  return {
    alias,
    bundle,
    source,
    account,
    target: { accountId: account.id, provider: account.kind, model: source.model },
    isMaximumImposed: gateway !== null && gateway.defaultMaxTokens !== null,
    candidates:
      alias.sources.length > 1 && mode === 'live'
        ? alias.sources.map((one) => candidateOf(one, source))
        : null,
    outputTokensDefault: Math.min(
      alias.ceilings.outputTokens ?? gateway?.defaultMaxTokens ?? outputTokensDefault,
      modelLimits(source.account, source.model, nowMs).outputTokens ?? Infinity,
    ),
    signatureOrigin: createHash('sha256').update(`seal ${account.id}`).digest('base64url').slice(0, 12),
    quote: quoteOf(bundle, cost, sell, own?.credits ?? null),
  }
}

function candidateOf(one: AliasSource, chosen: AliasSource): Candidate {
  const { account, model } = one
  const lacking = lackingDimensions(one)
  const why = lacking.length > 0 ? `it has no price of ${lacking.join(', ')}` : 'an earlier one serves'
  return {
    provider: account.kind,
    accountId: account.id,
    model,
    skipped: one === chosen ? null : why,
  }
}

function quoteOf(bundle: Bundle, cost: Price, sell: Price, credits: Price | null): Quote {
  const body = {
    cost,
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
  ])
  return { id: createHash('sha256').update(text).digest('hex').slice(0, 32), ...body }
}
