import { missingDimensions, type Dimension, type Price } from '#money/price.ts'
import type { Alias, AliasSource, ApplicationConfig, Router } from './application-config.ts'
import { kindFacts } from './provider-kinds.ts'
import { soldDimensions } from '#domain/prices/sold-dimensions.ts'

/** The facts about a source that decide serving. */
export interface PricedSource {
  readonly account: Pick<AliasSource['account'], 'kind'>
  readonly price: Price | null
}

/** Whether an alias is served, by which source and at which prices; else the code that refuses a call. */
export type Serving<Source extends PricedSource> =
  | { readonly kind: 'served'; readonly source: Source; readonly cost: Price; readonly sell: Price }
  | { readonly kind: 'model_disabled' | 'model_not_found' }
  /** `source` is the first one, and `dimensions` what the price lacks. */
  | { readonly kind: 'model_unpriced'; readonly source: Source; readonly dimensions: readonly Dimension[] }

/**
 * The one decision for the gateway, which serves by it, and the control plane, which shows it. The first
 * source with a complete price serves: without a price a call cannot be held. Where only the bundle has a
 * price, that price also stands for the cost: no margin is invented, and nothing is free.
 * @param own the bundle's own price of the alias; null: it sells at cost
 */
export function servingOf<Source extends PricedSource>(
  { isDisabled, sources }: Pick<Alias, 'isDisabled'> & { readonly sources: readonly Source[] },
  own: Price | null,
): Serving<Source> {
  if (isDisabled) return { kind: 'model_disabled' }
  const source = sources.find((one) => lackingDimensions(one).length === 0) ?? sources[0]
  if (!source) return { kind: 'model_not_found' }
  const lacking = lackingDimensions(source)
  const cost = lacking.length === 0 ? source.price : own
  const sell = own ?? cost
  if (cost === null || sell === null) return { kind: 'model_unpriced', source, dimensions: lacking }
  const unsold = missingDimensions(sell, soldDimensions)
  return unsold.length === 0
    ? { kind: 'served', source, cost, sell }
    : { kind: 'model_unpriced', source, dimensions: unsold }
}

/**
 * The sources that a router leads to and that can be called at a price: those of its targets, and of the names behind
 * them, in their order. What only a call decides (conditions, size, health) is not asked here.
 * @param own the bundle's own price of the router's name
 */
export function routedSources(
  { targets }: Pick<Router, 'targets'>,
  { aliases, routers }: Pick<ApplicationConfig, 'aliases' | 'routers'>,
  own: Price | null,
): readonly AliasSource[] {
  return targets.flatMap(({ to }) => {
    if (to.kind === 'router') {
      const router = routers.get(to.name)
      // Saved routers have no cycles (routing/validate-routers.ts).
      return router ? routedSources(router, { aliases, routers }, own) : []
    }
    const alias = to.kind === 'source' ? { isDisabled: false, sources: [to.source] } : aliases.get(to.name)
    if (!alias) return []
    return alias.sources.filter(
      (source) => servingOf({ isDisabled: alias.isDisabled, sources: [source] }, own).kind === 'served',
    )
  })
}

/** The required dimensions that the price of a source lacks; a source that lacks any is passed over. */
export function lackingDimensions({ account, price }: PricedSource): Dimension[] {
  return missingDimensions(price ?? {}, kindFacts(account.kind).reportedDimensions)
}
