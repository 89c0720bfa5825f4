import type { Price } from '#money/price.ts'
import { kindFacts } from '#domain/accounts/provider-kinds.ts'
import { publishedPrices } from './published-prices.ts'
import { simulatorPrice } from './simulator-price.ts'
import type { ProviderAccount } from '#domain/application-config.ts'

type Payer = Pick<ProviderAccount, 'kind' | 'baseUrl'>

/**
 * The result is the price that the customer has set on the account. If no price is set, the result is the simulator's
 * own price, or the price that the provider publishes for the account's address. Null if no price exists. The account
 * then does not serve the model.
 */
export function accountPrice(account: Payer, model: string, own: Price | null, atMs: number): Price | null {
  if (own !== null) return own
  if (kindFacts(account.kind).place === 'built_in') return simulatorPrice
  const provider = publishedPrices.providerOf(account)
  return provider && (publishedPrices.model(provider.id, model, atMs)?.price ?? null)
}

export function accountPricesChangeMs(account: Payer, afterMs: number): number | null {
  const provider = publishedPrices.providerOf(account)
  return provider && publishedPrices.nextChangeMs(provider.id, afterMs)
}
