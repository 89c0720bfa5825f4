import type { Price } from '#money/price.ts'
import { kindFacts } from './provider-kinds.ts'
import { publishedPrices } from './published-prices.ts'
import { simulatorPrice } from './simulator-price.ts'
import type { ProviderAccount } from './application-config.ts'

type Payer = Pick<ProviderAccount, 'kind' | 'baseUrl'>

/**
 * What an account is charged for a model: what the customer has said of this account, else what the
 * provider at its address publishes, else nothing that is known, and then it is not served.
 * @param own the price that was set on the account for exactly this model, or null
 */
export function accountPrice(account: Payer, model: string, own: Price | null, atMs: number): Price | null {
  if (own !== null) return own
  if (kindFacts(account.kind).place === 'built_in') return simulatorPrice
  const provider = publishedPrices.providerOf(account)
  return provider && (publishedPrices.model(provider.id, model, atMs)?.price ?? null)
}

/** When `accountPrice` next answers otherwise by itself, for any model of the account; null: not that is known. */
export function accountPricesChangeMs(account: Payer, afterMs: number): number | null {
  const provider = publishedPrices.providerOf(account)
  return provider && publishedPrices.nextChangeMs(provider.id, afterMs)
}
