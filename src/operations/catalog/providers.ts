import { publishedPrices } from '#domain/prices/published-prices.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { answerOf, listOf, pageOf, pageQuery } from '#operations/kernel/value-and-page-schemas.ts'
import {
  CatalogProviderView,
  catalogProviderView,
  pageByName,
} from '#operations/catalog/shared/catalog-view.ts'

export default operation({
  id: 'catalog.providers',
  method: 'GET',
  path: '/v1/catalog/providers',
  scope: 'organization',
  isForOneApplication: true,
  summary: 'List catalog providers',
  description:
    'Returns the providers whose models are in the catalog, in the order of their IDs. Each provider has the kind and the base URL for connecting a provider account.',
  query: pageQuery,
  output: listOf(CatalogProviderView),
  async run({ query }, { nowMs }) {
    const page = pageByName(publishedPrices.providers, ({ id }) => id, pageOf(query))
    return answerOf(page, (provider) => catalogProviderView(provider, nowMs))
  },
})
