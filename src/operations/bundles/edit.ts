import { operationOn } from '#operations/kernel/declare-operation.ts'
import { putValues } from '#operations/kernel/put-fields.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import {
  BundleChanges,
  bundlePut,
  BundleView,
  bundleView,
  isBasisChosen,
} from '#operations/bundles/shared/bundle-view.ts'
import { currencyInUse } from '#operations/bundles/shared/credit-currency-in-use.ts'
import { bundleWithEtag } from '#operations/bundles/shared/bundle-with-etag.ts'

export default operationOn(bundleWithEtag, {
  id: 'bundles.edit',
  method: 'PATCH',
  path: '/v1/bundles/{slug}',
  summary: 'Change a bundle',
  description:
    'Changes the fields that are sent, starting with the next request. Omitted fields keep their values, and null removes a price or a limit. Pools that were already granted do not change.',
  body: BundleChanges,
  output: BundleView,
  errors: ['in_use'],
  configures: 'application',
  async run(bundle, context, { body }) {
    const fields = putValues(bundlePut, body, bundle)
    if (fields instanceof Refused) return fields
    const isDebitBasisChosen = isBasisChosen(body.debitBasis, bundle)
    const edited = { ...bundle, ...fields, isDebitBasisChosen }
    const clash = await currencyInUse(edited, bundle, context)
    if (clash) return clash
    await context.store.bundles.put(edited)
    return bundleView(edited, context)
  },
})
