import { modeTimes } from '#operations/mode-time.ts'
import { operationOn } from '#operations/operation.ts'
import { ownBundle } from '#operations/own.ts'
import { refused } from '#operations/refused.ts'
import { IncludeView, includeView, newInclude } from './bundle-view.ts'
import { plainCurrency } from './credit-currency-in-use.ts'
import { unknownPattern } from './patterns.ts'
import { spilloverFault } from './spillover-fault.ts'

export default operationOn(ownBundle, {
  id: 'bundles.include',
  method: 'POST',
  path: '/v1/bundles/{slug}/include',
  summary: 'Set what a subscription grants',
  description:
    'Adds the include, or replaces the include of that slug. End users who are on the bundle get a recurring include with their next period; a one-time include is granted only to end users who come to the bundle later. Pools of the current period do not change. All credits of a bundle are in its one currency, which is called `credits` until it is named.',
  body: newInclude,
  output: IncludeView,
  errors: ['unknown_model_pattern'],
  changes: 'application',
  async run(bundle, context, { body }) {
    const { store } = context
    if (body.rollover !== null && !body.recurring) {
      return refused(
        'invalid_request',
        { reason: 'rollover applies to recurring includes. Set recurring to true, or rollover to null.' },
        'rollover',
      )
    }
    const unknown = await unknownPattern(body.models ?? [], context)
    if (unknown) return unknown
    const overflow = spilloverFault(body, await store.bundles.includes(bundle.id), 'spilloverTo')
    if (overflow) return overflow
    const { price: priceMicros, ...fields } = body
    const include = { ...fields, priceMicros }
    if (body.unit === 'credits' && bundle.creditCurrency === null) {
      await store.bundles.put({ ...bundle, creditCurrency: plainCurrency })
    }
    await store.bundles.putInclude(bundle.id, include, modeTimes(context))
    return includeView(include)
  },
})
