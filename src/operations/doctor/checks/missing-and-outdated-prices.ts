import { publishedPrices } from '#domain/prices/published-prices.ts'
import { rateNames } from '#domain/prices/text-of-rate-names.ts'
import { canBeAssumed, lackingRates } from '#domain/sources-serving-model-name.ts'
import { priceToJson, type Dimension, type Price } from '#money/price.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import type { Check, Finding } from './finding-types.ts'
import type { PricedSource } from '#operations/models/shared/model-status.ts'
import type { NamedModel } from '#operations/routers/shared/names-that-bundles-serve.ts'

/** Age at which a price list is probably outdated. */
const listDaysMax = 90
/** Age at which a published price may have changed. */
const priceDaysMax = 365
/** Example value for an unknown rate, in micros per million units. */
const exampleRate = '1000000'

export const prices: Check = {
  name: 'prices',
  looksAt: 'Price of every source of every model, and the age of published prices.',
  async run({ names, nowMs, organization, store }) {
    const { models } = await names()
    const priced = models.filter(({ alias }) => !alias.isDisabled)
    const unpriced = priced.flatMap((model) =>
      model.sources.flatMap((source) => unpricedFinding(model, source) ?? []),
    )
    const own = new Set<string>()
    for (const { id } of await store.providers.all(organization.id)) {
      // oxlint-disable-next-line no-await-in-loop -- few accounts
      for (const { model } of await store.providers.prices(id)) own.add(`${id} ${model}`)
    }
    const sources = priced.flatMap(({ alias, sources: all }) => all.map((source) => ({ ...source, alias })))
    const published = sources.filter(({ model, provider }) => !own.has(`${provider.id} ${model}`))
    const expired = published.flatMap((source) => expiredFinding(source, nowMs) ?? [])
    return [...unpriced, ...expired, ...oldListFinding(published, nowMs)]
  },
}

function unpricedFinding({ alias, state }: NamedModel, source: PricedSource): Finding | null {
  const { model, price, provider } = source
  const lacking = lackingRates({ account: provider, model, price })
  if (lacking.length === 0) return null
  const isServed = state.status === 'serving'
  return {
    code: price === null ? 'name_unpriced' : 'dimension_unpriced',
    severity: isServed ? 'warning' : 'error',
    resource: { type: 'model', id: alias.name },
    message: `${provider.label} has no price for ${rateNames(lacking)} of ${model}. ${effectOf(state, price)}`,
    fix: {
      say: `Set the rates that ${provider.label} charges. Replace the example rate of ${exampleRate} micros${canBeAssumed(lacking) ? ' per million tokens' : ''} with the rate that the provider charges.`,
      call: {
        operation: 'providers.price',
        method: 'POST',
        path: `/v1/providers/${provider.label}/price`,
        body: { model, price: withExamples(price, lacking) },
      },
    },
  }
}

/** Follows the rules of the gateway (domain/sources-serving-model-name.ts). */
function effectOf({ missing, status }: NamedModel['state'], price: Price | null): string {
  if (status !== 'serving') return 'Requests for the name are rejected.'
  if (missing === null)
    return 'Requests for the name skip this account, because another account has a complete price.'
  return price === null
    ? 'The name is served in bundles that set a price for the name. The provider cost is unknown, so the sell price is recorded as the cost of the requests.'
    : 'The name is served in bundles that set a price for the name. The cost of units without a rate is computed at assumed rates. All known rates apply.'
}

function withExamples(price: Price | null, lacking: readonly Dimension[]): object {
  return { ...priceToJson(price ?? {}), ...Object.fromEntries(lacking.map((name) => [name, exampleRate])) }
}

function expiredFinding(
  { alias, model, price, provider }: PricedSource & Pick<NamedModel, 'alias'>,
  nowMs: number,
): Finding | null {
  const listedBy = publishedPrices.providerOf(provider)
  const listed = listedBy && publishedPrices.model(listedBy.id, model, nowMs)
  if (!listed || price === null || daysSince(listed.checkedAt, nowMs) <= priceDaysMax) return null
  return {
    code: 'price_expired',
    severity: 'warning',
    resource: { type: 'model', id: alias.name },
    message: `The published price of ${model} was read ${daysSince(listed.checkedAt, nowMs)} days ago (${listed.checkedAt}). ${provider.label} may be charged a different price now.`,
    fix: {
      say: `Compare the price with ${listedBy.pricingUrl} and set it on the account, or install a server version with newer prices.`,
      call: {
        operation: 'providers.price',
        method: 'POST',
        path: `/v1/providers/${provider.label}/price`,
        body: { model, price: priceToJson(price) },
      },
    },
  }
}

function oldListFinding(published: readonly PricedSource[], nowMs: number): Finding[] {
  const isUsed = published.some(
    ({ price, provider }) => price !== null && publishedPrices.providerOf(provider),
  )
  const newest = publishedPrices
    .models(nowMs)
    .reduce((latest, { checkedAt }) => (checkedAt > latest ? checkedAt : latest), '')
  if (!isUsed || newest === '' || daysSince(newest, nowMs) <= listDaysMax) return []
  return [
    {
      code: 'price_list_old',
      severity: 'notice',
      resource: { type: 'price_list', id: newest },
      message: `The newest published price was read ${daysSince(newest, nowMs)} days ago (${newest}). Providers may have changed their prices since.`,
      fix: {
        say: 'Install a newer server version, or set the prices on the accounts.',
        call: null,
      },
    },
  ]
}

function daysSince(day: string, nowMs: number): number {
  return Math.floor((nowMs - Date.parse(day)) / dayMs)
}
