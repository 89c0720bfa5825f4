import { publishedPrices } from '#domain/prices/published-prices.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { text } from '#operations/kernel/value-and-page-schemas.ts'
import { CatalogModelView, catalogModelView } from '#operations/catalog/shared/catalog-view.ts'

export default operation({
  id: 'catalog.show',
  method: 'GET',
  path: '/v1/catalog/models/{name}',
  scope: 'organization',
  isForOneApplication: true,
  summary: 'Show a catalog model',
  description:
    'Returns one model with its current price. The name must match exactly. A longer name that only begins with the name of a catalog model is not found.',
  parameters: {
    name: text(300).meta({
      description: 'Provider and model ID, such as `anthropic/claude-opus-5-5`. `/` may be percent-encoded.',
    }),
  },
  output: CatalogModelView,
  errors: ['not_found'],
  async run({ path }, { nowMs }) {
    const slash = path.name.indexOf('/')
    const model =
      slash < 0 ? null : publishedPrices.model(path.name.slice(0, slash), path.name.slice(slash + 1), nowMs)
    return model
      ? catalogModelView(model)
      : refused('not_found', { resource: 'model in the catalog', id: path.name }, 'name')
  },
})
