/**
 * overrides.json contains the version of the package of prices, models that the package lacks, and IDs with a date,
 * which the package matches only by their beginning. Each entry cites its source.
 */
import assert from 'node:assert/strict'
import { priceFromJson } from '#money/price.ts'
import type { ModelEntry } from './read-and-write-price-file.ts'

export interface Overrides {
  readonly package: { readonly version: string; readonly publishedAt: string }
  /** Entries that replace the package's entries for the same provider and model. */
  readonly models: readonly ModelEntry[]
  readonly snapshots: readonly Snapshot[]
}

export interface Snapshot {
  readonly provider: string
  readonly model: string
  readonly id: string
  readonly source: string
  readonly checkedAt: string
}

export function overridesFromJson(text: string): Overrides {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every field in use is checked below
  const overrides = JSON.parse(text) as Overrides
  assert(typeof overrides.package.version === 'string' && isDay(overrides.package.publishedAt))
  for (const { checkedAt, model, price, source } of overrides.models) {
    assert(priceFromJson(price) !== null, `overrides.json: ${model} has no exact price`)
    assert(
      source !== '' && isDay(checkedAt),
      `overrides.json: ${model} needs a source and the day of its check`,
    )
  }
  for (const { checkedAt, id, source } of overrides.snapshots) {
    assert(source !== '' && isDay(checkedAt), `overrides.json: ${id} needs a source and the day of its check`)
  }
  return overrides
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text)
}
