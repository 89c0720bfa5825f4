import assert from 'node:assert/strict'
import {
  findProvider,
  type ConditionalPrice,
  type ModelInfo,
  type ModelPrice,
  type Provider,
} from '@pydantic/genai-prices'
import { requiredDimensions } from '#domain/prices/price-dimensions-required-by-kind.ts'
import { priceFromJson, missingDimensions, type PriceJson } from '#money/price.ts'
import { hosts, type Host } from './listed-providers.ts'
import { reasonToLeaveOut } from './omitted-models.ts'
import { isMatch, modelIds } from './exact-ids-of-package-entry.ts'
import { dearestOf, exactPrice } from './exact-prices-from-package.ts'
import type { Overrides } from './read-overrides-file.ts'
import type { ModelEntry, PriceFile } from './read-and-write-price-file.ts'
import { vertex, vertexModels } from './derive-vertex-prices.ts'

export interface Made {
  readonly file: PriceFile
  readonly leftOut: readonly LeftOut[]
}

export interface LeftOut {
  readonly provider: string
  readonly model: string
  readonly reason: string
}

export function makePriceFile(overrides: Overrides): Made {
  const seeds = hosts.map((host) => seedOf(host, overrides))
  const replaced = new Set(overrides.models.map(nameOf))
  const models = seeds.flatMap((seed) => seed.models).filter((entry) => !replaced.has(nameOf(entry)))
  const own = [...models, ...overrides.models]
  return {
    file: {
      providers: [...hosts.map(providerEntry), vertex].toSorted((one, other) => (one.id < other.id ? -1 : 1)),
      models: [...own, ...vertexModels(own)],
    },
    leftOut: seeds
      .flatMap((seed) => seed.leftOut)
      .filter(({ model, provider }) => !replaced.has(nameOf({ provider, model }))),
  }
}

function providerEntry(host: Host): PriceFile['providers'][number] {
  return {
    id: host.id,
    name: host.name,
    kind: host.kind,
    baseUrls: host.baseUrls,
    pricingUrl: providerOf(host).pricing_urls?.[0] ?? '',
  }
}

function nameOf({ model, provider }: { readonly provider: string; readonly model: string }): string {
  return `${provider} ${model}`
}

function providerOf(host: Host): Provider {
  const provider = findProvider({ providerId: host.seed })
  assert(provider?.id === host.seed, `the package lacks the provider ${host.seed}`)
  return provider
}

interface Seed {
  readonly models: readonly ModelEntry[]
  readonly leftOut: readonly LeftOut[]
}

function seedOf(host: Host, overrides: Overrides): Seed {
  const all = providerOf(host).models
  const models: ModelEntry[] = []
  const leftOut: LeftOut[] = []
  const source = `@pydantic/genai-prices ${overrides.package.version}`
  const checkedAt = overrides.package.publishedAt
  for (const model of all) {
    const leave = (id: string, reason: string): void =>
      void leftOut.push({ provider: host.id, model: id, reason })
    const ids = modelIds(model, all)
    const periods = periodsOf(model, host)
    if (ids.ids.length === 0) leave(model.id, 'has no id that the package spells out')
    for (const id of ids.ids) {
      if (typeof periods === 'string') {
        leave(id, periods)
        continue
      }
      const reason = periods
        .map(({ price }) => reasonToLeaveOut(host, model, id, price) ?? gapOf(host, id, price))
        .find((found) => found !== null)
      if (reason !== undefined) {
        leave(id, reason)
        continue
      }
      const dated = ids.dated.get(id)
      for (const { effectiveFrom, note, price } of periods) {
        models.push({
          provider: host.id,
          model: id,
          ...(dated !== undefined && { dated }),
          effectiveFrom,
          price,
          ...contextOf(model, id),
          ...(model.deprecated === true && { deprecated: true }),
          ...(note !== null && { note }),
          source,
          checkedAt,
        })
      }
    }
  }
  return { models: [...models, ...snapshotsOf(host, all, models, overrides)], leftOut }
}

