import { modeTimes } from '#operations/kernel/current-time-of-mode.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { putValues } from '#operations/kernel/put-fields.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import { includePut, IncludeView, includeView, NewInclude } from '#operations/bundles/shared/bundle-view.ts'
import { includeFault } from '#operations/bundles/shared/included-pool-fault.ts'
import { plainCurrency } from '#operations/bundles/shared/credit-currency-in-use.ts'
import { unknownPattern } from '#operations/bundles/shared/define-allow-or-deny-operation.ts'
import { spilloverFault } from '#operations/bundles/shared/spillover-fault.ts'
import { bundleWithEtag } from '#operations/bundles/shared/bundle-with-etag.ts'

export default operationOn(bundleWithEtag, {
  id: 'bundles.include',
  method: 'POST',
  path: '/v1/bundles/{slug}/include',
  summary: 'Set an include',
  description:
    'Adds an include (included credit) to the bundle, or changes the fields that are sent for an existing include.\n\n- Recurring credit is granted to end users on the bundle when their next period starts. One-time credit is granted only to end users who join the bundle after the credit was added.\n- Pools of the current period do not change.\n- All credits of a bundle are in one currency, which is named `credits` until `creditCurrency` is set.',
  body: NewInclude,
  output: IncludeView,
  errors: ['unknown_model_pattern'],
  configures: 'application',
  async run(bundle, context, { body }) {
    const { store } = context
    const includes = await store.bundles.includes(bundle.id)
    const stored = includes.find(({ slug }) => slug === body.slug)
    const include = putValues(includePut, body, stored ? includeView(stored) : null)
    if (include instanceof Refused) return include
    const fault = includeFault(include)
    if (fault) return fault
    const unknown = await unknownPattern(body.models ?? [], context)
    if (unknown) return unknown
    const overflow = spilloverFault(include, includes, 'spilloverTo')
    if (overflow) return overflow
    if (include.unit === 'credits' && bundle.creditCurrency === null) {
      await store.bundles.put({ ...bundle, creditCurrency: plainCurrency })
    }
    const { price: priceMicros, ...terms } = include
    await store.bundles.putInclude(bundle.id, { ...terms, priceMicros }, modeTimes(context))
    return include
  },
})
