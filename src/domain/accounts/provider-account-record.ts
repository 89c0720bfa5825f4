import type { ProviderAccount } from '#domain/application-config.ts'
import type { Price } from '#money/price.ts'
import type { OnClientLeft } from './client-disconnect-choices.ts'

export interface Provider extends ProviderAccount {
  readonly lastFour: string | null
  /**
   * When the current credential was set. Null if no credential is set, or if the credential was set before this field
   * existed.
   */
  readonly credentialSetAtMs: number | null
  readonly onClientLeft: OnClientLeft | null
  readonly createdAtMs: number
}

export interface ProviderPrice {
  readonly model: string
  readonly price: Price
}
