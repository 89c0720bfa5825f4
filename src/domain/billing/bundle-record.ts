import type { OnClientLeft } from '#domain/accounts/client-disconnect-choices.ts'
import type { ToolRules } from '#domain/provider-tool-rules.ts'
import type { Quote, RateRule, TerminationPolicy } from '#money/decision-types.ts'
import type { Interval, Window } from '#money/periods-and-windows.ts'
import type { Price } from '#money/price.ts'

export interface BundleRecord {
  readonly id: string
  readonly applicationId: string
  readonly slug: string
  readonly displayName: string
  readonly priceMicros: bigint | null
  readonly interval: Interval
  readonly spendLimitMicros: bigint | null
  readonly spendLimitPeriod: Window
  /** Rate limits that apply to each end user of the bundle. */
  readonly limits: readonly RateRule[]
  readonly terminationPolicy: TerminationPolicy
  readonly maxOverdraftMicros: bigint
  readonly debitBasis: Quote['basis']
  /** If false, the default debit basis applies. */
  readonly isDebitBasisChosen: boolean
  readonly creditCurrency: string | null
  /** If null, the setting of the provider account applies. */
  readonly onClientLeft: OnClientLeft | null
  /** If null, the rules of the application apply. */
  readonly providerTools: ToolRules | null
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  readonly createdAtMs: number
}

export interface BundlePrice {
  readonly alias: string
  readonly price: Price | null
  readonly credits: Price | null
}
