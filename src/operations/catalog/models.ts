import { publishedPrices } from '#domain/prices/published-prices.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { answerOf, listOf, pageOf, pageQuery } from '#operations/kernel/value-and-page-schemas.ts'
import {
  CatalogModelView,
  catalogModelView,
  catalogName,
  CatalogProviderId,
  pageByName,
} from '#operations/catalog/shared/catalog-view.ts'

export default operation({
  id: 'catalog.models',
  method: 'GET',
  path: '/v1/catalog/models',
  scope: 'organization',
  isForOneApplication: true,
  summary: 'List catalog models',
  description:
    'Returns models with the prices that their providers publish now, in the order of their names. If the base URL of a provider account belongs to the provider, costs are computed at these prices. A price that is set on the account takes precedence.',
  query: {
    ...pageQuery,
    provider: CatalogProviderId.optional().meta({ description: 'Returns only models of this provider.' }),
  },
  output: listOf(CatalogModelView),
  errors: ['not_found'],
  async run({ query }, { nowMs }) {
    const { provider } = query
    if (provider !== undefined && publishedPrices.provider(provider) === null) {
      return refused('not_found', { resource: 'provider in the catalog', id: provider }, 'provider')
    }
    const models = publishedPrices
      .models(nowMs)
      .filter((model) => provider === undefined || model.provider === provider)
    return answerOf(pageByName(models, catalogName, pageOf(query)), catalogModelView)
  },
})
