import type { Mode } from '#domain/billing/money-account-key.ts'
import { rateNames } from '#domain/prices/text-of-rate-names.ts'
import { canBeAssumed, lackingRates, servesMode, servingOf } from '#domain/sources-serving-model-name.ts'
import type { Provider } from '#domain/accounts/provider-account-record.ts'
import type { AliasRecord } from '#domain/model-name-record.ts'
import type { Dimension, Price } from '#money/price.ts'

export type ModelStatus = 'serving' | 'disabled' | 'unpriced' | 'test_only'

export interface PricedSource {
  readonly provider: Provider
  readonly model: string
  readonly price: Price | null
}

interface LackingSource {
  readonly account: string
  readonly model: string
  readonly price: Price | null
  readonly dimensions: readonly Dimension[]
}

export interface ModelState {
  readonly status: ModelStatus
  /** A sentence for each problem, such as an incomplete price. */
  readonly problems: readonly string[]
  /** Null if at least one source has a complete price. */
  readonly missing: LackingSource | null
  /** Whether a bundle's own price is enough to serve the name, because the missing rates can be assumed. */
  readonly isAssumable: boolean
}

/**
 * An alias without a priced source is `unpriced` until a source has a price. A bundle with its own price serves the
 * alias even before, with assumed rates for the cost. In live mode, an alias whose sources are all simulators is
 * `test_only`.
 */
export function modelState(
  { isDisabled }: Pick<AliasRecord, 'isDisabled'>,
  sources: readonly PricedSource[],
  pricedIn: readonly string[],
  mode: Mode,
): ModelState {
  const all = sources.map(({ model, price, provider }) => ({ account: provider, model, price }))
  const problems = all.flatMap((source) => {
    const { account, model } = source
    if (!servesMode(account.kind, mode))
      return `${account.label} is a simulator and does not serve live requests`
    const lacking = lackingRates(source)
    return lacking.length === 0
      ? []
      : `${account.label} has no price for ${rateNames(lacking)} of ${model} (set it with providers.price)`
  })
  const atCost = servingOf({ isDisabled: false, sources: all }, null, mode)
  const isUnpriced = atCost.kind === 'model_unpriced'
  const isAssumable = all.some(
    (source) => servesMode(source.account.kind, mode) && canBeAssumed(lackingRates(source)),
  )
  const isServedByBundle = isUnpriced && isAssumable && pricedIn.length > 0
  if (isServedByBundle)
    problems.push(
      `served only in bundles that set a price for the model name (${shownBundles(pricedIn)}), with assumed rates in place of the missing rates`,
    )
  const isServed = atCost.kind === 'served' || isServedByBundle
  const unserved = atCost.kind === 'no_live_source' ? 'test_only' : 'unpriced'
  return {
    status: isDisabled ? 'disabled' : isServed ? 'serving' : unserved,
    problems,
    missing: isUnpriced ? lackingSource(atCost) : null,
    isAssumable,
  }
}

const shownMax = 8

function shownBundles(slugs: readonly string[]): string {
  const more = slugs.length - shownMax
  return slugs.slice(0, shownMax).join(', ') + (more > 0 ? `, and ${more} more` : '')
}

function lackingSource({
  dimensions,
  source: { account, model, price },
}: {
  readonly dimensions: readonly Dimension[]
  readonly source: { readonly account: Provider; readonly model: string; readonly price: Price | null }
}): LackingSource {
  return { account: account.label, model, price, dimensions }
}
