/**
 * overrides.json: which version of the package the file is made from, models that the package lacks,
 * and dated ids that it only matches by their beginning. Each with the document that says so.
 */
import assert from 'node:assert/strict'
import { priceFromJson } from '#money/price.ts'
import type { ModelEntry } from './price-file.ts'

export interface Overrides {
  readonly package: { readonly version: string; readonly publishedAt: string }
  /** In place of the package's entries of the same provider and model. */
  readonly models: readonly ModelEntry[]
  readonly snapshots: readonly Snapshot[]
}

/** `id` is a model that the package has, and a date. */
export interface Snapshot {
  readonly provider: string
  readonly model: string
  readonly id: string
  readonly source: string
  readonly checkedAt: string
}

export function overridesFromJson(text: string): Overrides {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked below, as far as it is used
  const overrides = JSON.parse(text) as Overrides
  assert(typeof overrides.package.version === 'string' && isDay(overrides.package.publishedAt))
  for (const { checkedAt, model, price, source } of overrides.models) {
    assert(priceFromJson(price) !== null, `overrides.json: ${model} has no exact price`)
    assert(source !== '' && isDay(checkedAt), `overrides.json: ${model} says where from and when`)
  }
  for (const { checkedAt, id, source } of overrides.snapshots) {
    assert(source !== '' && isDay(checkedAt), `overrides.json: ${id} says where from and when`)
  }
  return overrides
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text)
}
