import type { Mode } from './account.ts'
import { assumeRates } from '#money/assumed-rates.ts'
import { missingDimensions, type Dimension, type Price, type TokenDimension } from '#money/price.ts'
import type { Alias, AliasSource, ApplicationConfig, Router } from './application-config.ts'
import { kindFacts, type ProviderKind } from './provider-kinds.ts'
import { soldDimensions } from '#domain/prices/sold-dimensions.ts'

/** The facts about a source that decide serving. */
export interface PricedSource {
  readonly account: Pick<AliasSource['account'], 'kind'>
  readonly price: Price | null
}

/** A source with what its calls cost and are sold at. */
export interface ServedSource<Source extends PricedSource> {
  readonly kind: 'served'
  readonly source: Source
  readonly cost: Price
  readonly sell: Price
  /** The dimensions of `cost` whose rate the account does not have (money/assumed-rates.ts); usually none. */
  readonly assumed: readonly Dimension[]
}

/** Whether an alias is served, by which source and at which prices; else the code that refuses a call. */
export type Serving<Source extends PricedSource> =
  | ServedSource<Source>
  | { readonly kind: 'model_disabled' | 'model_not_found' | 'no_live_source' }
  /** `source` is the first one, and `dimensions` what the price lacks. */
  | { readonly kind: 'model_unpriced'; readonly source: Source; readonly dimensions: readonly Dimension[] }

/** A source as it serves a name: with its prices, what they lack, or that it takes no live calls. */
export type SourceServing<Source extends PricedSource> =
  | ServedSource<Source>
  | { readonly kind: 'unpriced'; readonly source: Source; readonly dimensions: readonly Dimension[] }
  | { readonly kind: 'test_only'; readonly source: Source }

/**
 * The one decision for the gateway, which serves by it, and the control plane, which shows it. The first source that
 * serves is tried first.
 * @param own the bundle's own price of the alias; null: it sells at cost
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
 * Each source of a name with what a call of it costs there and is sold at. A source without a complete price is passed
 * over: without a price a call cannot be held. Where no source has one and the bundle sets a price, every source
 * serves: each known rate of its account is kept, and the missing ones are assumed, so that nothing is free.
 *
 * In live mode the simulator serves nothing: its text is no model's, and nobody may be charged for it.
 */
export function sourcesServing<Source extends PricedSource>(
  sources: readonly Source[],
  own: Price | null,
  mode: Mode,
): readonly SourceServing<Source>[] {
  const isAnyComplete = sources.some(
    (one) => servesMode(one.account.kind, mode) && lackingDimensions(one).length === 0,
  )
  return sources.map((source) => {
    if (!servesMode(source.account.kind, mode)) return { kind: 'test_only', source }
    const lacking = lackingDimensions(source)
    const sell = own ?? source.price
    if (sell === null || (lacking.length > 0 && (isAnyComplete || own === null)))
      return { kind: 'unpriced', source, dimensions: lacking }
    const unsold = missingDimensions(sell, soldDimensions)
    if (unsold.length > 0) return { kind: 'unpriced', source, dimensions: unsold }
    if (lacking.length === 0 && source.price !== null)
      return { kind: 'served', source, cost: source.price, sell, assumed: [] }
    return { kind: 'served', source, sell, ...assumeRates(source.price, sell, lacking) }
  })
}

/** Whether accounts of this kind are called in the mode. In test mode the simulator answers for every account. */
export function servesMode(kind: ProviderKind, mode: Mode): boolean {
  return mode === 'test' || kindFacts(kind).place !== 'built_in'
}

/** The required dimensions that the price of a source lacks. */
export function lackingDimensions({ account, price }: PricedSource): TokenDimension[] {
  return missingDimensions(price ?? {}, kindFacts(account.kind).reportedDimensions)
}

type Names = Pick<ApplicationConfig, 'aliases' | 'routers'>

/** Routers in a row that are followed; saved ones are no deeper (routing/validate-routers.ts). */
const depthMax = 4

/** The sources that a name leads to, in the order of its targets; those of a disabled alias are not there. */
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
