/** The same prices always produce the same bytes. */
import type { DateSuffix } from '#domain/prices/published-price-look-up.ts'
import type { ProviderKind } from '#domain/accounts/provider-kinds.ts'
import type { PriceJson } from '#money/price.ts'

export interface PriceFile {
  readonly providers: readonly ProviderEntry[]
  readonly models: readonly ModelEntry[]
}

export interface ProviderEntry {
  readonly id: string
  readonly name: string
  readonly kind: ProviderKind
  readonly baseUrls: readonly string[]
  readonly pricingUrl: string
}

export interface ModelEntry {
  readonly provider: string
  readonly model: string
  readonly dated?: DateSuffix
  /** A UTC day. Null if the price applies from the beginning of the records. */
  readonly effectiveFrom: string | null
  readonly price: PriceJson
  readonly contextTokens?: number
  readonly outputTokensMax?: number
  readonly deprecated?: true
  readonly note?: string
  readonly source: string
  readonly checkedAt: string
}

/** Writes one sorted entry per line, so that a diff shows only models whose prices changed. */
export function priceFileText({ models, providers }: PriceFile): string {
  const lines = (entries: readonly object[]): string =>
    entries.map((entry) => `    ${JSON.stringify(entry)}`).join(',\n')
  return `{\n  "providers": [\n${lines(providers)}\n  ],\n  "models": [\n${lines(models.toSorted(inOrder))}\n  ]\n}\n`
}

/** By code unit and not by locale, so that every machine writes the same file. */
function inOrder(one: ModelEntry, other: ModelEntry): number {
  return (
    compare(one.provider, other.provider) ||
    compare(one.model, other.model) ||
    compare(one.effectiveFrom ?? '', other.effectiveFrom ?? '')
  )
}

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
