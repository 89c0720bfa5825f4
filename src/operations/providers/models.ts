import * as z from 'zod'
import type { ListedModel } from '#domain/prices/published-price-look-up.ts'
import { publishedPrices } from '#domain/prices/published-prices.ts'
import type { ProviderPrice } from '#domain/accounts/provider-account-record.ts'
import { lackingRates } from '#domain/sources-serving-model-name.ts'
import type { Price } from '#money/price.ts'
import { factsOf, modelFacts, pageByName } from '#operations/catalog/shared/catalog-view.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownProvider } from '#operations/kernel/find-resources-of-caller.ts'
import {
  answerOf,
  listOf,
  pageOf,
  pageQuery,
  PriceSchema,
  UpstreamModel,
} from '#operations/kernel/value-and-page-schemas.ts'

const AccountModelView = z
  .object({
    model: UpstreamModel,
    price: PriceSchema,
    pricedBy: z.enum(['account', 'catalogue']).meta({
      description:
        'Source of the price. `account`: set on the account. `catalogue`: published by the provider.',
    }),
    missing: z.array(z.string()).meta({
      description:
        'Required rates, such as `cacheWrite` or `webSearch`, that the price lacks. If the list is not empty, the model is served only in bundles that set a price for the model. The cost of units without a rate is computed at assumed rates. Fees for uses, such as `webSearch`, cannot be assumed: without such a fee, the model is not served.',
    }),
    ...modelFacts,
  })
  .meta({ id: 'AccountModel', description: 'A model that an account can use, with its price.' })

/** `listed` is null if the model is not in the price list. */
interface AccountModel {
  readonly model: string
  readonly own: Price | null
  readonly listed: ListedModel | null
}

// Published prices change without a change of the account, so the ETag does not cover this list.
export default operationOn(ownProvider, {
  id: 'providers.models',
  method: 'GET',
  path: '/v1/providers/{id}/models',
  isForOneApplication: true,
  summary: "List a provider account's models",
  description:
    'Returns the models that have a price on this account, in the order of their IDs. Prices come from the catalog or from providers.price, which takes precedence. No request is sent to the provider. Other models can be used after a price is set for them.',
  query: pageQuery,
  output: listOf(AccountModelView),
  async run(provider, context, { query }) {
    const own = await context.store.providers.prices(provider.id)
    const models = accountModels(publishedModels(provider, context.nowMs), own)
    const page = pageByName(models, ({ model }) => model, pageOf(query))
    return answerOf(page, ({ listed, model, own: ownPrice }) => {
      const price = ownPrice ?? listed?.price ?? {}
      return {
        model,
        price,
        pricedBy: ownPrice === null ? ('catalogue' as const) : ('account' as const),
        missing: lackingRates({ account: provider, model, price }),
        ...factsOf(listed),
      }
    })
  },
})

export function pricedModels(
  account: Parameters<typeof publishedPrices.providerOf>[0],
  own: readonly ProviderPrice[],
  nowMs: number,
): { readonly model: string; readonly price: Price }[] {
  return accountModels(publishedModels(account, nowMs), own).map(({ listed, model, own: price }) => ({
    model,
    price: price ?? listed?.price ?? {},
  }))
}

function publishedModels(
  account: Parameters<typeof publishedPrices.providerOf>[0],
  nowMs: number,
): ListedModel[] {
  const provider = publishedPrices.providerOf(account)
  return publishedPrices.models(nowMs).filter((model) => model.provider === provider?.id)
}

function accountModels(
  published: readonly ListedModel[],
  own: readonly { readonly model: string; readonly price: Price }[],
): AccountModel[] {
  const models = new Map<string, AccountModel>(
    published.map((listed) => [listed.model, { model: listed.model, own: null, listed }]),
  )
  for (const { model, price } of own) {
    models.set(model, { model, own: price, listed: models.get(model)?.listed ?? null })
  }
  return [...models.values()]
}
