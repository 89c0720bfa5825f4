import { publishedPrices } from '#domain/prices/published-prices.ts'
import { operation } from '#operations/operation.ts'
import { answerOf, listOf, pageOf, pageQuery } from '#operations/schemas.ts'
import { CatalogProviderView, catalogProviderView, pageByName } from './catalog-view.ts'

export default operation({
  id: 'catalog.providers',
  method: 'GET',
  path: '/v1/catalog/providers',
  scope: 'organization',
  isForOneApplication: true,
  summary: 'List providers with published prices',
  description:
    'Providers whose models are in the catalogue, with the kind and the base URL to connect an account with, in the order of their ids.',
  query: pageQuery,
  output: listOf(CatalogProviderView),
  async run({ query }, { nowMs }) {
    const page = pageByName(publishedPrices.providers, ({ id }) => id, pageOf(query))
    return answerOf(page, (provider) => catalogProviderView(provider, nowMs))
  },
})