/** Each ID has the price of the model to which the package assigns the ID. */
function snapshotsOf(
  host: Host,
  all: readonly ModelInfo[],
  models: readonly ModelEntry[],
  { snapshots }: Overrides,
): ModelEntry[] {
  return snapshots
    .filter(({ provider }) => provider === host.id)
    .flatMap(({ checkedAt, id, model, source }) => {
      assert(/-(\d{8}|\d{4}-\d{2}-\d{2})$/.test(id), `${id} does not end in a date`)
      assert.equal(
        all.find(({ match }) => isMatch(match, id))?.id,
        model,
        `the package puts ${id} under ${model}`,
      )
      const same = models.filter((entry) => entry.model === model)
      assert(same.length > 0, `${model} has no price in the file`)
      assert(
        !models.some((entry) => entry.model === id),
        `${id} is in the package by now: drop it from overrides.json`,
      )
      return same.map((entry) => ({
        ...entry,
        model: id,
        source: `${entry.source}; ${source}`,
        checkedAt,
      }))
    })
}

interface PricePeriod {
  readonly effectiveFrom: string | null
  readonly price: PriceJson
  readonly note: string | null
}

function periodsOf({ prices }: ModelInfo, { kind }: Host): PricePeriod[] | string {
  const conditional: readonly ConditionalPrice[] = Array.isArray(prices) ? prices : [{ prices }]
  const exact: { readonly condition: ConditionalPrice; readonly price: PriceJson }[] = []
  for (const condition of conditional) {
    const price = priceOf(condition.prices, kind)
    if (typeof price === 'string') return price
    exact.push({ condition, price })
  }
  const byTheHour = exact.filter(({ condition }) => condition.constraint?.type === 'time_of_date')
  const periods: PricePeriod[] = []
  for (const { condition, price } of exact) {
    const { constraint } = condition
    if (constraint?.type === 'time_of_date') continue
    // Conditions on the hour apply on every day, so each period gets the most expensive rates of all hours. If several
    // conditions match, the last one applies, as in the package.
    const dearest =
      byTheHour.length === 0 ? price : dearestOf([price, ...byTheHour.map((hour) => hour.price)])
    if (dearest === null) return 'has other dimensions by the hour'
    const effectiveFrom = constraint?.start_date ?? null
    assert(
      effectiveFrom === null || /^\d{4}-\d{2}-\d{2}$/.test(effectiveFrom),
      `a price starts at ${effectiveFrom}, which is no day`,
    )
    const before = periods.at(-1)
    if (before !== undefined && JSON.stringify(before.price) === JSON.stringify(dearest)) continue
    const note = byTheHour.length === 0 ? null : 'The price changes by the hour; this is the dearest hour.'
    periods.push({ effectiveFrom, price: dearest, note })
  }
  return periods
}

function priceOf(modelPrice: ModelPrice, kind: Host['kind']): PriceJson | string {
  return Object.keys(modelPrice).length === 0 ? 'has no price' : exactPrice(modelPrice, kind)
}

/** A price without a dimension that this kind of account requires excludes the model from the price file. */
function gapOf({ kind }: Host, model: string, json: PriceJson): string | null {
  const price = priceFromJson(json)
  assert(price !== null, 'a price that was made is one')
  const missing = missingDimensions(price, requiredDimensions(kind, model))
  return missing.length === 0 ? null : `has no price for ${missing.join(', ')}`
}

/**
 * Only the ID that the package names, with or without a date, has a context size. Another ID may belong to another
 * model.
 */
function contextOf(model: ModelInfo, id: string): { contextTokens?: number } {
  const isItself =
    id === model.id || (id.startsWith(`${model.id}-`) && /-(\d{8}|\d{4}-\d{2}-\d{2})$/.test(id))
  return isItself && model.context_window !== undefined ? { contextTokens: model.context_window } : {}
}
