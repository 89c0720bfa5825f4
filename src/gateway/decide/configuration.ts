import { createHash } from 'node:crypto'
import type { Directory } from '#domain/directory.ts'
import { Failure } from '#domain/errors.ts'
import type { Target } from '#domain/ledger.ts'
import { modelLimits } from '#domain/model-limits.ts'
import { kindFacts } from '#domain/provider-kinds.ts'
import { soldDimensions } from '#domain/sold-dimensions.ts'
import type {
  Alias,
  AliasSource,
  Bundle,
  KeyRecord,
  Mode,
  ProviderAccount,
  Snapshot,
} from '#domain/application-config.ts'
import type { Quote } from '#money/hold.ts'
import { isAllowed } from '#money/name-pattern.ts'
import type { Price } from '#money/price.ts'
import { missingDimensions, priceToJson } from '#money/price.ts'
import { outputTokensDefault } from '#gateway/ports.ts'

/**
 * Keys and configuration as this process last saw them. They may be old: the reserve transaction reads
 * version, key and person again, and what it calls stale is forgotten here and loaded anew. So nothing
 * polls, and a revocation holds from the next reserve on in every process.
 *
 * A key is remembered under its application and its whole hash (threats.md 4, 16).
 */
export class Configuration {
  readonly #directory: Directory
  readonly #nowMs: () => number
  readonly #snapshots = new Map<string, Snapshot>()
  readonly #keys = new Map<string, KeyRecord>()
  readonly #plans = new WeakMap<Snapshot, Map<string, Plan>>()

  constructor(directory: Directory, nowMs: () => number = Date.now) {
    this.#directory = directory
    this.#nowMs = nowMs
  }

  /** Without a promise when it is known: the usual case, on every call. */
  snapshot(applicationId: string): Snapshot | Promise<Snapshot | null> {
    const known = this.#snapshots.get(applicationId)
    // The version does not tell of a published price that changes on its day: nobody has changed anything.
    const isOld =
      known !== undefined && known.pricesChangeAtMs !== null && known.pricesChangeAtMs <= this.#nowMs()
    return known === undefined || isOld ? this.#loadSnapshot(applicationId) : known
  }

  key(applicationId: string, hash: string): KeyRecord | Promise<KeyRecord | null> {
    const id = `${applicationId} ${hash}`
    return this.#keys.get(id) ?? this.#loadKey(applicationId, hash, id)
  }

  /** The key as it is stored now. The snapshot stays: whoever is refused must not have it compiled anew each time. */
  storedKey(applicationId: string, hash: string): Promise<KeyRecord | null> {
    const id = `${applicationId} ${hash}`
    this.#keys.delete(id)
    return this.#loadKey(applicationId, hash, id)
  }

  /** What this call was decided on has changed. */
  forget(applicationId: string, hash: string): void {
    this.#snapshots.delete(applicationId)
    this.#keys.delete(`${applicationId} ${hash}`)
  }

  /** Who answers this name for this person, and at what price; compiled once per snapshot. */
  plan(snapshot: Snapshot, name: string, bundleId: string | null, mode: Mode): Plan {
    let plans = this.#plans.get(snapshot)
    if (!plans) {
      plans = new Map()
      this.#plans.set(snapshot, plans)
    }
    const id = `${bundleId} ${mode} ${name}`
    let plan = plans.get(id)
    if (!plan) {
      plan = compilePlan(snapshot, name, bundleId, mode, this.#nowMs())
      plans.set(id, plan)
    }
    return plan
  }

  async #loadSnapshot(applicationId: string): Promise<Snapshot | null> {
    const snapshot = await this.#directory.snapshot(applicationId)
    if (snapshot) this.#snapshots.set(applicationId, snapshot)
    return snapshot
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

/** Everything about a call that follows from its name and its caller's bundle. */
export interface Plan {
  readonly alias: Alias
  readonly bundle: Bundle
  readonly source: AliasSource
  /** The account that is called: the source's, or the simulator in test mode. */
  readonly account: ProviderAccount
  readonly target: Target
  /** Output tokens of one answer to a request that states no maximum: never more than the model gives. */
  readonly outputTokensDefault: number
  /** Tells the seals of this account from others' (wire/signatures.ts), and does not say whose they are. */
  readonly sealOrigin: string
  readonly quote: Quote
}

/** In test mode no call leaves the house, whatever the alias points at. */
const simulatorAccount: ProviderAccount = {
  id: 'simulator',
  organizationId: '',
  label: 'simulator',
  kind: 'simulator',
  baseUrl: null,
  sealedCredential: null,
}

/** @throws Failure in the order of the contract: the name, then the bundle, then the price */
function compilePlan(
  snapshot: Snapshot,
  name: string,
  bundleId: string | null,
  mode: Mode,
  nowMs: number,
): Plan {
  const alias = snapshot.aliases.get(name)
  if (!alias) throw new Failure('model_not_found', { model: name }, { param: 'model' })
  const bundle = bundleId === null ? undefined : snapshot.bundles.get(bundleId)
  if (!bundle || !isAllowed(name, bundle.allow, bundle.deny)) {
    throw new Failure(
      'model_not_allowed',
      { model: name, bundle: bundle?.slug ?? 'none' },
      { param: 'model' },
    )
  }
  if (alias.isDisabled) throw new Failure('model_disabled', { model: name }, { param: 'model' })
  // A source whose price is not whole is passed over, as the control plane says of it.
  const source = alias.sources.find(isPriced) ?? alias.sources[0]
  if (!source) throw new Failure('model_not_found', { model: name }, { param: 'model' })
  const own = bundle.prices.get(name)
  // Where only the bundle has a price, it is also the best word there is on the cost: no margin is
  // invented, and nothing is free.
  const cost = isPriced(source) ? source.price : (own?.sell ?? null)
  const sell = own?.sell ?? cost
  const missing =
    cost === null || sell === null
      ? missingDimensions(source.price ?? {}, kindFacts(source.account.kind).reportedDimensions)
      : missingDimensions(sell, soldDimensions)
  if (cost === null || sell === null || missing.length > 0) {
    throw new Failure(
      'model_unpriced',
      { model: name, reason: 'its application has to set one' },
      {
        param: 'model',
        operatorDetails: { dimensions: missing.join(', '), account: source.account.label },
      },
    )
  }
  const account = mode === 'test' ? simulatorAccount : source.account
  return {
    alias,
    bundle,
    source,
    account,
    target: { accountId: account.id, provider: account.kind, model: source.model },
    outputTokensDefault: Math.min(
      alias.ceilings.outputTokens ?? outputTokensDefault,
      modelLimits(source.account, source.model, nowMs).outputTokens ?? Infinity,
    ),
    sealOrigin: createHash('sha256').update(`seal ${account.id}`).digest('base64url').slice(0, 12),
    quote: quoteOf(bundle, cost, sell, own?.credits ?? null),
  }
}

function isPriced(source: AliasSource): source is AliasSource & { readonly price: Price } {
  return (
    source.price !== null &&
    missingDimensions(source.price, kindFacts(source.account.kind).reportedDimensions).length === 0
  )
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
