import type { AliasRecord } from '#domain/model-name-record.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { refused, type Refused } from '#operations/kernel/returned-error.ts'
import { modelReader, ModelView, setDisabled } from '#operations/models/shared/model-view.ts'
import { modelWithEtag } from '#operations/models/shared/model-with-etag.ts'

export default operationOn(modelWithEtag, {
  id: 'models.enable',
  method: 'POST',
  path: '/v1/models/{name}/enable',
  summary: 'Enable a model name',
  description:
    'Serves the model name again, starting with the next request. Fails if no source and no bundle has a price for the model name. The error lists the missing rates.',
  output: ModelView,
  errors: ['model_unpriced'],
  configures: 'application',
  async run(alias, context) {
    const unpriced = await unpricedFault(alias, modelReader(context), 'name')
    return unpriced ?? setDisabled(alias, false, context)
  },
})

/**
 * Rejects a model name for which neither a source nor a bundle has a price. The name is enabled in both modes, so the
 * check uses the rules of test mode, in which every source can serve.
 */
export async function unpricedFault(
  alias: AliasRecord,
  { state }: Pick<ReturnType<typeof modelReader>, 'state'>,
  param: string,
): Promise<Refused<'model_unpriced'> | null> {
  const { missing, status } = await state({ ...alias, isDisabled: false }, 'test')
  if (status !== 'unpriced' || !missing) return null
  const dimensions = missing.dimensions.join(', ')
  const { account } = missing
  const reason = `Set the rates for ${dimensions} with POST /v1/providers/${account}/price or POST /v1/bundles/<slug>/price`
  return refused('model_unpriced', { model: alias.name, account, dimensions, reason }, param)
}
