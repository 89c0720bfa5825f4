import type { Mode } from '#domain/billing/money-account-key.ts'
import { assumeRates } from '#money/assumed-rates.ts'
import { missingDimensions, sideOf, type Dimension, type Price, type TokenDimension } from '#money/price.ts'
import type { Alias, AliasSource, ApplicationConfig, Router } from './application-config.ts'
import { kindFacts, type ProviderKind } from '#domain/accounts/provider-kinds.ts'
import { bundlePriceDimensions } from '#domain/prices/price-dimensions-required-in-bundle.ts'
import {
  requiredDimensions,
  requiredRates,
  requiredUses,
} from '#domain/prices/price-dimensions-required-by-kind.ts'

/** The facts that decide whether a source (an account and a model) can serve calls. */
export interface PricedSource {
  readonly account: Pick<AliasSource['account'], 'kind'>
  readonly model: string
  readonly price: Price | null
}

export interface ServedSource<Source extends PricedSource> {
  readonly kind: 'served'
  readonly source: Source
  readonly cost: Price
  readonly sell: Price
  /** The dimensions of `cost` for which the account has no rate, so that a rate is assumed (money/assumed-rates.ts). */
  readonly assumed: readonly Dimension[]
}

/** If the alias is not served, states the error code with which calls are rejected. */
export type Serving<Source extends PricedSource> =
  | ServedSource<Source>
  | { readonly kind: 'model_disabled' | 'model_not_found' | 'no_live_source' }
  /** `source` is the first source without a complete price, and `dimensions` are the missing dimensions. */
  | { readonly kind: 'model_unpriced'; readonly source: Source; readonly dimensions: readonly Dimension[] }

/**
 * `served` states the prices. `unpriced` lists the kinds of usage without a rate. `test_only` means that the source
 * serves only test mode.
 */
export type SourceServing<Source extends PricedSource> =
  | ServedSource<Source>
  | { readonly kind: 'unpriced'; readonly source: Source; readonly dimensions: readonly Dimension[] }
  | { readonly kind: 'test_only'; readonly source: Source }

/**
 * Decides whether an alias is served. The gateway follows this decision, and the control plane shows the decision. The
 * result contains the first source that can serve the alias. The gateway calls this source first.
 * @param own the bundle's own price of the alias; null means that the bundle sells at cost
 */
export function servingOf<Source extends PricedSource>(
  { isDisabled, sources }: Pick<Alias, 'isDisabled'> & { readonly sources: readonly Source[] },
  own: Price | null,
  mode: Mode,
): Serving<Source> {
  if (isDisabled) return { kind: 'model_disabled' }
  const all = sourcesServing(sources, own, mode)
  const served = all.find(({ kind }) => kind === 'served')
  if (served?.kind === 'served') return served
  const unpriced = all.find(({ kind }) => kind === 'unpriced')
  if (unpriced?.kind === 'unpriced') return { ...unpriced, kind: 'model_unpriced' }
  return { kind: all.length === 0 ? 'model_not_found' : 'no_live_source' }
}

/**
 * Returns each source of a model name, with the cost and the sell price of a call. A source without a complete price
 * does not serve calls, because no amount can be reserved without a price. Exception: if no source has a complete price
 * and the bundle sets a price, a source serves calls if its missing rates can be assumed. The cost is then computed
 * with the known and the assumed rates, so that no token is free.
 *
 * In live mode the simulator serves nothing. Its text does not come from a model and must not be charged.
 */
export function sourcesServing<Source extends PricedSource>(
  sources: readonly Source[],
  own: Price | null,
  mode: Mode,
): readonly SourceServing<Source>[] {
  const isAnyComplete = sources.some(
    (one) =>
      servesMode(one.account.kind, mode) &&
      lackingUses(one, own).length === 0 &&
      lackingDimensions(one).length === 0,
  )
  return sources.map((source) => {
    if (!servesMode(source.account.kind, mode)) return { kind: 'test_only', source }
    // The fee for a use, such as a search, cannot be assumed from another rate. If the model always bills such a use,
    // both the source's price and the bundle's price must therefore contain the fee.
    const uses = lackingUses(source, own)
    if (uses.length > 0) return { kind: 'unpriced', source, dimensions: uses }
    const lacking = lackingDimensions(source)
    const sell = own ?? source.price
    if (sell === null || (lacking.length > 0 && (isAnyComplete || own === null)))
      return { kind: 'unpriced', source, dimensions: lacking }
    // Only a price that the bundle sets can lack dimensions at this point. If the bundle sets no price, calls are sold
    // at the source's own price, which the previous condition has checked.
    const unsold = own === null ? [] : missingDimensions(own, bundlePriceDimensions([source.model]))
    if (unsold.length > 0) return { kind: 'unpriced', source, dimensions: unsold }
    if (lacking.length === 0 && source.price !== null)
      return { kind: 'served', source, cost: source.price, sell, assumed: [] }
    return { kind: 'served', source, sell, ...assumeRates(source.price, sell, lacking) }
  })
}

/** In test mode, the simulator replaces every account. */
export function servesMode(kind: ProviderKind, mode: Mode): boolean {
  return mode === 'test' || kindFacts(kind).place !== 'built_in'
}

/** ID of the built-in simulator in the records of test requests. */
export const simulatorId = 'simulator'

/**
 * Returns the account ID that records of requests contain if the account served the request. In test mode, all accounts
 * of the simulator share one ID. Accounts of other kinds serve no test requests.
 */
export function recordedAccountId(
  { id, kind }: { readonly id: string; readonly kind: ProviderKind },
  mode: Mode,
): string {
  return mode === 'test' && kindFacts(kind).place === 'built_in' ? simulatorId : id
}

/** Returns the required rates that a source's price lacks. */
export function lackingRates({ account, model, price }: PricedSource): Dimension[] {
  return missingDimensions(price ?? {}, requiredRates(account.kind, model))
}

/** Whether a bundle's own price is enough to serve a source whose price lacks these rates. */
export function canBeAssumed(lacking: readonly Dimension[]): boolean {
  return lacking.every((dimension) => sideOf(dimension) !== 'use')
}

function lackingDimensions({ account, model, price }: PricedSource): TokenDimension[] {
  return missingDimensions(price ?? {}, requiredDimensions(account.kind, model))
}

/**
 * Returns the uses, such as searches, that the model always bills and for which the source's price or the bundle's
 * price has no fee.
 */
function lackingUses({ account, model, price }: PricedSource, own: Price | null): Dimension[] {
  const required = requiredUses(account.kind, model)
  return required.filter(
    (dimension) => price?.[dimension] === undefined || (own !== null && own[dimension] === undefined),
  )
}

type Names = Pick<ApplicationConfig, 'aliases' | 'routers'>

/** Saved routers are nested at most this deep (routing/validate-routers.ts). */
const depthMax = 4

/**
 * Returns the sources to which a model name resolves, in the order of its targets. Sources of a disabled alias are
 * omitted.
 */
export function sourcesOfName(name: string, names: Names, depth = depthMax): readonly AliasSource[] {
  const router = names.routers.get(name)
  if (router !== undefined) return sourcesOfTargets(router, names, depth)
  const alias = names.aliases.get(name)
  return alias === undefined || alias.isDisabled ? [] : alias.sources
}

function sourcesOfTargets(
  { targets }: Pick<Router, 'targets'>,
  names: Names,
  depth: number,
): readonly AliasSource[] {
  if (depth === 0) return []
  return targets.flatMap(({ to }) =>
    to.kind === 'source' ? to.source : sourcesOfName(to.name, names, depth - 1),
  )
}
