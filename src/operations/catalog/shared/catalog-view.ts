import * as z from 'zod'
import type { ListedModel, ListedProvider } from '#domain/prices/published-price-look-up.ts'
import { publishedPrices } from '#domain/prices/published-prices.ts'
import type { Page, Rows } from '#domain/list-page.ts'
import {
  Count,
  PriceSchema,
  text,
  Timestamp,
  UpstreamModel,
  ProviderKindSchema,
} from '#operations/kernel/value-and-page-schemas.ts'

export const CatalogProviderId = text(64).meta({
  description: 'ID of a provider in the catalog.',
  examples: ['anthropic'],
})

export const modelFacts = {
  contextTokens: Count.nullable().meta({ description: 'Context window, in tokens. Null if unknown.' }),
  maxOutputTokens: Count.nullable().meta({
    description: 'Maximum output tokens of a response. Null if unknown.',
  }),
  deprecated: z.boolean().meta({ description: 'Whether the provider is about to retire the model.' }),
}

export const CatalogModelView = z
  .object({
    name: z.string().meta({
      description: 'Name of the model in the catalog: provider and model ID, separated by a slash.',
      examples: ['anthropic/claude-opus-5-5'],
    }),
    provider: CatalogProviderId,
    model: UpstreamModel,
    dated: z.enum(['YYYY-MM-DD', 'YYYYMMDD']).nullable().meta({
      description:
        'Format of the date that can follow the model ID after a hyphen. Null if no date can follow.',
    }),
    price: PriceSchema,
    effectiveFrom: Timestamp.nullable().meta({
      description:
        'When the price took effect. Null means that the price was already in effect when the first price list of the catalog was created.',
    }),
    ...modelFacts,
    note: z.string().nullable().meta({ description: 'Note on the price. Null if the price has no note.' }),
    source: z.string().meta({ description: 'Software package or web page from which the price was read.' }),
    checkedAt: z.string().meta({ description: 'Day on which the price was read.', examples: ['2026-09-23'] }),
  })
  .meta({ id: 'CatalogModel', description: 'A model with the price that its provider publishes.' })

export const CatalogProviderView = z
  .object({
    id: CatalogProviderId,
    name: z.string().meta({ description: 'Name of the provider.' }),
    kind: ProviderKindSchema,
    baseUrls: z.array(z.string()).meta({
      description:
        'Base URLs of the provider, with the usual URL first. The published prices apply to provider accounts at exactly one of these URLs.',
    }),
    pricingUrl: z.string().meta({ description: 'Pricing page of the provider.' }),
    models: Count.meta({ description: 'Number of models that currently have a price.' }),
  })
  .meta({ id: 'CatalogProvider', description: 'A provider whose prices are in the catalog.' })

export function catalogName({ model, provider }: Pick<ListedModel, 'provider' | 'model'>): string {
  return `${provider}/${model}`
}

export function catalogModelView(model: ListedModel): z.output<typeof CatalogModelView> {
  return {
    name: catalogName(model),
    provider: model.provider,
    model: model.model,
    dated: model.dated,
    price: model.price,
    effectiveFrom: model.effectiveFromMs,
    ...factsOf(model),
    note: model.note,
    source: model.source,
    checkedAt: model.checkedAt,
  }
}

/** @param model null if the model is not in the price list */
export function factsOf(
  model: Pick<ListedModel, 'contextTokens' | 'outputTokensMax' | 'isDeprecated'> | null,
): {
  contextTokens: number | null
  maxOutputTokens: number | null
  deprecated: boolean
} {
  return {
    contextTokens: model?.contextTokens ?? null,
    maxOutputTokens: model?.outputTokensMax ?? null,
    deprecated: model?.isDeprecated ?? false,
  }
}

export function catalogProviderView(
  provider: ListedProvider,
  nowMs: number,
): z.output<typeof CatalogProviderView> {
  const models = publishedPrices.models(nowMs).filter((model) => model.provider === provider.id)
  return { ...provider, baseUrls: [...provider.baseUrls], models: models.length }
}

/** Sorted by name, because the models of a price list have no creation time. */
export function pageByName<Row>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  { after, limit }: Page,
): Rows<Row> {
  const sorted = rows.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
  const left = after === null ? sorted : sorted.filter((row) => nameOf(row) > after.id)
  const onPage = left.slice(0, limit)
  const last = onPage.at(-1)
  return {
    rows: onPage,
    next: last !== undefined && left.length > limit ? { at: 0, id: nameOf(last) } : null,
  }
}
