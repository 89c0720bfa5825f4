/**
 * Reads the published prices of model providers once, from prices/prices.json, which tools/prices creates.
 *
 * A model is found by its exact ID. For some models, the list also states the format of a date that may follow the ID,
 * as in `gpt-6-sol-2026-09-01`. These models are also found by their ID with a date in this format. Any other ID that
 * starts with the ID of a listed model is a different model. A model that is not in the list has no price, which does
 * not mean free.
 */
import assert from 'node:assert/strict'
import { priceFromJson, type Price } from '#money/price.ts'
import type { ProviderAccount } from '#domain/application-config.ts'
import { isRemoteKind, kindFacts, type ProviderKind } from '#domain/accounts/provider-kinds.ts'

export type DateSuffix = 'YYYY-MM-DD' | 'YYYYMMDD'

export interface ListedProvider {
  readonly id: string
  readonly name: string
  readonly kind: ProviderKind
  /** The prices apply only at these addresses. The first address is the provider's usual address. */
  readonly baseUrls: readonly string[]
  readonly pricingUrl: string
}

/** The price applies from `effectiveFromMs` on. */
export interface ListedModel {
  readonly provider: string
  readonly model: string
  /** The format of the date that may follow the ID, after a hyphen. */
  readonly dated: DateSuffix | null
  /** Null means that the price was already in effect when the first list was created. */
  readonly effectiveFromMs: number | null
  readonly price: Price
  readonly contextTokens: number | null
  readonly outputTokensMax: number | null
  readonly isDeprecated: boolean
  readonly note: string | null
  readonly source: string
  /** The day (UTC) on which the price page was read. */
  readonly checkedAt: string
}

export interface PriceList {
  readonly providers: readonly ListedProvider[]
  provider(id: string): ListedProvider | null
  /** Returns the provider whose published prices an account at this address pays. */
  providerOf(account: Pick<ProviderAccount, 'kind' | 'baseUrl'>): ListedProvider | null
  model(provider: string, model: string, atMs: number): ListedModel | null
  /** Returns all models that have a price at the time `atMs`, sorted by provider and ID. */
  models(atMs: number): readonly ListedModel[]
  nextChangeMs(provider: string, afterMs: number): number | null
}

/** @param json the list in the form that tools/prices writes; any other form fails an assertion at start */
export function priceList(json: unknown): PriceList {
  assert(
    isRecord(json) && Array.isArray(json['providers']) && Array.isArray(json['models']),
    'a price list is providers and models',
  )
  const providers = json['providers'].map(providerFromJson)
  const byId = new Map(providers.map((provider) => [provider.id, provider]))
  assert.equal(byId.size, providers.length, 'a provider is listed once')
  /** Maps the provider and ID of a model to the entries of the model, the latest first. */
  const entries = new Map<string, ListedModel[]>()
  for (const entry of json['models'].map(modelFromJson)) {
    assert(byId.has(entry.provider), `${entry.provider} is listed`)
    const same = entries.get(nameOf(entry)) ?? []
    entries.set(
      nameOf(entry),
      [...same, entry].toSorted((one, other) => startOf(other) - startOf(one)),
    )
  }
  for (const [name, same] of entries) {
    assert.equal(new Set(same.map(startOf)).size, same.length, `${name} has one price at a time`)
  }

  const exact = (provider: string, model: string, atMs: number): ListedModel | null =>
    entries.get(nameOf({ provider, model }))?.find((entry) => startOf(entry) <= atMs) ?? null

  return {
    providers,
    provider: (id) => byId.get(id) ?? null,
    providerOf({ baseUrl, kind }) {
      // The base URL of the account determines the price. An account with a provider's base URL may use the vendor's
      // own wire or the OpenAI wire.
      return (
        providers.find(
          (provider) =>
            (provider.kind === kind || kindFacts(kind).place === 'any_server') &&
            baseUrl !== null &&
            provider.baseUrls.includes(baseUrl),
        ) ?? null
      )
    },
    model(provider, model, atMs) {
      const listed = exact(provider, model, atMs)
      if (listed !== null) return listed
      const dated = /^(.+)-(\d{4}-\d{2}-\d{2}|\d{8})$/.exec(model)
      if (dated === null) return null
      const [, id = '', date = ''] = dated
      const base = exact(provider, id, atMs)
      const form: DateSuffix = date.length === 8 ? 'YYYYMMDD' : 'YYYY-MM-DD'
      return base !== null && base.dated === form ? { ...base, model, dated: null } : null
    },
    models: (atMs) =>
      [...entries.values()]
        .flatMap((same) => same.find((entry) => startOf(entry) <= atMs) ?? [])
        .toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1)),
    nextChangeMs(provider, afterMs) {
      let next: number | null = null
      for (const same of entries.values()) {
        for (const entry of same) {
          const start = startOf(entry)
          if (entry.provider === provider && start > afterMs && (next === null || start < next)) next = start
        }
      }
      return next
    },
  }
}

function startOf({ effectiveFromMs }: ListedModel): number {
  return effectiveFromMs ?? -Infinity
}

/** Returns a name that sorts by provider, then by ID. No ID contains a line break. */
function nameOf({ model, provider }: Pick<ListedModel, 'provider' | 'model'>): string {
  return `${provider}\n${model}`
}

function providerFromJson(json: unknown): ListedProvider {
  assert(isRecord(json), 'a provider is a record')
  const { baseUrls, id, kind, name, pricingUrl } = json
  assert(
    typeof id === 'string' && typeof name === 'string' && typeof pricingUrl === 'string',
    'a provider has its names',
  )
  assert(typeof kind === 'string' && isRemoteKind(kind), id)
  assert(
    Array.isArray(baseUrls) && baseUrls.length > 0 && baseUrls.every((url) => typeof url === 'string'),
    id,
  )
  return { id, name, kind, baseUrls, pricingUrl }
}

function modelFromJson(json: unknown): ListedModel {
  assert(isRecord(json), 'a model is a record')
  const { checkedAt, dated = null, effectiveFrom, model, note = null, provider, source } = json
  assert(typeof provider === 'string' && typeof model === 'string', 'a model has its names')
  const price = priceFromJson(json['price'])
  assert(price !== null, `${provider} ${model} has a price without faults`)
  assert(dated === null || dated === 'YYYY-MM-DD' || dated === 'YYYYMMDD', `${model} has a form of date`)
  assert(note === null || typeof note === 'string', `${model} has a text for its note`)
  assert(typeof source === 'string' && source !== '', `${model} has a source`)
  assert(typeof checkedAt === 'string' && isDay(checkedAt), `${model} has a day`)
  assert(
    effectiveFrom === null || (typeof effectiveFrom === 'string' && isDay(effectiveFrom)),
    `${model} starts on a day`,
  )
  return {
    provider,
    model,
    dated,
    effectiveFromMs: effectiveFrom === null ? null : Date.parse(effectiveFrom),
    price,
    contextTokens: countOf(model, json['contextTokens']),
    outputTokensMax: countOf(model, json['outputTokensMax']),
    isDeprecated: json['deprecated'] === true,
    note,
    source,
    checkedAt,
  }
}

function countOf(model: string, value: unknown = null): number | null {
  assert(
    value === null || (typeof value === 'number' && Number.isSafeInteger(value) && value > 0),
    `${model} has counts`,
  )
  return value
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
