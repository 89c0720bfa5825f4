import type { BundleRecord } from '#domain/records.ts'
import { type EndUserContext, operation } from '#operations/operation.ts'
import { Refused, refused } from '#operations/refused.ts'
import { SubscriptionView, subscriptionView } from '#operations/subscription/subscription-view.ts'

export default operation({
  id: 'portal.subscription',
  method: 'GET',
  path: '/v1/portal/subscription',
  scope: 'end_user',
  summary: "Show the signed-in end user's subscription",
  description: 'Their plan, what it granted and what is left of it, in the mode of the session.',
  output: SubscriptionView,
  errors: ['not_found'],
  async run(_, context) {
    const bundle = await planOf(context)
    return bundle instanceof Refused ? bundle : subscriptionView(context.endUser, bundle, context)
  },
})

/** The plan of the person; it may have been removed. */
export async function planOf({
  application,
  endUser,
  store,
}: EndUserContext): Promise<BundleRecord | Refused<'not_found'>> {
  const { bundleId, externalId } = endUser
  const bundle = bundleId === null ? null : await store.bundles.byId(application.id, bundleId)
  return bundle ?? refused('not_found', { resource: 'subscription of', id: externalId })
}
